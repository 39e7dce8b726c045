"""How often an interval ever misses while it is watched: the certified method's anytime interval, after every label.

    python -m altmas.experiments.certified.anytime_coverage --data DIR [--pools vendor] [--seeds 10]

Runs of 400 labels, 20 first and then tens. A bet is placed on every label and an anytime interval never takes a value
back that it rejected, so its last look shows whether any look, after any label, missed. The ordinary interval on the
same draws is looked at after every ten. Prints, per metric, the share of runs that ever missed.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from altmas.certified.design import designed
from altmas.certified.method import Certified, CertifiedRun
from altmas.certified.wald import wald
from altmas.core.loop import Plan, rounds
from altmas.core.method import Job
from altmas.core.pool import Pool
from altmas.experiments.data.audit_pools import DIGITS, audit_pool_names, load_audit_pool
from altmas.metrics import metrics_named, tally


def watch(pool: Pool, labels: list[int], metrics: tuple[str, ...], seed: int, budget: int, first: int) -> pd.DataFrame:
    """One run: whether each metric's two intervals ever missed, and their last widths."""
    wanted = tuple(metrics_named(metrics, pool.classes))
    index = np.array([pool.classes.index(one) for one in labels])
    confusion = tally(index, pool.predictions, len(pool.classes), pool.columns)
    truth = np.array([float(one.value(confusion)) for one in wanted])
    missed = np.zeros((2, len(wanted)), dtype=bool)
    width = np.zeros((2, len(wanted)))
    method = Certified(interval="anytime", network=False)
    for done in rounds(Job(pool, wanted, seed), method, lambda item: labels[item], Plan(budget, first, 10, 0.95)):
        run = done.run
        assert isinstance(run, CertifiedRun)
        sample = run.sample()
        plain = [wald(designed(at, sample), 0.95) for at in run.linearised]
        for row, ends in enumerate(([(e.low, e.high) for e in done.estimates], [(one.low, one.high) for one in plain])):
            low, high = np.array(ends).T
            missed[row] |= (truth < low - 1e-9) | (truth > high + 1e-9)
            width[row] = high - low
    names = [one.name.split(":")[0] for one in wanted]
    return pd.DataFrame(
        {"metric": names, "anytime": missed[0], "wald": missed[1], "anytime_width": width[0], "wald_width": width[1]}
    )


def one(name: str, data: Path | None, seed: int, budget: int) -> pd.DataFrame:
    """One pool, one seed."""
    found = load_audit_pool(name, data)
    labels = [label.item() if hasattr(label, "item") else label for label in found.labels]
    pool = found.build()
    return watch(pool, labels, found.metrics, seed, budget, 20).assign(pool=name, seed=seed)


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder with the data.")
@click.option("--pools", default="vendor", show_default=True, help="A kind of pool, or names with commas between.")
@click.option("--seeds", default=5, show_default=True, help="Runs per pool.")
@click.option("--jobs", default=1, show_default=True, help="Processes.")
@click.option("--smoke", is_flag=True, help="Bundled digits, few labels, one seed.")
def main(data: Path | None, pools: str, seeds: int, jobs: int, smoke: bool) -> None:
    """Print the table."""
    if not smoke and data is None:
        raise click.UsageError("Give --data, or --smoke.")
    names = (
        [DIGITS] if smoke else audit_pool_names(pools) if "," not in pools and "/" not in pools else pools.split(",")
    )
    work = [
        (name, None if smoke else data, seed, 60 if smoke else 400)
        for name in names
        for seed in range(1 if smoke else seeds)
    ]
    rows = pd.concat(Parallel(n_jobs=jobs)(delayed(one)(*each) for each in work))
    click.echo(f"{len(work)} runs on {len(names)} pools, from 20 labels on")
    click.echo(rows.groupby("metric")[["anytime", "wald", "anytime_width", "wald_width"]].mean().round(3).to_string())


if __name__ == "__main__":
    main()
