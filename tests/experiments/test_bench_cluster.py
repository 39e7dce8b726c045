"""A sweep on a Dask cluster of this machine, started from the command line."""

import subprocess
import time

import pytest

from altmas.experiments.bench.rows import same_rows, to_frame
from worlds.dask_clusters import two_workers
from worlds.sweeps import command, environment, finished_keys

pytestmark = pytest.mark.slow  # it kills by the clock, which a busy or a very quick machine may outrun


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, started from the command line."""
    with two_workers(tmp_path) as made:
        yield made


def test_a_cluster_finds_what_one_process_finds_though_a_worker_dies(whole, cluster, tmp_path):
    address, workers, env = cluster
    rows = tmp_path / "rows.jsonl"
    run = subprocess.Popen(
        command(rows, "--backend", "dask", "--scheduler", address), env=env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    end = time.monotonic() + 60
    while len(finished_keys(rows)) < 5 and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    at_kill = len(finished_keys(rows))
    workers[0].kill()
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err.decode()
    assert 5 <= at_kill < 16
    assert b"16 cells" in out
    assert same_rows(to_frame(rows), whole)


def test_a_scheduler_that_does_not_answer(tmp_path):
    pytest.importorskip("distributed", reason="the package distributed is not installed: pip install '.[dask]'")
    done = subprocess.run(
        command(tmp_path / "r.jsonl", "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"),
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "scheduler must answer" in done.stderr
