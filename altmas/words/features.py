"""What features were worth, in a sentence."""

from __future__ import annotations

from altmas.core.findings import FeaturesWorth

HARDLY = 0.02
"""A change of the expected error below this is none."""


def features_sentence(worth: FeaturesWorth) -> str:
    """By how much features lowered the expected error, and which learners on them counted.

    >>> features_sentence(FeaturesWorth(0.69, {"kernel": 0.25, "neighbours": 0.75}))
    'Features lowered the expected error by 31% (learners on them: neighbours 75%, kernel 25%).'
    """
    change = worth.error - 1
    if abs(change) < HARDLY:
        said = "hardly changed the expected error"
    elif change < 0:
        said = f"lowered the expected error by {-change:.0%}"
    else:
        said = f"raised the expected error by {change:.0%}: without learners they are left alone"
    counted = sorted(worth.learners.items(), key=lambda pair: -pair[1])
    shares = ", ".join(f"{name} {share:.0%}" for name, share in counted if share >= 0.005)
    return f"Features {said} (learners on them: {shares})."
