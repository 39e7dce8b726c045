"""Every table and figure of the two papers as stored rows, an item a file.

    python -m altmas.experiments.active_bayesian.papers --data DIR --out benchmarks/results/papers

`aba-...` are those of "Active Bayesian Assessment of Black-Box Classifiers", `workshop-...` those of "Bayesian
Evaluation of Black-Box Classifiers". An item whose file is there is left alone, unless `--again`; one that was cut
short goes on where it stopped. Seeds are fixed: the rows come out byte for byte the same. `times.csv` has the seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import pandas as pd

from altmas.experiments.active_bayesian import comparison, confusion, estimation
from altmas.experiments.active_bayesian import identification_rows as ranked
from altmas.experiments.active_bayesian import posterior_rows as posteriors
from altmas.experiments.active_bayesian import setting_rows as settings
from altmas.experiments.active_bayesian.groups import SETTINGS, Asked
from altmas.experiments.active_bayesian.passages import tidy
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import NEW_FOLDER, data_option, need_data, smoke_option
from altmas.experiments.data.networks import IMAGENET_NETWORK, NETWORKS

CIFAR = ("resnet110_cifar100", "wideresnet_cifar100", "resnet20_cifar100")
WHOLE_SOFTMAX = confusion.WHOLE_SOFTMAX
EVERY = (*NETWORKS, IMAGENET_NETWORK)
WITHIN_AN_HOUR = ("resnet110_cifar100", "wideresnet_cifar100", "news20")
"""For curves of many rules and strengths, each of which would take ImageNet's thousand arms an hour."""

IMAGENETS = tuple(name for name in SETTINGS if name.startswith("imagenet:"))
TIMES = "times.csv"

Cases = Callable[[str, Asked], Iterable[Case]]


@dataclass(frozen=True)
class Item:
    """A table or figure, or several that are read off the same runs: its networks, and the runs on one of them."""

    networks: Sequence[str]
    cases: Cases

    def all_cases(self, asked: Asked) -> Iterator[Case]:
        """On every network in turn, their numbers rounded."""
        for network in ("digits",) if asked.smoke else self.networks:
            for case in self.cases(network, asked):
                yield Case(case.key, partial(_tidied, case))


def _tidied(case: Case) -> pd.DataFrame:
    found = case.run()
    return tidy(found if isinstance(found, pd.DataFrame) else pd.DataFrame([dict(found)]))


ALONE = ("resnet110_cifar100",)

ITEMS: dict[str, Item] = {
    "aba-table1": Item(ALONE, settings.reward_cases),
    "aba-table2": Item((*NETWORKS, *IMAGENETS), settings.network_cases),
    "aba-table3": Item(EVERY, estimation.TABLE_3.cases),
    "aba-table4": Item(WHOLE_SOFTMAX, confusion.TABLE_4.cases),
    "aba-table5": Item(EVERY, estimation.TABLE_5.cases),
    "aba-table6": Item(EVERY, partial(ranked.accuracy_cases, ranked.ACCURACY_LINES, ("top 1", "top m"), 1.0)),
    "aba-table7": Item(WITHIN_AN_HOUR, comparison.TABLE_7.cases),
    "aba-table8": Item(EVERY, estimation.TABLE_8.cases),
    "aba-table9": Item((*WITHIN_AN_HOUR, IMAGENET_NETWORK), ranked.calibration_cases),
    "aba-table10": Item(WHOLE_SOFTMAX[:1], partial(ranked.cost_cases, "human")),
    "aba-table11": Item(WHOLE_SOFTMAX[:1], partial(ranked.cost_cases, "superclass")),
    "aba-figure4": Item(EVERY, partial(posteriors.reliability_cases, (2,))),
    "aba-figure5": Item(ALONE, posteriors.ece_posterior_cases),
    "aba-figure6": Item(EVERY, posteriors.ece_error_cases),
    "aba-figure7": Item(EVERY, posteriors.class_cases),
    "aba-figure8": Item(CIFAR, posteriors.difference_cases),
    "aba-figure9": Item(CIFAR, posteriors.rank_cases),
    "aba-figure11": Item(WITHIN_AN_HOUR, partial(ranked.accuracy_cases, ranked.TOP_TWO_LINES, ("top 1",), 0.2)),
    "aba-figure14": Item(ALONE, settings.cost_matrix_cases),
    "aba-figure15": Item(WITHIN_AN_HOUR, partial(ranked.accuracy_cases, ranked.RULE_LINES, ("top 1", "top m"), 0.2)),
    "aba-figure17": Item(EVERY, partial(posteriors.reliability_cases, (10, 100))),
    "aba-figure18": Item(
        WITHIN_AN_HOUR, partial(ranked.accuracy_cases, ranked.STRENGTH_LINES, ("top 1", "top m"), 0.2)
    ),
    "workshop-figure1": Item(NETWORKS, posteriors.bias_cases),
    "workshop-figure2": Item(NETWORKS, posteriors.rank_cases),
    "workshop-figure3": Item(WITHIN_AN_HOUR, ranked.biased_cases),
    "workshop-figure4": Item(ALONE, settings.notation_cases),
}
"""By the name of its file. Table 9 has Figure 19; Table 6 Figure 16 and lines of 11, 15, 18; Tables 10, 11 Figure 3."""


def write_item(name: str, asked: Asked, out: Path, again: bool) -> None:
    """Run what is missing of an item; nothing is, once its file is there under its name."""
    done, under_way = out / f"{name}.csv", out / f"{name}.part"
    if done.exists() and not again:
        return
    start = time.perf_counter()
    run_cases(ITEMS[name].all_cases(asked), under_way)
    under_way.replace(done)
    (out / f".{under_way.name}.lock").unlink(missing_ok=True)
    _note(out / TIMES, name, time.perf_counter() - start)


def _note(path: Path, name: str, seconds: float) -> None:
    known = pd.read_csv(path, index_col="item")["seconds"] if path.exists() else pd.Series(dtype=float)
    known = pd.concat([known.drop(name, errors="ignore"), pd.Series({name: round(seconds, 1)})]).sort_index()
    known.rename("seconds").rename_axis("item").to_csv(path)


@click.command()
@data_option
@click.option("--out", type=NEW_FOLDER, required=True, help="Folder of the rows.")
@smoke_option
@click.option("--item", "wanted", multiple=True, type=click.Choice(list(ITEMS)), help="Only this one; may be repeated.")
@click.option("--again", is_flag=True, help="Also where the rows are there already.")
@click.option("--replicates", type=click.IntRange(2), help="Runs of each case instead of its own number.")
def main(
    data: Path | None, out: Path, smoke: bool, wanted: tuple[str, ...], again: bool, replicates: int | None
) -> None:
    """Write the rows of every table and figure that are not there yet."""
    need_data(data, smoke)
    out.mkdir(parents=True, exist_ok=True)
    asked = Asked(data, smoke, replicates, 0, None, ())
    for name in wanted or tuple(ITEMS):
        write_item(name, asked, out, again)
        click.echo(f"{name}: {out / name}.csv")


if __name__ == "__main__":
    main()
