"""What the page's server may write to the terminal: lines of bounded length, and not more of them than people read.

Anybody on this machine can make the server complain, as often as they like.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LINES, SECONDS = 30, 60.0
LONGEST = 2_000
LOGGERS = ("uvicorn.error", "asyncio", "altmas.page")


class Bounded(logging.Filter):
    """Lets so many lines through in so many seconds, and says how many it left out.

    >>> log, bounded = logging.getLogger("example"), Bounded(lines=1)
    >>> [bool(bounded.filter(log.makeRecord("example", 30, "", 0, "no", None, None))) for _ in range(3)]
    [True, False, False]
    >>> bounded.left_out
    2
    """

    def __init__(
        self, lines: int = LINES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._lines, self._seconds, self._clock = lines, seconds, clock
        self._start, self._count, self.left_out = clock(), 0, 0
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written; one that is, is made short enough."""
        with self._lock:
            now = self._clock()
            if now >= self._start + self._seconds:
                self._start, self._count = now, 0
            self._count += 1
            if self._count > self._lines:
                self.left_out += 1
                return False
            before, self.left_out = self.left_out, 0
        text = cut(record.getMessage())
        record.msg, record.args = f"{text} ({before:,} lines before this one were left out.)" if before else text, None
        if record.exc_info:
            record.exc_text = cut("".join(traceback.format_exception(*record.exc_info)).rstrip())
        return True


def cut(text: str) -> str:
    """A text that is not too long: its beginning and, because errors say last what they are, its end.

    >>> len(cut("x" * 1_000_000)) <= LONGEST
    True
    """
    half = LONGEST // 2 - 3
    return text if len(text) <= LONGEST else f"{text[:half]} ... {text[-half:]}"


@contextmanager
def bounded_logs() -> Iterator[Bounded]:
    """Bound what is logged while the page is served; in the end it is told how much was left out."""
    bounded = Bounded()
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for one in loggers:
        one.addFilter(bounded)
    try:
        yield bounded
    finally:
        for one in loggers:
            one.removeFilter(bounded)
        if bounded.left_out:
            logging.getLogger(LOGGERS[0]).warning("%d lines were left out.", bounded.left_out)
