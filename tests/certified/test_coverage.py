"""How often certified intervals hold the truth, and what a bad surrogate costs."""

import numpy as np
import pytest

from altmas.certified.method import Certified
from altmas.core.pool import Pool
from altmas.methods.random import RandomSampling
from worlds.certified import at_work, vendor

# Coverage


def covered(accuracy, scores, runs, seed, sizes=(20, 30, 50), **options):
    """Share of runs whose 95% interval held the pool's accuracy, after each round."""
    inside = []
    for s in range(runs):
        y, said, sure = vendor(2000, accuracy, scores, seed=10_000 * seed + s)
        truth, found = np.mean(y == said), []

        def look(run, truth=truth, found=found):
            (one,) = run.estimate(0.95)
            found.append(one.low <= truth <= one.high)

        at_work(Certified(**options), Pool.build(said, scores=sure), y, sizes=sizes, seed=s, look=look)
        inside.append(found)
    return np.mean(inside, axis=0)


@pytest.mark.parametrize(("accuracy", "scores"), [(0.97, "informative"), (0.99, "useless")])
def test_intervals_cover_near_the_end_of_the_scale(accuracy, scores, seed):
    """After 20, 50 and 100 labels, at least 92% less three Monte-Carlo errors of 60 runs.

    At a true coverage of 95% each fails by chance once in 3,000.
    """
    share = covered(accuracy, scores, 60, seed)
    assert (share >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / 60)).all(), share


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.97, 0.99])
@pytest.mark.parametrize("scores", ["informative", "useless", "opposite"])
def test_intervals_cover_near_the_end_of_the_scale_in_many_runs(accuracy, scores, seed):
    """As above with 200 runs, and with batches of 10: each fails by chance once in 2,000 at a true 95%."""
    share = covered(accuracy, scores, 200, seed, sizes=(20, *[10] * 8))[[0, 3, 8]]
    assert (share >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / 200)).all(), share


# When the surrogate is bad


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.75, 0.9])
@pytest.mark.parametrize("liars", [False, True])
def test_a_bad_surrogate_costs_little(accuracy, liars, seed):
    """Scores high where the model is wrong, and opinions that agree with it there: at most 1.15 of random's error.

    200 paired runs of 1,000 items and 100 labels; a ratio of two such errors has a Monte-Carlo error of 0.05.
    """
    errors = []
    for s in range(200):
        y, said, sure = vendor(1000, accuracy, "opposite", seed=10_000 * seed + s)
        liar = np.where(said == y, (y + 1) % 4, said)
        opinions = {"liar": (liar, sure), "other liar": liar} if liars else None
        pool = Pool.build(said, scores=sure, opinions=opinions)
        found = [
            at_work(method, pool, y, sizes=(30, *[10] * 7), seed=s).estimate(0.95)[0].estimate
            for method in (Certified(), RandomSampling())
        ]
        errors.append(np.array(found) - np.mean(y == said))
    ours, random = np.sqrt(np.square(errors).mean(0))
    assert ours <= 1.15 * random, (ours, random)
