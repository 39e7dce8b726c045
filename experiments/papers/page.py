"""docs/papers.md: every table and figure of the four papers as a row, from the stored rows and nothing else.

python -m altmas.experiments.papers --rows benchmarks/results --docs docs
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from altmas.experiments.active_bayesian.confusion import CONFUSION_ERROR
from altmas.experiments.active_bayesian.front import front_rows
from altmas.experiments.active_bayesian.page import front_markdown
from altmas.experiments.active_bayesian.papers import TIMES
from altmas.experiments.active_bayesian.stored import (
    CONTRADICTED,
    IMPOSSIBLE,
    NEAREST,
    PATTERN,
    REPRODUCED,
    Front,
    Stored,
    needed,
)
from altmas.experiments.alt_mas.results_field import compared
from altmas.experiments.alt_mas.results_figures import STYLE, save
from altmas.experiments.alt_mas.results_networks import network_accuracies, spelled
from altmas.experiments.alt_mas.results_rows import Study, read_study
from altmas.experiments.alt_mas.studies import LITERALLY, STUDIES, WITH_FEATURES
from altmas.experiments.bench.tables import markdown
from altmas.experiments.papers import words
from altmas.experiments.papers.alt_mas import alt_mas_rows, standing
from altmas.experiments.papers.surface import ATTRIBUTES, LEARNT, SurfaceRows, surface_rows
from altmas.experiments.surface.arms import draw_arms

NAME = "papers"
ABA_ROWS = "papers"
WIDE = "wideresnet_cifar100"
VERDICTS = (REPRODUCED, PATTERN, CONTRADICTED, IMPOSSIBLE)


@dataclass(frozen=True, eq=False)
class Papers:
    """What is stored of all four papers."""

    folder: Path
    studies: dict[str, Study]

    @classmethod
    def read(cls, folder: Path) -> Papers:
        """From a folder of rows, whole or refused."""
        return cls(folder, {name: read_study(folder, name, "quick") for name in STUDIES})

    @property
    def groups(self) -> Stored:
        """Of the first two papers."""
        return Stored(self.folder / ABA_ROWS)

    @property
    def surfaces(self) -> SurfaceRows:
        """Of the last."""
        return SurfaceRows(self.folder)

    def rows(self) -> list[Front]:
        """Every table and figure, paper by paper."""
        return [*front_rows(self.folder / ABA_ROWS), *alt_mas_rows(self.studies), *surface_rows(self.folder)]


def write_papers(folder: Path, docs: Path) -> None:
    """The page, and its picture."""
    import matplotlib as mpl

    mpl.use("svg")
    papers = Papers.read(folder)
    docs.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        save(draw_arms(papers.surfaces.named("arms")), docs / f"{NAME}-arms.svg")
    rows = papers.rows()
    parts = [words.OPENING, counts(rows)]
    for paper, said in words.PAPERS.items():
        own = front_markdown([one for one in rows if one.paper == paper])
        parts += [said, own.partition("\n\n")[2]]  # its heading is ours
    parts += [words.ARMS, words.TIMES.format(**hours(papers)), words.TEN_MINUTES.format(**claims(papers))]
    (docs / f"{NAME}.md").write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")


def counts(rows: Sequence[Front]) -> str:
    """How many of each verdict, paper by paper."""
    found = Counter((one.paper, one.verdict) for one in rows)
    lines = [(paper, *(found[paper, verdict] for verdict in VERDICTS)) for paper in words.PAPERS]
    return markdown(["paper", *VERDICTS], lines)


def hours(papers: Papers) -> dict[str, float]:
    """What the rows took, by their own record."""
    aba = float(pd.read_csv(papers.folder / ABA_ROWS / TIMES)["seconds"].sum())
    alt_mas = sum(float(study.seconds["seconds"].sum()) for study in papers.studies.values())
    named = [papers.surfaces.named(name) for name in ("celeba", "others", "simple")]
    surface = sum(float(rows["seconds"].sum()) for rows in named)
    wall = aba + alt_mas / 2 + surface
    return {name: s / 3600 for name, s in (("aba", aba), ("alt_mas", alt_mas), ("surface", surface), ("wall", wall))}


def claims(papers: Papers) -> dict[str, object]:
    """The numbers of the last section."""
    return {**_groups(papers.groups), **_networks(papers.studies), **_surfaces(papers.surfaces)}


def _groups(stored: Stored) -> dict[str, object]:
    found: dict[str, object] = {}
    for said, network in zip(("resnet", "news", "imagenet"), NEAREST.values(), strict=True):
        for way, line in (("active", "Thompson, informed"), ("random", "random, uniform")):
            percent = needed(stored, "aba-table6", line, network=network, top="top 1")
            found[f"{said}_{way}"] = "more than all" if np.isnan(percent) else f"{percent:.1f}%"
    resnet = NEAREST["CIFAR-100"]
    methods = {"plain": "uniform, 1e-6", "uniform": "uniform", "informed": "informed", "active": "informed + Thompson"}
    for said, method in methods.items():
        at = stored.cell("aba-table3", measure="rmse", network=resnet, labels=200, method=method)
        found[said] = f"{at:.1f}"
    errors = stored.picked("aba-table3", measure="rmse").pivot(
        index=["network", "labels"], columns="method", values="mean"
    )
    ahead = errors[methods["active"]] < errors[methods["informed"]]
    found["active_ahead"] = f"{ahead.sum()} of {len(ahead)}"
    for said in ("uniform", "informed"):
        at = stored.cell("aba-table3", measure="rmse", network=WIDE, labels=200, method=methods[said])
        found[f"wide_{said}"] = f"{at:.1f}"
    scores = stored.picked("aba-table2", network=resnet).iloc[0]
    found["overconfident"] = f"{scores['confidence'] - scores['accuracy']:.0f}"
    for said in ("plain", "informed"):
        at = stored.cell("aba-table4", measure="rmse", network=WIDE, labels=200, method=methods[said])
        found[f"confusion_{said}"] = f"{at:.1f}"
    paper = CONFUSION_ERROR["CIFAR-100"][0]
    return found | {"confusion_paper": f"{paper[0]:.3f} and {paper[1]:.3f}"}


def _networks(studies: dict[str, Study]) -> dict[str, object]:
    found: dict[str, object] = {"guarded": standing(studies["figure1"], "altmas")}
    for said, name in (("mnist", "figure1"), ("cifar", "figure2"), ("embedding", "embedding")):
        at = standing(studies[name], LITERALLY)
        found |= {said: at, f"{said}_random": at.behind_random}
    found["weak"] = spelled(network_accuracies(studies["figure2"])["accuracy"])
    field = compared(studies)
    covered, ratios = field.covered.groupby("method")["covered"].mean(), field.table.groupby("method")["ratio"].median()
    held = {"literal": LITERALLY, "bald": "bald", "thompson": "thompson", "certified": WITH_FEATURES}
    found |= {f"cover_{said}": f"{covered[method]:.0%}" for said, method in held.items()}
    return found | {"ratio_certified": ratios[WITH_FEATURES], "ratio_altmas": ratios["altmas"]}


def _surfaces(stored: SurfaceRows) -> dict[str, object]:
    learnt, flat = (stored.celeba(way, 2000, "macro") for way in (LEARNT, ATTRIBUTES))
    return {
        "betagp": flat["betagp"],
        "beta_i": flat["beta-i"],
        "learnt": learnt["betagp"],
        "mended": learnt["betagp-slp"],
        "flat": flat["betagp"],
        "regression": flat["cpredictor"],
        "flat_mended": flat["betagp-slp"],
    }
