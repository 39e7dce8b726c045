"""Estimates and what their intervals promise."""

import numpy as np
import pytest
from scipy.stats import binomtest

from altmas.core.estimates import on_answers, plug_in
from altmas.metrics import from_confusion, from_labels, metric, metrics_named, tally


def test_plug_in_is_the_mean_over_draws_with_their_quantiles(rng):
    confusions = rng.integers(1, 20, (50, 3, 3)).astype(float)
    one = metric("macro_recall", "abc")
    values = one.value(confusions)
    (got,) = plug_in([one], confusions, labels=12, level=0.9)
    assert got.estimate == pytest.approx(values.mean(), abs=1e-15)
    assert (got.low, got.high) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))
    assert "not coverage" in got.promise


def test_everything_labelled_is_exact():
    confusion = np.array([[7.0, 1], [2, 10]])
    for one in on_answers(metrics_named(["alt_mas_3", "mcc"], "ab"), confusion, 20, 0.95):
        assert one.low == one.estimate == one.high
        assert one.promise == "exact: every item is labelled"


@pytest.mark.parametrize("accuracy", [0.0, 0.5, 1.0])
def test_intervals_hold_their_estimate_and_have_width(accuracy):
    right = int(20 * accuracy)
    confusion = np.array([[right / 2, (20 - right) / 2], [(20 - right) / 2, right / 2]])
    mine = from_labels("mine", lambda y, a: float((y == a).mean()), "ab", (0, 1))
    free = from_confusion("free", lambda c: float(100 * np.trace(c) / c.sum()))
    catalogue = metrics_named(["error_rate", "alt_mas_21", "mcc", "macro_f1"], "ab")
    for one in on_answers([*catalogue, mine, free], confusion, 1000, 0.95):
        assert one.low <= one.estimate <= one.high, one
        assert one.high - one.low > 0.05, one


def test_classes_not_seen_might_be_all_right_or_all_wrong():
    confusion = np.diag([5.0] * 9 + [0.0])
    found = {
        one.metric: one
        for one in on_answers(metrics_named(["alt_mas_21", "macro_recall"], range(10)), confusion, 1000, 0.95)
    }
    assert (found["recall:9"].low, found["recall:9"].high) == (0.0, 1.0)
    assert found["macro_recall"].estimate == pytest.approx(0.9)
    assert found["macro_recall"].high == 1.0
    assert found["macro_recall"].low < 0.86
    assert found["accuracy"].low > 0.9  # a class without members cannot weigh
    assert "1 of 10 classes not seen" in found["accuracy"].promise


def test_classes_not_seen_may_occur_or_not():
    """Nine classes all right, the tenth not seen: as one that does not occur, as all right, and as all wrong."""
    confusion = np.diag([50.0] * 9 + [0.0])
    (found,) = on_answers([metric("macro_recall_occurring", range(10))], confusion, 10_000, 0.95)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low < 0.9


def test_equal_costs_have_no_interval():
    from altmas.metrics import expected_cost

    one = on_answers([expected_cost(np.full((2, 2), 3.0))], np.array([[3.0, 1], [0, 2]]), 100, 0.95)[0]
    assert (one.low, one.estimate, one.high) == (3.0, 3.0, 3.0)


def test_nearly_used_up_pools_do_not_promise_too_much():
    """A pool of 100 with one error, 90 labelled: exact coverage over all 100 places of the error."""
    one = metric("accuracy", "ab")
    seen_error = on_answers([one], np.array([[89.0, 1], [0, 0]]), 100, 0.95)[0]
    seen_none = on_answers([one], np.array([[90.0, 0], [0, 0]]), 100, 0.95)[0]
    hits = 0.9 * (seen_error.low <= 0.99 <= seen_error.high) + 0.1 * (seen_none.low <= 0.99 <= seen_none.high)
    assert hits >= 0.95


def test_intervals_shrink_as_the_pool_is_used_up():
    confusion = np.array([[40.0, 5], [5, 50]])
    widths = [on_answers([metric("accuracy", "ab")], confusion, n, 0.95)[0] for n in (10_000, 200, 110, 101)]
    widths = [one.high - one.low for one in widths]
    assert sorted(widths, reverse=True) == widths


def coverage(accuracy, labels, name, runs, seed, shares=(0.25,) * 4):
    """How many intervals hold the truth, on a pool of 5,000 items with these class shares."""
    rng = np.random.default_rng(seed)
    items, classes = 5000, len(shares)
    y = rng.choice(classes, items, p=shares)
    wrong = rng.random(items) > accuracy
    a = np.where(wrong, (y + rng.integers(1, classes, items)) % classes, y)
    one = metric(name, range(classes))
    truth = float(one.value(tally(y, a, classes)))
    hits = 0
    for _ in range(runs):
        chosen = rng.choice(items, labels, replace=False)
        got = on_answers([one], tally(y[chosen], a[chosen], classes), items, 0.95)[0]
        hits += got.low <= truth <= got.high
    return hits


@pytest.mark.parametrize(
    "name",
    ["recall:9", "macro_recall", "macro_precision", "macro_f1", "balanced_accuracy", "macro_recall_occurring",
     "macro_precision_occurring", "macro_f1_occurring"],
)  # fmt: skip
def test_intervals_cover_where_classes_are_rare(name, seed):
    """Class shares ~ rank^-1.5, 50 labels, 400 runs; fails where coverage is credibly below 90%, error rate 1e-4."""
    shares = np.arange(1, 11) ** -1.5
    hits = coverage(0.9, 50, name, 400, seed, shares / shares.sum())
    assert binomtest(hits, 400, 0.90, alternative="less").pvalue > 1e-4, hits


@pytest.mark.parametrize("name", ["accuracy", "macro_recall", "macro_precision", "recall:2", "f1:1", "mcc"])
@pytest.mark.parametrize(("accuracy", "labels"), [(0.7, 100), (0.95, 100), (0.95, 300)])
def test_random_sampling_intervals_cover(name, accuracy, labels, seed):
    """1,000 runs; fails only where coverage is credibly below 92%, error rate 1e-4 per case."""
    hits = coverage(accuracy, labels, name, 1000, seed)
    assert binomtest(hits, 1000, 0.92, alternative="less").pvalue > 1e-4, hits
