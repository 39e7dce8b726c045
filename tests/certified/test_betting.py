"""Anytime-valid intervals: exact steps by hand, fair bets, and how often a run ever misses."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from altmas.certified import functionals as f
from altmas.certified.anytime import mean_interval, promise
from altmas.certified.betting import BettingSequence
from altmas.certified.betting_log import FRACTIONS, SHARES, anytime_from_log
from altmas.certified.stakes import PURSES
from altmas.metrics import InputError, metric, tally
from altmas.metrics.belief import Belief
from worlds.places import BENCHMARKS

ITEMS, LABELS, ALPHA = 1000, 300, 0.05


def benchmark():
    path = BENCHMARKS / "betting.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_betting", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- exact -----------------------------------------------------------------------------------------------------------


def test_first_step_by_hand():
    """100 items, all alike, one right answer.

    If the accuracy were 0.1, 10 items would be right. A draw counts for 100 items, and nothing is known, so that one
    is expected to be right with probability 1/2: variance 2,500 over chances of 1/100 each, 250,000 / 100.
    """
    wealth = 0.0
    for horizon, _, share in PURSES:
        allowance = np.sqrt(horizon * 2500 / (2 * np.log(40)))
        kept = (allowance - 100 + np.sqrt((allowance - 100) ** 2 + 200 * allowance)) / 2  # if the worst is drawn
        expected = (allowance - kept) / 100
        rise = (allowance + 100 * (1 - expected)) / (allowance - 100 * expected + 10)
        fall = kept / (allowance + 100 * (1 - expected) - 10)
        wealth += share * (rise + fall) / 2
    one = BettingSequence(f.accuracy(np.zeros(100, dtype=int), 2), 100, grid=11)
    one.begin_round(np.ones(100))
    one.bet(17, 0)
    assert one.interval(1 - 1.0001 / wealth) == (pytest.approx(0.1), 1.0)
    assert one.interval(1 - 0.9999 / wealth) == (pytest.approx(0.01), 1.0)  # 1 of 100 is right already


def test_first_step_by_hand_from_a_log():
    """The same draw pays 100 or 0 and is worth 10.

    Up, that gains 90 for a worst loss of 10; down, it loses all of the stake. Half the money on each: wealth
    1 + sum(share f) (9 - 1) / 2.
    """
    ratio, wealth = f.accuracy(np.zeros(100, dtype=int), 2), 1 + 4 * (SHARES * FRACTIONS).sum()
    assert anytime_from_log(ratio, [17], [0], [0.01], 1 - 1.0001 / wealth, grid=11) == (pytest.approx(0.1), 1.0)
    assert anytime_from_log(ratio, [17], [0], [0.01], 1 - 0.9999 / wealth, grid=11) == (pytest.approx(0.01), 1.0)


@pytest.mark.parametrize("name", ["accuracy", "recall:1", "f1:1", "precision:0", "specificity:0", "macro_precision"])
def test_everything_labelled_is_exact_and_intervals_nest(name, rng):
    said, y = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    (ratio,) = f.functionals_of(name, said, range(3))
    chances = rng.uniform(0.1, 1, 60)
    order = np.argsort(rng.exponential(size=60) / chances)
    sequence = BettingSequence(ratio, 60)
    before = ratio.bounds
    for t, item in enumerate(order):
        if t % 7 == 0:
            sequence.begin_round(chances, *ratio.expected(Belief.dense(rng.dirichlet(np.ones(3), 60))))
        sequence.bet(item, y[item])
        low, high = sequence.interval(0.9999)
        assert before[0] - 1e-9 <= low <= ratio.value(y) + 1e-9
        assert ratio.value(y) - 1e-9 <= high <= before[1] + 1e-9
        before = low, high
    assert low == high == pytest.approx(float(metric(name, range(3)).value(tally(y, said, 3, 4))), abs=1e-14)


def test_what_is_certain_is_not_asked():
    said = np.array([0, 1, 1, 0])
    assert BettingSequence(f.model_difference(said, said, 2), 4).interval(0.95) == (0.0, 0.0)
    assert BettingSequence(f.recall(np.zeros(4, dtype=int), 2, 1), 4).interval(0.95) == (0.0, 0.0)
    one = BettingSequence(f.precision(said, 2, 1), 4)
    one.begin_round(np.array([0.0, 1, 1, 0]))  # what was not predicted 1 needs no chance
    for item in (1, 2):
        one.bet(item, 1)
    assert one.interval(0.95) == (1.0, 1.0)


def test_labels_from_elsewhere_count_without_a_bet(rng):
    y = np.ones(50, dtype=int)
    one = BettingSequence(f.accuracy(y, 2), 50)
    for item in range(20):
        one.reveal(item, 0)
    assert one.interval(0.95) == pytest.approx((0.0, 0.6), abs=1e-6)
    one.begin_round(np.ones(50))
    one.reveal(20, 0)
    for item in range(21, 50):
        one.bet(item, 1)
    assert one.interval(0.95) == (0.58, 0.58)


def test_all_rejected_still_answers(rng):
    """Draws that are not random at all: every error first.

    Each accuracy is rejected at some look. The interval is of those that would not be now, rather than a point.
    """
    said = np.zeros(1000, dtype=int)
    one = BettingSequence(f.accuracy(said, 2), 1000)
    one.begin_round(np.ones(1000))
    for item in range(400):
        one.bet(item, int(item < 200))
    assert (one._wealth.best >= 20).all()
    low, high = one.interval(0.95)
    assert 0 <= low < high - 0.05
    assert high <= 1


@pytest.mark.parametrize("kind", ["accuracy", "recall"])
def test_all_candidates_at_once_are_the_loop(kind):
    bench = benchmark()
    ratio, truth, chances, top, bottom, order = bench.make_draws(300, 60)
    if kind == "recall":
        ratio = f.recall((top > 0.75).astype(int), 2, 1)
        top, bottom = ratio.expected(Belief.dense(np.stack([1 - top, top], 1)))
    got = bench.at_once(ratio, truth, chances, top, bottom, order, 10, 101)
    want = bench.one_by_one(ratio, truth, chances, top, bottom, order, 10, 101)
    # A recall's bounds are chords where the loop's are exact: its ends may lie one step of the grid outside.
    assert got == pytest.approx(want, abs=0.0101 if kind == "recall" else 1e-9)


# --- fair, and never ruined ------------------------------------------------------------------------------------------


@st.composite
def pools(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    classes, columns, items = (int(rng.integers(low, high)) for low, high in ((2, 5), (1, 4), (2, 9)))
    top, bottom = rng.normal(size=(classes, columns)), rng.random((classes, columns))
    if draw(st.booleans()):
        top, bottom = np.round(top), np.round(bottom)
    top[bottom == 0] = 0
    weights = [draw(st.booleans()), draw(st.booleans())]
    said, y = rng.integers(0, columns, items), rng.integers(0, classes, items)
    ratio = f.Ratio("any", top, bottom, said, *(rng.random(items) if w else None for w in weights), bounds=(-9.0, 9.0))
    value = ratio.value(y)
    wide = draw(st.sampled_from([1e-3, 1.0, 5.0]))  # the value is the second of four candidates, and no knot
    ratio = replace(ratio, bounds=(value - wide, value + 2 * wide))
    chances = 10 ** rng.uniform(-draw(st.integers(0, 5)), 0, items)
    beliefs = [None, None] if draw(st.booleans()) else list(rng.normal(size=(2, items)) * 3)
    return ratio, y, chances, beliefs, rng


@given(pools())
@settings(max_examples=150)
def test_bets_are_fair_and_lose_their_stake_at_worst(case):
    """At the true value the money is multiplied by 1 on the mean over every next draw, and by no less than 0."""
    ratio, y, chances, beliefs, rng = case
    sequence = BettingSequence(ratio, ratio.size, grid=4)
    order = np.argsort(rng.exponential(size=ratio.size) / chances)
    for t, item in enumerate(order):
        if t % 3 == 0:
            sequence.begin_round(chances, *beliefs)
        stakes, still = sequence._stakes, [int(i) for i in order[t:] if sequence._ledger.matters[i]]
        here = 1 - stakes.live.start
        if still and 0 <= here < stakes.live.stop - stakes.live.start:
            factors = np.array([stakes.factors(i, *ratio.terms(i, y[i]))[:, here] for i in still])
            share = chances[still] / chances[still].sum()
            most = max(1, np.abs(factors).max())
            assert np.abs(share @ factors - 1).max() <= 1e-6 * most
            assert unclipped(stakes, ratio, still, here) >= -1e-6 * most
        sequence.bet(item, y[item])
        assert np.isfinite(sequence._wealth.best).all()
        assert (sequence._wealth.now >= 0).all()
    assert sequence.interval(0.95) == pytest.approx((ratio.value(y),) * 2)


def unclipped(stakes, ratio, still, here):
    """The least that a bet pays for any open item and label, before what is below 0 is cut."""
    pays = []
    for i in still:
        expected = stakes._reserves_of(i) @ stakes._lines[:, here]
        allowance = stakes._allowance @ stakes._lines[:, here]
        theta = stakes._ledger.theta[stakes.live][here]
        for label in range(len(ratio.top)):
            u, v = ratio.terms(i, label)
            over = (u - theta * v - expected) / stakes._chances[i]
            pays.append((allowance + np.array([[1], [-1]]) * over) / np.maximum(allowance, 1e-300))
    return np.min(pays)


# --- valid -----------------------------------------------------------------------------------------------------------

BELIEFS = ["none", "good", "wrong", "liar", "knows all"]
"""The last two have seen every label: one is sure of the opposite, one of the truth. Neither may make a run miss."""
CASES = ["accuracy .97", "precision", "rare recall", "group difference"]


def world(case, rng):
    """(ratio, labels, P(label 1) per item) of a pool of which those are the labels' true chances."""
    said = (rng.random(ITEMS) < 0.4).astype(int)
    p = np.where(said == 1, 0.97, 0.03)
    ratio = f.accuracy(said, 2)
    if case == "precision":
        p = np.where(said == 1, rng.beta(4, 2, ITEMS), 0.1)
        ratio = f.precision(said, 2, 1)
    elif case == "rare recall":
        p = np.where(rng.random(ITEMS) < 0.08, rng.beta(2, 2, ITEMS), rng.beta(0.05, 4.0, ITEMS))
        ratio = f.recall((p > 0.4).astype(int), 2, 1)
    elif case == "group difference":
        g = rng.random(ITEMS) < 0.3
        p = np.where(g, 0.75, 0.9) * said + np.where(g, 0.25, 0.1) * (1 - said)
        ratio = f.group_difference(said, 2, g, ~g)
    return ratio, (rng.random(ITEMS) < p).astype(int), p


