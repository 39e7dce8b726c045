"""What features were worth, in a sentence."""

from __future__ import annotations

from altmas.core.findings import FeaturesWorth
from altmas.words.language import sentence
from altmas.words.wording import percent

HARDLY = 0.02
"""A change of the expected error below this is none."""


def features_sentence(worth: FeaturesWorth) -> str:
    """By how much features lowered the expected error, and which learners on them counted.

    >>> features_sentence(FeaturesWorth(0.69, {"kernel": 0.25, "neighbours": 0.75}))
    'Features lowered the expected error by 31% (learners on them: neighbours 75%, kernel 25%).'
    """
    change = worth.error - 1
    shown = sorted(worth.learners.items(), key=lambda pair: -pair[1])
    learners = ", ".join(f"{name} {percent(share)}" for name, share in shown if share >= 0.005)
    if abs(change) < HARDLY:
        return sentence("Features hardly changed the expected error (learners on them: {learners}).", learners=learners)
    return sentence(
        "Features lowered the expected error by {change} (learners on them: {learners})."
        if change < 0
        else "Features raised the expected error by {change}: without learners they are left alone (learners on them: "
        "{learners}).",
        change=percent(abs(change)), learners=learners,
    )  # fmt: skip
