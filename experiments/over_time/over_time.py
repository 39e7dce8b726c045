"""Last month against this month, simulated: whether differences cover, and what renewing an audit saves.

    python -m altmas.experiments.over_time.over_time --rows rows.csv [--seeds 200] [--first-seed 1000] [--jobs 1]

Two pools of 3,000 items, four classes, a model that is right in 85% with confidences that know where, 200 labels
each month. A row per world, seed and metric: both estimates, the truth of both, and the interval of the difference.

Worlds: `alike`, other items of the same kind; `changed`, where the model is right in 78% and classes are other;
`same`, the same items and labels; `drifted`, the same items and outputs, but labels moved and confidences tell nothing
any more.
Ways: `anew`, as if there had been no March; `evidence`, renewed; `kept`, renewed with labels of items that stayed;
`half`, where half of the items stayed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.certified.findings import CertifiedFindings
from altmas.certified.method import Certified
from altmas.certified.setup import Setup
from altmas.certified.state import State, advance, draw, refit, start
from altmas.core.apart import apart
from altmas.core.earlier import Earlier
from altmas.core.estimates import Estimate
from altmas.core.method import AskedRound, Job
from altmas.core.pool import Outputs, Pool
from altmas.core.targets import resolve_metrics
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import jobs_option, rows_option, seeds_option, smoke_option
from altmas.metrics import metrics_named
from altmas.metrics.types import FloatArray, IntArray

METRICS = ("accuracy", "macro_recall", "precision:3")
SIZE, LABELS, CLASSES, LEVEL = 3000, 200, 4, 0.95
INITIAL, BATCH = 50, 10
WAYS = {
    "alike": ("anew", "evidence"), "changed": ("anew", "evidence"), "same": ("anew", "evidence", "kept", "half"),
    "drifted": ("anew", "evidence"),
}  # fmt: skip
RIGHT = {"alike": 0.85, "changed": 0.78, "same": 0.85, "drifted": 0.85}


def one_run(world: str, way: str, seed: int, size: int = SIZE, labels: int = LABELS) -> pd.DataFrame:
    """March and April: both estimates and truths, the difference, and April's widths as its labels came in."""
    rng = np.random.default_rng([seed, 7])
    march, y_march = pool_of(rng, size, 0.85)
    april, y_april = (march, y_march) if world in ("same", "drifted") else pool_of(rng, size, RIGHT[world], world)
    if way == "half":
        april, y_april = _half_new(rng, march, y_march)
    if world == "drifted":  # a third of the labels are others now, whatever the confidence
        moved = rng.random(size) < 1 / 3
        y_april = np.where(moved, rng.integers(0, CLASSES, size), y_april)
    then = follow(start(_setup(march, 2 * seed)), y_march, labels)
    now, asked_before = begin(april, then, way, 2 * seed + 1)
    widths: list[tuple[int, tuple[Estimate, ...]]] = []
    now = follow(now, y_april, asked_before + labels, widths if way in WAYS["same"] else None)
    rows = []
    findings = [CertifiedFindings(one, LEVEL) for one in (then, now)]
    before, after = (one.estimates for one in findings)
    alike = findings[1].alike(findings[0], np.arange(size)) if way in ("kept", "half") else {}
    goals = [one.high - one.low for one in CertifiedFindings(_anew(april, y_april, seed, labels), LEVEL).estimates]
    for k, (one, other) in enumerate(zip(before, after, strict=True)):
        first, second = truth(one.metric, march, y_march), truth(one.metric, april, y_april)
        found = apart(vars(one), vars(other), LEVEL, (0.0, 1.0), alike.get(("", one.metric), 0.0))
        needed = [n - asked_before for n, seen in widths if seen[k].high - seen[k].low <= goals[k]]
        rows.append({
            "metric": one.metric, "before": one.estimate, "after": other.estimate, "design": other.design,
            "truth_before": first, "truth": second, "low_after": other.low, "high_after": other.high,
            "difference": found.estimate, "low": found.low, "high": found.high,
            "alike": alike.get(("", one.metric), 0.0), "needed": min(needed, default=labels + BATCH),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _anew(pool: Pool, truth: IntArray, seed: int, labels: int) -> State:
    """An audit of April that knows nothing of March, whose width is what the others are to reach."""
    return follow(start(_setup(replace(pool, earlier=None), 2 * seed + 1)), truth, labels)


def _setup(pool: Pool, seed: int) -> Setup:
    return Setup(Job(pool, resolve_metrics(METRICS, pool), seed), Certified())


def begin(april: Pool, then: State, way: str, seed: int) -> tuple[State, int]:
    """April's audit before its first question, and how many questions were asked before it."""
    march, answers = then.setup.job.pool, then.answers
    if way == "anew":
        return start(_setup(april, seed)), 0
    stay = np.zeros(march.size, dtype=bool)
    if way in ("kept", "half"):
        stay = (march.predictions == april.predictions) & (march.scores == april.scores)
    kept = stay[answers.items]
    taught, was = answers.items[~kept], march.outputs[0]
    assert was.scores is not None
    said = Outputs(was.name, was.predictions[taught], was.scores[taught])
    hazard = np.where(stay, then.hazard, 0.0)
    pool = replace(april, earlier=Earlier((said,), answers.labels[~kept], hazard))
    state = start(_setup(pool, seed))
    if not kept.any():
        return state, 0
    items = answers.items[kept]
    round = AskedRound(0, items, answers.labels[kept], -np.expm1(-hazard[items]), before=True)
    state = advance(state, round)
    return state.with_refit(refit(state)), len(items)


def follow(state: State, truth: IntArray, labels: int, seen: Any = None) -> State:
    """The audit until it has so many labels; `seen` hears the estimates after every round."""
    while len(state.asked) < labels:
        if seen is not None and (state.hazard > 0).all():  # items that are new had no chance before
            seen.append((len(state.answers), CertifiedFindings(state, LEVEL).estimates))
        count = min(INITIAL if len(state.asked) == 0 else BATCH, labels - len(state.asked))
        choice = draw(state, count)
        state = advance(state, AskedRound(state.rounds, choice.items, truth[choice.items], choice.propensities))
        if state.due:
            state = state.with_refit(refit(state))
    if seen is not None:
        seen.append((len(state.answers), CertifiedFindings(state, LEVEL).estimates))
    return state


def pool_of(rng: np.random.Generator, size: int, right: float, world: str = "alike") -> tuple[Pool, IntArray]:
    """Items of four classes, and a model whose confidence knows a little of where it is right."""
    shares = np.array([0.4, 0.3, 0.2, 0.1] if world != "changed" else [0.3, 0.2, 0.2, 0.3])
    truth = rng.choice(CLASSES, size, p=shares)
    correct = rng.random(size) < right
    said = np.where(correct, truth, (truth + rng.integers(1, CLASSES, size)) % CLASSES)
    confidence = 0.5 + 0.5 * np.where(correct, rng.random(size) ** 0.3, rng.random(size))
    return Pool.build(said, scores=confidence, classes=range(CLASSES)), truth


def _half_new(rng: np.random.Generator, march: Pool, truth: IntArray) -> tuple[Pool, IntArray]:
    other, y = pool_of(rng, march.size, 0.85)
    new = rng.random(march.size) < 0.5
    assert march.scores is not None
    assert other.scores is not None
    said = np.where(new, other.predictions, march.predictions)
    scores: FloatArray = np.where(new, other.scores, march.scores)
    return Pool.build(said, scores=scores, classes=range(CLASSES)), np.where(new, y, truth)


def truth(name: str, pool: Pool, labels: IntArray) -> float:
    """A metric of the whole pool."""
    confusion = np.zeros((CLASSES, CLASSES))
    np.add.at(confusion, (labels, pool.predictions), 1)
    return float(metrics_named([name], range(CLASSES))[0].value(confusion))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the difference and of April, April's bias with its standard error, and April's labels for the width.

    `alike` is how much errors of both were taken to go together, and `width_apart` how wide that left the difference.
    `design_bias` is that of the design-based estimate, before it is drawn towards the belief. `needed` is the median of
    new labels until April's interval is as narrow as that of an audit that began anew.
    """
    apart_truth = table["truth"] - table["truth_before"]
    table = table.assign(
        held=(table["low"] <= apart_truth) & (apart_truth <= table["high"]),
        held_after=(table["low_after"] <= table["truth"]) & (table["truth"] <= table["high_after"]),
        bias=table["after"] - table["truth"], design=table["design"] - table["truth"],
        width=table["high_after"] - table["low_after"], width_apart=table["high"] - table["low"],
    )  # fmt: skip
    by = table.groupby(["world", "way", "metric"])
    told = ["held", "alike", "held_after", "bias", "design", "width", "width_apart"]
    out = by[told].mean().rename(columns={"design": "design_bias"})
    out["design_se"] = by["design"].std() / np.sqrt(by.size())
    out["se"] = by["bias"].std() / np.sqrt(by.size())
    return out.assign(needed=by["needed"].median(), runs=by.size())


@click.command()
@seeds_option(200)
@click.option("--first-seed", default=0, show_default=True, help="The first of the seeds.")
@click.option("--worlds", default=",".join(WAYS), show_default=True, help="With commas.")
@jobs_option
@rows_option
@smoke_option
def main(seeds: int, first_seed: int, worlds: str, jobs: int, rows: Path | None, smoke: bool) -> None:
    """Run what the rows do not have yet, and print coverage, bias and labels."""
    small: dict[str, Any] = {"size": 400, "labels": 60} if smoke else {}
    cases = [
        Case({"world": world, "way": way, "seed": seed}, partial(one_run, world, way, seed, **small))
        for seed in range(first_seed, first_seed + (2 if smoke else seeds))
        for world in worlds.split(",")
        for way in WAYS[world]
    ]
    table = run_cases(cases, rows, jobs)
    click.echo(summary(table).round(4).to_string())


if __name__ == "__main__":
    main()
