"""Three million rows on the command line: processor seconds of all threads, and peak memory, of each command.

The bars are for three million rows of ten classes with a prediction, a confidence, a group and a text; labels come from
a second file of as many rows. Each command is a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROWS, SMOKE_ROWS, LABELS = 3_000_000, 2_000, 150
WORDS = np.array(["a short remark", "second words", "some text here", "another thing", "plain note"])
REGIONS = np.array(["north", "south", "east", "west"])
CLASSES = np.array([f"class_{k}" for k in range(10)])


class Bar(NamedTuple):
    """What a command may take."""

    seconds: float
    gigabytes: float


BARS = {"init": Bar(60, 1.5), "label": Bar(40, 2.0), "report": Bar(20, 2.0)}


def make_tables(home: Path, rows: int, *, parquet: bool) -> tuple[Path, Path]:
    """The files of predictions and of labels."""
    import pandas as pd

    rng = np.random.default_rng(7)
    true = rng.integers(0, len(CLASSES), rows)
    confidence = np.round(0.1 + 0.9 * rng.beta(5, 2, rows), 4)
    wrong = (true + rng.integers(1, len(CLASSES), rows)) % len(CLASSES)
    said = np.where(rng.random(rows) < confidence, true, wrong)
    ids = [f"item-{row:07d}" for row in range(1, rows + 1)]
    pool = pd.DataFrame(
        {
            "id": ids, "prediction": CLASSES[said], "confidence": confidence,
            "region": REGIONS[rng.integers(0, len(REGIONS), rows)], "text": WORDS[rng.integers(0, len(WORDS), rows)],
        }
    )  # fmt: skip
    labels = pd.DataFrame({"id": ids, "label": CLASSES[true]})
    ending = "parquet" if parquet else "csv"
    files = home / f"pool.{ending}", home / f"labels.{ending}"
    for table, path in zip((pool, labels), files, strict=True):
        table.to_parquet(path) if parquet else table.to_csv(path, index=False)
    return files


def measured(*arguments: object) -> tuple[float, float]:
    """Processor seconds and peak memory, in GB, of one command."""
    command = [sys.executable, "-m", "altmas", *map(str, arguments)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)}\n{said.read().decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few rows, to see that it runs")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--parquet", action="store_true", help="the files are Parquet")
    parser.add_argument("--all", action="store_true", help="other commands that open the audit as well")
    asked = parser.parse_args()
    rows = SMOKE_ROWS if asked.smoke else asked.rows
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["ALTMAS_HOME"] = str(home / "registry")  # no benchmark belongs into the user's registry
        audit, (pool, labels) = home / "audit", make_tables(home, rows, parquet=asked.parquet)
        commands: list[tuple[object, ...]] = [
            ("init", audit, "--predictions", pool, "--id", "id", "--prediction", "prediction", "--scores", "confidence",
             "--group", "region", "--text", "text", "--budget", LABELS, "--seed", 1),
            ("label", audit, "--from", labels),
            ("report", audit, "--out", home / "report.html"),
        ]  # fmt: skip
        if asked.all:
            commands += [(name, audit) for name in ("check", "status", "estimate", "worst", "next")]
        shares = []
        for command in commands:
            seconds, memory = measured(*command)
            print(f"{command[0]:>9}, {rows:>9,} rows: {seconds:5.1f} s of processor time, peak {memory:.2f} GB")
            if (bar := BARS.get(str(command[0]))) is not None:
                shares += [seconds / bar.seconds, memory / bar.gigabytes]
    print(f"ratio: {max(shares):.2f} of what a command may take at three million rows, at most")


if __name__ == "__main__":
    main()
