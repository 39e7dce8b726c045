"""CODA: its formulas by hand and by brute force."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from altmas.core.answers import Answers
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.methods.coda import Coda, chance_of_best, chances_after, entropy_bits, prior
from altmas.metrics import metric
from worlds.methods import several_models
from worlds.runs import at_work


def begun(pool, seed=0):
    run = Coda().begin(Job(pool, (metric("accuracy", pool.classes),), seed))
    run.update(Answers(), 0)
    return run


def answered(run, items, labels):
    run.update(Answers().extended(items, labels, 0, np.ones(len(items))), 1)
    return run


THREE = Pool.build({"a": [0, 0, 1], "b": [0, 1, 1]}, classes=[0, 1])  # the vote: 0, 0 (a tie) and 1


def test_the_rows_by_hand():
    """Model a agrees with the vote; b says 1 of one of the two items that the vote has as 0."""
    run = begun(THREE)
    assert run.alpha[0] == pytest.approx(np.array([[2.2, 2.0], [2.0, 2.2]]))
    assert run.alpha[1] == pytest.approx(np.array([[2.1, 2.1], [2.0, 2.2]]))


def test_belief_shares_and_accuracy_by_hand():
    run = begun(THREE)
    both0, split, both1 = (4.3, 4.0), (2.2 + 2.1, 2.0 + 2.2), (4.1, 4.4)
    by_item = np.array([np.array(one) / sum(one) for one in (both0, split, both1)])
    assert run.belief()[run.place] == pytest.approx(by_item)
    shares = by_item.mean(0)
    assert run.shares() == pytest.approx(shares)
    assert run.value == pytest.approx([shares @ [2.2 / 4.2, 2.2 / 4.2], shares @ [2.1 / 4.2, 2.2 / 4.2]])


def test_an_answer_adds_a_hundredth_to_the_cells_of_every_model():
    run = answered(begun(THREE), [1], [1])
    assert run.alpha[0] == pytest.approx(np.array([[2.2, 2.0], [2.01, 2.2]]))
    assert run.alpha[1] == pytest.approx(np.array([[2.1, 2.1], [2.0, 2.21]]))
    assert run.belief()[run.place][1] == pytest.approx(np.array([4.3, 4.22]) / 8.52)
    assert run.views[1].best == pytest.approx(chance_of_best(np.array([2.2, 2.21]), np.array([2.01, 2.0])))


def test_rows_of_classes_that_nobody_voted_for_and_predictions_that_are_no_class():
    """Three classes and a column for no class: 1 is shared by three columns, and the vote never says class 2."""
    patterns, sizes = np.array([[0, 3], [1, 1], [3, 3]]), np.array([2, 5, 4])
    found = prior(patterns, sizes, 3, 4) / 2
    third = 1 / 3
    assert found[0, 0] == pytest.approx([1.1, third, third, third])
    assert found[1, 0] == pytest.approx([1.0, third, third, third + 0.1])
    assert found[:, 2] == pytest.approx(np.array([[third, third, 1.0, third]] * 2))
    assert found[:, 1] == pytest.approx(np.array([[third, 1.1, third, third]] * 2))  # the last pattern has no vote


def by_quadrature(right, wrong):
    def height(x, h):
        others = [beta.cdf(x, right[g], wrong[g]) for g in range(len(right)) if g != h]
        return beta.pdf(x, right[h], wrong[h]) * np.prod(others)

    return np.array([quad(height, 0, 1, args=(h,))[0] for h in range(len(right))])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [([2.2, 2.1], [2.0, 2.1]), ([3.0, 2.0, 4.5], [2.0, 2.0, 2.5]), ([40.0, 30.0], [10.0, 12.0])],
)
def test_the_chance_to_be_best_is_the_integral(right, wrong):
    found = chance_of_best(np.array(right), np.array(wrong))
    assert found == pytest.approx(by_quadrature(right, wrong), abs=1e-3)
    assert found.sum() == pytest.approx(1)


def test_betas_too_sharp_for_the_grid_give_chances_all_the_same():
    found = chance_of_best(np.array([1e7 + 3e4, 1e7]), np.array([2.0, 2.0]))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


def brute_worth(run, item):
    """The definition, model by model: what each label would do to its own row, and to the mixture."""
    models, classes = len(run.alpha), run.classes
    belief = sum(run.alpha[h][:, run.said[h]].T for h in range(models))
    belief = belief / belief.sum(1, keepdims=True)
    shares = belief.mean(0)

    def rows_best(alpha, c):
        return chance_of_best(alpha[:, c, c], alpha[:, c].sum(1) - alpha[:, c, c])

    now = sum(shares[c] * rows_best(run.alpha, c) for c in range(classes))
    expected = 0.0
    for c in range(classes):
        after = run.alpha.copy()
        for h in range(models):
            after[h, c, run.said[h, item]] += 1
        mixed = sum(shares[k] * rows_best(after if k == c else run.alpha, k) for k in range(classes))
        expected += belief[item, c] * entropy_bits(mixed)
    return entropy_bits(now) - expected, now


@pytest.mark.parametrize("labels", [0, 5])
def test_the_efficient_look_ahead_is_the_definition(labels):
    pool, y = several_models(items=12, accuracies=(0.5, 0.8, 0.6, 0.7), no_class=0.15)
    assert pool.columns == 4
    run, _ = at_work(Coda(), pool, y, sizes=(1,) * labels)
    worth = run.worth()[run.place]
    for item in range(12):
        by_hand, now = brute_worth(run, item)
        assert worth[item] == pytest.approx(by_hand, abs=1e-12)
    assert run.p_best == pytest.approx(now)
    assert run.choose(1).items[0] in np.flatnonzero(np.isclose(worth, max(worth[run.choose(12 - labels).items])))


def test_sets_of_models_are_looked_at_in_portions(monkeypatch):
    rng = np.random.default_rng(0)
    right, wrong, said = rng.uniform(2, 5, 6), rng.uniform(2, 5, 6), rng.random((10, 6)) < 0.5
    whole = chances_after(right, wrong, said)
    monkeypatch.setattr("altmas.methods.coda._AT_ONCE", 3)
    assert chances_after(right, wrong, said) == pytest.approx(whole)
    assert whole[4] == pytest.approx(chance_of_best(right + said[4], wrong + ~said[4]))


def test_items_on_which_all_agree_wait():
    pool, y = several_models()
    run, answers = at_work(Coda(), pool, y, sizes=(30, 30, 30, 29))
    agreed = (run.said == run.said[0]).all(0)[answers.items]
    assert 0 < agreed.sum() < len(agreed)
    assert agreed.tolist() == sorted(agreed.tolist())  # none before the last of the others
