"""Where the models stand: which one leads, who may still be ahead of it, and what choosing the leader would cost.

Model h is ahead of the leader l by the gap g_h. The belief says P_h (the plug-in's gap) and the design D_h, which is
right on average and has the variance s_h^2. The belief is off by an unknown amount: if its log odds are wrong by rho
where the two models differ, its gap is wrong by about tau_h = rho sum_i Var_i / step, with Var_i the variance of item
i's influence on the gap and `step` its size. How far the belief is off is learnt from all gaps together, as
(D_h - P_h)^2 has the mean tau_h^2 + s_h^2, and the gap is taken to be

    g_h = P_h + (D_h - P_h) tau_h^2 / (tau_h^2 + s_h^2),      with the variance  tau_h^2 s_h^2 / (tau_h^2 + s_h^2):

a belief that the answers bear out decides between models on few labels, and one that was proved wrong has no say. Only
the leader is compared with the others, so that the work is linear in the number of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from altmas.certified.design import Linearised, minus, variance_expected, variances_shown
from altmas.certified.sample import Sample
from altmas.core.ranking import RANKING_DRAWS, probability_among_lowest
from altmas.core.streams import stream
from altmas.metrics.types import FloatArray, IntArray

RHO = (1.0, 0.7)
"""Prior of rho, by which the log odds of a belief are wrong: its median, and the deviation of its logarithm."""

RHOS = np.array([0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 6.0])

INDEPENDENT_GAPS = 2.0
"""All gaps together tell as much of rho as this many: they rest on the same answers."""

CONTENDERS = 40
"""At most so many models are drawn for and weighed against each other at a time; the others have next to no chance."""

OUT_OF_REACH = 4.0
"""A model that is further behind than this many errors, of what is thought and of the design, is no contender."""

_CHANGES_OF_LEADER, _SAMPLES, _ALONE, _NOTHING = 3, 4000, 0.02, 1e-300


@dataclass(frozen=True, eq=False)
class Standing:
    """What is known of every model's gap to the leader, positive where it is better than the leader.

    `leader` and the other models by their place; `ahead [H]` with the error to each side, `below` and `above [H]`;
    `contenders`, the leader first, `own`, the leader's metric, and `gaps`, those of the others among them, linearised.
    """

    leader: int
    ahead: FloatArray
    below: FloatArray
    above: FloatArray
    contenders: IntArray
    own: Linearised
    gaps: tuple[Linearised, ...]
    noise: FloatArray  # [M, K - 1], standard normal, correlated as the contenders' gaps are

    @property
    def draws(self) -> FloatArray:
        """Draws of the contenders' gaps `[M, K]`, the leader's own 0 first."""
        others = self.contenders[1:]
        side = np.where(self.noise < 0, self.below[others], self.above[others])
        more = self.ahead[others] + self.noise * side
        return np.concatenate([np.zeros((len(more), 1)), more], axis=1)

    @property
    def p_best(self) -> FloatArray:
        """The probability of each model to be the best `[H]`."""
        found = np.zeros(len(self.ahead))
        found[self.contenders] = probability_among_lowest(-self.draws)
        return found

    @property
    def losses(self) -> FloatArray:
        """Draws of what the best model is better by than the leader `[M]`."""
        return np.asarray(self.draws.max(1))

    def widened(self, below: FloatArray, above: FloatArray) -> Standing:
        """The same with errors of at least these."""
        return replace(self, below=np.maximum(self.below, below), above=np.maximum(self.above, above))


def standing(each: Sequence[Linearised], sample: Sample, seed: int, *, lower_is_better: bool = False) -> Standing:
    """Where models stand whose metric was linearised one by one, with one belief and the same answers.

    Without an answer it is what the belief alone says, with the doubt that it deserves.
    """
    sign = -1.0 if lower_is_better else 1.0
    models = np.arange(len(each))
    answers, drawn = sample.answers, sample.inclusion[sample.answers.items]
    r = sign * np.stack([one.surprises(sample) for one in each])
    counted = r if sample.corrected is None else sign * np.stack([one.counted(sample) for one in each])
    known = each[0].known
    plug_in = sign * np.array([one.plug_in for one in each]) + r[:, known:].sum(1)
    design = sign * np.array([one.value for one in each]) + (counted / drawn).sum(1) - r[:, :known].sum(1)
    weight = (1 - drawn) / np.square(drawn)
    leader, among = int(plug_in.argmax()), models
    ahead, error = np.full(len(each), -np.inf), np.zeros(len(each))
    for change in range(_CHANGES_OF_LEADER + 1):
        others = among[among != leader]
        gaps = {int(h): minus(each[h], each[leader], sample) for h in others}
        expected = np.array([variance_expected(gaps[h], sample) for h in gaps])
        shown = np.square(counted[others] - counted[leader]) @ weight
        if sample.corrected is not None:
            shown = np.array([variances_shown(gaps[h], sample).sum() for h in gaps])
        tilt = np.array([_tilt(gaps[h]) for h in gaps])
        believed = plug_in[others] - plug_in[leader]
        apart = design[others] - design[leader] - believed
        variance = np.maximum(expected, shown) if len(answers) else np.full(len(others), np.inf)
        ahead[others], error[others] = _between(believed, apart, variance, tilt)
        ahead[leader], error[leader] = 0.0, 0.0
        near = others[_nearest(ahead[others], error[others], believed + apart, variance)]
        best = int(ahead.argmax())
        if best == leader or change == _CHANGES_OF_LEADER:
            break
        among, leader, ahead = np.append(near, leader), best, ahead - ahead[best]
    chosen = tuple(gaps[int(h)] for h in near)
    noise = _noise(chosen, sample, stream(seed, "contest", len(answers)))
    return Standing(leader, ahead, error, error, np.append(leader, near), each[leader], chosen, noise)


def _nearest(ahead: FloatArray, error: FloatArray, design: FloatArray, variance: FloatArray) -> IntArray:
    """Places of those who may be ahead, by how far they may be: out of reach is who is so by the design as well.

    By how far, and not by how probably, or copies of the leader would leave no place for anybody else. One is always
    left, to be told apart for good.
    """
    shown = np.isfinite(variance)
    apart = np.where(shown, design, -np.inf)
    deviation = np.sqrt(np.where(shown, variance, 0.0))
    most = np.maximum(ahead + OUT_OF_REACH * error, apart + OUT_OF_REACH * deviation)
    order = np.argsort(-most, kind="stable")
    some = order[most[order] >= 0] if (most >= 0).any() else order[:1]
    return some[: CONTENDERS - 1]


def _tilt(gap: Linearised) -> float:
    """By how much a gap changes where the log odds change by 1 in favour of one of the two models."""
    total = float(gap.variance.sum())
    step = float(gap.ranges_of_parts @ gap.variance) / 2
    return total * total / step if step > 0 else 0.0


def _between(
    believed: FloatArray, apart: FloatArray, variance: FloatArray, tilt: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gaps between what is believed of them and what the design says, and their errors."""
    square = np.square(RHO[0] * tilt)
    if np.isfinite(variance).any() and (tilt > 0).any():
        some = tilt > 0
        share = _share(square, variance)
        reach = (believed + share * apart) / np.sqrt(np.maximum(share * variance, _NOTHING))
        counts = ndtr(reach[some]) + 1e-3  # gaps that matter tell how far off the belief is where it matters
        total = np.square(RHOS[:, None] * tilt[some]) + variance[some] + _NOTHING
        shown = -0.5 * (np.log(total) + np.square(apart[some]) / total) @ (counts / counts.sum())
        prior = -0.5 * np.square(np.log(RHOS / RHO[0]) / RHO[1])
        posterior = np.exp((found := INDEPENDENT_GAPS * shown + prior) - found.max())
        square = np.square(tilt) * float(posterior @ np.square(RHOS) / posterior.sum())
    share = _share(square, variance)
    left = np.where(np.isfinite(variance), share * np.where(np.isfinite(variance), variance, 0.0), square)
    return believed + share * np.where(share > 0, apart, 0.0), np.sqrt(left)


