"""A score that is missing is missing: counted, learnt as such, and left out of calibration."""

import numpy as np
import pytest

import altmas
from altmas.core.pool import Pool
from altmas.surrogates.outputs.evidence import evidence_from

SIZE = 240
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(3, size=SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(3, size=SIZE))
SCORES = np.full((SIZE, 3), 0.1)
SCORES[np.arange(SIZE), SAID] = 0.8
GONE = np.arange(SIZE) % 8 == 0


def test_a_row_with_any_gap_is_missing_and_says_what_is_usual():
    scores = SCORES.copy()
    scores[5, 1] = np.nan
    scores[6] = np.nan
    pool = Pool.build(SAID, scores=scores)
    assert pool.outputs[0].missing_scores == 2
    assert np.flatnonzero(~pool.scored).tolist() == [5, 6]
    assert pool.scores.sum(1) == pytest.approx(1)
    assert pool.scores[5] == pytest.approx(SCORES[5])


def test_logits_with_gaps():
    scores = np.log(SCORES)
    scores[3] = np.nan
    pool = Pool.build(SAID, scores=scores, logits=True)
    assert pool.outputs[0].missing_scores == 1
    assert pool.scores[4] == pytest.approx(SCORES[4])


def test_nothing_but_gaps_is_no_score():
    assert Pool.build(SAID, scores=np.full(SIZE, np.nan)).scores is None


def test_the_scores_of_one_class_are_missing():
    scores = np.where((SAID == 1)[:, None], np.nan, SCORES)
    pool = Pool.build(SAID, scores=scores)
    assert (~pool.scored == (SAID == 1)).all()
    assert np.isfinite(pool.scores).all()


def test_a_zero_where_it_failed_is_missing_and_elsewhere_it_is_a_zero():
    said = [None if gone else int(one) for gone, one in zip(GONE, SAID, strict=True)]
    sure = np.where(GONE, 0.0, 0.8)
    sure[1] = 0.0
    pool = Pool.build(said, scores=sure)
    assert (~pool.scored == GONE).all()
    assert pool.scores[1] == 0


@pytest.mark.parametrize("scores", [SCORES, np.full(SIZE, 0.8)], ids=["of each class", "one"])
def test_calibration_leaves_them_out(scores):
    gaps = scores.copy()
    gaps[GONE] = np.nan
    usual = {"metrics": "accuracy", "budget": SIZE, "initial": SIZE, "progress": False, "method": "random"}
    found = altmas.assess(SAID, gaps, oracle=TRUTH, **usual)
    right = (SAID == TRUTH)[~GONE].mean()
    assert found.findings.ece()[0] == pytest.approx(abs(right - 0.8), abs=1e-6)
    assert "model gave no score on 30 of 240 items" in found.remark


def test_a_gap_is_a_column_of_its_own_to_learn_from():
    pool = Pool.build(SAID, scores=np.where(GONE, np.nan, 0.4 + 0.6 * RNG.random(SIZE)))
    columns = evidence_from(pool.outputs[0], 3).columns
    tells = [np.corrcoef(column, GONE)[0, 1] for column in columns.T if column.std() > 0]
    assert max(tells) == pytest.approx(1)
    whole = evidence_from(Pool.build(SAID, scores=0.4 + 0.6 * RNG.random(SIZE)).outputs[0], 3).columns
    assert columns.shape[1] == whole.shape[1] + 1


def test_rounded_probabilities_are_taken_and_others_are_not():
    assert Pool.build([0, 1, 2], scores=[[0.33, 0.33, 0.33], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]).probable
    with pytest.raises(altmas.InputError, match="each row of scores must sum to 1; got 0.9 in row 0"):
        Pool.build([0, 1], scores=[[0.45, 0.45], [0.5, 0.5]])
    with pytest.raises(altmas.InputError, match="They are in percent: divide them by 100"):
        Pool.build([0, 1], scores=[[60, 40], [10, 90]])
    with pytest.raises(altmas.InputError, match="got 0 in row 0"):
        Pool.build(list(range(30)), scores=np.vstack([np.zeros(30), np.eye(30)[1:]]), classes=list(range(30)))


def test_probabilities_of_eight_bits_sum_to_one_nearly():
    """As networks in bfloat16 give them: each number is rounded to eight bits."""
    exact = np.random.default_rng(0).dirichlet(np.ones(7), 500)
    bits = ((exact.astype(np.float32).view(np.uint32) + 0x8000) & 0xFFFF0000).view(np.float32)
    assert np.abs(bits.sum(1) - 1).max() > 1e-3
    said = np.argmax(exact, 1)
    found = Pool.build(said, scores=bits, classes=range(7)).scores
    np.testing.assert_allclose(found.sum(1), 1)
