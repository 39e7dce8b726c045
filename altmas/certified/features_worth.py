"""What features were worth: the error that is expected with them, as a share of the error without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from altmas.certified.design import Linearised, variance_expected, variances_shown
from altmas.certified.sample import Sample


def share_of_error(with_them: Sequence[Linearised], without: Sequence[Linearised], sample: Sample) -> float:
    """Geometric mean over targets of the standard error with features over that without, for the same answers.

    Each is the larger of what the answers show, sum (1 - p_i) (r_i / p_i)^2, and what the belief expects, as in an
    interval: until a surprise has come, the answers show no error where there is some.
    """
    shares = []
    for one, other in zip(with_them, without, strict=True):
        a, b = _variance(one, sample), _variance(other, sample)
        if a > 0 and b > 0:
            shares.append(0.5 * np.log(a / b))
    return float(np.exp(np.mean(shares))) if shares else 1.0


def _variance(at: Linearised, sample: Sample) -> float:
    return max(float(variances_shown(at, sample).sum()), variance_expected(at, sample))
