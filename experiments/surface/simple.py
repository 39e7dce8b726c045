"""The accuracy surface's simple setting (Appendix D, Tables 8 and 9): ten arms in a row, six seen only once.

    python -m altmas.experiments.surface.simple --seeds 20 --rows benchmarks/results/surface-simple.csv

Printed for two weights of the Kullback-Leibler term of Eq. 15. `program`: the authors' notebook divides it by the
number of labels (86) where the likelihood is divided by the number of arms (10), and adds no pseudo-observation: the
weight that gives the paper's picture. `as written`: the bound itself, weight 1, with which BetaGP no longer follows
single answers, so there is little left for pooling to mend.

Errors are summed over the ten arms, as in the paper: one seen once and estimated by its answer adds up to 1/4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np
import pandas as pd

from altmas.core.streams import stream
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import rows_option, seeds_option, smoke_option, together
from altmas.experiments.surface.runs import BETA_GPS
from altmas.metrics.types import FloatArray
from altmas.surrogates.surface.estimators import GP_KINDS, GPSurface, SurfaceSettings

ROW_ACCURACY = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.6, 0.4, 0.3, 0.2])
ROW_LABELS = np.array([1, 1, 1, 20, 20, 20, 20, 1, 1, 1])

# 200 steps at 0.1 are the notebook's; `own_answers=False` is the paper's estimate, the mean of the surface.
NOTEBOOK = SurfaceSettings(learning_rate=0.1, steps=200, own_answers=False)
WEIGHTS = {
    "program": replace(NOTEBOOK, prior_weight=len(ROW_LABELS) / int(ROW_LABELS.sum()), pseudo_count=0.0),
    "as written": NOTEBOOK,
}

PAPER_SIMPLE = pd.DataFrame(
    {
        "bias2": [0.052, 0.051, 0.095],
        "variance": [1.011, 1.010, 0.221],
        "mse": [1.063, 1.061, 0.316],
        "length": [0.67, 0.68, 1.87],
        "scale, 1 label": [10.84, 1.48, 1.73],
        "scale, 20 labels": [11.82, 10.01, 9.94],
    },
    index=pd.Index(BETA_GPS, name="paper"),
)
"""Table 9, the lengths of the text, and Table 8 averaged over the arms with 1 and with 20 labels."""


def run(method: str, settings: SurfaceSettings, seeds: int) -> dict[str, FloatArray]:
    """Means `[S, 10]`, scales `[S, 10]` and kernel lengths `[S]` of one method over seeds, compiled once."""
    surface = GPSurface(np.arange(10.0)[:, None], GP_KINDS[method], settings)
    means, scales, lengths = [], [], []
    for seed in range(seeds):
        rng = stream(seed, "surface", "simple")  # the same answers for every method
        right = rng.binomial(ROW_LABELS, ROW_ACCURACY).astype(np.float64)
        surface.fit(right, ROW_LABELS - right, rng=rng)
        means.append(surface.moments()[0])
        scales.append(surface.scales())
        lengths.append(surface.lengths[0])
    return {"means": np.array(means), "scales": np.array(scales), "lengths": np.array(lengths)}


def summary(found: dict[str, FloatArray]) -> dict[str, float]:
    """A row of the table.

    >>> flat = {"means": np.tile(ROW_ACCURACY, (2, 1)), "scales": np.ones((2, 10)), "lengths": np.ones(2)}
    >>> summary(flat)["mse"]
    0.0
    """
    means, scales = found["means"], found["scales"].mean(0)
    bias = float(np.square(means.mean(0) - ROW_ACCURACY).sum())
    variance = float(means.var(0).sum())
    return {
        "bias2": bias,
        "variance": variance,
        "mse": bias + variance,
        "length": float(found["lengths"].mean()),
        "scale, 1 label": float(scales[ROW_LABELS == 1].mean()),
        "scale, 20 labels": float(scales[ROW_LABELS == 20].mean()),
    }


def simple_cases(seeds: int, small: dict[str, Any]) -> Iterator[Case]:
    """Every weight and method: what stands in Table 9, and the scale of each arm as in Table 8."""
    for weight, method in product(WEIGHTS, BETA_GPS):
        settings = replace(WEIGHTS[weight], **small)
        yield Case({"weight": weight, "method": method, "seeds": seeds}, partial(_case, method, settings, seeds))


def _case(method: str, settings: SurfaceSettings, seeds: int) -> dict[str, float]:
    began = process_time()
    found = run(method, settings, seeds)
    by_arm = {f"scale {arm}": float(scale) for arm, scale in enumerate(found["scales"].mean(0), 1)}
    return {**summary(found), **by_arm, "seconds": round(process_time() - began, 2)}


@click.command()
@together(seeds_option(20, 2), rows_option, smoke_option)
def main(seeds: int, rows: Path | None, smoke: bool) -> None:
    """Print Tables 8 and 9 beside the paper's numbers."""
    small: dict[str, Any] = {"steps": 5, "inducing": 4} if smoke else {}
    seeds = 2 if smoke else seeds
    click.echo(f"Ten arms, six of them with one label; {seeds} seeds; errors summed over arms\n")
    click.echo(PAPER_SIMPLE.round(3).to_string() + "\n")
    found = run_cases(simple_cases(seeds, small), rows)
    for name in WEIGHTS:
        table = found[found["weight"] == name].set_index("method")
        click.echo(table[list(PAPER_SIMPLE)].rename_axis(name).round(3).to_string() + "\n")
        by_arm = table[[f"scale {arm}" for arm in range(1, 11)]].set_axis(range(1, 11), axis=1)
        click.echo(by_arm.rename_axis(f"scales, {name}").round(2).to_string() + "\n")


if __name__ == "__main__":
    main()
