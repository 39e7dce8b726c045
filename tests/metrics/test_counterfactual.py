"""Counterfactuals equal a recount: moving one label and counting everything again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from altmas.metrics import (
    CounterfactualMeans,
    counterfactual,
    counterfactuals,
    expected_cost,
    from_confusion,
    metrics_named,
    tally,
)


def metric_set(classes, columns):
    cost = np.random.default_rng(0).uniform(0, 2, (classes, columns))
    names = ["alt_mas_21", "macro_recall", "macro_f0.5", "weighted_precision", "micro_f2", "mcc", "cohen_kappa"]
    names += ["balanced_accuracy", "specificity:0", "macro_recall_occurring", "macro_precision_occurring"]
    names += ["macro_f2_occurring"]
    trace = from_confusion("trace", lambda c: float(np.trace(c)))
    return [*metrics_named(names, range(classes)), expected_cost(cost), trace]


def recount(metrics, said, label, item, value, classes, columns):
    moved = label.copy()
    moved[item] = value
    confusion = tally(moved, said, classes, columns)
    return [one.value(confusion) for one in metrics]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([2, 3, 4, 11]), st.integers(1, 12), st.booleans(), st.integers(0, 2**32 - 1))
def test_equals_a_recount_exactly(classes, items, abstains, seed):
    rng = np.random.default_rng(seed)
    columns = classes + abstains
    said, label = rng.integers(0, columns, items), rng.integers(0, classes, items)
    metrics = metric_set(classes, columns)
    got = counterfactuals(metrics, tally(label, said, classes, columns), said, label)
    expected = [[recount(metrics, said, label, i, c, classes, columns) for c in range(classes)] for i in range(items)]
    np.testing.assert_array_equal(got, np.moveaxis(np.array(expected), -1, 1))


@pytest.mark.parametrize("abstains", [False, True])
@pytest.mark.parametrize("tabulated", [True, False])
def test_mean_over_draws_equals_a_recount(tabulated, abstains, monkeypatch):
    if not tabulated:
        monkeypatch.setattr(counterfactual, "TABLE_CLASSES", 0)
    rng = np.random.default_rng(4)
    classes, items, draws = 4, 25, 6
    columns = classes + abstains
    said, labels = rng.integers(0, columns, items), rng.integers(0, classes, (draws, items))
    metrics = metric_set(classes, columns)
    got = CounterfactualMeans(metrics, tally(labels, said, classes, columns)).at(said, labels)
    each = [
        [[recount(metrics, said, row, i, c, classes, columns) for c in range(classes)] for i in range(items)]
        for row in labels
    ]
    np.testing.assert_allclose(got, np.moveaxis(np.mean(each, axis=0), -1, 1), rtol=1e-14, atol=1e-15)


def test_blocks_do_not_change_the_values(monkeypatch):
    rng = np.random.default_rng(5)
    said, label = rng.integers(0, 5, 40), rng.integers(0, 5, 40)
    metrics, confusion = metric_set(5, 5), tally(label, said, 5)
    whole = counterfactuals(metrics, confusion, said, label)
    monkeypatch.setattr(counterfactual, "_NUMBERS_AT_ONCE", 60)
    np.testing.assert_array_equal(counterfactuals(metrics, confusion, said, label), whole)
