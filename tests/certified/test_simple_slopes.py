"""Slopes that are sums: what they move is what the table of all labels says."""

from __future__ import annotations

import numpy as np
import pytest

from altmas.certified.simple_slopes import simple_slopes
from altmas.core.targets import Target, within
from altmas.metrics import confusion, metric
from altmas.metrics.belief import Belief

NAMES = ("accuracy", "macro_precision", "macro_recall", "macro_f1", "precision:1", "recall:1", "f1:1")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("classes", "width"), [(2, 2), (3, 3), (5, 6), (10, 10)])
def test_moments_are_those_of_the_table(rng, name, classes, width):
    belief, columns = rng.dirichlet(np.full(classes, 0.5), 300), rng.integers(0, width, 300)
    confusion = np.stack([belief[columns == a].sum(0) for a in range(width)], axis=1)
    gradient = metric(name, range(classes)).gradient(confusion)
    slopes = gradient.T[columns]
    mean = (belief * slopes).sum(1)
    variance = (belief * np.square(slopes - mean[:, None])).sum(1)
    found = simple_slopes(gradient)
    assert found is not None
    for made, wanted in zip(found.moments(Belief.dense(belief), columns), (mean, variance), strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-12, atol=1e-13 * np.abs(wanted).max())


def test_what_is_no_sum_is_told_apart(rng):
    assert simple_slopes(rng.random((4, 4))) is None
    assert simple_slopes(np.ones((1, 3))) is None


def test_a_large_tally_is_the_same(rng, monkeypatch):
    weights, columns = rng.random((1000, 4)), rng.integers(-1, 5, 1000)
    target = Target("some", metric("accuracy", range(4)), columns, 5)
    part = within(target, rng.random(1000) < 0.5, "part")
    small = [one.tally(weights) for one in (target, part)]
    monkeypatch.setattr(confusion, "_FEW", 10)
    for one, wanted in zip((target, part), small, strict=True):
        np.testing.assert_allclose(one.tally(weights), wanted, rtol=1e-13)
    assert part.taking_part == np.count_nonzero(part.columns >= 0)
