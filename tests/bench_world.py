"""What the tests of sweeps share: the smoke sweep, the command, and an environment for it."""

import os
import sys
from pathlib import Path

import altmas

ROOT = Path(altmas.__file__).parent.parent
SMOKE = Path(__file__).parent.parent / "benchmarks" / "sweeps" / "smoke.toml"


def environment(*paths):
    folders = [str(ROOT), *map(str, paths), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def command(rows, *more, sweep=SMOKE):
    return [sys.executable, "-m", "altmas", "bench", str(sweep), "--rows", str(rows), "--resume", *more]


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0
