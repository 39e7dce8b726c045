"""The vote of many models: who counts for how much, and what answers teach."""

import numpy as np
import pytest

from altmas.surrogates.outputs import vote as module
from altmas.surrogates.outputs.vote import MANY_CLASSES, Vote, _lesson, _most_probable, near_duplicates, vote_weights


def voters(accuracies=(0.9, 0.7, 0.6, 0.8), items=200, classes=3, seed=0):
    """Labels, and what models said that are right so often and else guess."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, items)
    right = rng.random((len(accuracies), items)) < np.array(accuracies)[:, None]
    return y, np.where(right, y, rng.integers(0, classes, (len(accuracies), items)))


def asked(y, count=40):
    items = np.random.default_rng(1).permutation(len(y))[:count]
    return items, y[items], np.ones(count)


# Before any answer


def test_near_duplicates_count_copies_in_full_and_the_less_alike_for_less():
    _, said = voters((0.5, 0.5), items=1000, classes=10)
    nearly = said[0].copy()
    nearly[:75] = (nearly[:75] + 1) % 10  # 92.5% alike: half a copy
    found = near_duplicates(np.stack([said[0], said[0], nearly, said[1]]))
    assert found == pytest.approx([2.5, 2.5, 2.0, 1.0], abs=0.1)


def test_weights_sum_to_one_and_grow_with_accuracy():
    _, said = voters()
    weights = Vote(said, 3).weights
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert np.argsort(-weights).tolist() == [0, 3, 1, 2]


def test_the_order_of_the_models_does_not_matter():
    y, said = voters()
    one, other = Vote(said, 3), Vote(said[::-1], 3)
    assert one.weights == pytest.approx(other.weights[::-1])
    learnt, turned = one.fit(*asked(y)), other.fit(*asked(y))
    assert learnt.models == pytest.approx(turned.models[::-1], abs=1e-6)
    everyone = np.arange(200)
    assert one.probabilities(everyone, learnt) == pytest.approx(other.probabilities(everyone, turned), abs=1e-6)


def test_a_clique_of_copies_does_not_outvote_independents():
    """Twenty near-duplicates that are right in 4 of 10, five independent models that are in 8."""
    y, said = voters((0.4, *[0.8] * 5), items=500, classes=10)
    rng = np.random.default_rng(2)
    clique = np.where(rng.random((20, 500)) < 0.01, rng.integers(0, 10, (20, 500)), said[0])
    vote = Vote(np.concatenate([clique, said[1:]]), 10)
    assert vote.weights[:20].sum() < 1 / 6
    assert (vote.probabilities(np.arange(500), vote.before).argmax(1) == y).mean() > 0.8


def test_what_was_said_is_left_alone():
    y, said = voters()
    before = said.copy()
    vote = Vote(said, 3)
    vote.probabilities(np.arange(200), vote.fit(*asked(y)))
    assert (said == before).all()


# Probabilities


@pytest.mark.parametrize("answers", [0, 1, 40])
@pytest.mark.parametrize("classes", [2, 3, MANY_CLASSES + 5])
def test_rows_sum_to_one_also_where_a_prediction_is_no_class(classes, answers):
    y, said = voters(classes=classes)
    said[0, ::5] = classes
    said[:, ::20] = classes  # nobody said a class
    vote = Vote(said, classes)
    p = vote.probabilities(np.arange(200), vote.fit(*asked(y, answers)))
    assert p.shape == (200, classes)
    assert (p > 0).all()
    assert p.sum(1) == pytest.approx(np.ones(200))


def test_where_nobody_said_a_class_all_labels_are_alike():
    vote = Vote(np.array([[3, 0, 1], [3, 0, 1], [3, 0, 2]]), 3)
    assert vote.probabilities(np.array([0]), vote.before)[0] == pytest.approx([1 / 3] * 3)


def test_with_one_class_it_is_certain():
    vote = Vote(np.zeros((3, 4), dtype=int), 1)
    assert vote.probabilities(np.arange(4), vote.fit(np.array([0]), np.array([0]), np.ones(1))).tolist() == [[1.0]] * 4


def test_where_all_agree_the_answers_say_how_often_all_are_wrong():
    said = np.tile(np.arange(200) % 4, (5, 1))
    vote = Vote(said, 4)
    assert vote.weights == pytest.approx(np.full(5, 0.2))
    items = np.arange(80)
    right, wrong = (vote.fit(items, (said[0, :80] + off) % 4, np.ones(80)) for off in (0, 1))
    sure, before, unsure = (vote.probabilities(np.array([100]), one)[0, 0] for one in (right, vote.before, wrong))
    assert sure > before > 0.5 > unsure
    assert unsure < 0.15


def test_labels_that_nobody_said_share_what_is_left():
    vote = Vote(np.array([[0, 1, 2, 3], [0, 1, 2, 0], [1, 1, 2, 3]]), 6)
    p = vote.probabilities(np.array([1]), vote.before)[0]
    assert p[1] == p.max()
    assert p[[0, 2, 3, 4, 5]] == pytest.approx(np.full(5, (1 - p[1]) / 5))


# After answers


def test_without_an_answer_the_fit_is_the_prior():
    _, said = voters()
    vote = Vote(said, 3)
    assert vote.fit(np.zeros(0, int), np.zeros(0, int), np.zeros(0)) is vote.before


@pytest.mark.parametrize("answers", [3, 60])  # by Woodbury's formula, and in the space of the coefficients
@pytest.mark.parametrize("classes", [3, MANY_CLASSES + 5])
def test_the_coefficients_are_the_most_probable_ones(answers, classes):
    y, said = voters(items=150, classes=classes)
    said[0, ::7] = classes
    vote = Vote(said, classes)
    items, labels, _ = asked(y, answers)
    labels[0] = next(c for c in range(classes) if c not in said[:, items[0]])  # one that nobody said
    weights = np.linspace(0.5, 2, answers)
    lesson = _lesson(vote, items, labels)
    theta = _most_probable(lesson, weights)

    def loss(at):
        odds = lesson.offset + lesson.columns @ at
        odds = odds - odds.max(1, keepdims=True)
        p = np.exp(odds) / np.exp(odds).sum(1, keepdims=True)
        return -weights @ np.log(p[np.arange(answers), lesson.chosen]) + at @ at / 2

    step = 1e-5 * np.eye(len(theta))
    slopes = [(loss(theta + one) - loss(theta - one)) / 2e-5 for one in step]
    assert np.abs(slopes).max() < 2e-3  # of a loss that was steeper than 1 where it began
    assert loss(theta) < loss(np.zeros(len(theta)))


def test_both_ways_to_a_newton_step_agree():
    """The same answers once, and each split into many of less weight: then the coefficients are the smaller space."""
    y, said = voters((0.9, 0.7, 0.6, 0.8, 0.5, 0.5, 0.6, 0.7))
    vote = Vote(said, 3)
    items, labels, weights = asked(y, 3)
    once = _lesson(vote, items, labels)
    often = _lesson(vote, np.repeat(items, 20), np.repeat(labels, 20))
    assert np.prod(once.columns.shape[:2]) < once.columns.shape[2] < np.prod(often.columns.shape[:2])
    primal = _most_probable(often, np.repeat(weights, 20) / 20)
    assert _most_probable(once, weights) == pytest.approx(primal, abs=1e-3)


def test_the_fitted_probabilities_are_those_of_the_lesson(monkeypatch):
    """What is learnt and what is told are one model: at every answer the label's probability is the same in both."""
    y, said = voters(classes=4)
    vote = Vote(said, 4)
    items, labels, weights = asked(y)
    kept = {}
    monkeypatch.setattr(module, "_most_probable", lambda lesson, w: kept.setdefault("theta", _most_probable(lesson, w)))
    opinion = vote.fit(items, labels, weights)
    lesson = _lesson(vote, items, labels)
    odds = lesson.offset + lesson.columns @ kept["theta"]
    p = np.exp(odds) / np.exp(odds).sum(1, keepdims=True)
    told = vote.probabilities(items, opinion)
    heard = lesson.chosen > 0
    rows = np.arange(len(items))
    assert told[rows, labels][heard] == pytest.approx(p[rows, lesson.chosen][heard])


def test_answers_teach_who_is_right():
    """The best model is outvoted at first: the others guess alike."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 400)
    guess = np.where(rng.random(400) < 0.4, y, rng.integers(0, 5, 400))
    said = np.stack([y, *(np.where(rng.random((3, 400)) < 0.2, rng.integers(0, 5, (3, 400)), guess))])
    vote, others = Vote(said, 5), np.arange(100, 400)
    learnt = vote.fit(np.arange(100), y[:100], np.ones(100))
    before, after = (vote.probabilities(others, one)[np.arange(300), y[others]] for one in (vote.before, learnt))
    assert after.mean() > before.mean() + 0.2
    assert learnt.models.argmax() == 0


def test_vote_weights_of_models_worse_than_chance_stay_positive():
    said = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    weights = vote_weights(said, 2, np.ones(3))
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1)
