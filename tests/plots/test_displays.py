"""The displays compute the right numbers, draw all of them, and refuse what does not fit."""

import numpy as np
import pytest

from altmas.metrics.errors import InputError
from altmas.plots.axes import new_axes
from altmas.plots.displays import (
    AccuracyCalibrationDisplay,
    CurvesDisplay,
    ForestDisplay,
    RankingDisplay,
    ReliabilityDisplay,
    RopeDisplay,
)
from altmas.surrogates.groups.beta_posterior import BetaPosterior


def names(groups):
    return [f"group {i}" for i in range(groups)]


def written(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def points(ax):
    """The (x, y) of everything drawn as a marker without a line, in order."""
    return [line.get_xydata() for line in ax.lines if line.get_linestyle() == "None"]


def lines(collection):
    return np.array([path.vertices for path in collection.get_paths()])


@pytest.fixture
def draws(rng):
    return rng.random((200, 30)) / 4 + np.linspace(0, 0.7, 30)


def test_reliability_keeps_the_bins_that_hold_items():
    posterior = BetaPosterior.of([1.0, 2, 30, 1], [1.0, 3, 4, 1])
    shown = ReliabilityDisplay.from_posterior(posterior, [np.nan, 0.5, 0.9, 0.99], [0.1, 0.3, 0.6, 0.0], level=0.9)
    assert shown.scores.tolist() == [0.5, 0.9]
    assert shown.shares.tolist() == [0.3, 0.6]
    np.testing.assert_allclose(shown.accuracy.mean, [2 / 5, 30 / 34])
    np.testing.assert_allclose(shown.accuracy.low, posterior.quantile(0.05)[1:3])
    np.testing.assert_allclose(shown.accuracy.high, posterior.quantile(0.95)[1:3])

    ax = shown.plot()
    np.testing.assert_allclose(points(ax)[0], [[0.5, 2 / 5], [0.9, 30 / 34]])
    np.testing.assert_allclose(lines(ax.collections[0])[:, :, 1].T, [shown.accuracy.low, shown.accuracy.high])
    gaps, shares = ax.containers
    np.testing.assert_allclose([bar.get_height() for bar in gaps], shown.accuracy.mean - shown.scores)
    heights = np.array([bar.get_height() for bar in shares])
    np.testing.assert_allclose(heights / heights[1], [0.5, 1])
    assert {"30%", "60%", "share of items"} == set(written(ax))
    assert "90% credible interval" in legend(ax)


def test_reliability_of_one_bin_and_of_bins_that_lie_close():
    ReliabilityDisplay.from_posterior(BetaPosterior.of([2.0], [1.0]), [0.7], [1.0]).plot()
    close = ReliabilityDisplay.from_posterior(BetaPosterior.of([2.0, 3], [1.0, 1]), [0.98, 0.99], [0.4, 0.6]).plot()
    assert written(close) == ["60%", "share of items"]  # two would overlap


def test_accuracy_calibration_marks_the_ends_by_colour_and_shape(draws):
    ece = draws[:, ::-1] / 3
    shown = AccuracyCalibrationDisplay.from_draws(names(30), draws, ece, level=0.8, extremes=4)
    np.testing.assert_allclose(shown.accuracy.low, np.quantile(draws, 0.1, axis=0))
    np.testing.assert_allclose(shown.ece.high, np.quantile(ece, 0.9, axis=0))
    assert (shown.least[0], shown.most[0]) == (draws.mean(0).argmin(), draws.mean(0).argmax())
    assert set(shown.least) == set(np.argsort(draws.mean(0))[:4])
    assert not set(shown.least) & set(shown.most)

    ax = shown.plot()
    assert [len(p) for p in points(ax)] == [22, 4, 4]
    assert len({line.get_marker() for line in ax.lines}) == len({line.get_color() for line in ax.lines}) == 3
    assert written(ax) == [f"group {shown.least[0]}", f"group {shown.most[0]}"]
    assert legend(ax) == ["22 between", "4 least accurate", "4 most accurate"]
    assert sum(len(lines(c)) for c in ax.collections) == 60


@pytest.mark.parametrize(("groups", "ends"), [(1, 0), (2, 1), (5, 2)])
def test_accuracy_calibration_of_few_classes_marks_each_once(draws, groups, ends):
    few = draws[:, :groups]
    shown = AccuracyCalibrationDisplay.from_draws(names(groups), few, few)
    assert len(shown.least) == len(shown.most) == ends
    assert sum(len(p) for p in points(shown.plot())) == groups


def test_forest_shows_both_ends_and_counts_the_rest(rng):
    right = rng.permutation(np.arange(1.0, 101))
    posterior = BetaPosterior.of(right, 101 - right)
    p_worst = np.where(right == 1, 0.994, 0.006 / 99)
    shown = ForestDisplay.from_posterior(names(100), posterior, p_worst=p_worst, most=7)
    np.testing.assert_allclose(shown.band.mean * 101, [1, 2, 3, 4, 98, 99, 100])
    rows = [int(name.split()[1]) for name in shown.names]
    np.testing.assert_allclose(shown.band.low, posterior.interval(0.95)[0, rows])
    np.testing.assert_allclose(shown.p_worst, p_worst[rows])
    assert (shown.lowest, shown.left_out) == (4, 93)

    ax = shown.plot()
    assert "93 groups between them left out" in written(ax)
    assert written(ax)[-8:] == ["P(worst)", "99.4%", *["<1%"] * 6]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(shown.names)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the lowest on top
    assert legend(ax) == ["4 lowest", "3 highest"]


def test_forest_of_few_groups_leaves_none_out():
    shown = ForestDisplay.from_posterior(["$b$", "a" * 99], BetaPosterior.of([3.0, 1], [1.0, 3]))
    assert (shown.names, shown.left_out, shown.p_worst) == (("a" * 99, "$b$"), 0, None)
    ax = shown.plot()
    assert written(ax) == []
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a" * 27 + "…", "$b$"]


def test_ranks_are_of_each_draw_and_1_is_the_highest(rng):
    shuffled = np.array([rng.permutation(12) for _ in range(300)]).astype(float)
    shuffled[:, 5], shuffled[:, 7] = 99, -99
    shown = RankingDisplay.from_draws(names(12), shuffled, level=0.9, extremes=2)
    ranks = (shuffled[:, :, None] < shuffled[:, None]).sum(2) + 1
    rows = [int(name.split()[1]) for name in shown.names]
    assert (rows[0], rows[-1]) == (5, 7)
    assert (shown.rank.mean[0], shown.rank.mean[-1]) == (1, 12)
    assert (shown.highest, shown.left_out) == (2, 8)
    np.testing.assert_allclose(shown.rank.mean, ranks[:, rows].mean(0))
    np.testing.assert_allclose(shown.rank.low, np.quantile(ranks[:, rows], 0.05, axis=0))
    np.testing.assert_allclose(shown.rank.high, np.quantile(ranks[:, rows], 0.95, axis=0))

    ax = shown.plot()
    assert written(ax) == ["8 groups between them left out"]
    assert all(tick == int(tick) and 1 <= tick <= 12 for tick in ax.get_xticks())
    assert legend(ax) == ["2 highest", "2 lowest"]


def test_equal_values_share_their_rank():
    shown = RankingDisplay.from_draws(["a", "b", "c"], [[0.5, 0.5, 0.1]])
    assert shown.rank.mean.tolist() == [1.5, 1.5, 3]
    assert shown.left_out == 0


@pytest.mark.parametrize(
    ("centre", "spread", "margin"), [(0, 0.1, 0.05), (0.3, 0.02, 0.05), (0, 1, 1e-4), (0.2, 0, 0.1)]
)
def test_rope_masses_are_those_of_the_draws_and_of_the_bars(rng, centre, spread, margin):
    difference = rng.normal(centre, spread, 1000)
    shown = RopeDisplay.from_draws(difference, margin)
    assert sum(shown.masses) == pytest.approx(1)
    assert shown.masses[0] == (difference < -margin).mean()
    assert shown.masses[2] == (difference > margin).mean()
    areas, middles = shown.density * np.diff(shown.edges), (shown.edges[1:] + shown.edges[:-1]) / 2
    sides = [areas[middles < -margin], areas[abs(middles) <= margin], areas[middles > margin]]
    np.testing.assert_allclose([side.sum() for side in sides], shown.masses, atol=1e-9)
    assert len(areas) <= 130

    ax = shown.plot()
    lower, equal, higher = (f"{mass:.1%}" for mass in shown.masses)
    assert written(ax) == [f"← lower {lower}", f"practically equal {equal}", f"higher {higher} →"]
    assert ax.get_xlim()[0] < -margin < margin < ax.get_xlim()[1]


def test_a_difference_on_the_margin_is_practically_equal():
    assert RopeDisplay.from_draws([-0.5, 0.5], 0.5).masses == (0, 1, 0)


def test_curves_are_means_with_standard_errors(rng):
    values = rng.random((6, 9))
    shown = CurvesDisplay.from_curves({"random": (range(6), values), "one": ([3], [[0.5]])}, target=0.9)
    random, one = shown.curves
    np.testing.assert_allclose(random.mean, values.mean(1))
    np.testing.assert_allclose(random.error, values.std(1, ddof=1) / 3)
    assert one.error.tolist() == [0]  # nothing is known of it

    ax = shown.plot()
    assert legend(ax) == ["random", "one", "target 0.9"]
    assert ax.lines[-1].get_linestyle() == "--"
    assert ax.get_ylabel().startswith("mean reciprocal rank")
    assert len(ax.collections) == 2


def test_every_line_of_many_differs_from_the_others():
    many = CurvesDisplay.from_curves({f"m{i}": ([1, 2], [[i], [i]]) for i in range(20)}, quantity="rmse").plot()
    assert len({(line.get_marker(), line.get_linestyle()) for line in many.lines}) == 20


def test_displays_draw_on_the_axes_they_are_given(draws):
    posterior = BetaPosterior.of([3.0, 1], [1.0, 3])
    for shown in (
        ReliabilityDisplay.from_posterior(posterior, [0.2, 0.7], [0.5, 0.5]),
        AccuracyCalibrationDisplay.from_draws(names(30), draws, draws),
        ForestDisplay.from_posterior("ab", posterior),
        RankingDisplay.from_draws(names(30), draws),
        RopeDisplay.from_draws(draws[:, 0], 0.1),
        CurvesDisplay.from_curves({"a": ([1], [[1]])}),
    ):
        ax = new_axes()
        size = ax.figure.get_size_inches().tolist()
        assert shown.plot(ax) is ax
        assert ax.has_data()
        assert ax.figure.get_size_inches().tolist() == size
        ax.figure.draw_without_rendering()


PAIR = BetaPosterior.of([1.0, 2], [2.0, 1])
FLAT = np.zeros((4, 2))
REFUSED = {
    "scores must be one per bin; got 3 scores for 2 bins.": lambda: ReliabilityDisplay.from_posterior(
        PAIR, [0.1, 0.2, 0.3], [0.5, 0.5]
    ),
    "shares must be one per bin; got shape (1, 2).": lambda: ReliabilityDisplay.from_posterior(
        PAIR, [0.1, 0.2], [[0.5, 0.5]]
    ),
    "shares must lie between 0 and 1; got 5 to 7.": lambda: ReliabilityDisplay.from_posterior(PAIR, [0.1, 0.2], [5, 7]),
    "shares must be above 0 for some bin with a score; got no such bin.": lambda: ReliabilityDisplay.from_posterior(
        PAIR, [np.nan, 0.2], [1, 0]
    ),
    "level must be a number between 0 and 1, both excluded; got 95.": lambda: ForestDisplay.from_posterior(
        "ab", PAIR, level=95
    ),
    "names must be one per group; got 3 names for 2 groups.": lambda: ForestDisplay.from_posterior("abc", PAIR),
    "p_worst must be one per group; got 1 p_worst for 2 groups.": lambda: ForestDisplay.from_posterior(
        "ab", PAIR, p_worst=[1]
    ),
    "most must be an int >= 2; got 1.": lambda: ForestDisplay.from_posterior("ab", PAIR, most=1),
    "posterior must have one axis, of groups; got shape (3, 2).": lambda: ForestDisplay.from_posterior(
        "ab", BetaPosterior.of(np.ones((3, 2)), np.ones((3, 2)))
    ),
    "ece_draws must be [draws, groups], one column per name; got shape (4, 1) for 2 names.": (
        lambda: AccuracyCalibrationDisplay.from_draws("ab", FLAT, FLAT[:, :1])
    ),
    "extremes must be an int >= 1; got 0.": lambda: RankingDisplay.from_draws("ab", FLAT, extremes=0),
    "draws must be [draws, groups], one column per name; got shape (4, 2) for 3 names.": (
        lambda: RankingDisplay.from_draws("abc", FLAT)
    ),
    "draws must be finite; got 8 values that are not.": lambda: RankingDisplay.from_draws("ab", FLAT + np.nan),
    "difference must be one number per draw; got shape (4, 2).": lambda: RopeDisplay.from_draws(FLAT, 0.1),
    "difference must be finite; got 1 draws that are not.": lambda: RopeDisplay.from_draws([0, np.inf], 0.1),
    "margin must be a number above 0; got 0.": lambda: RopeDisplay.from_draws([0.1], 0),
    "curves must hold at least one method; got none.": lambda: CurvesDisplay.from_curves({}),
    "curve 'a' must be labels [T] and values [T, R]; got labels of shape (3,) and values of shape (2, 1).": (
        lambda: CurvesDisplay.from_curves({"a": ([1, 2, 3], [[1], [2]])})
    ),
    "curve 'a' must be finite; got 1 values that are not.": lambda: CurvesDisplay.from_curves(
        {"a": ([1, 2], [[1], [np.nan]])}
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_bad_input_is_refused_in_one_sentence(sentence):
    with pytest.raises(InputError) as caught:
        REFUSED[sentence]()
    assert str(caught.value) == sentence
