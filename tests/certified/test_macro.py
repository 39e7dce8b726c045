"""The anytime interval of a macro recall: fair bets, a true bound, how often a run ever misses, and its width."""

import numpy as np
import pytest
from scipy.stats import binomtest

from altmas.certified import functionals as f
from altmas.certified.anytime import mean_interval
from altmas.certified.macro import MeanRecall, least_by_mean
from altmas.metrics import metric, tally
from altmas.metrics.belief import Belief

ITEMS, CLASSES, ALPHA = 600, 3, 0.05
BELIEFS = ["good", "wrong", "liar", "knows all"]


def pool(rng, items=ITEMS, shares=(0.6, 0.3, 0.1)):
    """Labels, predictions that are right four times in five, and the labels' true probabilities given those."""
    y = rng.choice(CLASSES, items, p=shares)
    said = np.where(rng.random(items) < 0.8, y, rng.integers(0, CLASSES, items))
    joint = np.array(
        [[share * (0.8 * (c == a) + 0.2 / CLASSES) for a in range(CLASSES)] for c, share in enumerate(shares)]
    )
    return y, said, (joint / joint.sum(0)).T[said]


def told(belief, y, p):
    right = np.eye(CLASSES)[y]
    each = {"good": p, "wrong": p[:, ::-1], "liar": np.roll(right, 1, axis=1), "knows all": right}
    return Belief.dense(each[belief])


def macro_of(said):
    return MeanRecall(said, f.functionals_of("macro_recall", said, range(CLASSES))).sequence()


def run(rng, belief, labels=150, batch=30):
    """The sequences after each round, and the value."""
    y, said, p = pool(rng)
    chances = rng.uniform(0.2, 1.0, ITEMS)
    order = np.argsort(rng.exponential(size=ITEMS) / chances)[:labels]
    seen = [macro_of(said)]
    for start in range(0, labels, batch):
        some = order[start : start + batch]
        seen.append(seen[-1].after(chances, told(belief, y, p) if start else None, some, y[some]))
    return seen, float(metric("macro_recall", range(CLASSES)).value(tally(y, said, CLASSES))), y, order


@pytest.mark.parametrize("belief", BELIEFS)
def test_bets_are_fair_and_never_negative(belief, rng):
    """At the true recalls the mean over every next draw is 1 at most: what is claimed is no more than a fair bet's."""
    y, said, p = pool(rng, 60)
    recalls = np.array([np.mean(said[y == c] == c) for c in range(CLASSES)])
    chances = rng.uniform(0.01, 1.0, 60)
    sequence = macro_of(said).after(chances, None, np.arange(20), y[:20])
    still = np.arange(20, 60)
    share = chances[still] / chances[still].sum()
    expected = 0.0
    for q, item in zip(share, still, strict=True):
        for label in range(CLASSES):
            (one,) = sequence._place(chances, told(belief, y, p), np.array([item]), np.array([label]))
            assert min(one.pays.min(), (one.pays + one.slope).min()) > 0  # linear in a recall, from 0 to 1
            if label == y[item]:
                expected += (
                    q * (one.pays + one.slope * recalls[label])[0] * np.exp(one.cost + one.cost_slopes @ recalls)
                )
    assert (expected <= 1 + 1e-9).all()
    assert (expected > 0.5).all()


def test_no_vector_of_a_mean_is_below_its_least(rng):
    for _ in range(50):
        low = rng.uniform(0, 0.5, 4)
        high = low + rng.uniform(0, 0.5, 4) * (rng.random(4) < 0.8)
        gain, start = rng.normal(size=4), rng.normal()
        parts = rng.random((200, 4))
        means = (low + parts * (high - low)).mean(1)
        least = least_by_mean(means, low, high, start, np.where(high > low, gain, 0.0))
        assert (start + parts @ np.where(high > low, gain, 0.0) >= least - 1e-9).all()


def ever_missed(belief, runs, seed):
    rng = np.random.default_rng([seed, BELIEFS.index(belief)])
    missed = 0
    for _ in range(runs):
        seen, value, *_ = run(rng, belief)
        ends = [one.interval(1 - ALPHA) for one in seen[1:]]
        missed += any(not low - 1e-9 <= value <= high + 1e-9 for low, high in ends)
    return missed


@pytest.mark.parametrize("belief", BELIEFS)
def test_few_runs_ever_miss(belief, seed):
    """25 runs of 5 looks; a rate of 5% fails here with probability 1e-4 at most, per belief."""
    missed = ever_missed(belief, 25, seed)
    assert binomtest(missed, 25, ALPHA, alternative="greater").pvalue > 1e-4, missed


@pytest.mark.slow
@pytest.mark.parametrize("belief", BELIEFS)
def test_few_of_many_runs_ever_miss(belief, seed):
    """400 runs, Monte-Carlo error 1.1%; a rate of 5% fails with probability 1e-4 at most, per belief."""
    missed = ever_missed(belief, 400, seed)
    print(f"{belief} belief: {missed / 400:.1%} of runs ever miss")
    assert binomtest(missed, 400, ALPHA, alternative="greater").pvalue > 1e-4, missed


def test_narrower_than_every_class_by_itself(rng):
    """Ten classes of a pool of 3,000, 9 in 10 predictions right, 300 labels: 0.4 of the width of each by itself."""
    y = rng.integers(0, 10, 3000)
    said = np.where(rng.random(3000) < 0.9, y, rng.integers(0, 10, 3000))
    believed = Belief.dense(0.9 * np.eye(10)[said] + 0.01)
    sequence = MeanRecall(said, f.functionals_of("macro_recall", said, range(10))).sequence()
    for some in np.split(rng.permutation(3000)[:300], 10):
        sequence = sequence.after(np.ones(3000), believed, some, y[some])
    low, high = sequence.interval(0.95)
    first, last = mean_interval(sequence.parts, 0.95)
    assert low <= float(metric("macro_recall", range(10)).value(tally(y, said, 10))) <= high
    assert high - low < 0.6 * (last - first)
    print((high - low) / (last - first))


def test_everything_labelled_is_exact_and_steps_leave_what_was_as_it_was(rng):
    seen, value, y, order = run(rng, "good")
    before = seen[-1].interval(0.95)
    rest = np.setdiff1d(np.arange(ITEMS), order)
    last = seen[-1].after(np.ones(ITEMS), told("good", y, np.full((ITEMS, CLASSES), 1 / CLASSES)), rest, y[rest])
    assert last.interval(0.95) == pytest.approx((value, value))
    assert seen[-1].interval(0.95) == before
    assert seen[0].interval(0.95) == (0.0, 1.0)
