"""Worths: what an item's label is worth, higher is better; and from worths to the chances of items to be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import entr

from altmas.beliefs.acquisition import alt_mas
from altmas.beliefs.draws import Draws
from altmas.beliefs.label_belief import LabelBelief
from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.streams import stream
from altmas.metrics import CounterfactualMeans, tally
from altmas.metrics.belief import Belief
from altmas.metrics.types import FloatArray, IntArray, Probabilities

TRUST = 50.0
"""What the belief itself expects of its surprises counts as much as this many answers."""

FLOORS = (0.3, 0.5, 0.75, 1.0)
"""Shares of a choice that is blind to the belief, to choose from. With less, errors that a vendor hides where it says
to be sure are found too seldom: of intervals against such a vendor 54% held with shares from 0.1, 78% with 0.3."""

_ROUNDS_TO_BALANCE = 6


def neyman(variances: Sequence[FloatArray], counts: Sequence[float] | None = None) -> FloatArray:
    """Metric-aware Neyman allocation: the root of the influences' variances, summed over targets `[N]`.

    Drawn with chances q, target k's error has the variance V_k(q) = sum_i v_ik / q_i. The chances that make the product
    of all V_k least have q_i proportional to sqrt(sum_k v_ik / V_k(q)): a percent less error counts the same for every
    target, so that neither a rare class eats the budget nor the bulk starves it. A few rounds find them. `counts` say
    how much each target counts, alike unless given.

    >>> neyman([np.array([0.0, 4.0]), np.array([1.0, 0.0])]).round(6).tolist()
    [1.0, 1.0]
    """
    weights = [1.0] * len(variances) if counts is None else counts
    wanted = [(float(w), v) for w, v in zip(weights, variances, strict=True) if w > 0 and v.any()]
    if not wanted:
        return np.ones(len(variances[0]))
    size = len(variances[0])
    q, worth, part = np.full(size, 1.0 / size), np.empty(size), np.empty(size)
    for _ in range(_ROUNDS_TO_BALANCE if len(wanted) > 1 else 1):
        worth[:] = 0.0
        rarely = np.divide(1.0, q, out=q)
        for w, v in wanted:  # in place: of millions of items new arrays cost more than the sums
            total = float(np.einsum("i,i->", v, rarely))
            worth += np.multiply(v, w / total, out=part)
        np.sqrt(worth, out=worth)
        q = chances(worth, floor=FLOORS[0])
    return np.asarray(worth / worth.max())


def expected_loss(agreement: FloatArray) -> FloatArray:
    """LURE's worth: the probability that the prediction is wrong `[N]`.

    >>> expected_loss(np.array([0.9, 0.5])).round(1).tolist()
    [0.1, 0.5]
    """
    return 1.0 - agreement


def xwed(agreement: FloatArray) -> FloatArray:
    """Kossen's worth `[n]` of items with draws of P(label = prediction) `[M, n]`.

    sum_y w_y h(pibar_y) - E sum_y w_y h(pi_y), h(p) = -p log p, w_y = 1[y != A]. The wrong labels share 1 - a in
    proportions r that do not vary between draws, and h((1-a) r) = r h(1-a) + (1-a) h(r): the terms in h(r) cancel,
    and h(mean(1-a)) - mean h(1-a) is left.

    >>> xwed(np.array([[0.5, 0.2], [0.5, 0.9]])).round(4).tolist()
    [0.0, 0.1549]
    """
    wrong = np.maximum(1 - agreement, 0.0)
    return np.asarray(np.maximum(entr(wrong.mean(0)) - entr(wrong).mean(0), 0.0))


def chances(
    worth: FloatArray, *, floor: float | FloatArray, temperature: float = 1.0, blind: FloatArray | None = None
) -> FloatArray:
    """From worth to relative chances: worth^(1 / temperature), mixed with `floor` of a choice that is blind to it.

    That is a uniform one, unless `blind [N]` says otherwise. They sum to 1, or nearly so where each item has a floor of
    its own. A low temperature goes for the best, a high one is fair to all.

    >>> chances(np.array([1.0, 3.0]), floor=0.5).tolist()
    [0.375, 0.625]
    """
    top = float(worth.max())
    if not top > 0:
        return np.full(len(worth), 1.0 / len(worth)) if blind is None else blind
    powered = worth / top
    if temperature != 1.0:
        powered **= 1.0 / temperature
    total = powered.sum()
    powered *= 1 - floor
    powered /= total
    powered += floor * (1.0 / len(worth) if blind is None else blind)
    return powered


ALIKE, ALIKE_IN_SAMPLE = 0.5, 0.25
"""Share of the blind choice that is alike for all items; and in a pool drawn from a larger whole, where many items of
few strata would take half of it from the metrics asked for."""


def blind_chances(ranges: Iterable[FloatArray], alike: float = ALIKE) -> FloatArray:
    """Chances `[N]` for whoever believes nothing, from how far each item's label can move each target, `ranges [N]`.

    A share of them is `alike` for all items, the rest are the Neyman allocation of labels that may be anything: the
    precision of a class that is seldom predicted needs the few items predicted so, whatever is believed of them.

    >>> blind_chances([np.array([0.0, 0.0, 0.0, 1.0])]).tolist()
    [0.125, 0.125, 0.125, 0.625]
    """
    return chances(neyman([np.square(one) for one in ranges]), floor=alike)


def best_floor(
    worth: FloatArray,
    variances: Sequence[FloatArray],
    squares: Sequence[FloatArray],
    weights: FloatArray,
    items: IntArray,
    fold: IntArray,
    *,
    temperature: float = 1.0,
    blind: FloatArray | None = None,
) -> FloatArray:
    """The blind share that would have served best `[folds]`: small where surprises come where they are expected.

    The variance of the next draws is sum_i r_i^2 / q_i for each target. It is estimated from the answers' own squared
    surprises `squares [n]`, each given with its weight, and from the belief, which counts as much as `TRUST` answers. A
    belief too sure of itself is surprised where it hardly ever looks, and the share grows towards 1: it is not asked.
    As with the belief, the share for the items of a fold is found from the answers outside it.
    """
    folds = int(fold.max()) + 1
    outside = fold[items] != np.arange(folds)[:, None]  # [folds, n]
    trust = TRUST / (TRUST + outside.sum(1))
    scale = len(items) / np.maximum(outside.sum(1), 1)
    scores = np.zeros((folds, len(FLOORS)))
    for column, floor in enumerate(FLOORS):
        q = chances(worth, floor=floor, temperature=temperature, blind=blind)
        for variance, squared in zip(variances, squares, strict=True):
            shown = (outside @ (weights * squared / q[items])) * scale
            believed = float((variance / q).sum())
            scores[:, column] += np.log(np.maximum((1 - trust) * shown + trust * believed, 1e-300))
    return np.asarray(np.array(FLOORS)[scores.argmin(1)])


def water_fill(worth: FloatArray, count: int) -> FloatArray:
    """min(1, eta * worth) with eta such that the sum is `count`, which is at most the number of items.

    If k items are held at 1, eta = (count - k) / (worth of the others); the right k is the first at which the next
    item stays below 1. Where fewer than `count` items are worth anything, these are certain and the others equal.

    >>> water_fill(np.array([1.0, 2.0, 3.0, 10.0]), 2).round(3).tolist()
    [0.167, 0.333, 0.5, 1.0]
    """
    relative = worth / max(float(worth.max()), np.finfo(float).tiny)  # neither tiny nor huge worths lose digits
    some = int((relative > 0).sum())
    if some <= count:
        return np.where(relative > 0, 1.0, (count - some) / max(len(worth) - some, 1))
    divided = np.partition(relative, len(relative) - count - 1)  # only so many may be held at 1: no need to sort all
    ranked = np.sort(divided[-count - 1 :])[::-1]
    others = np.cumsum(ranked[::-1])[::-1] + divided[: -count - 1].sum()  # worth of an item and all below it
    certain = int(np.argmax((count - np.arange(count + 1)) * ranked <= others))
    # In place: of millions of items new arrays cost more than what is computed in them.
    out: FloatArray = np.multiply(relative, (count - certain) / others[certain], out=divided)
    np.minimum(out, 1.0, out=out)
    if certain == 0:
        return out
    above = relative > ranked[certain]
    out[above] = 1.0
    if (alike := certain - int(above.sum())) > 0:  # of those worth the same, the first
        out[np.flatnonzero(relative == ranked[certain])[:alike]] = 1.0
    return out


WORTHS = ("neyman", "information", "expected_loss", "xwed", "uniform")
DRAWS_OF_WORTH = 20
"""Draws behind the worths that need some."""


def worth_of_items(
    name: str, job: Job, variances: Sequence[FloatArray], belief: Belief, answers: Answers, round: int
) -> FloatArray:
    """Worth of every item of the pool `[N]`, answered ones included: their hazards run on.

    `variances` are those of the items' influences on each target, as the belief expects them.
    """
    pool = job.pool
    if name == "neyman":
        return neyman(variances)
    if name == "uniform":
        return np.ones(pool.size)
    if name == "expected_loss":
        return expected_loss(belief.chance(pool.predictions))
    quick = LabelBelief(pool)
    quick.fit(answers.items, answers.labels)
    if name == "xwed":
        return xwed(quick.draw_agreement(DRAWS_OF_WORTH, stream(job.seed, "worth", round)))
    draws = _draws(job, quick, round)
    drawn = draws.labels()
    confusions = np.stack([tally(row, pool.predictions, len(pool.classes), pool.columns) for row in drawn])
    means = CounterfactualMeans(job.metrics, confusions)
    return np.asarray(alt_mas(draws, drawn, pool.predictions, means, pool.size)[:, 0])


def _draws(job: Job, quick: LabelBelief, round: int) -> Draws:
    """Coherent draws of every item's label: the quick surrogate's doubt about agreement, its own split of the rest."""
    pool = job.pool

    def source(items: IntArray) -> Probabilities:
        right = quick.draw_agreement(DRAWS_OF_WORTH, stream(job.seed, "worth", round), items)
        rest = quick.wrong_labels(items)
        out = (1 - right)[..., None] * rest
        said = pool.predictions[items]
        real = np.flatnonzero(said < len(pool.classes))
        out[:, real, said[real]] += right[:, real]
        return np.asarray(out, dtype=np.float32)

    return Draws(source, np.arange(pool.size), draws=DRAWS_OF_WORTH, classes=len(pool.classes))
