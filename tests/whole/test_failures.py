"""An oracle, a method or a person that stops halfway: what was answered is kept."""

import numpy as np
import pytest

import altmas
from altmas.testing import CountingOracle
from worlds.cats_and_dogs import SAID, SCORES


def test_an_oracle_that_answers_nonsense_keeps_what_was_answered():
    answers = iter(["cat", "dog", "zebra"])
    with pytest.raises(
        altmas.OracleError, match="oracle must answer one of the classes 'cat', 'dog'; got 'zebra' for item"
    ) as e:
        altmas.assess(SAID, oracle=lambda _: next(answers), method="random", budget=30, initial=10, progress=False)
    assert list(e.value.answers.values()) == ["cat", "dog"]


def test_an_oracle_that_fails_keeps_what_was_answered():
    def oracle(item):
        if len(seen) == 12:
            raise ConnectionError("line down")
        seen.append(item)
        return SAID[item]

    seen = []
    with pytest.raises(altmas.OracleError, match="ConnectionError: line down") as caught:
        altmas.assess(SAID, oracle=oracle, method="random", budget=30, initial=10, progress=False)
    assert list(caught.value.answers) == seen
    # The answers come back as a table; the same seed asks the same questions.
    known = caught.value.answers
    asked = CountingOracle(SAID)
    altmas.assess(
        SAID,
        oracle=lambda i: known[i] if i in known else asked(i),
        method="random",
        budget=30,
        initial=10,
        progress=False,
    )
    assert len(asked.asked) == 18


class Breaks:
    """A surrogate that cannot be fitted."""

    def fit(self, X, y, *, n_classes=None, rng=None):
        raise FloatingPointError("diverged")

    def draw(self, X, *, draws, rng):
        return np.zeros((draws, len(X), 2))


def test_a_method_that_fails_keeps_what_was_answered():
    oracle = CountingOracle(SAID)
    method = altmas.make_method("bald", surrogate=Breaks())
    with pytest.raises(
        altmas.MethodError, match="method 'bald' must cope with its answers; got FloatingPoint.*"
    ) as caught:
        altmas.assess(SAID, scores=SCORES, oracle=oracle, method=method, budget=30, initial=10, progress=False)
    assert list(caught.value.answers) == oracle.asked
    assert len(oracle.asked) == 10


def test_nothing_to_learn_from_is_a_warning():
    method = altmas.make_method("bald", surrogate=Breaks())
    with (
        pytest.warns(UserWarning, match="method 'bald' has neither features nor scores to learn from"),
        pytest.raises(altmas.MethodError),
    ):
        altmas.assess(SAID, oracle=SAID, method=method, budget=30, initial=10, progress=False)


def test_interrupting_a_person_keeps_what_was_answered():
    def oracle(item):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        altmas.assess(SAID, oracle=oracle, method="random", budget=30, initial=10, progress=False)
    assert "0 answers so far" in caught.value.__notes__[0]
