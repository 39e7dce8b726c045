"""A pool drawn from a larger whole: its strata, and which rows are drawn."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from altmas.core.first_phase import FirstPhase
from altmas.core.keyed_draws import EVERY, drawn, level, limits, row_keys
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError


@given(st.lists(st.integers(1, 60), min_size=1, max_size=9), st.integers(0, 300))
def test_level_is_the_highest_that_fits(rows, most):
    rows = np.array(rows)
    found = level(rows, most)
    assert np.minimum(rows, found).sum() <= most
    assert found == rows.max() or np.minimum(rows, found + 1).sum() > most


@given(st.integers(0, 2**32), st.integers(1, 600), st.integers(1, 6), st.integers(1, 12), st.booleans())
def test_the_sample_is_the_same_however_rows_come(seed, rows, strata, portions, ordered):
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, strata, rows) ** 2 // strata
    stratum = np.sort(stratum) if ordered else stratum
    keys, sample = row_keys(seed, "log", 0, rows), int(rng.integers(1, rows + 10))
    at_once = keys[drawn(keys, stratum, np.bincount(stratum, minlength=strata), sample)]
    kept, of, known = keys[:0], stratum[:0], np.zeros(strata, dtype=int)
    limit = np.full(strata, EVERY)
    for some in np.array_split(rng.permutation(rows), portions):
        known = known + np.bincount(stratum[some], minlength=strata)
        low = some[keys[some] <= limit[stratum[some]]]
        kept, of = np.append(kept, keys[low]), np.append(of, stratum[low])
        limit = np.minimum(limit, limits(kept, of, known, sample))
        kept, of = kept[keep := kept <= limit[of]], of[keep]
    assert set(kept[drawn(kept, of, known, sample)]) == set(at_once)
    assert len(at_once) == min(sample, rows)


def test_rows_of_a_stratum_are_drawn_alike():
    """A chi-square test that errs once in ten thousand seeds: 2,000 samples of 30 rows, 20 of them in one stratum."""
    stratum = np.arange(30) // 20
    times = np.zeros(30)
    for seed in range(2_000):
        times += drawn(row_keys(seed, "a.parquet", 5, 30), stratum, np.array([20, 10]), 12)
    for one in (times[:20], times[20:]):
        spread = 1 - one.mean() / 2_000  # without replacement the counts vary less than drawn with it
        assert chisquare(one).statistic / spread < {20: 52.4, 10: 34.1}[len(one)]


def test_a_file_and_a_seed_make_keys_of_their_own():
    keys = [row_keys(seed, name, 0, 1_000) for seed in (0, 1) for name in ("a", "b")]
    assert len(set(np.concatenate(keys).tolist())) == 4_000


def test_rare_strata_are_taken_whole():
    stratum = np.repeat([0, 1, 2], [5_000, 40, 3])
    chosen = drawn(row_keys(0, "a", 0, 5_043), stratum, np.bincount(stratum), 200)
    assert np.bincount(stratum[chosen]).tolist()[1:] == [40, 3]


@pytest.mark.parametrize(
    ("stratum", "rows", "said"),
    [
        ([0, 0], [1], "2 items for 1 rows in 'a'"),
        ([0], [5], "1 items for 5 rows in 'a'"),
        ([0, 0, 1], [2], "2, 1 and 1"),
    ],
)
def test_strata_are_checked(stratum, rows, said):
    with pytest.raises(InputError, match=said):
        FirstPhase(np.array(stratum), np.array(rows), ("a",))


def test_pool_counts_rows_of_the_whole():
    phase = FirstPhase(np.array([0, 0, 1]), np.array([100, 1]), ("cat", "dog"))
    pool = Pool.build(["cat", None, "dog"]).drawn_from(phase)
    assert (pool.whole, pool.rows(), pool.rows(pool.predictions == 1), pool.unanswered()) == (101, 101, 1, 50)
    assert pickle.loads(pickle.dumps(pool)).whole == 101
    with pytest.raises(InputError, match="strata of the first phase"):
        Pool.build(["cat", "dog"]).drawn_from(phase)
    with pytest.raises(InputError, match="clusters must be left out"):
        Pool.build(["cat", "dog"] * 3, clusters=range(6)).drawn_from(
            FirstPhase(np.zeros(6, int), np.array([9]), ("a",))
        )
