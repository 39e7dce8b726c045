"""Refits behind the page: a process of their own, so that nobody who labels ever waits for one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from altmas.core.files import FILE_MODE

LOG_FILE = "refit.log"
PAUSE_AFTER_FAILURE = 60.0
_NICENESS = 10
_WINDOWS = sum(getattr(subprocess, name, 0) for name in ("CREATE_NEW_PROCESS_GROUP", "BELOW_NORMAL_PRIORITY_CLASS"))
_APART: dict[str, Any] = {"creationflags": _WINDOWS} if _WINDOWS else {"start_new_session": True}
"""A session of its own: Ctrl-C in the terminal is for the server, which ends its worker itself."""


def refit_command(folder: Path) -> Sequence[str]:
    """What the worker runs."""
    return [sys.executable, "-m", "altmas", "refit", str(folder)]


class Refits:
    """At most one worker at a time; one that failed is not started again at once."""

    def __init__(
        self,
        folder: Path,
        command: Callable[[Path], Sequence[str]] = refit_command,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._command, self._clock = folder, command, clock
        self._worker: subprocess.Popen[bytes] | None = None
        self._not_before = float("-inf")
        self.failed = False

    @property
    def running(self) -> bool:
        """Whether a worker is at it."""
        if self._worker is None:
            return False
        code = self._worker.poll()
        if code is None:
            return True
        self.failed = code != 0
        if self.failed:
            self._not_before = self._clock() + PAUSE_AFTER_FAILURE
        self._worker = None
        return False

    def start(self) -> bool:
        """Start a worker unless one is running; never waits."""
        if self.running or self._clock() < self._not_before:
            return False
        handle = os.open(self._folder / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        try:
            self._worker = subprocess.Popen(
                self._command(self._folder), stdin=subprocess.DEVNULL, stdout=handle, stderr=handle, **_APART
            )
        finally:
            os.close(handle)
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, self._worker.pid, _NICENESS)
        return True

    def stop(self) -> None:
        """End the worker; its unfinished ranking is lost, no answer is."""
        if self._worker is not None and self._worker.poll() is None:
            self._worker.terminate()
            try:
                self._worker.wait(5)
            except subprocess.TimeoutExpired:
                self._worker.kill()
                self._worker.wait()
        self._worker = None
