"""How often a gate passes that should not, asked after every label, and how many labels a verdict takes.

    python -m altmas.experiments.certified.gate_looks [--seeds 1000] [--first-seed 0] [--rows rows.csv] [--jobs 2]

Simulated pools of four classes with a confidence that knows something. `level`: the accuracy is one item below the
bound, so that every pass is wrong; 300 labels, asked after each (a test never takes back what it has shown). `labels`:
the accuracy is some points off; the median of the labels after which the right verdict is there, against the fewest at
which a fixed-size test decides in 80% (50%) of the runs. That test is the one-look interval on the very same draws,
one-sided at 5%, looked at once.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.certified.findings import CertifiedFindings
from altmas.certified.functionals import accuracy
from altmas.certified.method import Certified
from altmas.certified.setup import Setup
from altmas.certified.state import State, advance, draw, refit, start
from altmas.certified.threshold import ABOVE, BELOW, Threshold, ThresholdTest
from altmas.core.method import AskedRound, Job
from altmas.core.pool import Pool
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import jobs_option, rows_option, seeds_option, smoke_option
from altmas.metrics import metrics_named
from altmas.metrics.types import IntArray

ALPHA = 0.05
PAIRS = ((0.93, 0.90, 800), (0.95, 0.90, 600), (0.87, 0.90, 800), (0.78, 0.70, 400))
"""Accuracy, bound, and the most labels of a run."""


def simulated(items: int, wrong: int, seed: int) -> tuple[Pool, IntArray]:
    """A pool with so many wrong predictions, and its labels."""
    rng = np.random.default_rng([seed, 21])
    labels = rng.choice(4, items, p=[0.4, 0.3, 0.2, 0.1])
    right = np.ones(items, dtype=bool)
    right[rng.permutation(items)[:wrong]] = False
    said = np.where(right, labels, (labels + rng.integers(1, 4, items)) % 4)
    u = rng.random(items)
    scores = 0.5 + 0.5 * np.where(right, u**0.3, u)
    return Pool.build(said.tolist(), scores=scores, classes=[0, 1, 2, 3]), labels


def watched(items: int, wrong: int, bound: float, seed: int, most: int, interval: str, *, looks: bool) -> pd.DataFrame:
    """A row per round: labels, the most that the evidence was after any label, and the one-look ends."""
    pool, labels = simulated(items, wrong, seed)
    job = Job(pool, tuple(metrics_named(["accuracy"], pool.classes)), seed)
    test = Threshold(accuracy(pool.predictions, 4), bound)
    state: State = start(Setup(job, Certified(learners=(), interval=interval), (test,)))
    rows: list[tuple[float, ...]] = []
    while len(state.answers) < most:
        choice = draw(state, min(10 if rows else 50, most - len(state.answers)))
        state = advance(state, AskedRound(state.rounds, choice.items, labels[choice.items], choice.propensities))
        if state.due:
            state = state.with_refit(refit(state))
        [found] = state.bets
        assert isinstance(found, ThresholdTest)
        low, high = np.nan, np.nan
        if looks:
            [one] = CertifiedFindings(state, 1 - 2 * ALPHA).ordinary
            low, high = one.low, one.high
        rows.append((len(state.answers), found.most[ABOVE], found.most[BELOW], low, high))
    return pd.DataFrame(rows, columns=["labels", "above", "below", "low", "high"])


def wrong_pass(seed: int, interval: str, items: int = 1000, most: int = 300) -> pd.DataFrame:
    """One audit just below its bound: whether the gate ever passed."""
    found = watched(items, items // 10 + 1, 0.9, seed, most, interval, looks=False).iloc[-1]
    return pd.DataFrame({"passed": [bool(found["above"] >= 1 / ALPHA)], "failed": [bool(found["below"] >= 1 / ALPHA)]})


def verdict(value: float, bound: float, most: int, seed: int, interval: str, items: int = 2000) -> pd.DataFrame:
    """One audit off its bound, round by round: whether the gate, and a fixed-size test, have the right verdict."""
    found = watched(items, round(items * (1 - value)), bound, seed, most, interval, looks=True)
    up = value > bound
    gate = found["above" if up else "below"] >= 1 / ALPHA
    fixed = found["low"] >= bound if up else found["high"] < bound
    return pd.DataFrame({"labels": found["labels"], "gate": gate, "fixed": fixed})


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Labels at which half of the runs have their verdict, at which a fixed-size test has its power, and the ratio."""
    out = []
    for key, part in rows.groupby(["interval", "value", "bound"]):
        by = part.groupby("labels")[["gate", "fixed"]].mean()
        first = [_first(by["gate"], 0.5), _first(by["fixed"], 0.8), _first(by["fixed"], 0.5)]
        out.append((*key, *first, first[0] / first[1]))
    names = ["interval", "value", "bound", "gate_median", "fixed_80", "fixed_50", "times"]
    return pd.DataFrame(out, columns=names)


def _first(share: pd.Series[float], least: float) -> float:
    reached = share.index[share >= least]
    return float(reached[0]) if len(reached) else np.inf


@click.command()
@seeds_option(1000)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--intervals", default="wald,anytime", show_default=True, help="What the audits were drawn for.")
@rows_option
@smoke_option
@jobs_option
def main(seeds: int, first_seed: int, intervals: str, rows: Path | None, smoke: bool, jobs: int) -> None:
    """Print both tables; of verdicts a tenth as many runs each."""
    count = 2 if smoke else seeds
    each = range(first_seed, first_seed + count)
    level = [
        Case({"interval": one, "seed": seed}, partial(wrong_pass, seed, one, *((300, 60) if smoke else ())))
        for one in intervals.split(",")
        for seed in each
    ]
    found = run_cases(level, None if rows is None else rows.with_suffix(".level.csv"), jobs)
    click.echo(found.groupby("interval")[["passed", "failed"]].agg(["mean", "size"]).round(4).to_string())
    pairs = [(0.95, 0.8, 100)] if smoke else PAIRS
    off = [
        Case(
            {"interval": one, "value": value, "bound": bound, "seed": seed},
            partial(verdict, value, bound, most, seed, one, *((400,) if smoke else ())),
        )
        for one in intervals.split(",")
        for value, bound, most in pairs
        for seed in each[: max(count // 10, 2)]
    ]
    table = run_cases(off, None if rows is None else rows.with_suffix(".labels.csv"), jobs)
    click.echo(summary(table).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
