"""ASE, on a case worked by hand."""

import numpy as np
import pytest

from altmas.beliefs.worths import xwed
from altmas.core.answers import Answers
from altmas.methods.ase import Ase, drawn_confusions
from worlds.methods import BELIEF, WRONG, small_pool
from worlds.runs import at_work


def test_ase_is_the_answers_and_the_drawn_agreement_of_the_rest():
    pool, y = small_pool()
    run, answers = at_work(Ase(BELIEF, draws=8), pool, y, sizes=(10, 5))
    ((items, agreement),) = run._agreement()
    right = (y[answers.items] == pool.predictions[answers.items]).sum()
    (one,) = run.estimate(0.9)
    assert one.estimate == pytest.approx((right + agreement.sum(1).mean()) / 60)
    assert one.promise == "spread of 8 draws, not coverage"
    counts = drawn_confusions(agreement, WRONG[items], pool.predictions[items], 3)
    assert counts.sum((1, 2)) == pytest.approx(np.full(8, 45))
    assert counts.sum(1) == pytest.approx(np.tile(np.bincount(pool.predictions[items], minlength=3), (8, 1)))
    # It asks where the draws disagree most.
    open_before = np.setdiff1d(np.arange(60), answers.items[:10])
    run.update(Answers().extended(answers.items[:10], answers.labels[:10], 0, answers.propensities[:10]), 1)
    ((_, before),) = run._agreement()
    assert set(answers.items[10:]) == set(open_before[np.argsort(-xwed(before))[:5]])
