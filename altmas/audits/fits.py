"""Refits: what a method makes of the answers up to some event, kept in a file to draw questions from at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from altmas.audits.design import Design, Ideals
from altmas.audits.sample import Drawing, drawing
from altmas.audits.state import Fit, State
from altmas.audits.store import StoreError
from altmas.certified.method import GROWTH, Certified, CertifiedRun
from altmas.core.files import FOLDER_MODE, sha256_of, sync_folder, write_whole
from altmas.core.method import Job, Method
from altmas.metrics.types import FloatArray

NAME = "fits"
AHEAD = 20
"""A ranking holds this many batches: as far as it may be drawn from while the next refit is on its way."""

Arrays = Mapping[str, NDArray[Any]]


def growth(method: Method) -> float:
    """How much the answers must grow for a refit to be due; for ever, where there is nothing to fit."""
    if method.name == "random":
        return float("inf")
    return GROWTH if isinstance(method, Certified) else 1.0


def fit(job: Job, method: Method, state: State, number: int, batch: int, ideals: Ideals) -> tuple[Arrays, int]:
    """Refit to a state: arrays to keep, and the labels they rest on."""
    drawn = drawing(state)
    if isinstance(method, Certified):
        ideal, belief = believe(job, method, drawn, ideals, number)
        return {"ideal": ideal, "belief": belief.astype(np.float32)}, len(drawn.answers)
    run = method.begin(job)
    run.update(drawn.answers, number)
    asked = np.fromiter(state.order, dtype=np.int64)
    left = job.pool.size - len(asked)
    unanswered = len(asked) - len(drawn.answers)  # the method takes these for open, so as many more are asked for
    choice = run.choose(min(AHEAD * batch, left) + unanswered)
    fresh = ~np.isin(choice.items, asked)
    return {"items": choice.items[fresh], "propensities": choice.propensities[fresh]}, len(drawn.answers)


def believe(job: Job, method: Certified, drawn: Drawing, ideals: Ideals, number: int) -> tuple[FloatArray, FloatArray]:
    """Ideal chances `[N]` and the belief `[N, C]` from a drawing."""
    pool = job.pool
    if len(drawn.answers) == 0:  # everything asked about was left unanswered
        return np.full(pool.size, 1.0 / pool.size), np.full((pool.size, len(pool.classes)), 1.0 / len(pool.classes))
    hazard = design_of(job, method, drawn, ideals).race.hazard
    ideal, belief = CertifiedRun(job, method).believe(drawn.answers, hazard, number)
    return ideal, belief.probabilities


def design_of(job: Job, method: Certified, drawn: Drawing, ideals: Ideals) -> Design:
    """The design after the rounds of a drawing."""
    design = Design(job.pool.size, method, ideals)
    for one in drawn.rounds:
        design.run(one.fit, one.positions)
    return design


class FitFiles:
    """The files of fits in an audit's folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / NAME
        self.array = lru_cache(maxsize=4)(self._array)  # a ranking is read once, then drawn from many times

    def save(self, number: int, arrays: Arrays) -> tuple[str, str]:
        """Write a fit's arrays; its file's name and hash."""
        if not self.home.is_dir():
            self.home.mkdir(mode=FOLDER_MODE)
            sync_folder(self.home.parent)
        for left_behind in self.home.glob(".*.part"):  # of a refit that was killed
            left_behind.unlink(missing_ok=True)

        def write(file: IO[bytes]) -> None:
            np.savez(file, **arrays)  # type: ignore[arg-type]

        path = write_whole(self.home / f"{number:04d}.npz", write)
        return path.name, sha256_of(path)

    def _array(self, number: int, name: str) -> NDArray[Any]:
        file = f"{number:04d}.npz"
        try:
            with np.load(self.home / file, allow_pickle=False) as held:
                return np.asarray(held[name])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise StoreError(f"audit must be whole; got no readable file {NAME}/{file}.") from error

    def ideal(self, number: int) -> FloatArray:
        """Ideal chances found by a fit."""
        return self.array(number, "ideal")

    def faults(self, fits: list[Fit]) -> list[str]:
        """Files that are missing or are not what they were."""
        found = []
        for one in fits:
            path = self.home / one.file
            if not path.is_file():
                found.append(f"file fits/{one.file} is missing")
            elif sha256_of(path) != one.sha256:
                found.append(f"file fits/{one.file} was changed after it was written")
        return found
