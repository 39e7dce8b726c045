"""What the tests of sweeps share: the smoke sweep, the command, and an environment for it."""

import os
import sys
from pathlib import Path

import altmas
from altmas.experiments.bench.rows import read_finished
from worlds.places import BENCHMARKS

HOME = Path(altmas.__file__).parent.parent
SMOKE = BENCHMARKS / "sweeps" / "smoke.toml"


def environment(*paths):
    folders = [str(HOME), *map(str, paths), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def command(rows, *more, sweep=SMOKE):
    return [sys.executable, "-m", "altmas", "bench", str(sweep), "--rows", str(rows), "--resume", *more]


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def finished_keys(path):
    """The cells that need not run again; one that failed may."""
    return {one.key for one in read_finished(path) if one.status == "ok"}


def failures(path):
    """The cells that failed, and have not succeeded since."""
    return [one for one in read_finished(path) if one.status != "ok"]


DYING = """
import os, signal
from altmas.methods.random import RandomSampling

class Dying(RandomSampling):
    name = "dying"
    def begin(self, job):
        if job.seed == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().begin(job)
"""


def write_dying(folder):
    """An installed method that kills its process with seed 1, and a sweep that has it."""
    (folder / "dying.py").write_text(DYING)
    info = folder / "dying-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dying\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[altmas.methods]\ndying = dying:Dying\n")
    sweep = folder / "sweep.toml"
    sweep.write_text(
        'pools = ["generated"]\nmetrics = ["accuracy"]\nmethods = ["dying", "random"]\nbudgets = [60]\nseeds = 3\n'
    )
    return sweep


def square(number, ran=None):
    """A case for tests: worker processes can import it, which a test module they cannot."""
    if ran is not None:
        ran.append(number)
    return {"square": number * number}
