"""How alike the errors of two audits are, where the later one kept labels of the earlier: they share draws.

Up to the renewal item i had the hazard H_i, and from then on each audit ran on with clocks of its own. With a_i and m_i
the chances of having been asked by now, of the later audit and of the earlier one, a draw that both know moves both:

    Cov(1[later] / a_i, 1[earlier] / m_i) = (1 - a_i) (1 - m_i) (exp(H_i) - 1) / (a_i m_i),

and with r_i and s_i the surprises of item i in the two, the covariance of their estimates is the sum of that times
r_i s_i. Like the variances, it is shown by the answers, and expected by the belief. The smaller correlation of the two
counts, as a larger one makes the interval of the difference narrower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from altmas.certified.design import Linearised, variance_expected, variances_shown
from altmas.certified.estimator import Estimator
from altmas.core.pool_changes import same_models
from altmas.core.targets import Target
from altmas.metrics.types import FloatArray, IntArray

MOST_ALIKE = 0.99
"""No two errors are taken to be more alike."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two audits: its estimator, and the positions and classes in it of what both know."""

    estimator: Estimator
    items: IntArray  # [S] items that stayed the same
    classes: IntArray  # [K] classes that both have

    @property
    def can_tell(self) -> bool:
        """Whether the estimate errs by its draws alone: nothing is missing or corrected, and the pool is no sample."""
        one = self.estimator
        return len(one.missing) == 0 and one.sample.corrected is None and one.sample.clusters is None

    @property
    def chances(self) -> FloatArray:
        """Of having been asked by now `[S]`."""
        return np.asarray(self.estimator.sample.inclusion[self.items])

    def surprises(self, at: Linearised) -> FloatArray:
        """What each item's surprise would be, with each class for its label `[S, K]`."""
        return np.asarray(at.slopes(self.items)[:, self.classes] - at.mean[self.items, None])


def correlations(
    later: tuple[Estimator, Sequence[Target]], earlier: tuple[Estimator, Sequence[Target]], hazard: FloatArray,
    place: IntArray,
) -> dict[tuple[str, str], float]:  # fmt: skip
    """Of the errors of all metrics that both audits have, by model and metric of the later one.

    `hazard [N]` is what its items had at the renewal, 0 of those that did not stay; `place [N]` where they stood then.
    """
    (now, targets), (then, before) = later, earlier
    stayed = np.flatnonzero((hazard > 0) & (place >= 0))
    names = {str(name): k for k, name in enumerate(then.pool.classes)}
    both = [(k, names[str(name)]) for k, name in enumerate(now.pool.classes) if str(name) in names]
    classes = np.array(both, dtype=np.int64).reshape(-1, 2).T
    sides = Side(now, stayed, classes[0]), Side(then, place[stayed], classes[1])
    known = {(one.model, one.name): one for one in before}
    models = {new.name: old.name for old, new in same_models(then.pool, now.pool)}
    single = len(now.pool.outputs) == len(then.pool.outputs) == 1
    found = {}
    for one in targets:
        other = known.get(("" if single else models.get(one.model, ""), one.name))
        if other is not None:
            found[one.model, one.name] = correlation((sides[0], one), (sides[1], other), hazard[stayed])
    return found


def correlation(later: tuple[Side, Target], earlier: tuple[Side, Target], hazard: FloatArray) -> float:
    """Of the errors of the same metric in the two audits; `hazard [S]` is what items that stayed had at the renewal."""
    (now, target), (then, before) = later, earlier
    if not (now.can_tell and then.can_tell):
        return 0.0
    linearised = now.estimator.linearised(target), then.estimator.linearised(before)
    first, second = now.surprises(linearised[0]), then.surprises(linearised[1])
    each = covariances(now.chances, then.chances, hazard)[:, None] * first * second  # [S, K]
    believed = now.estimator.sample.belief.at(now.items).rows()[:, now.classes]
    return min(
        _share(_shown(now, each), *(float(variances_shown(at, side.estimator.sample).sum())
                                    for at, side in zip(linearised, (now, then), strict=True))),
        _share(float((believed * each).sum()), *(variance_expected(at, side.estimator.sample)
                                                 for at, side in zip(linearised, (now, then), strict=True))),
    )  # fmt: skip


def covariances(later: FloatArray, earlier: FloatArray, hazard: FloatArray) -> FloatArray:
    """Of the weights of each item, drawn by either audit with these chances, which had the hazard in common.

    >>> now, then = np.array([0.5, 0.6, 0.2]), np.array([0.2, 0.2, 0.2])
    >>> covariances(now, then, -np.log1p(-np.array([0.2, 0.2, 0.0]))).round(3).tolist()  # (1 - a) / a, where nested
    [1.0, 0.667, 0.0]
    """
    since = -np.expm1(np.minimum(hazard + np.log1p(-np.minimum(earlier, 1 - 1e-15)), 0.0))  # by the earlier one alone
    both = np.maximum(earlier - since, 0.0)  # exp(-own) - exp(-H - own), which is asked by then and not since
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (1 - later) * both / (later * earlier)
    return np.where(np.isfinite(found), found, 0.0)


def _shown(now: Side, each: FloatArray) -> float:
    """The covariance as the later audit's answers show it: of each the term of its label, by the inverse chance."""
    answers = now.estimator.sample.answers
    row, column = np.full(now.estimator.pool.size, -1), np.full(len(now.estimator.pool.classes), -1)
    row[now.items], column[now.classes] = np.arange(len(now.items)), np.arange(len(now.classes))
    rows, columns = row[answers.items], column[answers.labels]
    use = (rows >= 0) & (columns >= 0)
    chances = now.estimator.sample.inclusion[answers.items[use]]
    return float((each[rows[use], columns[use]] / chances).sum())


def _share(covariance: float, *variances: float) -> float:
    product = float(np.prod(variances))
    return float(np.clip(covariance / np.sqrt(product), -MOST_ALIKE, MOST_ALIKE)) if product > 0 else 0.0
