"""Sentences about how an audit was conducted, and warnings where that matters for what its numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from altmas.words.wording import counted

NOTABLE = 0.05
"""A share of the answers from which changes of mind, and haste, are worth a warning."""


def conduct_rows(conduct: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What happened and how often, for a table.

    >>> found = {"answers": 9, "after_reveal": 0, "timed": 9, "quick": 1, "changed": 2, "replaced_by_import": 0}
    >>> conduct_rows({**found, "taken_back": 0, "looks": [5, 9]})[-1]
    ('looks at the estimates', '2, after 5 and 9 labels')
    """
    looks = [f"{one:,}" for one in conduct["looks"]]
    few = looks if len(looks) <= 8 else [*looks[:4], "...", *looks[-3:]]
    after = f", after {', '.join(few[:-1])} and {few[-1]} labels" if len(few) > 1 else ""
    timed = f"{conduct['quick']:,} of {conduct['timed']:,} that were timed" if conduct["timed"] else "not timed"
    return [
        ("answers given", f"{conduct['answers']:,}"),
        ("after the model's prediction or an estimate was shown", f"{conduct['after_reveal']:,}"),
        ("in less than a second", timed),
        ("in place of another answer", f"{conduct['changed']:,}"),
        ("of these, by an imported file", f"{conduct['replaced_by_import']:,}"),
        ("taken back", f"{conduct['taken_back']:,}"),
        ("looks at the estimates", f"{len(looks):,}{after}"),
    ]


def conduct_warnings(
    conduct: Mapping[str, Any], labels: int, spent: int, budget: int | None, *, one_look: bool
) -> list[str]:
    """What of it a reader must know. `one_look` says that the intervals are those of one look.

    `spent` are questions that were answered, with a label or without one.

    >>> found = {"answers": 9, "after_reveal": 1, "timed": 0, "quick": 0, "changed": 0, "replaced_by_import": 0}
    >>> for one in conduct_warnings({**found, "taken_back": 0, "looks_before": 1}, 9, 9, 20, one_look=True): print(one)
    1 of 9 answers was given after the annotator had been shown the model's prediction or an estimate: such answers \
lean towards the model.
    The estimates were looked at 1 time before, with other answers, and 20 answers are planned, 9 given: whoever \
stops because of what a look showed has intervals that hold the true value less often than they say. Intervals that \
hold at all looks (--anytime) do not mind.
    """
    answers, out = conduct["answers"], []

    def share(count: int) -> str:
        return f"{count:,} of {counted(answers, 'answer')} {'was' if count == 1 else 'were'}"

    if conduct["after_reveal"]:
        out.append(
            f"{share(conduct['after_reveal'])} given after the annotator had been shown the model's prediction or an "
            "estimate: such answers lean towards the model."
        )
    if conduct["quick"] > NOTABLE * max(conduct["timed"], 1):
        out.append(
            f"{conduct['quick']:,} of the {counted(conduct['timed'], 'answer')} that were timed took less than a "
            "second, hardly time to look at an item."
        )
    if conduct["replaced_by_import"]:
        out.append(f"{share(conduct['replaced_by_import'])} put by an imported file in place of another answer.")
    if conduct["changed"] > NOTABLE * answers:
        out.append(f"{share(conduct['changed'])} given in place of another answer; the log has them all.")
    if conduct["taken_back"] > NOTABLE * answers:
        out.append(f"{share(conduct['taken_back'])} taken back; what has no answer now counts as missing.")
    if conduct.get("retargeted"):
        out.append("What the model must reach was changed after the estimates had been looked at; the log has when.")
    before, replanned = conduct["looks_before"], conduct.get("replanned")
    if one_look and before and (replanned or budget not in (labels, spent)):
        planned = (
            "no number of answers was planned" if budget is None else f"{budget:,} answers are planned, {spent:,} given"
        )
        if replanned:
            planned = "the number of answers planned was changed after a look"
        out.append(
            f"The estimates were looked at {counted(before, 'time')} before, with other answers, and {planned}: "
            "whoever stops because of what a look showed has intervals that hold the true value less often than they "
            "say. "
            "Intervals that hold at all looks (--anytime) do not mind."
        )
    return out


def drawn_from(trail: Mapping[str, Any]) -> str:
    """What the questions follow from, and what a reader can do with it; `trail` has seed, secret, given and commitment.

    >>> drawn_from({"seed": 7, "secret": None, "secret_given": False, "commitment": ""})
    'The questions follow from the seed 7 alone.'
    """
    seed, secret, commitment = trail["seed"], trail["secret"], trail["commitment"]
    if not trail["commitment"]:
        return f"The questions follow from the seed {seed} alone."
    if secret is None:
        return (
            f"The questions follow from the seed {seed} and a secret, which the report reveals when the planned labels "
            f"are there; the audit's first event, {commitment}, commits to both."
        )
    how = (
        "which was given, as in a replay"
        if trail["secret_given"]
        else "which was made after the pool's files were hashed"
    )
    return (
        f"The questions follow from the seed {seed} and the secret {secret}, {how}; the audit's first event, "
        f"{commitment}, committed to both. With them, altmas log --verify draws every question again."
    )


def drawing_warnings(created: Mapping[str, Any]) -> list[str]:
    """What a reader must know of how the questions came about, given the body of the audit's first event.

    >>> drawing_warnings({"secret": "ab", "earlier": []})
    []
    >>> earlier = [{"created": "2026-01-02T03:04:05.678Z", "labels": 150}]
    >>> drawing_warnings({"secret": "ab", "earlier": earlier})[0]
    'This is not the first audit of the same predictions by this user: there was 1 before (2026-01-02, 150 labels). \
Numbers picked from several audits look better than the truth.'
    """
    out = []
    if "secret" not in created:
        out.append(
            "The questions follow from the seed alone, as in all audits of older versions: a vendor who could guess "
            "the seed could know them beforehand."
        )
    if created.get("secret_given"):
        out.append(
            "The secret behind the questions was given and not made after the files were hashed, as in a replay: "
            "whoever gave it could know the questions beforehand."
        )
    if created.get("registry") is False:
        out.append(
            "Nothing could be noted in the user's registry, so that earlier audits of these predictions are not known."
        )
    if earlier := created.get("earlier"):
        out.append(
            f"This is not the first audit of the same predictions by this user: there "
            f"{'was' if len(earlier) == 1 else 'were'} {len(earlier):,} before ({_listed(earlier)}). "
            "Numbers picked from several audits look better than the truth."
        )
    return out


def _listed(earlier: Sequence[Mapping[str, Any]]) -> str:
    named = [f"{str(one['created'])[:10]}, {counted(int(one['labels']), 'label')}" for one in earlier]
    return "; ".join(named[:5] + ([f"and {len(named) - 5:,} more"] if len(named) > 5 else []))
