"""The confidence sequence over 1,001 candidate values at once, against a loop over the candidates on the same draws.

The loop is the method as one would write it down: one candidate at a time, plain floats, and what is expected of every
item worked out at the start of each round.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from altmas.certified.betting import BettingSequence
from altmas.certified.functionals import accuracy
from altmas.certified.stakes import PURSES, SURE, WARY, reserves


def make_draws(items, labels, seed=0):
    """A pool that is right with known chances, and draws that prefer the doubtful."""
    rng = np.random.default_rng(seed)
    right = rng.beta(8, 2, items)
    truth = (rng.random(items) < right).astype(np.int64)
    doubt = np.sqrt(right * (1 - right))
    chances = 0.5 * doubt / doubt.sum() + 0.5 / items
    order = np.argsort(rng.exponential(size=items) / chances)[:labels]
    return accuracy(np.ones(items, dtype=np.int64), 2), truth, chances, right, np.ones(items), order


def at_once(ratio, truth, chances, top, bottom, order, batch, grid, level=0.95):
    sequence = BettingSequence(ratio, ratio.size, grid)
    for t, item in enumerate(order):
        if t % batch == 0:
            sequence.begin_round(chances, top, bottom)
        sequence.bet(item, truth[item])
    return sequence.interval(level)


def one_by_one(ratio, truth, chances, top, bottom, order, batch, grid, level=0.95):
    thetas = np.linspace(*ratio.bounds, grid).tolist()
    options = [[ratio.terms(i, y) for y in range(len(ratio.top))] for i in range(ratio.size)]
    us, vs = (np.array([[pair[k] for pair in each] for each in options]) for k in (0, 1))
    certain = (np.ptp(us, axis=1) == 0) & (np.ptp(vs, axis=1) == 0)
    best, lows, highs = [], [], []
    for theta in thetas:
        most, low, high = _walk(theta, truth, chances, top, bottom, order, batch, us, vs, certain)
        best.append(most)
        lows.append(low)
        highs.append(high)
    kept = [k for k in range(grid) if best[k] < 1 / (1 - level) and lows[k] <= 1e-6 and highs[k] >= -1e-6]
    least, most = (float(np.interp(0.0, -np.array(ends), thetas)) for ends in (lows, highs))  # what the labels allow
    return max(thetas[max(kept[0] - 1, 0)], least), min(thetas[min(kept[-1] + 1, grid - 1)], most)


def _walk(theta, truth, chances, top, bottom, order, batch, us, vs, certain):
    """The most that one candidate's wealth has been, and the least and most the pool's sum can be."""
    x = us - theta * vs
    is_open, lows, highs = ~certain, x.min(1), x.max(1)
    wide = np.where(highs > lows, highs - lows, 1.0)
    low, high = float(lows[is_open].sum()), float(highs[is_open].sum())
    owed = -float(x[certain, 0].sum())
    seen = np.array([0.0, 0.0, 0.0])
    middle = [(us.min() + us.max()) / 2, (vs.min() + vs.max()) / 2]
    wealth = [one.share / 2 for one in PURSES] * 2
    best, bets = 1.0, 0
    for t, item in enumerate(order.tolist()):
        if t % batch == 0:
            open_chances = np.where(is_open, chances, 0.0)
            share = open_chances.sum() / (chances.sum() - chances[order[:t]].sum())
            left, chance = 1.0, np.where(is_open, chances, 1.0) / open_chances.sum()
            count = is_open.sum()
            means = [(seen[k + 1] + count * middle[k]) / (seen[0] + count) for k in (0, 1)]
            shares, spread, purses = [], [], []
            for belief in ((np.full(len(x), means[0]), np.full(len(x), means[1])), (top, bottom)):
                u, v = (np.clip(b, o.min(1), o.max(1)) for b, o in zip(belief, (us, vs), strict=True))
                near = SURE + (1 - 2 * SURE) * np.clip((u - theta * v - lows) / wide, 0, 1)
                shares.append(near)
                spread.append(float((((highs - lows) ** 2 * near * (1 - near)) / chance)[is_open].sum()))
            spread[1] += (spread[0] - spread[1]) * WARY / (WARY + bets)
            for one in PURSES:
                allowance = (max(one.horizon * share, bets + 1) * spread[one.trusting] / (2 * np.log(40))) ** 0.5
                both = reserves(lows, highs, shares[one.trusting], chance, allowance)
                purses.append((allowance, *both, *(float(part[is_open].sum()) for part in both)))
        if certain[item]:
            continue
        drawn, q = float(x[item, truth[item]]), float(chance[item])
        for k, (allowance, rise, fall, risen, fallen) in enumerate(purses):
            up = left * (allowance + (drawn - float(rise[item])) / q) / (left * allowance - risen + owed)
            down = left * (allowance - (drawn - float(fall[item])) / q) / (left * allowance + fallen - owed)
            wealth[k] *= min(max(up, 0.0), 1e6)
            wealth[k + len(PURSES)] *= min(max(down, 0.0), 1e6)
            purses[k] = (allowance, rise, fall, risen - float(rise[item]), fallen - float(fall[item]))
        best, bets = max(best, sum(wealth)), bets + 1
        seen += np.array([1.0, us[item, truth[item]], vs[item, truth[item]]]) * left / q
        is_open[item] = False
        left, owed = left - q, owed - drawn
        low, high = low - float(lows[item]), high - float(highs[item])
    return best, low - owed, high - owed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small pool, to see that it runs")
    smoke = parser.parse_args().smoke
    items, labels, grid = (200, 20, 51) if smoke else (5000, 300, 1001)
    *drawn, order = make_draws(items, labels)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        ours = at_once(*drawn, order, 20, grid)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    theirs = one_by_one(*drawn, order, 20, grid)
    loop = time.perf_counter() - start
    if np.abs(np.subtract(ours, theirs)).max() > 1e-8:
        raise SystemExit(f"the two intervals differ: {ours} and {theirs}")
    print(f"{labels} labels of {items:,} items, {grid:,} candidates, 95% interval {ours[0]:.3f} to {ours[1]:.3f}")
    print(f"all candidates at once (best of 3): {min(times):.3f} s; one by one: {loop:.2f} s; the same interval")
    print(f"ratio: {loop / min(times):.0f} times faster")


if __name__ == "__main__":
    main()
