"""Requirements: read as people write them, and met by intervals."""

import math

import pytest

from altmas.core.requirements import Requirement, read_requirement
from altmas.metrics.errors import InputError


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("accuracy >= 0.9", Requirement("accuracy", ">=", 0.9)),
        ("accuracy>=.9", Requirement("accuracy", ">=", 0.9)),
        (" error_rate ≤ 7 % ", Requirement("error_rate", "<=", 0.07)),
        ("recall:age >= 60 >= 0.95", Requirement("recall:age >= 60", ">=", 0.95)),
        ("expected_cost <= -1e3", Requirement("expected_cost", "<=", -1000.0)),
    ],
)
def test_they_are_read_as_people_write_them_and_say_so_again(text, means):
    assert read_requirement(text) == means
    assert read_requirement(str(means)) == means


@pytest.mark.parametrize("text", ["", "accuracy", "accuracy > 0.9", ">= 0.9", "accuracy >= nan", "a >= x", "a >=", 3])
def test_others_are_refused_in_a_sentence(text):
    with pytest.raises(InputError, match=r" must be .*; got "):
        read_requirement(text)


@pytest.mark.parametrize(("low", "high"), [(None, None), (math.nan, math.nan), (0.8, 0.95), (0.8999, 0.9)])
def test_what_lies_on_both_sides_or_is_not_known_settles_nothing(low, high):
    assert Requirement("accuracy", ">=", 0.9).met_by(low, high) == "not settled"


def test_the_bound_itself_is_good_enough():
    at_most = Requirement("error_rate", "<=", 0.1)
    assert [at_most.met_by(*ends) for ends in ((0, 0.1), (0.11, 0.2), (0.1, 0.2))] == ["pass", "fail", "not settled"]
