"""Model Selector: its formulas by hand and by brute force."""

import numpy as np
import pytest
from scipy.stats import entropy

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.model_selector import ModelSelector, entropy_after, posterior
from altmas.metrics import InputError, metric
from worlds.methods import several_models
from worlds.runs import at_work


def test_the_posterior_and_the_leader_by_hand():
    """After two answers a has one right and b none; eps = 0.25 makes the odds 3."""
    pool = Pool.build({"a": [0, 0, 1], "b": [1, 1, 1]}, classes=[0, 1, 2])
    run = ModelSelector(eps=0.25).begin(Job(pool, (metric("accuracy", pool.classes),)))
    run.update(Answers(), 0)
    assert run.p_best.tolist() == [0.5, 0.5]
    assert np.isnan(run.value).all()  # before the first answer there is no share of right ones
    run.update(Answers().extended([0, 1], [0, 2], 0, [1.0, 1.0]), 1)
    assert run.p_best.tolist() == pytest.approx([0.75, 0.25])
    assert run.value.tolist() == [0.5, 0.0]
    assert run.leading(0.9).leader == "a"
    assert run.leading(0.9).p_best == pytest.approx(0.75)


def test_the_closed_form_is_the_entropy_of_the_posterior():
    rng = np.random.default_rng(0)
    for odds in (1.2, 3.0):
        p, agree = rng.dirichlet(np.ones(5)), rng.random(5) < 0.5
        after = p * np.where(agree, odds, 1)
        inner = p * np.log(p)
        found = entropy_after(p[agree].sum(), inner[agree].sum(), inner.sum(), odds)
        assert float(found) == pytest.approx(entropy(after / after.sum()), abs=1e-12)


@pytest.mark.parametrize("labels", [0, 5])
def test_the_expected_entropy_is_the_definition(labels):
    pool, y = several_models(items=12, accuracies=(0.5, 0.8, 0.6, 0.7), no_class=0.15)
    run, _ = at_work(ModelSelector(), pool, y, sizes=(1,) * labels)
    odds = 0.54 / 0.46
    p = odds ** run.right.astype(float)
    p /= p.sum()
    assert run.p_best == pytest.approx(p)
    found = run.expected_entropy()[run.place]
    for item in range(12):
        after = [p * np.where(run.said[:, item] == c, odds, 1) for c in range(3)]
        assert found[item] == pytest.approx(np.mean([entropy(one / one.sum()) for one in after]), abs=1e-12)
    (chosen,) = run.choose(1).items
    assert found[chosen] == pytest.approx(found[run.choose(12 - labels).items].min(), abs=1e-12)


def test_it_asks_where_models_differ():
    """Item 1 splits the two models; of the others every label says the same about both."""
    pool = Pool.build({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, classes=[0, 1])
    run = ModelSelector().begin(Job(pool, (metric("accuracy", pool.classes),)))
    run.update(Answers(), 0)
    assert run.choose(1).items.tolist() == [1]


def test_who_leads_of_those_that_tie_is_left_to_the_seed():
    pool, _ = several_models()
    leaders = []
    for seed in range(30):
        run = ModelSelector().begin(Job(pool, (metric("accuracy", pool.classes),), seed))
        run.update(Answers(), 0)
        assert run.leader == run.leader
        leaders.append(run.leading(0.9).leader)
    assert len(set(leaders)) == 4  # a leader would be missing by chance once in 1,400


@pytest.mark.parametrize("eps", [0, 0.5, 0.9, "few", True])
def test_eps_is_checked(eps):
    pool, _ = several_models()
    with pytest.raises(InputError, match="eps must be a number between 0 and 0.5, both excluded"):
        ModelSelector(eps=eps).begin(Job(pool, (metric("accuracy", pool.classes),)))


def test_odds_of_many_answers_do_not_overflow():
    assert posterior(np.array([100_000, 99_990]), 9.0).tolist() == pytest.approx([1.0, 0.0], abs=1e-9)
