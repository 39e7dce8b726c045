"""Questions without a label: how many, why, what brings them back, and what they could change."""

from __future__ import annotations

from collections.abc import Mapping

from altmas.words.language import sentence, to_say
from altmas.words.wording import Row, counted, figure, is_share, listed, marked, named

_REASONS = {
    "unsure": to_say("{number} unsure"),
    "skip": to_say("{number} skipped"),
    "disputed": to_say("{number} disputed"),
    "taken_back": to_say("{number} taken back"),
    "open": to_say("{number} open"),
}
"""Why questions have no label."""


def how_to_answer(missing: Mapping[str, int]) -> str:
    """What brings questions back that have no label.

    >>> how_to_answer({"open": 3, "skip": 1})
    'altmas label and altmas next bring the open ones next; altmas next --again asks about the others once more.'
    """
    waiting = sum(missing.get(name, 0) for name in ("open", "taken_back"))
    settled = sum(missing.get(name, 0) for name in ("unsure", "skip", "disputed"))
    if waiting and settled:
        return sentence(
            "altmas label and altmas next bring the open ones next; "
            "altmas next --again asks about the others once more."
        )
    one = waiting + settled == 1
    if waiting:
        return sentence(
            "altmas label and altmas next bring it next." if one else "altmas label and altmas next bring them next."
        )
    return sentence(
        "altmas next --again asks about it once more." if one else "altmas next --again asks about them once more."
    )


def unanswered(missing: Mapping[str, int], row: Row | None) -> str:
    """How many questions have no label, and what they could change.

    >>> row = {"metric": "accuracy", "worst_case": 0.88, "best_case": 0.92}
    >>> unanswered({"unsure": 7, "skip": 3, "disputed": 0, "open": 0}, row)
    '10 questions have no label: 7 unsure and 3 skipped. altmas next --again asks about them once more. With all of \
them against the model, accuracy would be about 88.0%; with all for it, about 92.0%.'
    """
    counts = {reason: count for reason in _REASONS if (count := missing.get(reason))}
    parts = [sentence(_REASONS[reason], number=marked(f"{count:,}")) for reason, count in counts.items()]
    if not parts:
        return sentence("Every question asked so far has a label.")
    total = sum(counts.values())
    told = sentence(
        "{questions} has no label: {reasons}." if total == 1 else "{questions} have no label: {reasons}.",
        questions=counted(total, "question"), reasons=listed(parts),
    )  # fmt: skip
    said = f"{told} {how_to_answer(missing)}"
    if row is None or row.get("worst_case") is None or row.get("best_case") is None:
        return said
    least, most = (figure(row[name], share=is_share(row["metric"])) for name in ("worst_case", "best_case"))
    cases = sentence(
        "With all of them against the model, {metric} would be about {worst}; with all for it, about {best}.",
        metric=named(row["metric"]), worst=least, best=most,
    )  # fmt: skip
    return f"{said} {cases}"
