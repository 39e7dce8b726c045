"""Seconds and memory of one run, in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys


def peak() -> float:
    """The most memory this process has had, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def apart(script: str, *case: object) -> dict[str, float]:
    """What a script finds with `--one` case, in a process of its own: its last line, as JSON."""
    command = [sys.executable, script, "--one", json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