def ever_missed(case, uneven, belief, runs, seed):
    """How many runs reject the true value at some look between 1 and LABELS labels.

    The true value is made a candidate of its own, which is a harder test than that the interval, one step wider, hold
    it. Wealth is judged by the most it ever was, so that one look at the end is a look after every label.
    """
    rng = np.random.default_rng([seed, CASES.index(case), uneven, BELIEFS.index(belief)])
    missed = 0
    for _ in range(runs):
        ratio, y, p = world(case, rng)
        value = ratio.value(y)
        ratio = replace(ratio, bounds=(value, value + 1e-3))
        doubt = np.sqrt(p * (1 - p))
        chances = 0.9 * doubt / doubt.sum() + 0.1 / ITEMS if uneven else np.full(ITEMS, 1 / ITEMS)
        order = np.argsort(rng.exponential(size=ITEMS) / chances)[:LABELS]
        told = {"none": p, "good": p, "wrong": 1 - p, "liar": 1.0 - y, "knows all": 1.0 * y}[belief]
        expected = (None, None) if belief == "none" else ratio.expected(Belief.dense(np.stack([1 - told, told], 1)))
        sequence = BettingSequence(ratio, ITEMS, grid=2)
        for t, item in enumerate(order):
            if t % 50 == 0:
                sequence.begin_round(chances, *expected)
            sequence.bet(item, y[item])
        missed += sequence._wealth.best[0] >= 1 / ALPHA
    return missed


