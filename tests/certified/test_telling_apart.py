"""The questions of a contest: those that tell the leader from whoever may be ahead of it."""

import numpy as np
import pytest

from altmas.certified.method import Certified
from altmas.certified.standing import standing
from altmas.certified.telling_apart import chances_to_tell_apart
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.core.targets import resolve_metrics
from worlds.certified import at_work
from worlds.methods import several_models


def told_apart(pool, y, metric="accuracy", sizes=(20,), **how):
    """The standing after some answers, and the chances that follow."""
    run = at_work(Certified(best=metric), pool, y, metrics=(metric,), sizes=sizes, **how)
    sample = run.state.sample()
    now = standing(run.state.setup.contested(sample), sample, 0)
    return now, chances_to_tell_apart(now)


@pytest.mark.parametrize("metric", ["accuracy", "macro_recall", "mcc"])
@pytest.mark.parametrize("accuracies", [(0.8, 0.7), (0.6, 0.9, 0.7, 0.85)])
def test_chances_sum_to_one_and_leave_no_item_out(metric, accuracies):
    pool, y = several_models(150, accuracies, no_class=0.05)
    _, chances = told_apart(pool, y, metric)
    assert chances.shape == (150,)
    assert chances.sum() == pytest.approx(1)
    assert chances.min() > 0.02 / 150  # or its answer would weigh beyond all measure


def test_items_on_which_all_contenders_agree_are_asked_about_least():
    pool, y = several_models(200, (0.8, 0.85, 0.8))
    now, chances = told_apart(pool, y)
    said = np.stack([pool.outputs[h].predictions for h in now.contenders])
    agree = (said == said[0]).all(0)
    assert 20 < agree.sum() < 180
    assert chances[agree].mean() < chances[~agree].min()
    assert chances.argmin() in np.flatnonzero(agree)


def test_a_model_without_a_chance_has_no_say_in_what_is_asked():
    """Where only the hopeless model differs, little is asked."""
    pool, y = several_models(300, (0.8, 0.82, 0.1))
    now, chances = told_apart(pool, y, sizes=(40, 40))
    a, b, hopeless = (one.predictions for one in pool.outputs)
    assert now.p_best[2] < 0.01
    assert chances[(a == b) & (hopeless != a)].mean() < chances[a != b].mean() / 2


def test_models_that_all_say_the_same_are_asked_about_all_the_same():
    said = [0, 1, 2] * 20
    pool = Pool.build({"a": said, "b": said, "c": said}, classes=range(3))
    now, chances = told_apart(pool, np.array(said))
    assert chances.sum() == pytest.approx(1)
    assert chances.min() > 0
    assert now.p_best == pytest.approx(np.full(3, 1 / 3))


def test_a_contest_begins_where_models_differ_and_keeps_to_it():
    pool, y = several_models(200, (0.7, 0.9, 0.8))
    metrics = resolve_metrics("accuracy", pool)
    said = np.stack([one.predictions for one in pool.outputs])
    differ = (said != said[0]).any(0)
    first = Certified(best="accuracy").begin(Job(pool, metrics, 0)).state.setup.first_chances
    assert first.sum() == pytest.approx(1)
    assert first[differ].mean() > 1.5 * first[~differ].mean()
    run = at_work(Certified(best="accuracy"), pool, y, sizes=(10,) * 5)
    asked = differ[run.state.asked].mean()
    assert asked > differ.mean() + 0.1
    anytime = Certified(best="accuracy", interval="anytime").begin(Job(pool, metrics, 0)).state.setup.first_chances
    assert anytime.min() >= 0.4 / 200  # a bet must survive the worst draw


def test_uniform_worth_asks_about_all_items_alike():
    pool, y = several_models(100, (0.7, 0.9))
    run = at_work(Certified(best="accuracy", worth="uniform"), pool, y, sizes=(10, 10))
    assert run.state.setup.first_chances == pytest.approx(np.full(100, 0.01))
    assert run.state.refit.ideal == pytest.approx(np.full(100, 0.01))
