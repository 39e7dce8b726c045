"""A belief in parts says what the table of all its items and labels says."""

import numpy as np
import pytest

from altmas.metrics.belief import Belief, Own, Shared, Single, mixture, scattered

SIZE, CLASSES, WIDTH = 300, 6, 7


def some_belief(rng, size=SIZE):
    """Every kind of part, with labels that are none, and scores that are looked up at another place."""
    said, sure = rng.integers(0, CLASSES + 1, size), rng.random(size)
    real = said < CLASSES
    single = Single(said, np.where(real, sure, 0.0))
    shared = Shared(rng.integers(0, 4, size), rng.dirichlet(np.ones(CLASSES), 4), (1 - single.mass) / 2)
    scores = rng.dirichlet(np.ones(CLASSES), 2 * size)
    own = Own(scores, (1 - single.mass) / 2, rng.permutation(2 * size)[:size])
    return Belief(size, CLASSES, (single, shared, own))


@pytest.fixture
def belief(rng):
    return some_belief(rng)


def same(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_rows_sum_to_one_and_come_in_blocks(belief):
    rows = belief.rows()
    same(rows.sum(1), np.ones(SIZE))
    assert (rows >= 0).all()
    same(np.concatenate([part for _, part in belief.blocks()]), rows)
    same(belief.rows(slice(5, 9)), rows[5:9])


def test_every_question_has_the_answer_of_the_table(belief, rng):
    rows, every = belief.rows(), np.arange(SIZE)
    labels, columns = rng.integers(0, CLASSES + 1, SIZE), rng.integers(0, WIDTH, SIZE)
    slopes, table = rng.normal(size=(CLASSES, 3)), rng.normal(size=(CLASSES, WIDTH))
    known = labels < CLASSES
    same(belief.chance(labels)[known], rows[every, np.minimum(labels, CLASSES - 1)][known])
    assert not belief.chance(labels)[~known].any()
    same(belief.column(2), rows[:, 2])
    same(belief.expect(slopes), rows @ slopes)
    of_items = table.T[columns]
    same(belief.moved(table, columns), (rows * of_items).sum(1))
    mean, variance = belief.moments(table, columns)
    same(mean, (rows * of_items).sum(1))
    same(variance, (rows * np.square(of_items - mean[:, None])).sum(1))
    counted = np.zeros((CLASSES, WIDTH))
    np.add.at(counted.T, columns, rows)
    same(belief.tally(columns, WIDTH), counted)


def test_columns_may_be_as_many_as_items(belief, rng):
    columns, table = rng.permutation(SIZE), rng.normal(size=(CLASSES, SIZE))
    rows = belief.rows()
    same(belief.moved(table, columns), (rows * table.T[columns]).sum(1))
    counted = np.zeros((CLASSES, SIZE))
    counted[:, columns] = rows.T
    same(belief.tally(columns, SIZE), counted)


def test_some_items_other_shares_and_fewer_classes(belief, rng):
    rows, some, by = belief.rows(), rng.integers(0, SIZE, 50), rng.random(SIZE)
    same(belief.at(some).rows(), rows[some])
    same(belief.at(some).at(np.array([3, 1])).rows(), rows[some[[3, 1]]])
    same(belief.scaled(by).rows(), rows * by[:, None])
    gone = np.array([1, 4])
    left = rows.copy()
    left[:, gone] = 0.0
    without = belief.without(gone)
    same(without.rows(), left / left.sum(1, keepdims=True))
    labels, columns = rng.integers(0, CLASSES, SIZE), np.zeros(SIZE, dtype=int)
    same(without.chance(labels), without.rows()[np.arange(SIZE), labels])
    same(without.tally(columns, 1)[:, 0], without.rows().sum(0))
    slopes = rng.normal(size=(CLASSES, 2))
    same(without.expect(slopes), without.rows() @ slopes)
    same(without.moved(slopes[:, :1], columns), without.rows() @ slopes[:, 0])


def test_beliefs_are_mixed_and_put_together(rng):
    one, other = some_belief(rng), some_belief(rng)
    share = rng.random(SIZE)
    mixed = mixture([one, other], [share, 1 - share])
    same(mixed.rows(), share[:, None] * one.rows() + (1 - share)[:, None] * other.rows())
    places = np.array_split(rng.permutation(SIZE), 3)
    same(scattered([one.at(place) for place in places], places).rows(), one.rows())
    parts = [some_belief(rng, len(place)) for place in places]  # of other scores each
    whole = np.empty((SIZE, CLASSES))
    for place, part in zip(places, parts, strict=True):
        whole[place] = part.rows()
    same(scattered(parts, places).rows(), whole)


def test_parts_of_a_pool_may_be_of_nothing(rng):
    """Of nothing, a mixture has no parts at all."""
    one, none = some_belief(rng), np.zeros(0, dtype=int)
    nothing = mixture([one.at(none)], [np.zeros(0)])
    same(scattered([nothing, one], [none, np.arange(SIZE)]).rows(), one.rows())


def test_scores_of_the_pool_are_not_copied(rng):
    scores = rng.dirichlet(np.ones(CLASSES), SIZE)
    halves = [np.arange(0, SIZE, 2), np.arange(1, SIZE, 2)]
    whole = scattered([Belief.dense(scores).at(half) for half in halves], halves)
    [own] = whole.parts
    assert own.scores is scores
    assert own.place is None
    same(whole.rows(), scores)


def test_the_variance_of_a_sure_item_is_no_difference_of_large_numbers():
    """Slopes that are large and nearly alike: what is left of their squares has 9 digits."""
    doubt = 1e-9
    belief = Belief(1, 2, (Single(np.array([0]), np.array([1 - doubt])), Single(np.array([1]), np.array([doubt]))))
    table = np.array([[1e6], [1e6 + 1]])
    assert belief.moments(table, np.array([0]))[1][0] == pytest.approx(doubt, rel=1e-8)
