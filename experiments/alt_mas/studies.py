"""The ALT-MAS paper's figures as sweeps, a panel of each query by query, an embedding, the field's methods, ablations.

python -m altmas.experiments.alt_mas.studies figure1 --quick --data DIR --rows DIR
"""

from __future__ import annotations

import gzip
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from altmas.commands.shared import EXIT_PROBLEMS
from altmas.core.files import write_bytes, write_text
from altmas.core.progress import Reporter, reporter
from altmas.experiments.bench.command import where_to_run, workers_of
from altmas.experiments.bench.options import NEW_FOLDER, need_data
from altmas.experiments.bench.spec import Sweep, parse_sweep
from altmas.experiments.bench.sweep import Summary, Workers, described, duration, run_sweep
from altmas.experiments.bench.version import package_versions
from altmas.metrics.errors import InputError

METRIC_SETS = (("precision:2",), ("recall:2",), ("accuracy",), ("alt_mas_3",), ("alt_mas_21",))
"""The paper's five: three of one metric (class 2 is its choice), one of three, one of twenty-one."""

MNIST = ("M-MNIST", "M-MNIST-ES", "M-FashionMNIST")
CIFAR10 = ("M-CIFAR10", "M-CIFAR10-ES", "M-SVHN")
EMBEDDING = ("fashion_embedding/good", "fashion_embedding/average", "fashion_embedding/poor")
LITERALLY = "altmas literally"
"""What ALT-MAS without our guard is called: the paper as it is written."""

WITH_FEATURES = "certified with features"

BLIND_METHODS = ("thompson", "hierarchical", "lure", "ase", "ppi", "asi", "stratified")
"""Methods that do not look at the metrics; `certified` does."""

PROFILES = ("smoke", "quick", "paper")


@dataclass(frozen=True)
class Size:
    """How much of a figure is run: labels, portions, draws, and settings of the network that are not the usual ones.

    Methods without a network are cheap and have `cheap_seeds`, random sampling ten times as many.
    """

    initial: int
    budget: int
    batch: int
    seeds: int
    draws: int = 50
    network: tuple[tuple[str, Any], ...] = ()
    tune: bool = False
    cheap_seeds: int = 1
    first_seed: int = 0
    literal_seeds: int | None = None  # of ALT-MAS as it is written; as many as the others have, unless said
    guarded: bool = True

    def labels(self, seeds: int | None = None, **more: Any) -> dict[str, Any]:
        """The part of a sweep that says how many labels."""
        count = self.seeds if seeds is None else seeds
        drawn = list(range(self.first_seed, self.first_seed + count))
        return {"initial": self.initial, "budgets": [self.budget], "batch": self.batch, "seeds": drawn} | more


UNSEEN = 300
"""The first seed that had no part in choosing the guard's numbers."""


SMOKE_SIZE = Size(30, 40, 10, 1, draws=4, network=(("max_steps", 20),))

SIZES: dict[str, dict[str, Size]] = {
    "mnist": {
        "smoke": SMOKE_SIZE,
        "quick": Size(100, 300, 25, 5, cheap_seeds=6, first_seed=UNSEEN, literal_seeds=3),
        "paper": Size(100, 400, 1, 3, tune=True, cheap_seeds=60),
    },
    "cifar10": {
        "smoke": SMOKE_SIZE,
        "quick": Size(500, 650, 50, 3, draws=20, network=(("max_steps", 500),), cheap_seeds=6, guarded=False),
        "paper": Size(500, 1000, 1, 3, tune=True, cheap_seeds=60),
    },
    "mnist panel": {
        "smoke": SMOKE_SIZE,
        "quick": Size(100, 115, 1, 3, tune=True, first_seed=UNSEEN),
        "paper": Size(100, 400, 1, 3, tune=True),
    },
    "cifar10 panel": {
        "smoke": SMOKE_SIZE,
        "quick": Size(500, 505, 1, 1, draws=20, network=(("max_steps", 500),), tune=True, guarded=False),
        "paper": Size(500, 1000, 1, 3, tune=True),
    },
    "embedding": {
        "smoke": SMOKE_SIZE,
        "quick": Size(100, 300, 25, 3, first_seed=UNSEEN, literal_seeds=1),
        "paper": Size(100, 400, 1, 3, tune=True),
    },
    "ablations": {
        "smoke": SMOKE_SIZE,
        "quick": Size(100, 150, 10, 3, network=(("max_steps", 500),)),
        "paper": Size(100, 400, 10, 10),
    },
}
"""Data set -> profile -> size. `quick` has coarser batches and fewer queries; CIFAR-10 and ablations train less."""


