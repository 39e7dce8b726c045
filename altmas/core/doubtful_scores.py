"""Scores that are most likely something else than what they are taken for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from altmas.core.pool import Outputs


class DoubtfulScoresWarning(UserWarning):
    """Scores that are most likely something else than what they are taken for."""


def scores_doubt(outputs: Outputs, classes: Sequence[Hashable]) -> str:
    """What is strange about a model's scores, in a sentence; nothing where nothing is.

    >>> import numpy as np
    >>> from altmas.core.pool import Outputs
    >>> scores_doubt(Outputs("model", np.array([0, 1]), np.array([0.1, 0.9])), ("cat", "dog"))[:45]
    'scores are below 1/2 for 50% of the items; on'
    """
    if outputs.scores is None:
        return ""
    if outputs.scores.ndim == 1:
        if not outputs.probable or outputs.probable_among(len(classes)):
            return ""
        low = outputs.below_chance(len(classes))
        return (
            f"scores are below 1/{len(classes)} for {low:.0%} of the items; one score per item must be the model's "
            "confidence in what it predicted, not the probability of one class."
        )
    agree = float((outputs.scores.argmax(1) == outputs.predictions)[outputs.scored].mean())
    if agree >= 0.5:
        return ""
    return (
        f"scores are highest for the predicted class in only {agree:.0%} of the items; "
        f"are their columns in the order of the classes {list(classes)[:12]}?"
    )