SETTINGS = [(False, "none"), (True, "good"), (True, "wrong"), (True, "liar"), (True, "knows all")]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("uneven", "belief"), SETTINGS)
def test_few_runs_ever_miss(case, uneven, belief, seed):
    """60 runs of 300 looks; a rate of 5% fails here with probability 1e-4 at most, per case."""
    missed = ever_missed(case, uneven, belief, 60, seed)
    assert binomtest(missed, 60, ALPHA, alternative="greater").pvalue > 1e-4, missed


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("uneven", "belief"), [*SETTINGS, (True, "none"), (False, "wrong")])
def test_few_of_many_runs_ever_miss(case, uneven, belief, seed):
    """600 runs, Monte-Carlo error 0.9%; a rate of 5% fails with probability 1e-4 at most, per case."""
    missed = ever_missed(case, uneven, belief, 600, seed)
    print(f"{case}, {'uneven' if uneven else 'even'} chances, {belief} belief: {missed / 600:.1%} of runs ever miss")
    assert binomtest(missed, 600, ALPHA, alternative="greater").pvalue > 1e-4, missed


def draw_with_log(rng, chances, count):
    """Draws without replacement, and the propensity of each; items without a chance are not drawn."""
    race = np.divide(rng.exponential(size=len(chances)), chances, out=np.full(len(chances), np.inf), where=chances > 0)
    order, propensities, left = np.argsort(race)[:count], [], chances.sum()
    for item in order:
        propensities.append(chances[item] / left)
        left -= chances[item]
    return order, np.array(propensities)


@pytest.mark.parametrize("case", CASES)
def test_intervals_from_the_log_alone(case, seed):
    """40 runs at 95%: 30 items picked by worth, which the log gives propensity 1, then 120 uneven draws.

    A rate of 5% fails with probability 1e-4 at most.
    """
    rng = np.random.default_rng([seed, CASES.index(case)])
    missed = 0
    for _ in range(40):
        ratio, y, p = world(case, rng)
        doubt = np.sqrt(p * (1 - p))
        chances = 0.5 * doubt / doubt.sum() + 0.5 / ITEMS
        picked = np.argsort(-doubt)[:30]
        chances[picked] = 0
        order, propensities = draw_with_log(rng, chances, 120)
        order, propensities = np.r_[picked, order], np.r_[np.ones(30), propensities]
        low, high = anytime_from_log(ratio, order, y[order], propensities, 1 - ALPHA, grid=201)
        missed += not low <= ratio.value(y) <= high
    assert binomtest(missed, 40, ALPHA, alternative="greater").pvalue > 1e-4, missed


