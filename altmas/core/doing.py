"""What is being done, for whoever waits: a line after two seconds, then now and then; nothing where it is quick.

Steps say what they do, `with doing("reading vendor.csv")`, and need not know whether anybody listens. A program that
wants to hear of them wraps its work in `heard(say)`, as the command line does; elsewhere nothing is said.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

FIRST, LONGEST = 2.0, 30.0
"""Seconds before the first line, and at most between two of them; a step that goes on is told of ever less often."""

_MORE = 1.5


class _Step:
    """One thing that is being done, and how far it is."""

    def __init__(self, what: str) -> None:
        self.what, self.far = what, ""

    def __str__(self) -> str:
        return f"{self.what}: {self.far}" if self.far else self.what


class _Listener:
    """Looks at what is being done from time to time, in a thread of its own that begins with the first step."""

    def __init__(self, say: Callable[[str], None], first: float) -> None:
        self.steps: list[_Step] = []
        self._say, self._first, self._over = say, first, threading.Event()
        self._thread = threading.Thread(target=self._listen, name="altmas-doing", daemon=True)

    def begin(self, step: _Step) -> None:
        self.steps.append(step)
        if self._thread.ident is None:
            self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _listen(self) -> None:
        pause, last, text = self._first, None, ""
        while not self._over.wait(pause):
            step = next(reversed(self.steps), None)  # the innermost one
            if step is None:
                continue
            pause = min(pause * _MORE, LONGEST) if step is last else self._first
            if str(step) != text:
                last, text = step, str(step)
                with suppress(OSError, ValueError):  # nobody reads any more
                    self._say(text)


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """A step that may take a while, in a few words that go on "altmas is ...".

    >>> with doing("reading vendor.csv"):
    ...     so_far("1,000 rows")
    """
    if (listener := _listener.get()) is None:
        yield
        return
    step = _Step(what)
    listener.begin(step)
    try:
        yield
    finally:
        listener.steps.remove(step)


def so_far(text: str) -> None:
    """How far the step is that is being done here."""
    if (listener := _listener.get()) is not None and listener.steps:
        listener.steps[-1].far = text


@contextmanager
def heard(say: Callable[[str], None], *, first: float = FIRST) -> Iterator[None]:
    """Within this, `say` gets a line about what is being done once it takes longer than `first` seconds.

    >>> import time
    >>> with heard(print, first=0.01), doing("counting sheep"):
    ...     time.sleep(0.5)
    counting sheep
    """
    if math.isinf(first):  # never
        yield
        return
    listener = _Listener(say, first)
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
        listener.end()
