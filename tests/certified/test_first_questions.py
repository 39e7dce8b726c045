"""The first questions: half blind, half by what the outputs alone lead to expect, and counted as they were drawn."""

import numpy as np
import pytest

from altmas.beliefs.worths import blind_chances
from altmas.certified.method import Certified
from altmas.certified.setup import FIRST_FLOOR, Setup
from altmas.certified.state import advance, chances_of, refit, start
from altmas.core.method import AskedRound, Job
from altmas.core.pool import Pool
from altmas.metrics import metrics_named
from worlds.certified import at_work, vendor

METRICS = ("accuracy", "macro_recall", "precision:3")


def setup_of(pool, recipe=None, metrics=METRICS, **how):
    return Setup(Job(pool, tuple(metrics_named(metrics, pool.classes)), **how), recipe or Certified())


def pool_of(items=400, **more):
    y, said, sure = vendor(items)
    return y, Pool.build(said, scores=sure, classes=range(4), **more)


OPTIONS = [{}, {"interval": "anytime"}, {"floor": 0.1}, {"floor": 0.9}, {"worth": "expected_loss"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_they_sum_to_one_and_at_least_half_are_blind(options):
    _, pool = pool_of()
    setup = setup_of(pool, Certified(**options))
    first = setup.first_chances
    assert first.sum() == pytest.approx(1)
    blind = max(FIRST_FLOOR, options.get("floor", 0.0))
    assert first.min() >= 0.5 * blind / pool.size  # half of what is blind is alike for all items
    assert first.std() > 0
    assert chances_of(start(setup)).tolist() == first.tolist()


def test_at_least_half_are_what_somebody_who_believes_nothing_would_draw():
    """A precision of a class that is seldom predicted has its items asked about, whatever the scores say."""
    _, said, sure = vendor(400)
    said = np.where(np.arange(400) < 4, 3, np.minimum(said, 2))
    pool = Pool.build(said, scores=np.where(np.arange(400) < 4, 0.9999, sure), classes=range(4))
    setup = setup_of(pool, metrics=("accuracy", "precision:3"))
    few = (pool.predictions == 3).astype(float)
    blind = blind_chances([np.full(400, 1 / 400), few / few.sum()])
    assert (setup.first_chances >= FIRST_FLOOR * blind - 1e-12).all()
    assert setup.first_chances[:4].min() > 10 / 400


def test_items_of_which_the_outputs_are_unsure_come_first():
    _, pool = pool_of()
    first = setup_of(pool, metrics=("accuracy",)).first_chances
    order = np.argsort(pool.scores)
    assert first[order[:50]].mean() > 1.5 * first[order[-50:]].mean()


@pytest.mark.parametrize("how", [{"recipe": Certified(worth="uniform")}, {"even_start": True}], ids=["uniform", "old"])
def test_they_are_uniform_where_that_was_promised(how):
    _, pool = pool_of()
    assert setup_of(pool, **how).first_chances.tolist() == [1 / 400] * 400


def test_they_are_drawn_for_the_metrics_of_the_job_and_not_for_those_asked_later():
    _, pool = pool_of()
    wanted, later = (tuple(metrics_named(names, pool.classes)) for names in (["accuracy"], ["recall:3"]))
    one, other = Setup(Job(pool, wanted), Certified()), Setup(Job(pool, later), Certified())
    asked_later = Setup(Job(pool, later, drawn_for=wanted), Certified())
    assert one.first_chances.tolist() == asked_later.first_chances.tolist() != other.first_chances.tolist()


def test_learners_on_features_are_not_prepared_for_them(monkeypatch):
    """They take seconds, and know nothing before the first answer."""
    _, pool = pool_of(60, features=np.eye(60))
    monkeypatch.setattr("altmas.surrogates.learners.space.Space", None)  # making one would fail
    with_features = setup_of(pool).first_chances
    assert with_features.tolist() == setup_of(pool_of(60)[1]).first_chances.tolist()


def test_what_is_drawn_is_what_the_inclusion_counts_with(seed):
    """Of 400 runs each item is drawn as often as its inclusion says: within 4.5 standard errors, once in 360 tests."""
    y, pool = pool_of()
    often, recipe = np.zeros(400), Certified()
    setup = setup_of(pool)
    for s in range(400):
        often[at_work(recipe, pool, y, sizes=(), seed=1000 * seed + s, metrics=METRICS).choose(30).items] += 1
    state = advance(start(setup), AskedRound(0, np.arange(30), y[:30], np.ones(30)))
    drawn = state.inclusion
    assert drawn.sum() == pytest.approx(30, rel=0.02)
    off = (often / 400 - drawn) / np.sqrt(drawn * (1 - drawn) / 400)
    assert np.abs(off).max() < 4.5
    assert np.corrcoef(often, drawn)[0, 1] > 0.5


def test_a_refit_keeps_the_chances_there_were():
    y, pool = pool_of()
    run = at_work(Certified(), pool, y, sizes=(30, 3), metrics=METRICS)
    made = run.state.refit
    assert made.known == 30
    then = at_work(Certified(), pool, y, sizes=(30,), metrics=METRICS).state
    assert made.drawn_then.tolist() == then.inclusion.tolist()
    assert (run.state.inclusion > made.drawn_then).all()
    assert run.state.sample().drawn_then is made.drawn_then
    assert refit(then).drawn_then.tolist() == then.inclusion.tolist()
