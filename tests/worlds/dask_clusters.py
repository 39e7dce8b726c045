"""A Dask cluster of this machine, started from the command line."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from worlds.sweeps import environment


@contextmanager
def two_workers(folder):
    """The address of a scheduler, its two workers, and an environment for whoever works with them."""
    pytest.importorskip("distributed", reason="the package distributed is not installed: pip install '.[dask]'")
    import distributed

    env = environment(Path(distributed.__file__).parent.parent)
    # The packages of a cluster warn about each other's versions; they are not ours to mend.
    env["PYTHONWARNINGS"] = "ignore"
    started = []

    def start(*arguments):
        with (folder / "cluster.log").open("ab") as log:
            whole = [sys.executable, "-m", *arguments]
            started.append(subprocess.Popen(whole, env=env, cwd=folder, stdout=log, stderr=log))
        return started[-1]

    file = folder / "scheduler.json"
    start(
        "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(file),
    )  # fmt: skip
    try:
        end = time.monotonic() + 40
        while not (file.is_file() and file.read_text().strip()):
            assert time.monotonic() < end, (folder / "cluster.log").read_text()
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        alone = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "1GB")
        yield address, [start("distributed.cli.dask_worker", address, *alone) for _ in range(2)], env
    finally:
        for one in reversed(started):
            one.kill()
            one.wait()
