"""Sentences about audits over time: what changed in the pool, and what was taken over from an earlier audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from altmas.words.language import sentence
from altmas.words.wording import clean, counted, figure, listed, marked, percent, quoted

if TYPE_CHECKING:
    from altmas.core.pool_changes import ModelChanges, PoolChanges, Shares

HARDLY = 0.0005
"""A change of a share that would be written as none."""

NAMES_SHOWN = 8


def changes_of_pool(changes: PoolChanges) -> list[str]:
    """What changed in the pool, a sentence each; the first says how many items are in both.

    >>> from altmas.core.pool import Pool
    >>> from altmas.core.pool_changes import pool_changes
    >>> before, after = Pool.build(["cat", "dog"] * 2), Pool.build(["cat", "cat", "cat", "dog"])
    >>> for one in changes_of_pool(pool_changes(before, after)):
    ...     print(one)
    The pool has 4 items, as before; 4 items are in both, by their ids.
    Of 4 items in both, model predicts another class for 1 item.
    model predicts 'cat' for 75.0% instead of 50.0%, the largest change; in all, 25.0% of its predictions moved.
    """
    before, after = changes.size
    values = {"after": counted(after, "item"), "before": counted(before, "item")}
    shared = counted(changes.shared_ids, "item")
    said = [
        sentence("The pool has {after}, as before; {shared} are in both, by their ids.", shared=shared, **values)
        if before == after
        else sentence("The pool has {after} instead of {before}; {shared} are in both, by their ids.", shared=shared,
                      **values)
    ]  # fmt: skip
    if changes.new_classes:
        said.append(sentence("New classes: {names}.", names=_names(changes.new_classes)))
    if changes.gone_classes:
        said.append(sentence("Classes that are gone: {names}.", names=_names(changes.gone_classes)))
    if changes.only_before:
        said.append(sentence("Only the earlier audit has {names}.", names=_names(changes.only_before)))
    if changes.only_after:
        said.append(sentence("Only the later audit has {names}.", names=_names(changes.only_after)))
    for one in changes.models:
        said += _of_model(one, changes.shared_ids)
    for name, shares in changes.groups.items():
        if (moved := _largest(shares)) is not None:
            said.append(sentence(
                "Of group {group}, {value} has {after} of the items instead of {before}, the largest change; in all, "
                "{distance} moved.", group=clean(name), value=quoted(moved), **_shares(shares, moved),
            ))  # fmt: skip
    if len(said) == 1:
        said.append(sentence("Nothing else in the pool changed that can be seen."))
    return said


def _of_model(one: ModelChanges, shared: int) -> list[str]:
    from altmas.core.pool import NO_CLASS

    name, said = clean(one.name), []
    if one.changed:
        said.append(sentence(
            "Of {shared} in both, {model} predicts another class for {changed}.", shared=counted(shared, "item"),
            model=name, changed=counted(one.changed, "item"),
        ))  # fmt: skip
    if (moved := _largest(one.predicted)) is not None:
        value = sentence("(no class)") if moved == NO_CLASS else quoted(moved)
        said.append(sentence(
            "{model} predicts {value} for {after} instead of {before}, the largest change; in all, {distance} of its "
            "predictions moved.", model=name, value=value, **_shares(one.predicted, moved),
        ))  # fmt: skip
    if abs(one.no_answer[1] - one.no_answer[0]) >= HARDLY:
        before, after = (percent(share, ".1f") for share in one.no_answer)
        said.append(sentence("{model} gave no answer for {after} of the items instead of {before}.", model=name,
                             before=before, after=after))  # fmt: skip
    if one.mean_score is not None and one.scores_distance is not None and one.scores_distance >= HARDLY:
        before, after = (marked(f"{mean:.3g}") for mean in one.mean_score)
        said.append(sentence(
            "The confidence of {model} is {after} on average instead of {before}; the two distributions are up to "
            "{distance} apart.", model=name, before=before, after=after, distance=marked(f"{one.scores_distance:.2f}"),
        ))  # fmt: skip
    return said


def _largest(shares: Shares) -> str | None:
    """The value whose share changed most; None where none did so that it can be seen."""
    names = sorted(shares.before.keys() | shares.after.keys())
    moved = {name: abs(shares.after.get(name, 0.0) - shares.before.get(name, 0.0)) for name in names}
    most = max(moved, key=lambda name: moved[name])
    return most if moved[most] >= HARDLY else None


def _shares(shares: Shares, name: str) -> dict[str, str]:
    before, after = (figure(some.get(name, 0.0), share=True) for some in (shares.before, shares.after))
    return {"before": before, "after": after, "distance": figure(shares.distance, share=True)}


def _names(names: tuple[str, ...]) -> str:
    shown = [quoted(one) for one in names[:NAMES_SHOWN]]
    if len(names) > NAMES_SHOWN:
        shown.append(sentence("{number} more", number=marked(f"{len(names) - NAMES_SHOWN:,}")))
    return listed(shown)


def in_both(labels: int, *, allowed: bool) -> str:
    """What is said of a comparison with an audit that kept labels of the other one.

    >>> in_both(120, allowed=True)[:60]
    '120 labels are in both audits, so that their errors are alik'
    """
    count = counted(labels, "label")
    if allowed:
        return sentence(
            "{labels} are in both audits, so that their errors are alike and partly cancel; the intervals of the "
            "differences allow for it. Each is meant by itself: of many metrics some seem to change by chance.",
            labels=count,
        )  # fmt: skip
    return sentence(
        "{labels} are in both audits, so that their errors are alike and partly cancel: the intervals of the "
        "differences are wider than they need be.", labels=count,
    )  # fmt: skip


def independent() -> str:
    """What the intervals of differences between audits rest on.

    >>> independent()[:47]
    'The two audits drew their questions independent'
    """
    return sentence(
        "The two audits drew their questions independently, so that the squares of their errors add up. Each interval "
        "is meant by itself: of many metrics some seem to change by chance."
    )


def another_meaning(metrics: Sequence[str]) -> str:
    """What is said of metrics that both audits have, and that are not compared.

    >>> another_meaning(["auroc", "brier"])
    'Not compared, because classes or costs are others, so that it would not mean the same: auroc and brier.'
    """
    return sentence("Not compared, because classes or costs are others, so that it would not mean the same: {metrics}.",
                    metrics=listed([clean(one) for one in metrics]))  # fmt: skip


def no_coverage() -> str:
    """What is said where the interval of one of the audits promises nothing.

    >>> no_coverage()[:35]
    'One of the two intervals promises n'
    """
    return sentence("One of the two intervals promises no coverage, so that their difference does not either.")


def renewed_from(body: Mapping[str, Any]) -> list[str]:
    """What an audit took over from an earlier one, as its event says it; nothing where it took nothing.

    >>> body = {"from": {"created": "2026-03-01T09:00:00+00:00"}, "evidence": 80, "kept": 120, "stayed": 900}
    >>> for one in renewed_from(body):
    ...     print(one)
    80 labels of an audit begun on 2026-03-01 taught what is believed, and weigh in no estimate.
    120 labels of an audit begun on 2026-03-01 were kept for items that stayed the same, with the chances they were \
drawn with: whoever renewed the audit says that they still hold.
    """
    when, out = str(body["from"]["created"])[:10], []
    if body["evidence"]:
        out.append(sentence(
            "{labels} of an audit begun on {date} taught what is believed, and weigh in no estimate.",
            labels=counted(body["evidence"], "label"), date=when,
        ))  # fmt: skip
    if body["kept"]:
        out.append(sentence(
            "{labels} of an audit begun on {date} were kept for items that stayed the same, with the chances they were "
            "drawn with: whoever renewed the audit says that they still hold.",
            labels=counted(body["kept"], "label"), date=when,
        ))  # fmt: skip
    return out
