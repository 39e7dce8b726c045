"""Thompson sampling for group-wise accuracy: ours in lockstep against a straightforward loop per run with scipy.

100 groups, 10,000 steps. Then the size of ImageNet: 1,000 runs x 1,000 groups, with the peak memory.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from scipy import stats

from altmas.bandits.lockstep import FixedPrior, simulate
from altmas.bandits.rewards import EstimateArms
from altmas.bandits.rules import Thompson


def straightforward(right, wrong, steps, rng):
    """One run, as one would first write it: a Beta per group from scipy, variances before and after."""
    groups = len(right)
    urns = [list(rng.permutation(np.r_[np.ones(r, int), np.zeros(w, int)])) for r, w in zip(right, wrong, strict=True)]
    share = (right + wrong) / (right + wrong).sum()
    a, b = np.ones(groups), np.ones(groups)
    for _ in range(steps):
        theta = stats.beta.rvs(a, b, random_state=rng)
        after = theta * stats.beta.var(a + 1, b) + (1 - theta) * stats.beta.var(a, b + 1)
        reward = share * (stats.beta.var(a, b) - after)
        reward[[not urn for urn in urns]] = -np.inf
        arm = int(reward.argmax())
        z = urns[arm].pop()
        a[arm] += z
        b[arm] += 1 - z
    return a / (a + b)


def ours(right, wrong, steps, runs):
    truth = np.stack([right, wrong], -1)
    task = EstimateArms(truth.sum(-1) / truth.sum())
    belief = FixedPrior(np.ones(truth.shape))
    return simulate(
        truth,
        task,
        Thompson(),
        lambda: belief,
        [lambda seen, mean: mean[:, 0, 0]],
        replicates=runs,
        checkpoints=[steps],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--imagenet", action="store_true", help="also 1,000 runs x 1,000 groups x 5,000 steps")
    asked = parser.parse_args()
    groups, steps, runs, plain_steps = (10, 100, 10, 100) if asked.smoke else (100, 10_000, 500, 1_000)
    rng = np.random.default_rng(0)
    sizes = np.full(groups, 2 * steps // groups)
    right = rng.binomial(sizes, rng.uniform(0.4, 0.95, groups))
    start = time.perf_counter()
    ours(right, sizes - right, steps, runs)
    per_run = (time.perf_counter() - start) / runs
    start = time.perf_counter()
    straightforward(right, sizes - right, plain_steps, rng)
    plain = (time.perf_counter() - start) * steps / plain_steps
    print(f"{groups} groups, {steps:,} steps, {runs} runs in lockstep: {per_run:.3f} s per run")
    print(f"straightforward loop with scipy: {plain:.2f} s per run (scaled from {plain_steps:,} steps)")
    print(f"ratio: {plain / per_run:.0f} times faster")
    if asked.imagenet:
        sizes = np.full(1000, 50)
        right = rng.binomial(sizes, rng.uniform(0.4, 0.95, 1000))
        start = time.perf_counter()
        ours(right, sizes - right, 5_000, 1_000)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"1,000 runs x 1,000 groups x 5,000 steps: {time.perf_counter() - start:.0f} s, peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
