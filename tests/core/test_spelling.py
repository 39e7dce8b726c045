"""One class in two spellings is never silently two."""

import pytest

import altmas
from altmas.core.pool import Pool
from altmas.core.spelling import folded, spelt_differently

SAID = ["cat", "dog"] * 20


@pytest.mark.parametrize(
    ("one", "other"),
    [("Cat", "cat "), ("3.0", 3), (3.0, "3"), ("Zu\u0308rich", "Zürich"), ("guinea  pig", "Guinea pig"), ("ﬁn", "fin"),
     ("a\u00a0b", "a b"), (True, "true"), ("STRASSE", "straße")],
)  # fmt: skip
def test_what_people_mean_by_it_is_the_same(one, other):
    assert folded(one) == folded(other)
    assert spelt_differently([one], [other]) == ([(one, other)] if one != other else [])


@pytest.mark.parametrize(("one", "other"), [("cat", "cats"), ("0.5", "0.50"), ("1", "10"), ("a-b", "a b"), (1, -1)])
def test_what_differs_stays_apart(one, other):
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    ("said", "truth"),
    [
        ([1, 2] * 20, ["1", "2"] * 20),
        (["Cat", "Dog"] * 20, SAID),
        (["3.0", "4.0"] * 20, [3, 4] * 20),
        ([True, False] * 20, ["True", "False"] * 20),
        ([True, False] * 20, ["true", "false"] * 20),
        (["Zu\u0308rich", "Bern"] * 20, ["Zürich", "Bern"] * 20),
        (["cat", "Dog"] * 10 + SAID[:20], SAID),
        ({"a": SAID, "b": [one.upper() for one in SAID]}, SAID),
        ([0, 1] * 20, SAID),
    ],
)
def test_labels_and_predictions_in_other_words_are_refused(said, truth):
    with pytest.raises(altmas.InputError):
        altmas.assess(said, oracle=truth, budget=20, progress=False)


def test_a_label_known_before_makes_no_class_of_a_slip():
    with pytest.raises(altmas.InputError, match="classes must be spelt in one way; got 'Cat' and 'cat'"):
        altmas.assess(SAID, oracle=SAID, known={0: "Cat"}, budget=20, progress=False)


def test_an_answer_in_other_spelling_says_which_would_match():
    with pytest.raises(altmas.InputError, match="'CAT' would match 'cat'"):
        altmas.assess(SAID, oracle=lambda item: SAID[item].upper(), budget=20, progress=False)


def test_classes_that_differ_in_case_alone_are_two_where_both_are_said_and_are_labels():
    letters = ["a", "A", "b"] * 10
    assert Pool.build(letters, labels_seen=["a", "A", "b"]).classes == ("A", "a", "b")
    assert Pool.build(letters, classes=["a", "A", "b"]).classes == ("a", "A", "b")
    with pytest.raises(altmas.InputError, match="declare classes="):
        Pool.build(letters)


def test_whole_floats_and_whole_numbers_are_one_class():
    assert Pool.build([1.0, 2.0, 1.0], labels_seen=[1, 2]).size == 3
