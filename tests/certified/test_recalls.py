"""Recall of every class: the numbers of `recall:CLASS`, whatever is missing, and a class that nobody named."""

import numpy as np
import pytest

from altmas import assess
from altmas.certified.one_label import of_one_label
from altmas.metrics import metric
from altmas.metrics.belief import Belief


def found(classes, missing=0.0, **options):
    rng = np.random.default_rng(5)
    truth = rng.integers(classes - 1, size=400)  # the last class never occurs
    said = np.where(rng.random(400) < 0.7, truth, rng.integers(classes, size=400))
    lost = rng.random(400) < missing

    def oracle(item):
        return "skip" if lost[item] else int(truth[item])

    given = {"classes": list(range(classes)), "oracle": oracle if missing else truth.tolist()}
    return assess(said, budget=120, progress=False, **{**given, **options}).findings


@pytest.mark.parametrize(("method", "missing"), [("certified", 0.0), ("certified", 0.15), ("random", 0.0)])
def test_recalls_are_those_of_the_metric(method, missing):
    findings = found(5, missing, method=method)
    table = findings.recalls()
    told = table[table["labels"] > 0]
    expected = findings.estimate([f"recall:{c}" for c in told["class"]])
    for name in ("estimate", "low", "high"):
        np.testing.assert_allclose(told[name], expected[name], rtol=1e-12)
    assert told["p_worst"].sum() == pytest.approx(1)
    [last] = table[table["class"] == 4].to_dict("records")
    assert last["labels"] == 0
    assert np.isnan([last["estimate"], last["p_worst"]]).all()


def test_influences_of_a_recall_are_those_of_one_label():
    rng = np.random.default_rng(0)
    confusion, probabilities = rng.random((4, 5)) * 9, rng.dirichlet(np.ones(4), size=30)
    columns = rng.integers(-1, 5, size=30)
    gradient = metric("recall:2", range(4)).gradient(confusion)
    one = of_one_label(gradient, columns)
    slopes = np.concatenate([gradient.T, np.zeros((1, 4))])[columns]
    mean = (probabilities * slopes).sum(1)
    variance = (probabilities * slopes**2).sum(1) - mean**2
    for got, expected in zip(one.moments(Belief.dense(probabilities)), (mean, variance), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-15)
    np.testing.assert_allclose(one.ranges(), np.ptp(slopes, axis=1))