def test_macro_recall_says_its_correction(rng):
    said = rng.integers(0, 3, 400)
    y = np.where(rng.random(400) < 0.9, said, rng.integers(0, 3, 400))
    parts = [BettingSequence(one, 400) for one in f.functionals_of("macro_recall", said, range(3))]
    order = rng.permutation(400)
    for one in parts:
        one.begin_round(np.ones(400))
        for item in order[:150]:
            one.bet(item, y[item])
    low, high = mean_interval(parts, 0.95)
    assert low < float(metric("macro_recall", range(3)).value(tally(y, said, 3))) < high
    assert high - low < 0.4
    assert low == np.mean([one.interval(1 - 0.05 / 3)[0] for one in parts])
    assert promise(3, 0.95) == "at least 95% coverage at all looks together; 3 classes at 98.3333% each"


# --- worth having ----------------------------------------------------------------------------------------------------


def width(belief, chances, seed, labels=200):
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 0.5, 2000)
    y = (rng.random(2000) < p).astype(int)
    ratio = f.accuracy(np.ones(2000, dtype=int), 2)
    chances = chances(p)
    order = np.argsort(rng.exponential(size=2000) / chances)[:labels]
    sequence = BettingSequence(ratio, 2000, grid=501)
    for t, item in enumerate(order):
        if t % 20 == 0:
            sequence.begin_round(chances, belief(p), None if belief(p) is None else np.ones(2000))
        sequence.bet(item, y[item])
    low, high = sequence.interval(0.95)
    return high - low


def test_good_beliefs_narrow_the_interval_and_wrong_ones_widen_it_little():
    """Widths averaged over 5 runs; good against none is 0.88 here, wrong against none 1.12."""

    def even(p):
        return np.ones(2000)

    beliefs = {"none": lambda p: None, "good": lambda p: p, "wrong": lambda p: 1 - p}
    none, good, wrong = (np.mean([width(b, even, s) for s in range(5)]) for b in beliefs.values())
    assert good < 0.9 * none
    assert wrong < 1.4 * none


def test_stakes_that_fit_the_variance_are_narrower_than_parts_of_the_largest():
    """Stakes that were parts of the largest that cannot ruin gave 0.121 and 0.094 on these 5 runs; now 0.090, 0.080."""

    def even(p):
        return np.ones(2000)

    assert np.mean([width(lambda p: None, even, s, labels=400) for s in range(5)]) < 0.8 * 0.121
    assert np.mean([width(lambda p: p, even, s, labels=400) for s in range(5)]) < 0.9 * 0.094


# --- bad input -------------------------------------------------------------------------------------------------------


def test_bad_input():
    ratio = f.accuracy(np.array([0, 1, 1]), 2)
    one = BettingSequence(ratio, 3)
    with pytest.raises(InputError, match="a round must begin before its bets"):
        one.bet(0, 0)
    with pytest.raises(InputError, match="pool_size must be the 3 items of 'accuracy'; got 4"):
        BettingSequence(ratio, 4)
    with pytest.raises(InputError, match="grid must be an int >= 2"):
        BettingSequence(ratio, 3, grid=1)
    with pytest.raises(InputError, match="chances must be above 0 for every open item that can matter; got row 1"):
        one.begin_round(np.array([1.0, 0, 1]))
    with pytest.raises(InputError, match="chances must be one finite number for each of 3 items"):
        one.begin_round(np.array([1.0, np.nan, 1]))
    with pytest.raises(InputError, match="expected_top must be one finite number"):
        one.begin_round(np.ones(3), np.ones(2))
    one.begin_round(np.ones(3))
    one.bet(1, 0)
    with pytest.raises(InputError, match="item must be an open one of 3; got 1"):
        one.bet(1, 0)
    with pytest.raises(InputError, match="label must lie in 0 to 1; got 2"):
        one.bet(0, 2)
    with pytest.raises(InputError, match="level must be a number between 0 and 1"):
        one.interval(95)
    with pytest.raises(InputError, match="propensities must be above 0 and at most 1; got row 1"):
        anytime_from_log(ratio, [0, 1], [0, 1], [0.3, 0.0], 0.95)
    with pytest.raises(InputError, match="the log must have one label and one propensity per draw"):
        anytime_from_log(ratio, [0, 1], [0, 1], [0.3], 0.95)
