"""Benchmarks run, small; their figures are for people, never for tests."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.parametrize("name", sorted(p.name for p in BENCHMARKS.glob("*.py") if p.name != "workload.py"))
def test_benchmark_prints_a_ratio(name):
    done = subprocess.run([sys.executable, BENCHMARKS / name, "--smoke"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "ratio: " in done.stdout
