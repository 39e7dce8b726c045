import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from altmas import InputError, Noisy, Pool, TableOracle
from altmas.core.oracles import ask


def test_tables_by_id_and_by_order():
    assert TableOracle.of(np.array(["x", "y"]), ["a", "b"])("b") == "y"
    assert TableOracle.of({"b": "y"}, ["b"])("b") == "y"
    # A Series indexed by id is read by id, in whatever order it comes.
    assert TableOracle.of(pd.Series({"b": "y", "a": "x"}), ["a", "b"])("a") == "x"
    with pytest.raises(InputError, match="labels must be a mapping of ids to labels; got list"):
        TableOracle(["x"])
    with pytest.raises(InputError, match="oracle must have a label for every item; got none for 'z'"):
        TableOracle({"a": 1})("z")


def test_answers_become_class_indices():
    pool = Pool.build(["cat", "dog"], ids=["i", "j"])
    assert ask(lambda i: {"i": "dog", "j": "cat"}[i], pool, 0) == 1
    with pytest.raises(InputError, match="oracle must answer one of the classes 'cat', 'dog'; got 'cow' for item 'j'"):
        ask(lambda i: "cow", pool, 1)
    numbers = Pool.build([3, 4])
    assert ask(lambda i: np.int64(4), numbers, 0) == 1
    assert ask(lambda i: 4.0, numbers, 0) == 1


def test_noise_has_its_rate_repeats_itself_and_never_gives_the_truth():
    """2,000 items at 20%: two-sided binomial test, error rate 1e-4."""
    noisy = Noisy(lambda i: i % 3, rate=0.2, classes=[0, 1, 2], seed=1)
    answers = [noisy(i) for i in range(2000)]
    assert answers == [noisy(i) for i in range(2000)]
    wrong = sum(a != i % 3 for i, a in enumerate(answers))
    assert binomtest(wrong, 2000, 0.2).pvalue > 1e-4
    assert all(Noisy(lambda i: i % 3, 1.0, [0, 1, 2])(i) != i % 3 for i in range(50))
    with pytest.raises(InputError, match="rate must be between 0 and 1; got 1.5"):
        Noisy(lambda i: 0, 1.5, [0, 1])


def test_a_series_is_a_column_where_ids_are_only_positions():
    shuffled = pd.Series(["a", "b", "c"], index=[2, 0, 1])  # as after sample(frac=1)
    assert TableOracle.of(shuffled, range(3)).labels == {0: "a", 1: "b", 2: "c"}
    assert TableOracle.of(shuffled, (1, 0)).labels[0] == "b"  # ids of the user's own: by index
