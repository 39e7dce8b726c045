"""Labels that another method drew with known chances, asked what certified can be asked."""

import numpy as np
import pytest

import altmas
from altmas.certified.functionals import accuracy
from altmas.core.tasks import as_costs


def careful_vendor(seed, size=400):
    """Wrong where its confidence is low, which the certified method would draw for and random sampling does not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=size)
    sure = rng.uniform(0.5, 1, size)
    said = np.where(rng.random(size) < np.where(sure < 0.65, 0.4, 0.99), labels, 1 - labels)
    return labels, said, sure


def test_random_labels_are_bet_on_as_they_were_drawn():
    """Intervals at all looks miss in at most 5% of runs: of 30, more than 6 would come once in 10,000 such tests."""
    missed = 0
    for seed in range(30):
        labels, said, sure = careful_vendor(seed)
        found = altmas.assess(
            said, sure, oracle=labels, method="random", budget=150, seed=seed, progress=False
        ).findings
        [(low, high)] = found.looks_at(accuracy(said, 2))
        missed += not low <= (labels == said).mean() <= high
    assert missed <= 6


def test_everything_labelled_is_exact_at_all_looks_too():
    labels, said, sure = careful_vendor(0, size=80)
    method = altmas.make_method("certified", interval="anytime")
    result = altmas.assess(said, sure, oracle=labels, method=method, budget=80, metrics="accuracy", progress=False)
    assert result.estimates["promise"].tolist() == ["exact: every item is labelled"]


def test_a_metric_is_linearised_once_per_refit(monkeypatch):
    from altmas.certified import estimator, setup

    made = []
    for module in (estimator, setup):
        was = module.linearise
        monkeypatch.setattr(module, "linearise", lambda signed, sample, was=was: made.append(1) or was(signed, sample))
    labels, said, sure = careful_vendor(1)
    given = {"oracle": labels, "metrics": ["accuracy", "macro_recall"], "progress": False}
    altmas.assess(said, sure, budget=60, initial=50, batch=1, **given)
    assert len(made) == 2 + 2 * 2  # before the first question, and refits at 50 and at 60 answers


def test_a_task_with_costs_can_be_compared_with_another():
    labels, said, sure = careful_vendor(2)
    costs = np.ones((2, 2)) - np.eye(2)
    result = altmas.assess(said, sure, oracle=labels, method="thompson", task="identify", cost=costs, budget=60,
                           metrics="accuracy", progress=False)  # fmt: skip
    assert len(result.findings.ranking()) == 2
    with pytest.raises(altmas.InputError, match="cost must be a matrix of numbers"):
        altmas.Identify("most_costly", cost="x")
    assert as_costs(costs) == ((0.0, 1.0), (1.0, 0.0))
    with pytest.raises(altmas.InputError, match="target must be one of least_accurate"):
        altmas.Identify(target=np.array(["least_accurate"]))
