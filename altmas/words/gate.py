"""What a gate found, in sentences that say no more than its tests do."""

from __future__ import annotations

from collections.abc import Sequence

from altmas.core.gate import Checked
from altmas.core.requirements import Outcome
from altmas.words.good_enough import asked_for
from altmas.words.language import sentence
from altmas.words.wording import counted, figure, is_share, listed, marked, percent

SURE_ENOUGH = 3
"""Digits of an estimate in a sentence about a requirement."""


def checked_sentence(one: Checked, labels: int, pool: int) -> str:
    """What came of one requirement.

    >>> row = Checked("", "accuracy", ">=", 0.9, "pass", 0.95, 40.0, 0.1, None, "pass", False, "")
    >>> checked_sentence(row, 300, 5000)
    'Accuracy of at least 90% is met: it is about 95.0%.'
    >>> from dataclasses import replace
    >>> checked_sentence(replace(row, outcome="not settled", labels_needed=420), 300, 5000)
    'Accuracy of at least 90% is not settled: it is about 95.0%. About 120 more labels would settle it, if it is 95.0%.'
    """
    what = asked_for(one.requirement)
    what = what[:1].upper() + what[1:]
    what = f"{one.model}: {what}" if one.model else what
    value = figure(one.estimate, share=is_share(one.metric), digits=1 if is_share(one.metric) else SURE_ENOUGH)
    if one.outcome == "pass":
        if one.certain:
            return sentence("{target} is met, whatever the other labels are.", target=what)
        return sentence("{target} is met: it is about {value}.", target=what, value=value)
    if one.outcome == "fail":
        if one.certain:
            return sentence("{target} is missed, whatever the other labels are.", target=what)
        return sentence("{target} is missed: it is about {value}.", target=what, value=value)
    said = sentence("{target} is not settled: it is about {value}.", target=what, value=value)
    return f"{said} {_would_settle(one, value, labels, pool)}"


def _would_settle(one: Checked, value: str, labels: int, pool: int) -> str:
    if one.labels_needed is None:
        return sentence("Answer the questions without a label first: without them, more labels do not settle it.")
    if one.labels_needed >= pool:
        return sentence("It is so close that the whole pool would have to be labelled.")
    more = max(one.labels_needed - labels, 1)
    return sentence("About {labels} would settle it, if it is {value}.", labels=counted(more, "more label"),
                    value=value)  # fmt: skip


def gate_summary(outcome: Outcome, checks: Sequence[Checked], labels: int, needed: int | None, pool: int) -> str:
    """One line for a pipeline.

    >>> row = Checked("", "accuracy", ">=", 0.9, "pass", 0.95, 40.0, 0.1, None, "pass", False, "")
    >>> gate_summary("pass", [row], 300, None, 5000)
    'Gate passed: requirements met: 1 of 1, with 300 labels.'
    >>> gate_summary("not settled", [row, row], 300, 420, 5000)
    'Gate not settled: requirements met: 2 of 2, with 300 labels. About 120 more labels would probably settle it.'
    """
    met, every = (marked(f"{n:,}") for n in (sum(one.outcome == "pass" for one in checks), len(checks)))
    spent = counted(labels, "label")
    if outcome == "pass":
        return sentence("Gate passed: requirements met: {met} of {count}, with {labels}.", met=met, count=every,
                        labels=spent)  # fmt: skip
    if outcome == "fail":
        missed = listed([one.name for one in checks if one.outcome == "fail"])
        return sentence("Gate failed, with {labels}; missed: {missed}.", missed=missed, labels=spent)
    said = sentence("Gate not settled: requirements met: {met} of {count}, with {labels}.", met=met, count=every,
                    labels=spent)  # fmt: skip
    return f"{said} {_would_settle_all(labels, needed, pool)}"


def _would_settle_all(labels: int, needed: int | None, pool: int) -> str:
    if needed is None:
        return sentence("Answer the questions without a label first: without them, more labels do not settle it.")
    if needed >= pool:
        return sentence("It is so close that the whole pool would have to be labelled.")
    more = counted(max(needed - labels, 1), "more label")
    return sentence("About {labels} would probably settle it.", labels=more)


def gate_promise(count: int, level: float) -> str:
    """What a verdict promises, however often it is asked for.

    >>> gate_promise(2, 0.95)
    'Asked after every label, a gate that should not pass passes with a chance of at most 5%, and one that should pass \
fails with a chance of at most 5%. To pass, each of 2 requirements is tested at 5%, for one that is missed is \
enough to hold the gate; to fail, each at 2.5%, for any of them may seem to be missed.'
    """
    alpha, each = percent(1 - level, ".6g"), percent((1 - level) / count, ".4g")
    said = sentence(
        "Asked after every label, a gate that should not pass passes with a chance of at most {alpha}, and one that "
        "should pass fails with a chance of at most {alpha}.",
        alpha=alpha,
    )
    if count == 1:
        return said
    more = sentence(
        "To pass, each of {count} is tested at {alpha}, for one that is missed is enough to hold the gate; to "
        "fail, each at {each}, for any of them may seem to be missed.",
        count=counted(count, "requirement"), alpha=alpha, each=each,
    )  # fmt: skip
    return f"{said} {more}"
