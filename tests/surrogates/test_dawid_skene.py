"""Dawid and Skene: labels and skills from votes alone."""

import numpy as np
import pytest

from altmas.beliefs.likely import Heard
from altmas.core.answers import Answers, Votes
from altmas.surrogates.annotators.dawid_skene import MOST_CLASSES, PRIOR_ANSWERS, PRIOR_RIGHT, dawid_skene


def votes_of(skills, items=200, classes=4, seed=0):
    """Everybody's votes on every item: items, people, labels; and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items)
    said = [np.where(rng.random(items) < s, truth, (truth + rng.integers(1, classes, items)) % classes) for s in skills]
    people = np.repeat(np.arange(len(skills)), items)
    return np.tile(np.arange(items), len(skills)), people, np.concatenate(said), truth


def test_one_step_by_hand(monkeypatch):
    """Two classes, two people who agree on one item: shares and thetas follow from the votes and the prior."""
    monkeypatch.setattr("altmas.surrogates.annotators.dawid_skene.STEPS", 1)
    found = dawid_skene(np.array([0, 0]), np.array([0, 1]), np.array([1, 1]), 2)
    share = np.array([(0 + 0.5) / 2, (1 + 0.5) / 2])
    usual = np.array([4 * 0.1 / 4, (2 + 4 * 0.9) / 6])  # what is said of class 0 and 1: nothing, and two votes
    own = np.array([4 * usual[0] / 4, (1 + 4 * usual[1]) / 5])
    odds = share * own**2
    assert found.posterior[0] == pytest.approx(odds / odds.sum())
    right = (found.posterior[0, 1] + PRIOR_RIGHT * PRIOR_ANSWERS) / (1 + PRIOR_ANSWERS)
    assert found.skill == pytest.approx([right, right])


@pytest.mark.parametrize("classes", [2, 4, MOST_CLASSES + 1])
def test_a_bad_annotator_among_good_ones_is_found(classes):
    items, people, labels, truth = votes_of([0.95, 0.9, 0.4], classes=classes)
    found = dawid_skene(items, people, labels, classes)
    assert found.skill[2] < 0.6
    assert found.skill[:2].min() > 0.8
    assert (found.posterior.argmax(1) == truth).mean() > 0.9
    assert found.posterior.sum(1) == pytest.approx(1.0)


def test_two_good_ones_outvote_three_who_guess():
    items, people, labels, truth = votes_of([0.97, 0.97, 0.3, 0.3, 0.3], items=400)
    votes = np.zeros((400, 4))
    np.add.at(votes, (items, labels), 1)
    found = dawid_skene(items, people, labels, 4).posterior.argmax(1)
    assert (found == truth).mean() > (votes.argmax(1) == truth).mean() + 0.05


def test_one_annotator_is_taken_at_their_word():
    labels = np.array([0, 2, 1, 1])
    found = dawid_skene(np.arange(4), np.zeros(4, dtype=int), labels, 3)
    assert found.posterior.argmax(1).tolist() == labels.tolist()
    assert found.skill.shape == (1,)
    assert found.skill[0] > PRIOR_RIGHT - 0.1


def test_no_votes_are_no_items():
    none = np.zeros(0, dtype=int)
    found = dawid_skene(none, none, none, 3)
    assert found.posterior.shape == (0, 3)
    assert found.skill.shape == (0,)


def test_an_item_without_a_vote_has_the_shares_of_the_others():
    found = dawid_skene(np.array([0, 0, 2, 2]), np.array([0, 1, 0, 1]), np.array([1, 1, 1, 1]), 2)
    assert found.posterior[1].argmax() == 1


# What is heard of an answer


def heard(votes, answers, classes=3):
    return Heard.of(
        votes, Answers().extended(np.arange(len(answers)), np.array(answers), 0, np.ones(len(answers))), classes
    )


def test_of_one_annotator_nothing_is_heard():
    one = Votes(np.arange(3), np.zeros(3, dtype=int), np.array([0, 1, 2]))
    for votes in (None, one, Votes(*[np.zeros(0, dtype=int)] * 3)):
        found = heard(votes, [0, 1, 2])
        assert found.people.shape == (3, 0)
        assert (found.vote == 0).all()


def test_votes_of_others_make_an_answer_surer_and_each_has_a_share_in_it():
    votes = Votes(np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 0, 1, 2, 0]), np.array([0, 0, 1, 1, 2, 2]))
    found = heard(votes, [0, 1, 2])
    assert found.people.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
    assert found.vote[0] > found.vote[2]
    assert found.vote.mean() == pytest.approx(0.0)


def test_votes_on_items_without_an_answer_are_not_heard():
    votes = Votes(np.array([7, 0, 0]), np.array([0, 0, 1]), np.array([1, 1, 1]))
    assert heard(votes, [1]).people.tolist() == [[0.5, 0.5]]
