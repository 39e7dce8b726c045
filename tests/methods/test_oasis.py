"""OASIS, on cases worked by hand."""

import numpy as np
import pytest

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.oasis import Oasis, class_of_interest, cum_sqrt_f, f_measure, optimal_for_f
from altmas.metrics import metric, tally
from worlds.methods import small_pool
from worlds.runs import at_work


def test_oasis_formulas_by_hand():
    # l = 0: w (1 - a) F sqrt(p); l = 1: w sqrt(a^2 F^2 (1 - p) + (1 - F)^2 p).
    got = optimal_for_f(np.array([0.9, 0.1]), np.array([0.0, 1.0]), np.array([0.04, 0.5]), 0.8, 0.5)
    assert got == pytest.approx([0.9 * 0.5 * 0.8 * 0.2, 0.1 * np.sqrt(0.16 * 0.5 + 0.04 * 0.5)])
    pool = Pool.build([0, 1, 0, 1], scores=[0.9, 0.8, 0.7, 0.6])
    assert class_of_interest(pool, (metric("accuracy", [0, 1]),)) == 1
    assert class_of_interest(pool, (metric("recall:0", [0, 1]), metric("f1:1", [0, 1]))) == 0
    assert class_of_interest(small_pool()[0], (metric("accuracy", range(3)),)) is None


def test_cum_sqrt_f_makes_equal_steps_of_the_root_of_the_counts():
    score = np.repeat(
        [0.05, 0.35, 0.65, 0.95], [1600, 100, 25, 25]
    )  # roots 40, 10, 5, 5: middles at 20, 45, 52.5, 57.5
    assert cum_sqrt_f(score, 4)[[0, 1600, 1700, 1725]].tolist() == [0, 1, 1, 1]
    assert cum_sqrt_f(score, 8)[[0, 1600, 1700, 1725]].tolist() == [0, 1, 2, 2]
    assert (cum_sqrt_f(np.ones(5), 3) == 0).all()


@pytest.mark.parametrize("name", ["f1:2", "precision:2", "recall:2"])
def test_oasis_f_is_the_metric_of_its_weighted_confusion(name):
    pool, y = small_pool()
    run, _ = at_work(Oasis(6), pool, y, metrics=[name], sizes=(10, 10, 10))
    alpha = {"f": 0.5, "p": 1.0, "r": 0.0}[name[0]]
    hit = f_measure(run.weights, y[run.drawn] == 2, pool.predictions[run.drawn] == 2, alpha)
    assert run.estimate(0.9)[0].estimate == pytest.approx(hit, abs=1e-12)
    assert len(run.drawn) > 30  # some items came up again, for nothing


def test_oasis_draws_where_f_depends_on_it():
    """2,000 items, 20 of the class; F of that class within .1 from 200 labels, where uniform draws see 2 of them."""
    rng = np.random.default_rng(0)
    p = np.concatenate([np.full(1960, 0.01), np.linspace(0.2, 0.9, 40)])
    y = (rng.random(2000) < np.where(p > 0.1, p * 0.8, 0)).astype(int)
    pool = Pool.build((p > 0.5).astype(int), scores=np.column_stack([1 - p, p]))
    truth = float(metric("f1:1", [0, 1]).value(tally(y, pool.predictions, 2)))
    got = [at_work(Oasis(), pool, y, metrics=["f1:1"], seed=s, sizes=(50, 50, 50, 50))[0] for s in range(10)]
    assert np.mean([one.estimate(0.9)[0].estimate for one in got]) == pytest.approx(truth, abs=0.1)


def test_oasis_ends_where_its_draws_find_nothing_new():
    pool, y = small_pool()
    _, answers = at_work(Oasis(2, epsilon=1e-12), pool, y, metrics=["f1:2"], sizes=(20, 30, 9, 1))
    assert len(set(answers.items)) == 60


def test_oasis_takes_answers_it_did_not_draw_as_they_were_logged():
    pool, y = small_pool()
    run = Oasis(6).begin(Job(pool, (metric("accuracy", range(3)),)))
    answers = (
        Answers().extended([0, 1], y[[0, 1]], 0, [1 / 60, 1 / 59]).extended([2, 3], y[[2, 3]], 1, [1 / 30, 1 / 20])
    )
    run.update(answers, 2)
    assert run.drawn.tolist() == [0, 1, 2, 3]
    assert run.weights == pytest.approx([1, 1, 1 / 2, 1 / 3])
