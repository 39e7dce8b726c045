"""Refits: what a method makes of the answers up to some event, kept in a file to draw questions from at once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from altmas.audits.parts import Fit
from altmas.audits.sample import Kept, drawing
from altmas.audits.settings import Settings
from altmas.audits.state import State
from altmas.audits.store import StoreError
from altmas.core.doing import doing
from altmas.core.files import FOLDER_MODE, locked, remove_left_behind, sha256_of, sync_folder, write_whole
from altmas.core.method import ArrayMap, HearsPeople, Job, Method, Replays
from altmas.words.wording import counted

FITS_FOLDER = "fits"
_READ_ONCE = "belief"
READINGS_PER_ANSWER = "readings_per_answer"
"""What a fit says of it, where it follows from what a reading costs."""

BATCHES_AHEAD = 20
"""A ranking holds this many batches: as far as it may be drawn from while the next refit is on its way."""


def fit(job: Job, method: Method, state: State, settings: Settings, kept: Kept) -> tuple[ArrayMap, int]:
    """Refit to a state: arrays to keep, and the labels they rest on."""
    with doing(f"refitting to {counted(state.labels, 'label')}"):
        return _fit(job, method, state, settings, kept)


def _fit(job: Job, method: Method, state: State, settings: Settings, kept: Kept) -> tuple[ArrayMap, int]:
    drawn, batch = drawing(state), settings.batch
    if isinstance(method, Replays):
        run = drawn.heard(method.replay(job, drawn.asked_rounds(kept)))
        arrays = run.refit()
        if settings.cost_expert is not None and isinstance(run, HearsPeople):
            known = run.with_kept((arrays, len(drawn.answers)))
            arrays = {**arrays, READINGS_PER_ANSWER: np.array(known.readings_per_answer(settings.cost_expert))}
        return arrays, len(drawn.answers)
    run = method.begin(job)
    run.update(drawn.answers, len(drawn.rounds))
    asked = np.fromiter(state.order, dtype=np.int64)
    left = job.pool.size - len(asked)
    unanswered = len(asked) - len(drawn.answers)  # the method takes these for open, so as many more are asked for
    choice = run.choose(min(BATCHES_AHEAD * batch, left) + unanswered)
    fresh = ~np.isin(choice.items, asked)
    return {"items": choice.items[fresh], "propensities": choice.propensities[fresh]}, len(drawn.answers)


class KeptArrays(Mapping[str, NDArray[Any]]):
    """The arrays of one fit, each read from its file when it is looked at."""

    def __init__(self, files: FitFiles, number: int, token: bytes | None) -> None:
        self.files, self.number, self.token = files, number, token

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in set(self):
            raise KeyError(name)
        return self.files.array(self.number, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files.names(self.number))

    def __len__(self) -> int:
        return len(self.files.names(self.number))


class FitFiles:
    """The files of fits in an audit's folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / FITS_FOLDER
        self._held: dict[int, ArrayMap] = {}
        self._made: Counter[int] = Counter()  # how often each was written
        self._last = lru_cache(maxsize=2)(self._array)  # a ranking is read once, then drawn from many times
        self.names = lru_cache(maxsize=64)(self._names)

    def save(self, number: int, arrays: ArrayMap) -> tuple[str, str]:
        """Write a fit's arrays; its file's name and hash."""
        if not self.home.is_dir():
            self.home.mkdir(mode=FOLDER_MODE)
            sync_folder(self.home.parent)
        remove_left_behind(self.home)

        def write(file: IO[bytes]) -> None:
            np.savez(file, **arrays)  # type: ignore[arg-type]

        path = write_whole(self.home / f"{number:04d}.npz", write)
        self._made[number] += 1
        self._last.cache_clear()
        self.names.cache_clear()
        return path.name, sha256_of(path)

    def hold(self, number: int, arrays: ArrayMap) -> None:
        """Keep a fit's arrays in memory, where no file can be written."""
        self._held[number] = arrays
        self._last.cache_clear()
        self.names.cache_clear()

    def array(self, number: int, name: str) -> NDArray[Any]:
        """One array of a fit; what is believed of a large pool is not held beside what is made of it."""
        return self._array(number, name) if name.startswith(_READ_ONCE) else self._last(number, name)

    def _array(self, number: int, name: str) -> NDArray[Any]:
        if number in self._held:
            return np.asarray(self._held[number][name])
        with self._opened(number) as held:
            return np.asarray(held[name])

    def _names(self, number: int) -> tuple[str, ...]:
        if number in self._held:
            return tuple(self._held[number])
        with self._opened(number) as held:
            return tuple(held.files)

    @contextmanager
    def _opened(self, number: int) -> Iterator[Any]:
        file = f"{number:04d}.npz"
        try:
            with (self.home / file).open("rb") as opened, np.load(opened, allow_pickle=False) as held:
                yield held
        except Exception as error:  # a damaged archive raises anything: of zip files, of arrays, of their headers
            raise StoreError(f"audit must be whole; got no readable file {FITS_FOLDER}/{file}.") from error

    def kept(self, fit: Fit) -> tuple[ArrayMap, int]:
        """What a fit left for the rounds after it, and how many labels it knew.

        Its token says which arrays they are: those of this hash, written anew so often since. What is only held in
        memory has no hash, and no token.
        """
        token = None if fit.number in self._held else f"{fit.sha256}:{self._made[fit.number]}".encode()
        return KeptArrays(self, fit.number, token), fit.labels

    def faults(self, fits: list[Fit]) -> list[str]:
        """Files that are missing or are not what they were."""
        found = []
        for one in fits:
            if one.number in self._held:
                continue
            name = f"{one.number!s:0>4}.npz"
            if one.file != name:  # the hash would be of another file than the one that is read
                found.append(f"refit {one.number} names {one.file!r} and not {name} as its file")
                continue
            path = self.home / name
            if not path.is_file():
                found.append(f"file fits/{name} is missing")
            elif sha256_of(path) != one.sha256:
                found.append(f"file fits/{name} was changed after it was written")
        return found


REFIT_LOCK = "refit.lock"


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for any other refit of this audit, then keep others waiting."""
    with locked(folder / REFIT_LOCK):
        yield


def under_way(folder: Path) -> bool:
    """Whether some process is refitting: it holds the lock."""
    path = folder / REFIT_LOCK
    if not path.exists() or not os.access(path, os.W_OK):  # whoever only reads cannot ask
        return False
    with locked(path, wait=0.01) as free:  # another who asks holds it too, for less time than this
        return not free
