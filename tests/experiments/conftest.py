"""The smoke sweep, done once."""

import pytest

from altmas.experiments.bench.rows import to_frame
from altmas.experiments.bench.spec import read_sweep
from altmas.experiments.bench.sweep import Workers, run_sweep
from worlds.sweeps import SMOKE


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The smoke sweep in one process, uninterrupted."""
    path = tmp_path_factory.mktemp("whole") / "rows.jsonl"
    run_sweep(read_sweep(SMOKE), path, Workers())
    return to_frame(path)
