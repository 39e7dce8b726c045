"""What an item is worth: to ASE, to several targets at once, and to whoever believes nothing."""

import numpy as np
import pytest
from scipy.special import entr

from altmas.beliefs.worths import FLOORS, best_floor, blind_chances, chances, neyman, xwed


def test_xwed_is_the_published_sum_over_wrong_labels(rng):
    a, r = rng.random((20, 7)), rng.dirichlet(np.ones(4), 7)
    pi = (1 - a)[:, :, None] * r  # the four labels other than the predicted one
    published = entr(pi.mean(0)).sum(-1) - entr(pi).sum(-1).mean(0)
    assert xwed(a) == pytest.approx(published, abs=1e-12)


# Several targets


def log_errors(variances, q):
    """The logarithm of the product of the targets' variances, drawn with these chances."""
    return sum(np.log((one[one > 0] / q[one > 0]).sum()) for one in variances)


@pytest.mark.parametrize("targets", [2, 5])
def test_no_other_chances_make_the_product_of_all_variances_smaller(targets, rng):
    """Nor do chances near it, by more than half a percent: a few rounds come that close to the fixed point."""
    variances = [rng.gamma(0.3, size=200) * (rng.random(200) < rng.uniform(0.2, 1)) for _ in range(targets)]
    worth = neyman(variances)
    q = worth / worth.sum()
    best = log_errors(variances, q)
    for _ in range(200):
        assert log_errors(variances, rng.dirichlet(np.ones(200)) + 1e-12) > best
        near = q * np.exp(0.1 * rng.normal(size=200))
        assert log_errors(variances, near / near.sum()) > best - 0.005
    again = np.sqrt(sum(one / np.exp(log_errors([one], q)) for one in variances))  # what the least product fulfils
    assert again / again.sum() == pytest.approx(q, rel=0.05, abs=1e-5)


def test_one_target_is_drawn_for_by_the_root_of_its_variance(rng):
    variance = rng.gamma(0.3, size=100)
    assert neyman([variance]) == pytest.approx(np.sqrt(variance / variance.max()), rel=1e-9)
    nothing = np.zeros(100)
    assert neyman([nothing, variance]) == pytest.approx(neyman([variance]), rel=1e-9)
    assert neyman([nothing, nothing]).tolist() == [1.0] * 100


def test_the_scale_of_a_target_does_not_matter_and_a_rare_class_does_not_eat_the_budget():
    bulk, rare = np.ones(1000), np.zeros(1000)
    rare[:5] = 1.0
    q = chances(neyman([bulk, rare]), floor=0.1)
    assert chances(neyman([bulk, 1e6 * rare]), floor=0.1) == pytest.approx(q, rel=1e-6)
    assert 0.25 < q[:5].sum() < 0.5  # a fair part of what is not spread evenly
    even = np.full(1000, 1e-3)
    assert (rare / q).sum() < (rare / even).sum() / 50
    assert (bulk / q).sum() < 3 * (bulk / even).sum()


# Blind to the belief


def test_blind_chances_are_half_even_and_half_by_how_far_a_label_can_move_each_target(rng):
    ranges = [rng.random(50), np.where(np.arange(50) < 3, 1.0, 0.0)]
    q = blind_chances(ranges)
    assert q.sum() == pytest.approx(1)
    assert q.min() >= 0.5 / 50
    worth = neyman([np.square(one) for one in ranges])
    assert q - 0.5 / 50 == pytest.approx(0.5 * worth / worth.sum())
    assert (q[:3] > q[3:].max()).all()  # the few that the second target needs
    assert blind_chances([np.full(50, 0.2)]) == pytest.approx(np.full(50, 1 / 50))
    assert blind_chances([np.zeros(50)]) == pytest.approx(np.full(50, 1 / 50))


def test_chances_mix_worth_with_a_blind_choice(rng):
    worth, blind = rng.random(30), rng.dirichlet(np.ones(30))
    assert chances(worth, floor=0.3, blind=blind) == pytest.approx(0.7 * worth / worth.sum() + 0.3 * blind)
    assert chances(worth, floor=1.0, blind=blind) == pytest.approx(blind)
    assert chances(np.zeros(30), floor=0.3, blind=blind) == pytest.approx(blind)
    assert chances(worth, floor=0.3) == pytest.approx(chances(worth, floor=0.3, blind=np.full(30, 1 / 30)))


def test_the_blind_share_grows_where_surprises_come_unexpected(rng):
    size, fold = 400, np.arange(400) % 5
    variance = np.where(np.arange(size) < 40, 0.25, 1e-4)  # errors are believed to be among the first 40
    worth, items = neyman([variance]), np.concatenate([np.arange(40), np.arange(200, 320)])
    blind = blind_chances([np.ones(size)])
    expected = np.where(items < 40, 0.25, 1e-4)
    found = [
        best_floor(worth, [variance], [squares], np.ones(len(items)), items, fold, blind=blind)
        for squares in (expected, expected[::-1])
    ]
    assert (found[0] <= FLOORS[1]).all()
    assert (found[1] >= 0.75).all()
