"""Groups: every item in exactly one."""

import numpy as np
import pytest

from altmas import InputError, Pool
from altmas.core.groups import by_attribute, by_predicted_class, by_score_bin, crossed, groups_by, required_confidence


@pytest.fixture
def pool():
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.45, 0.55]])
    return Pool.build(["a", "b", "a", "error"], scores=scores, classes=["a", "b"], groups={"region": list("nsns")})


def test_every_item_is_in_exactly_one_group(pool):
    assert by_predicted_class(pool).names == ("a", "b", "(no class)")
    assert by_predicted_class(pool).sizes.tolist() == [2, 1, 1]
    assert by_attribute(pool, "region").sizes.tolist() == [2, 2]
    pairs = crossed(by_attribute(pool, "region"), by_predicted_class(pool))
    assert pairs.sizes.sum() == 4
    assert pairs.names[pairs.index[0]] == ("n", "a")
    assert by_predicted_class(pool).shares.sum() == 1
    np.testing.assert_array_equal(groups_by(pool, "region").index, by_attribute(pool, "region").index)


def test_confidence_is_the_score_of_what_was_said(pool):
    assert required_confidence(pool).tolist() == [0.9, 0.8, 0.6, 0.0]
    assert required_confidence(Pool.build([0, 1], scores=[3.0, 4.0])).tolist() == [3.0, 4.0]


def test_score_bins_of_equal_width_and_of_equal_weight():
    scores = np.array([0.35, 0.51, 0.52, 0.53, 0.95, 1.0])
    some = Pool.build([0, 1, 2] * 2, scores=scores)
    assert by_score_bin(some, 10).index.tolist() == [3, 5, 5, 5, 9, 9]
    assert by_score_bin(some, 3, "weight").sizes.tolist() == [2, 2, 2]
    ties = Pool.build([0, 1] * 3, scores=np.ones(6))
    assert sorted(by_score_bin(ties, 3, "weight").sizes.tolist()) == [0, 0, 6]  # the pool's order does not split them


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda p: by_score_bin(p, 0), "bins must be an int >= 1; got 0."),
        (lambda p: by_score_bin(p, 3, "size"), "equal must be 'width' or 'weight'; got 'size'."),
        (
            lambda p: by_score_bin(Pool.build([0, 1], scores=[3.0, 4.0])),
            "confidences in bins of equal width must be at most 1",
        ),
        (lambda p: by_attribute(p, "age"), "by must be one of class, score, score:weight, region; got 'age'"),
        (
            lambda p: required_confidence(Pool.build([0, 1])),
            "scores must be given for groups or priors made of scores; got none.",
        ),
    ],
)
def test_bad_groups_say_so(pool, call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(pool)
