"""What features were worth: the error that is expected with them, as a share of the error without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from altmas.certified.design import Linearised, Sample
from altmas.metrics.types import FloatArray


def share_of_error(wanted: Sequence[Linearised], sample: Sample, without: FloatArray) -> float:
    """Geometric mean over targets of the standard error with features over that without.

    Both are what the same answers show, sum (1 - p_i) (r_i / p_i)^2, with surprises r_i of the belief as it is and of
    the belief `without [n, C]` that out of fold knew the outputs alone. That features also drew better questions is
    not counted. The two share their heavy tails, so that the ratio is steadier than either.
    """
    answers, drawn = sample.answers, sample.inclusion[sample.answers.items]
    weights = (1 - drawn) / np.square(drawn)
    shares = []
    for at in wanted:
        slopes = sum(part.sign * part.target.slopes(part.gradient, answers.items) for part in at.parts)
        moves = at.moves(answers)
        with_them = float(weights @ np.square(moves - at.mean[answers.items]))
        alone = float(weights @ np.square(moves - np.einsum("ic,ic->i", without, slopes)))
        if with_them > 0 and alone > 0:
            shares.append(0.5 * np.log(with_them / alone))
    return float(np.exp(np.mean(shares))) if shares else 1.0
