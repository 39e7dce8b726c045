"""Prediction-powered inference, on cases worked by hand."""

import numpy as np
import pytest

from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.ppi import Ppi, power, ppi_error, probabilities_of_scores
from altmas.metrics import InputError, metric
from worlds.methods import WRONG, FixedBelief, small_pool
from worlds.runs import at_work


def ppi_by_hand(y, yhat, others):
    lam = np.cov(y, yhat, ddof=0)[0, 1] / ((1 + len(y) / len(others)) * np.concatenate([yhat, others]).var(ddof=1))
    lam = np.clip(lam, 0, 1)
    se = np.sqrt(lam**2 * others.var() / len(others) + (y - lam * yhat).var() / len(y))
    return lam * others.mean() + (y - lam * yhat).mean(), se


def scored(items=400, labels=80):
    rng = np.random.default_rng(3)
    s = rng.dirichlet([3.0, 1.0, 1.0], items)
    y = np.array([rng.choice(3, p=p) for p in s])
    pool = Pool.build(s.argmax(1), scores=s, classes=[0, 1, 2])
    run, answers = at_work(Ppi(predictor="scores"), pool, y, sizes=(labels,))
    right = (y == pool.predictions).astype(float)
    rest = answers.unlabelled(pool)
    return run, right[answers.items], s.max(1)[answers.items], s.max(1)[rest]


def test_ppi_accuracy_is_ppi_of_a_mean():
    run, y, yhat, others = scored()
    value, se = ppi_by_hand(y, yhat, others)
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx(value, abs=1e-12)
    assert one.estimate - one.low == pytest.approx(1.6448536 * se, abs=1e-7)
    lam = power(y[None], yhat[None], others[None])
    assert ppi_error(y[None], yhat[None], others[None], lam) == pytest.approx([se])
    # The same as the pool's difference estimator with Cov/Var: the finite pool is taken care of.
    everyone = np.concatenate([yhat, others])
    slope = np.cov(y, yhat, ddof=0)[0, 1] / everyone.var(ddof=1)
    assert value == pytest.approx(y.mean() + slope * (everyone.mean() - yhat.mean()), abs=1e-12)


def test_ppi_agrees_with_its_authors_package():
    ppi = pytest.importorskip("ppi_py")
    run, y, yhat, others = scored()
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(y, yhat, others))), abs=1e-12)
    low, high = ppi.ppi_mean_ci(y, yhat, others, alpha=0.1)
    assert (one.low, one.high) == (pytest.approx(float(low[0])), pytest.approx(float(high[0])))


def test_ppi_predicts_no_item_from_its_own_fold():
    pool, y = small_pool()
    made = []

    def make(pool):
        made.append(FixedBelief(WRONG, pool))
        return made[-1]

    run, answers = at_work(Ppi(belief=make), pool, y, sizes=(40,))
    run.estimate(0.9)
    assert len(made) == 1
    assert made[0].fitted_on == [[i for i in answers.items if run.fold[i] != fold] for fold in range(5)]


def test_ppi_scores_must_be_probabilities():
    lone = probabilities_of_scores(Pool.build([0, "x"], scores=[0.7, 0.7], classes=[0, 1]))
    assert lone == pytest.approx(np.array([[0.7, 0.3], [0.5, 0.5]]))
    for scores, said in ((None, "no scores"), ([3.0, 95.0], "numbers up to 95")):
        with pytest.raises(InputError, match=f"scores must be probabilities for predictor='scores'; got {said}"):
            Ppi(predictor="scores").begin(Job(Pool.build([0, 1], scores=scores), (metric("accuracy", [0, 1]),)))
