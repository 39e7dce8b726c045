"""How often an interval ever misses while it is watched: the certified method's anytime interval, after every label.

    python -m altmas.experiments.certified.anytime_coverage --data DIR [--pools vendor] [--seeds 10]

Runs of 400 labels, 20 first and then tens. A bet is placed on every label and an anytime interval never takes a value
back that it rejected, so its last look shows whether any look, after any label, missed (of a macro recall, after any
ten). The ordinary interval on the same draws is looked at after every ten. Prints, per metric, the share of runs that
ever missed, and how wide both were at the end.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import numpy as np
import pandas as pd

from altmas.certified.method import Certified, CertifiedRun
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import jobs_option, need_data, study_options
from altmas.experiments.certified.sweep_methods import chosen_pools
from altmas.experiments.data.audit_pools import DIGITS, load_audit_pool
from altmas.metrics import metrics_named, tally


def watch(name: str, data: Path | None, seed: int, budget: int) -> pd.DataFrame:
    """One run: whether each metric's two intervals ever missed, and their last widths."""
    found = load_audit_pool(name, data)
    pool, labels = found.build(), found.labels.tolist()
    wanted = tuple(metrics_named(found.metrics, pool.classes))
    index = np.array([pool.classes.index(one) for one in labels])
    confusion = tally(index, pool.predictions, len(pool.classes), pool.columns)
    truth = np.array([float(one.value(confusion)) for one in wanted])
    missed = np.zeros((2, len(wanted)), dtype=bool)
    width = np.zeros((2, len(wanted)))
    method = Certified(interval="anytime", learners=())
    for done in rounds(Job(pool, wanted, seed), method, lambda item: labels[item], Plan(budget, 20, 10, 0.95)):
        assert isinstance(done.run, CertifiedRun)
        plain = done.run.findings(0.95).ordinary
        both = ([(one.low, one.high) for one in done.estimates], [(one.low, one.high) for one in plain])
        for row, ends in enumerate(both):
            low, high = np.array(ends).T
            missed[row] |= (truth < low - 1e-9) | (truth > high + 1e-9)
            width[row] = high - low
    names = [one.name.split(":")[0] for one in wanted]
    return pd.DataFrame(
        {"metric": names, "anytime": missed[0], "wald": missed[1], "anytime_width": width[0], "wald_width": width[1]}
    )


@click.command()
@study_options(5, jobs_option)
@click.option("--pools", multiple=True, default=("vendor",), show_default=True, help="Kinds of pool, or names.")
def main(data: Path | None, pools: tuple[str, ...], seeds: int, rows: Path | None, jobs: int, smoke: bool) -> None:
    """Print the table."""
    need_data(data, smoke)
    names, seeds, budget = ((DIGITS,), 1, 60) if smoke else (chosen_pools(pools), seeds, 400)
    cases = [
        Case({"pool": name, "seed": seed, "budget": budget}, partial(watch, name, data, seed, budget))
        for name in names
        for seed in range(seeds)
    ]
    found = run_cases(cases, rows, jobs)
    click.echo(f"{len(cases)} runs on {len(names)} pools, from 20 labels on")
    found["times"] = found["anytime_width"] / found["wald_width"]
    by_metric = found.groupby("metric")
    table = by_metric[["anytime", "wald", "anytime_width", "wald_width"]].mean()
    click.echo(table.assign(times_as_wide=by_metric["times"].median()).round(3).to_string())


if __name__ == "__main__":
    main()
