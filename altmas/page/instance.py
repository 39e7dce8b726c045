"""One labelling page per audit: a lock that the system lets go of when the process ends, however it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from altmas.core.files import locked, write_text
from altmas.metrics.errors import InputError

PAGE_LOCK, ADDRESS = "server.lock", "server.json"


@dataclass(frozen=True)
class Instance:
    """A process's hold on an audit's page; it says in a file beside the lock who it is."""

    folder: Path

    def announce(self, host: str, port: int) -> None:
        """Leave the address for those who come second, and for the next start, which takes the same port."""
        write_text(self.folder / ADDRESS, json.dumps({"pid": os.getpid(), "host": host, "port": port}))


@contextmanager
def only_instance(folder: Path) -> Iterator[Instance]:
    """Hold the audit's page, or say who does."""
    with locked(folder / PAGE_LOCK, wait=0) as mine:
        if not mine:
            other = last_instance(folder)
            where = f"http://{other['host']}:{other['port']}" if other else "an address not known yet"
            raise InputError(
                "audit",
                "have one labelling page at a time",
                f"another in process {other.get('pid', 'unknown')} at {where}",
                "It serves several annotators: start it once, with --annotator for each.",
            )
        yield Instance(folder)


def last_instance(folder: Path) -> dict[str, Any]:
    """What the last page that was served said about itself; empty if there was none."""
    try:
        said = json.loads((folder / ADDRESS).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) and {"pid", "host", "port"} <= said.keys() else {}