def _share(square: FloatArray, variance: FloatArray) -> FloatArray:
    return np.divide(square, square + variance, out=np.zeros_like(square), where=square > 0)


def _noise(gaps: Sequence[Linearised], sample: Sample, rng: np.random.Generator) -> FloatArray:
    """Standard normal noise `[M, K - 1]`, correlated as the gaps' estimates are by what the belief expects.

    Found from items and labels drawn from the belief, those that count most most often.
    """
    normal = rng.standard_normal((RANKING_DRAWS, len(gaps)))
    if len(gaps) < 2:
        return normal
    odds = sample.odds_against if len(sample.answers) else np.ones(sample.belief.size)
    matters = odds * np.sum([one.variance / max(float(one.variance.sum()), _NOTHING) for one in gaps], axis=0)
    if not matters.sum() > 0:
        return normal
    chance = matters / matters.sum()
    items = rng.choice(len(chance), _SAMPLES, p=chance)
    p = np.cumsum(sample.belief.at(items).rows(), axis=1)
    labels = np.minimum((p < rng.random((_SAMPLES, 1)) * p[:, -1:]).sum(1), p.shape[1] - 1)
    scale = np.sqrt(odds[items] / chance[items])
    influence = np.stack([(one.moves_at(items, labels) - one.mean[items]) * scale for one in gaps])
    together = influence @ influence.T
    root = np.maximum(np.sqrt(np.diag(together)), 1e-12 * np.sqrt(together.max()) + 1e-150)
    correlation = (1 - _ALONE) * together / np.outer(root, root)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    return np.asarray(normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T)
