"""The stored rows of the papers' items, read; and the shape of a row of the front page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from altmas.experiments.data.networks import IMAGENET_NETWORK

REPRODUCED, PATTERN, CONTRADICTED, IMPOSSIBLE = "reproduced", "in pattern", "contradicted", "not possible here"

NEAREST = {"CIFAR-100": "resnet110_cifar100", "20 News": "news20", "ImageNet": IMAGENET_NETWORK}
"""The stored network nearest to the paper's, by data set."""

NO_DATA = "SVHN and DBpedia: their networks' outputs are not among the data here"
OURS = ("uniform, 1e-6", "informed", "informed + Thompson")
CHECKPOINT = "another checkpoint"


@dataclass(frozen=True)
class Front:
    """A row of the front page."""

    paper: str
    item: str
    about: str
    theirs: str
    ours: str
    verdict: str
    why: str


@dataclass(frozen=True)
class Stored:
    """The rows of a folder, by the name of the item."""

    folder: Path

    def rows(self, item: str) -> pd.DataFrame:
        """All rows of one item."""
        return pd.read_csv(self.folder / f"{item}.csv")

    def cell(self, item: str, column: str = "mean", **where: Any) -> float:
        """The only number with these keys."""
        return float(self.picked(item, **where)[column].iloc[0])

    def picked(self, item: str, **where: Any) -> pd.DataFrame:
        """The rows with these keys."""
        rows = self._kept(item)
        for name, value in where.items():
            rows = rows[rows[name] == value]
        return rows

    def said(self, item: str, digits: int = 1, **where: Any) -> str:
        """Mean and standard error of a cell, as text."""
        row = self.picked(item, **where).iloc[0]
        error = "" if np.isnan(row["se"]) else f" ± {row['se']:.{digits}f}"
        return f"{row['mean']:.{digits}f}{error}"

    @cached_property
    def _cache(self) -> dict[str, pd.DataFrame]:
        return {}

    def _kept(self, item: str) -> pd.DataFrame:
        if item not in self._cache:
            self._cache[item] = self.rows(item)
        return self._cache[item]


Maker = Callable[[Stored], Front]


def aba(item: str, about: str, theirs: str, ours: str, verdict: str, why: str) -> Front:
    """A row of Active Bayesian Assessment."""
    return Front("Active Bayesian Assessment", item, about, theirs, ours, verdict, why)


def workshop(item: str, about: str, theirs: str, ours: str, verdict: str, why: str) -> Front:
    """A row of the workshop paper."""
    return Front("Bayesian Evaluation (workshop)", item, about, theirs, ours, verdict, why)


def algorithm(item: str, about: str, where: str) -> Maker:
    """A figure that lists an algorithm."""
    return lambda stored: aba(item, about, "an algorithm", f"`{where}`", REPRODUCED, "tested in `tests/bandits`")


def needed(stored: Stored, item: str, line: str, reading: str = "crossed", **where: Any) -> float:
    """Per cent of the labels needed."""
    return stored.cell(item, measure=reading, line=line, **where)


def or_all(percent: float) -> float:
    """All labels, where they are never enough."""
    return 100.0 if np.isnan(percent) else percent