def figure(
    pools: tuple[str, ...], size: Size, metrics: tuple[tuple[str, ...], ...] = METRIC_SETS
) -> list[dict[str, Any]]:
    """The paper's three methods, and its own as it is written; the accuracy of Figures 3 and 4 is in the same rows."""
    kind = "lenet" if set(pools) <= set(CIFAR10) else "mlp"  # the bundled digits are too small for LeNet
    network = {"surrogate": {"kind": kind, **dict(size.network)}, "draws": size.draws, "tune": size.tune}
    bald = {"name": "bald", "options": network, "sees": ["features"]}
    guarded = [_altmas("altmas", network)] if size.guarded else []
    literally = _sweep(
        pools, [_altmas(LITERALLY, network | {"literal": True})], metrics, size.labels(size.literal_seeds)
    )
    return [_sweep(pools, [*guarded, bald, {"name": "random"}], metrics, size.labels()), literally]


def panel(pools: tuple[str, ...], size: Size) -> list[dict[str, Any]]:
    """One of the figure's panels as the paper runs it: a refit for every query, and the network tuned."""
    return figure(pools, size, (("alt_mas_3",),))


def field(pools: tuple[str, ...], size: Size) -> list[dict[str, Any]]:
    """The same grid with methods that see the outputs of the model under test; `certified` also with the images."""
    methods: list[dict[str, Any]] = [{"name": name} for name in (*BLIND_METHODS, "certified")]
    methods.append({"name": "certified", "label": WITH_FEATURES, "sees": ["features"]})
    halfway = size.initial + (size.budget - size.initial) // size.batch // 2 * size.batch
    looks = {"checkpoints": sorted({size.initial, halfway, size.budget})}
    # Everything is compared with random sampling: its own error must be known well, and it costs next to nothing.
    return [
        _sweep(pools, methods, METRIC_SETS, size.labels(size.cheap_seeds) | looks),
        _sweep(pools, [{"name": "random"}], METRIC_SETS, size.labels(10 * size.cheap_seeds) | looks),
    ]


def ablations(pools: tuple[str, ...], size: Size) -> list[dict[str, Any]]:
    """One change at a time to ALT-MAS as it is written; then how often it is refitted, which is the size of a batch."""
    network: dict[str, Any] = {"kind": "mlp", **dict(size.network)}
    changes: dict[str, dict[str, Any]] = {
        LITERALLY: {},
        "no pseudo-labels": {"pseudo_labels": False},
        "pseudo-labels not counted": {"counted": False},
        "BALD acquisition": {"metric_aware": False},
        "neither (BALD)": {"metric_aware": False, "pseudo_labels": False},
        "a mask per item": {"surrogate": {**network, "kind": "mlp, a mask per item"}},
        "tuned": {"tune": True},
    }
    usual = {"surrogate": network, "draws": size.draws, "literal": True}
    methods = [_altmas(label, usual | change) for label, change in changes.items()]
    every = [size.batch] if size.budget < 50 else [1, 25]
    refits = [
        _sweep(pools, [_altmas(f"refit every {one}", usual)], (("alt_mas_3",),), size.labels(batch=one))
        for one in every
    ]
    return [_sweep(pools, methods, (("alt_mas_3",),), size.labels()), *refits]


STUDIES: dict[str, tuple[Callable[[tuple[str, ...], Size], list[dict[str, Any]]], tuple[str, ...], str]] = {
    "figure1": (figure, MNIST, "mnist"),
    "figure2": (figure, CIFAR10, "cifar10"),
    "panel1": (panel, MNIST[:1], "mnist panel"),
    "panel2": (panel, CIFAR10[:1], "cifar10 panel"),
    "embedding": (figure, EMBEDDING, "embedding"),
    "field1": (field, MNIST, "mnist"),
    "field2": (field, CIFAR10, "cifar10"),
    "ablations": (ablations, MNIST, "ablations"),
}
"""Name -> what makes its sweeps, pools, sizes. `figure1` also makes the paper's Figure 3, `figure2` its Figure 4."""


