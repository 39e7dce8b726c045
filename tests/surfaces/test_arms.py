import numpy as np
import pytest

from altmas import InputError
from altmas.surfaces.combinations import Combinations
from altmas.surfaces.errors import surface_errors
from altmas.surfaces.exploration import arm_order, choose_queries
from altmas.surrogates.surface.affiliation import Affiliation


def binary(items, attributes, rng):
    return {f"a{k}": rng.integers(2, size=items) for k in range(attributes)}


def test_full_product_and_index_agree_with_the_columns(rng):
    columns = binary(300, 3, rng) | {"colour": rng.choice(["red", "green", "blue"], 300)}
    arms = Combinations.build(columns)
    assert arms.size == 24
    for item in (0, 17, 299):
        assert arms.value(arms.index[item]) == {name: column[item] for name, column in columns.items()}
    np.testing.assert_array_equal(arms.arm_of(columns), arms.index)
    assert arms.support.sum() == 300


def test_beyond_the_limit_only_what_occurs_is_an_arm(rng):
    columns = binary(200, 12, rng)
    arms = Combinations.build(columns, most=4095)
    assert arms.size == len({tuple(row) for row in np.column_stack(list(columns.values())).tolist()})
    assert arms.support.min() >= 1
    np.testing.assert_array_equal(arms.arm_of(columns), arms.index)
    absent = next(row for row in np.ndindex(*[2] * 12) if list(row) not in arms.codes.tolist())
    with pytest.raises(InputError, match="form a combination that occurs in the pool; got row 0"):
        arms.arm_of({f"a{k}": [value] for k, value in enumerate(absent)})


def test_numbers_with_many_values_are_cut_at_quantiles(rng):
    age = rng.integers(18, 90, size=1000)
    arms = Combinations.build({"age": age}, bins=4)
    assert arms.size == 4
    assert arms.support.min() > 200
    assert np.all(np.diff(arms.features[:, 0]) > 0)  # in order, for the kernel
    assert arms.features[0, 0] == 0
    assert arms.features[-1, 0] == 1
    assert Combinations.build({"age": age}, bins=100).size == len(set(age.tolist()))
    assert arms.arm_of({"age": [1, 200]}).tolist() == [0, 3]  # numbers outside of what was seen are in the end bins


def test_a_number_met_by_several_quantiles_cuts_once():
    arms = Combinations.build({"x": [0] * 90 + list(range(1, 11))}, bins=5)
    assert arms.size == arms.support.astype(bool).sum()


def test_kernel_distances_are_one_between_values_of_an_attribute():
    arms = Combinations.build({"c": ["r", "g", "b"], "h": [0, 1, 0]})
    a, b = (arms.arm_of({"c": [c], "h": [0]})[0] for c in "rg")
    assert np.square(arms.features[a] - arms.features[b]).sum() == pytest.approx(1)


def test_one_attribute_with_one_value_is_one_arm():
    arms = Combinations.build({"hat": ["no"] * 7})
    assert (arms.size, arms.features.shape, arms.active().tolist()) == (1, (1, 1), [True])


def test_bad_columns_are_refused():
    with pytest.raises(InputError, match="attributes must name at least one column"):
        Combinations.build({})
    with pytest.raises(InputError, match="attribute b must be one value per item; got 1 values for 2 items"):
        Combinations.build({"a": [1, 2], "b": [1]})
    arms = Combinations.build({"hat": ["no", "yes"]})
    with pytest.raises(InputError, match=r"attribute hat must be one of the 2 values.*'cap' in row 1"):
        arms.arm_of({"hat": ["no", "cap"]})
    with pytest.raises(InputError, match="attributes must hold the columns hat; got no hat"):
        arms.arm_of({"cap": ["no"]})


def test_thousands_of_arms(rng):
    columns = binary(50_000, 12, rng)
    arms = Combinations.build(columns)
    right, wrong = arms.counts(np.arange(50_000), np.ones(50_000))
    assert arms.size == 4096
    assert (right.sum(), wrong.sum()) == (50_000, 0)
    assert arms.features.shape == (4096, 12)


def test_soft_counts_keep_every_answer_once(rng):
    p = rng.dirichlet(np.ones(4), 50)
    soft = Affiliation(np.tile(np.arange(4), (50, 1)), p)
    right = rng.integers(2, size=20).astype(float)
    good, bad = soft.counts(np.arange(20), right, 4)
    assert good.sum() == pytest.approx(right.sum())
    assert (good + bad).sum() == pytest.approx(20)


