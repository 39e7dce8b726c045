"""The figures of ALT-MAS as rows of the front page, worked out from the stored rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from altmas.experiments.active_bayesian.stored import CONTRADICTED, PATTERN, Front
from altmas.experiments.alt_mas.results_networks import PAPER_RANGES, network_accuracies, spelled, whole_range
from altmas.experiments.alt_mas.results_rows import Study, relative_errors
from altmas.experiments.alt_mas.results_sections import in_words, looks_at
from altmas.experiments.alt_mas.studies import LITERALLY

PAPER = "ALT-MAS"
MOST = 0.7
"""Share of panels in which something holds "for most"."""


@dataclass(frozen=True)
class Standing:
    """Of how many panels a method is ahead of BALD at the end, and of how many random sampling is ahead of it."""

    panels: int
    ahead: int
    behind_random: int

    @property
    def mostly(self) -> bool:
        """Whether it is ahead of BALD in most."""
        return self.ahead >= MOST * self.panels

    def __str__(self) -> str:
        return f"{self.ahead} of {self.panels}"


def standing(study: Study, method: str, pool: str | None = None) -> Standing:
    """At the end of the curves, on one model under test or on all."""
    ends = [end["mean"] for name, end in _ends(study) if pool in (None, name)]
    ahead = sum(bool(end[method] < end["bald"]) for end in ends)
    return Standing(len(ends), ahead, sum(bool(end["random"] < end[method]) for end in ends))


def _ends(study: Study) -> Iterator[tuple[str, pd.DataFrame]]:
    for pool, _, rows in study.panels():
        yield pool, looks_at(rows, study.sweeps[0].batch)["end"]


def alt_mas_rows(studies: dict[str, Study]) -> list[Front]:
    """Figures 1 to 4."""
    return [
        _errors("Figure 1", "MNIST", studies["figure1"], studies["panel1"], _pseudo_labels(studies["ablations"])),
        _errors("Figure 2", "CIFAR-10", studies["figure2"], studies["panel2"], _weak(studies["figure2"])),
        _networks("Figure 3", "MNIST", studies["figure1"], studies["panel1"]),
        _networks("Figure 4", "CIFAR-10", studies["figure2"], studies["panel2"]),
    ]


def _errors(item: str, data: str, study: Study, panel: Study, why: str) -> Front:
    written, good = standing(study, LITERALLY), standing(study, LITERALLY, study.pools[0])
    ours = (
        f"as written ahead of BALD in {written} ({good} on {study.pools[0]}), behind random in {written.behind_random}"
    )
    if (study.rows["method"] == "altmas").any():
        guarded = standing(study, "altmas")
        ours += f"; with a guard of ours in {guarded}, behind random in {guarded.behind_random}"
    return Front(
        PAPER,
        item,
        f"error of the metrics, {data}, 3 models x 5 sets of metrics",
        f"ahead of BALD in most, above all on {study.pools[0]}; good throughout",
        ours,
        PATTERN if written.mostly else CONTRADICTED,
        f"{why}. {_as_the_paper(panel)}",
    )


def _as_the_paper(study: Study) -> str:
    """The panel that is run a query at a time."""
    ((pool, metrics, rows),) = study.panels()
    sweep, end = study.sweeps[0], looks_at(rows, study.sweeps[0].batch)["end"]["mean"]
    names = {LITERALLY: "ALT-MAS as written", "altmas": "with the guard", "bald": "BALD", "random": "random"}
    errors = ", ".join(f"{said} {100 * end[name]:.3g}%" for name, said in names.items() if name in end)
    seeds = f"{len(sweep.seeds)} seed{'s' if len(sweep.seeds) > 1 else ''}"
    queries = sweep.budgets[-1] - sweep.initial
    return f"Tuned, a query at a time ({pool}, {in_words(metrics)}, {queries} queries, {seeds}): {errors}"


def _pseudo_labels(study: Study) -> str:
    """What the ablations say of a model under test that is bad."""
    pool = study.pools[-1]
    errors = relative_errors(study.rows[study.rows["pool"] == pool])
    last = errors[errors["labels"] == errors["labels"].max()].groupby("method")["error"].mean()
    with_them, without = 100 * last[LITERALLY], 100 * last["no pseudo-labels"]
    return (
        f"On a bad model the augmented labels are wrong and taken for true: on {pool}, 3 metrics, an error of "
        f"{with_them:.0f}% with them and {without:.0f}% without"
    )


def _weak(study: Study) -> str:
    found, sweep = network_accuracies(study), study.sweeps[0]
    steps = sweep.methods[0].given["surrogate"]["max_steps"]
    return (
        f"Everything hangs on the network, which from {sweep.initial} labels is right in "
        f"{spelled(found['accuracy'])}%; fits are cut at {steps} steps and not tuned"
    )


def _networks(item: str, data: str, study: Study, panel: Study) -> Front:
    """The paper's range for BALD; and ALT-MAS' networks above it on the good model, below it for class 2 on others."""
    found, (low, high), first = network_accuracies(study), PAPER_RANGES[study.name], study.pools[0]
    (least, most), (at_first, at_last) = whole_range(found), whole_range(network_accuracies(panel))
    last = found[found["labels"] == found["labels"].max()]
    good = last[last["pool"] == first].groupby("method")["accuracy"].mean()
    others = last[(last["pool"] != first) & last["metrics"].isin(["precision:2", "recall:2"])]
    bad = others.groupby("method")["accuracy"].mean()
    inside = low <= least and most <= high
    why = (
        f"At the end ALT-MAS as written and BALD have {good[LITERALLY]:.0f}% and {good['bald']:.0f}% on {first}, and "
        f"{bad[LITERALLY]:.0f}% and {bad['bald']:.0f}% on the others for precision and recall of class 2; in the paper "
        f"the first is higher, then lower. Tuned, a query at a time, BALD's have {at_first:.0f}-{at_last:.0f}%"
    )
    return Front(
        PAPER,
        item,
        f"accuracy of the networks, {data}",
        f"BALD {low}-{high}%",
        f"BALD {least:.0f}-{most:.0f}%",
        PATTERN if inside and good[LITERALLY] > good["bald"] and bad[LITERALLY] < bad["bald"] else CONTRADICTED,
        why,
    )
