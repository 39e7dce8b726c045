"""Metrics as ratios of sums over items, which is the form that bets can be made on."""

import numpy as np
import pytest

from altmas.certified import functionals as f
from altmas.metrics import InputError, expected_cost, from_confusion, metric, tally
from altmas.metrics.belief import Belief

NAMES = ["accuracy", "error_rate", "precision:b", "recall:b", "f1:b", "f0.5:c", "specificity:a", "accuracy:b"]


NAMES += [f"{how}_{kind}" for how in ("macro", "micro") for kind in ("precision", "recall", "f1", "f2")]


@pytest.mark.parametrize("name", [*NAMES, "weighted_recall"])
@pytest.mark.parametrize("columns", [3, 4])
def test_ratios_are_the_catalogues_metrics(name, columns, rng):
    said, y = rng.integers(0, columns, 200), rng.integers(0, 3, 200)
    parts = f.functionals_of(name, said, "abc")
    value = float(metric(name, "abc").value(tally(y, said, 3, columns)))
    assert np.mean([one.value(y) for one in parts]) == pytest.approx(value, abs=1e-12)
    assert len(parts) == (3 if name in ("macro_recall", "macro_f1", "macro_f2") else 1)
    for one in parts:
        assert one.bounds[0] <= one.value(y) <= one.bounds[1]
        u, v = np.transpose([one.terms(i, label) for i, label in enumerate(y)])
        assert (v.sum() and u.sum() / v.sum()) == pytest.approx(one.value(y))
        certain = one.expected(Belief.dense(np.eye(3)[y]))
        assert np.allclose(certain, [u, v])


def test_cost_groups_and_two_models(rng):
    said, other, y = (rng.integers(0, 3, 200) for _ in range(3))
    cost = expected_cost(rng.normal(size=(3, 3)))
    (one,) = f.functionals_of(cost, said, "abc")
    assert one.value(y) == pytest.approx(float(cost.value(tally(y, said, 3))))
    g = rng.random(200) < 0.3
    right = said == y
    assert f.group_accuracy(said, 3, g).value(y) == pytest.approx(right[g].mean())
    apart = f.group_difference(said, 3, g, ~g)
    assert apart.value(y) == pytest.approx(right[g].mean() - right[~g].mean())
    models = f.model_difference(said, other, 3)
    assert models.value(y) == pytest.approx(right.mean() - (other == y).mean())
    costs = [float(cost.value(tally(y, one, 3))) for one in (said, other)]
    assert f.model_difference(said, other, 3, cost).value(y) == pytest.approx(costs[0] - costs[1])


def test_metrics_without_such_a_form():
    mine = from_confusion("mine", lambda c: float(c[0, 0]))
    occurring = [f"macro_{kind}_occurring" for kind in ("precision", "recall", "f1", "f0.5")]
    for name in ("mcc", "cohen_kappa", "balanced_accuracy", "weighted_precision", "weighted_f1", *occurring, mine):
        assert f.functionals_of(name, np.array([0, 1]), "ab") is None
    with pytest.raises(InputError, match="metric must be one of"):
        f.functionals_of("acuracy", np.array([0, 1]), "ab")


def test_bad_functionals():
    said = np.array([0, 1, 2])
    with pytest.raises(InputError, match="must lie in 0 to 1; got 0 to 2"):
        f.mean_cost(said, expected_cost(np.eye(2)))
    with pytest.raises(InputError, match="group must be a boolean per item"):
        f.group_accuracy(said, 2, np.zeros(3, dtype=bool))
    with pytest.raises(InputError, match="class index must lie in 0 to 1; got 2"):
        f.recall(said, 2, 2)
    with pytest.raises(InputError, match="the bottom of 'x' must not be negative"):
        f.Ratio("x", np.eye(3), -np.eye(3), said)
    with pytest.raises(InputError, match="the top of 'x' must be 0 where the bottom is 0"):
        f.Ratio("x", np.ones((3, 3)), np.eye(3), said)
    with pytest.raises(InputError, match="predictions must be of the same items; got 3 and 2"):
        f.model_difference(said, said[:2], 3)