def sweeps_of(study: str, profile: str, data: str = "") -> list[Sweep]:
    """The sweeps of a study.

    >>> [len(sweep.cells()) for sweep in sweeps_of("figure1", "quick")]
    [105, 45]
    """
    make, pools, sizes = STUDIES[study]
    tables = make(("digits",) if profile == "smoke" else pools, SIZES[sizes][profile])
    return [parse_sweep({**table, "title": study, "data": data}) for table in tables]


def run_study(study: str, profile: str, rows: Path, data: str, workers: Workers, tell: Reporter) -> Summary:
    """Run what is missing of a study's cells; they share one file, which may have been packed."""
    packed = rows.with_suffix(".jsonl.gz")
    if packed.is_file() and not rows.is_file():
        write_bytes(rows, gzip.decompress(packed.read_bytes()))
    done = run_sweep(sweeps_of(study, profile, data), rows, workers, resume=True, reporter=tell)
    if done.skipped < done.cells or not about_file(rows).is_file():
        write_text(about_file(rows), json.dumps(about(study, profile), indent=1) + "\n")
    return done


def command_of(study: str, profile: str) -> str:
    """What makes the rows of a study.

    >>> command_of("figure1", "quick")
    'python -m altmas.experiments.alt_mas.studies figure1 --quick --data DATA --rows benchmarks/results'
    """
    return f"python -m altmas.experiments.alt_mas.studies {study} --{profile} --data DATA --rows benchmarks/results"


def about(study: str, profile: str) -> dict[str, Any]:
    """What made the rows, beside the seeds and checksums that they hold themselves."""
    versions = {"python": platform.python_version(), **package_versions()}
    return {"command": command_of(study, profile), "versions": versions}


def about_file(rows: Path) -> Path:
    """Beside the rows.

    >>> about_file(Path("a/figure1.quick.jsonl")).name
    'figure1.quick.about.json'
    """
    return rows.with_suffix(".about.json")


def _sweep(
    pools: tuple[str, ...], methods: list[dict[str, Any]], metrics: tuple[tuple[str, ...], ...], size: dict[str, Any]
) -> dict[str, Any]:
    return {"pools": list(pools), "methods": methods, "metrics": [list(one) for one in metrics], **size}


def _altmas(label: str, options: dict[str, Any]) -> dict[str, Any]:
    return {"name": "altmas", "label": label, "options": options, "sees": ["features"]}


@click.command()
@click.argument("study", type=click.Choice([*STUDIES, "all"]))
@click.option("--smoke", "profile", flag_value="smoke", help="Seconds: bundled digits, few labels.")
@click.option("--quick", "profile", flag_value="quick", default=True, help="At most 90 minutes a figure on two cores.")
@click.option("--paper", "profile", flag_value="paper", help="One query at a time, tuned: for a cluster.")
@click.option("--data", default="", help="Folder with the images and paper_models.npz; not needed with --smoke.")
@click.option("--rows", required=True, type=NEW_FOLDER, help="Folder for the rows.")
@where_to_run
def main(study: str, profile: str, data: str, rows: Path, **where: Any) -> None:
    """Run a study, or go on with it."""
    need_data(data, profile == "smoke")
    failed = 0
    try:
        workers = workers_of(**where)
        for name in STUDIES if study == "all" else [study]:
            with reporter(True) as tell:
                done = run_study(name, profile, rows / f"{name}.{profile}.jsonl", data, workers, tell)
            click.echo(f"{name}: {done.cells} cells, {done.skipped} were there, {duration(done.seconds)}")
            failed += len(done.failed)
            for one in done.failed:
                click.echo(described(one), err=True)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    if failed:
        sys.exit(EXIT_PROBLEMS)


if __name__ == "__main__":
    main()