def test_a_wrong_answer_is_rather_from_an_arm_of_low_accuracy(rng):
    """P(a|x, wrong) = 0.5 x 0.9 / (0.5 x 0.9 + 0.5 x 0.1) = 0.9; 4 standard deviations either side."""
    soft = Affiliation(np.tile([0, 1], (4000, 1)), np.full((4000, 2), 0.5))
    answers = soft.answers(np.arange(4000), np.repeat([0.0, 1.0], 2000), 2)
    good, bad = answers.drawn(np.array([0.1, 0.9]), rng)
    assert abs(bad[0] / 2000 - 0.9) < 4 * 0.0067
    assert abs(good[0] / 2000 - 0.1) < 4 * 0.0067
    assert (good + bad).sum() == 4000
    # Where no arm allows an answer, it is left where it probably is.
    assert answers.drawn(np.array([1.0, 1.0]), rng)[1].sum() == 2000


def test_weights_go_with_the_arm_that_is_drawn(rng):
    sure = Affiliation(np.array([[2, 0]]), np.array([[1.0, 0.0]]))
    answers = sure.answers(np.array([0]), [1], 3, weight=np.array([[1.5, 9.0]]))
    np.testing.assert_array_equal(answers.drawn(np.full(3, 0.5), rng)[0], [0, 0, 1.5])
    np.testing.assert_array_equal(answers.labels(), [0, 0, 1])


# Exploration


def test_each_arm_gets_its_surest_open_item(rng):
    belongs = Affiliation(
        np.array([[0, 1], [0, 1], [1, 0], [1, 0]]), np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [1, 0]])
    )
    asked = choose_queries(np.array([0, 1]), belongs, [False] * 4, rng, count=2)
    assert (asked.items.tolist(), asked.arms.tolist()) == ([0, 3], [0, 1])
    asked = choose_queries(np.array([0, 1]), belongs, [True, False, False, True], rng, count=9)
    assert sorted(asked.items.tolist()) == [1, 2]  # no item twice, though two arms want it


def test_items_equally_sure_are_taken_at_random():
    belongs = Affiliation.exact(np.zeros(20, int))
    taken = [
        choose_queries(np.array([0]), belongs, np.zeros(20, bool), np.random.default_rng(s), 1).items[0]
        for s in range(40)
    ]
    assert len(set(taken)) > 10


def test_round_robin_evens_out(rng):
    index = np.repeat(np.arange(5), 40)
    belongs, labelled = Affiliation.exact(index), np.zeros(200, bool)
    for _ in range(5):
        asked = np.bincount(index[labelled], minlength=5).astype(float)
        chosen = choose_queries(arm_order("round-robin", np.ones(5), asked, rng), belongs, labelled, rng, count=4)
        labelled[chosen.items] = True
    assert np.bincount(index[labelled], minlength=5).tolist() == [4] * 5


def test_unknown_rule_is_refused(rng):
    with pytest.raises(InputError, match="rule must be one of variance, random, round-robin; got 'best'"):
        arm_order("best", np.ones(2), np.ones(2), rng)


def test_errors_look_at_the_right_arms():
    truth, support = np.linspace(0, 1, 200), np.arange(200)
    estimate = truth.copy()
    estimate[5:10] += 0.1  # among the worst and the rarest of the active arms
    found = surface_errors(estimate, truth, support)
    assert found.worst == pytest.approx(found.infrequent) == pytest.approx(0.05 / 50)
    assert found.macro == pytest.approx(0.05 / 195)
    assert found.micro < found.macro
    with pytest.raises(InputError, match="arms must hold at least one with 5 items"):
        surface_errors(truth, truth, np.ones(200, int))


def test_a_missing_number_is_a_value_of_its_own():
    ages = [None, *range(20, 70)]
    arms = Combinations.build({"age": ages})
    (age,) = arms.attributes
    assert age.values[-1] == "(missing)"
    assert len(age.values) == 6
    assert age.codes([None, 21]).tolist() == [5, 0]
    between = np.linalg.norm(arms.features[:, None] - arms.features, axis=-1)
    np.testing.assert_allclose(between[0, :5], np.arange(5) / 4)  # a blank age leaves the others in order
    np.testing.assert_allclose(between[5, [0, 4]], 1)
    with pytest.raises(InputError, match="attribute age must be numbers, as it is binned"):
        Combinations.build({"age": list(range(50))}).arm_of({"age": [None]})
