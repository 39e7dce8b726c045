"""Telling a person how far a long run is: a bar on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

PROGRESS = "ALTMAS_PROGRESS"
"""A variable of the environment: set to `off`, commands tell nobody how far anything is."""


class Reporter(AbstractContextManager["Reporter"], Protocol):
    """Something that can be told about progress."""

    def note(self, text: str) -> None:
        """Say something once."""

    def step(self, done: int, total: int, text: str, what: str = "labels") -> None:
        """Say how far the run, or a part of it counted in something else, is."""

    def paused(self) -> AbstractContextManager[None]:
        """Leave the terminal alone for a while."""


class Silent:
    """Says nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def step(self, done: int, total: int, text: str, what: str = "labels") -> None:
        """Nothing."""

    def paused(self) -> AbstractContextManager[None]:
        """Nothing to leave alone."""
        return nullcontext()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Lines(Silent):
    """Plain lines on stderr, about ten for a whole run."""

    def __init__(self) -> None:
        self._shown: tuple[str, int] | None = None

    def note(self, text: str) -> None:
        """One line."""
        print(f"altmas: {text}", file=sys.stderr, flush=True)

    def step(self, done: int, total: int, text: str, what: str = "labels") -> None:
        """A line whenever another tenth is done."""
        tenth = (what, 10 * done // max(total, 1))
        if tenth != self._shown:
            self._shown = tenth
            self.note(f"{done} of {total} {what}, {text}")


class Bar:
    """A progress bar on a terminal."""

    def __init__(self) -> None:
        columns = (TextColumn("altmas"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._tasks: dict[str, TaskID] = {}

    def note(self, text: str) -> None:
        """A line above the bar."""
        self._progress.console.print(f"altmas: {text}", highlight=False, markup=False)

    def step(self, done: int, total: int, text: str, what: str = "labels") -> None:
        """Move the bar of this kind; one that is done goes away, but for the labels'."""
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task("", total=total)
        self._progress.update(self._tasks[what], completed=done, total=total, description=f"{what}, {text}")
        if done >= total and what != "labels":
            self._progress.remove_task(self._tasks.pop(what))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar away, so that a prompt and what is typed stay readable."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


def reporter(wanted: bool) -> Reporter:
    """The reporter that fits where stderr goes.

    >>> type(reporter(False)).__name__
    'Silent'
    """
    if not wanted:
        return Silent()
    return Bar() if sys.stderr.isatty() else Lines()
