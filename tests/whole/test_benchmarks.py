"""Benchmarks run, small; their figures are for people, never for tests."""

import subprocess
import sys

import pytest

from worlds.places import BENCHMARKS

HEAVY = (
    "audit.py", "bench.py", "crossings.py", "features.py", "first_phase.py", "keys.py", "models.py", "page.py",
    "round.py", "rows.py", "scale.py", "surface.py",
)  # fmt: skip
NAMES = sorted(p.name for p in BENCHMARKS.glob("*.py") if p.name not in ("measuring.py", "workload.py"))


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] if one in HEAVY else []) for one in NAMES])
def test_benchmark_prints_a_ratio(name):
    done = subprocess.run([sys.executable, BENCHMARKS / name, "--smoke"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ratio: " in done.stdout
