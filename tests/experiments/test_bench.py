"""Sweeps: what is refused, the same rows on every backend, and nothing lost by a kill."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.catalogue import METHODS
from altmas.cli import commands
from altmas.experiments.bench.pools import load_pool
from altmas.experiments.bench.rows import appending, read_finished, same_rows, to_frame
from altmas.experiments.bench.run import attempt, run_cell
from altmas.experiments.bench.spec import parse_sweep, read_sweep
from altmas.experiments.bench.sweep import Workers, run_sweep
from worlds.sweeps import SMOKE, environment, failures, finished_keys, write_dying

SMALL = {
    "pools": [{"name": "made", "kind": "generated", "items": 120}],
    "metrics": ["accuracy"],
    "methods": ["random", "stratified"],
    "budgets": [40],
    "seeds": 2,
    "initial": 20,
    "batch": 10,
}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"pool": 1}, "sweep must have no keys but title, .*; got 'pool'"),
        ({"pools": []}, "pools must be a list of at least one"),
        ({"pools": ["nowhere"]}, "pool must be one of digits, generated, .*, or have a file; got 'nowhere'"),
        ({"pools": ["digits", "digits"]}, "pools must be told apart; got 'digits' twice"),
        ({"pools": [3]}, "each pool must be a name or a table; got 3"),
        ({"models": ["oracle"]}, "model must be one of logistic, .*; got 'oracle'"),
        ({"methods": ["magic"]}, "method must be one of .*; got 'magic'"),
        ({"methods": [{"name": "random", "speed": 3}]}, "method must have no keys but .*; got 'speed'"),
        (
            {"methods": [{"name": "random", "options": {"x": 1}}]},
            "options of method 'random' must be among name; got 'x'",
        ),
        ({"methods": [{"name": "random", "sees": ["labels"]}]}, "sees of method 'random' must be among features"),
        ({"metrics": [[]]}, "each set of metrics must be a list of at least one"),
        ({"budgets": [0]}, "each of budgets must be an int >= 1; got 0"),
        ({"budgets": [10, 10]}, "budgets must be distinct"),
        ({"seeds": 0}, "seeds must be an int >= 1"),
        ({"level": 1.0}, "level must be a number between 0 and 1"),
        ({"checkpoints": [25]}, "each of checkpoints must be reached: 20 initial labels, then 10 at a time; got 25"),
        (
            {"methods": [{"name": "bald", "options": {"surrogate": {"kind": "tree"}}}]},
            "kind of surrogate must be one of mlp, lenet, .*; got 'tree'",
        ),
    ],
)
def test_a_wrong_sweep_is_refused_by_a_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_sweep({**SMALL, **change})


def test_a_sweep_that_cannot_begin_is_refused_before_it_does(tmp_path):
    path = tmp_path / "rows.jsonl"
    for change, sentence in (
        ({"metrics": ["acuracy"]}, "metric must be one of"),
        ({"budgets": [500]}, "budgets must be at most the size of pool 'made', 120; got 500"),
        ({"pools": [{"file": "none.npz"}]}, "file of pool 'none' must exist"),
        ({"pools": [{"name": "made", "kind": "generated", "colour": 1}]}, "options of pool 'generated' must be known"),
    ):
        with pytest.raises(InputError, match=sentence):
            run_sweep(parse_sweep({**SMALL, **change}), path, Workers())
    assert not path.exists()
    (tmp_path / "bad.toml").write_text("pools = [")
    with pytest.raises(InputError, match="sweep bad.toml must be TOML"):
        read_sweep(tmp_path / "bad.toml")
    with pytest.raises(InputError, match="scheduler must be given with backend dask"):
        Workers(1, "dask")


def test_cells_are_every_combination_once_with_keys_of_their_content():
    sweep = parse_sweep({**SMALL, "pools": ["digits", "wine"], "models": ["tree", "bayes"], "budgets": [40, 60]})
    cells = sweep.cells()
    assert len(cells) == (1 + 2) * 2 * 2 * 2
    assert len({cell.key for cell in cells}) == len(set(cells)) == len(cells)
    assert {cell.key for cell in replace(sweep, home="/elsewhere").cells()} == {cell.key for cell in cells}
    assert cells[0].key != replace(cells[0], level=0.9).key


@pytest.mark.parametrize("name", ["digits", "generated", "wine", "breast_cancer"])
def test_bundled_pools_are_the_same_every_time(name):
    from altmas.testing import check_pool

    check_pool(lambda: load_pool(name, "tree", {}))


def test_pools_from_files(tmp_path):
    made = load_pool("generated", "own", {"items": 90})
    np.savez(tmp_path / "a.npz", labels=made.labels, predictions=made.predictions, scores=made.scores)
    columns = {f"scores_{c}": made.scores[:, c] for c in range(3)}
    pd.DataFrame({"labels": made.labels, "predictions": made.predictions, **columns}).to_parquet(tmp_path / "b.parquet")
    (tmp_path / "sweep.toml").write_text(
        'pools = [{file = "a.npz"}, {file = "b.parquet"}]\n'
        'metrics = ["accuracy"]\nmethods = ["certified"]\nbudgets = [60]'
    )
    cells = read_sweep(tmp_path / "sweep.toml").cells()
    a, b = (run_cell(cell) for cell in cells)
    assert a == b
    assert attempt(cells[0]).checksum != made.checksum  # no declared classes in the file


def test_two_processes_find_what_one_finds(whole, tmp_path):
    rows = tmp_path / "rows.jsonl"
    done = run_sweep(read_sweep(SMOKE), rows, Workers(2))
    assert (done.cells, done.skipped, done.failed) == (16, 0, ())
    frame = to_frame(rows)
    assert same_rows(frame, whole)
    assert set(frame["method"]) == {"random", "stratified", "certified"}
    assert frame.groupby("pool")["checksum"].nunique().tolist() == [1, 1]
    assert not same_rows(frame.assign(estimate=frame["estimate"] + 1e-16 + 1e-12), whole)


class Failing:
    """A method that fails in one cell."""

    name = "failing"

    def begin(self, job):
        if job.seed == 1:
            raise RuntimeError("no luck")
        return METHODS["random"]().begin(job)


def test_a_failed_cell_is_recorded_and_the_sweep_goes_on(tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS, "failing", Failing)
    rows = tmp_path / "rows.jsonl"
    sweep = parse_sweep({**SMALL, "methods": ["failing", "random"], "seeds": 3})
    done = run_sweep(sweep, rows, Workers())
    assert [one.error for one in done.failed] == ["RuntimeError: no luck"]
    assert len(finished_keys(rows)) == 5
    assert [one.cell["seed"] for one in failures(rows)] == [1]
    with pytest.raises(InputError, match="rows file must be new; got .*--resume"):
        run_sweep(sweep, rows, Workers())
    monkeypatch.setattr(Failing, "begin", lambda self, job: METHODS["random"]().begin(job))
    again = run_sweep(sweep, rows, Workers(), resume=True)
    assert (again.skipped, again.failed, failures(rows)) == (5, (), [])
    frame = to_frame(rows, sweep.cells())
    assert frame["method"].drop_duplicates().tolist() == ["failing", "random"]


def test_a_process_that_dies_takes_only_its_cell_with_it(tmp_path):
    write_dying(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "altmas", "bench", "sweep.toml", "--jobs", "2", "--json"],
        capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path),
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    failed = json.loads(done.stdout)["failed"]
    assert [(one["method"], one["seed"]) for one in failed] == [("dying", 1)]
    assert "died" in failed[0]["error"]
    assert len(finished_keys(tmp_path / "sweep.rows.jsonl")) == 5


def test_memory_is_bounded():
    sweep = parse_sweep({**SMALL, "pools": [{"name": "made", "kind": "generated", "items": 50_000_000}]})
    found = attempt(sweep.cells()[0], memory=1.0)
    assert found.status == "failed"
    assert "MemoryError" in found.error


def test_another_pool_under_the_same_name_is_refused(tmp_path):
    made = load_pool("generated", "own", {"items": 90})
    rows, file = tmp_path / "rows.jsonl", tmp_path / "a.npz"
    np.savez(file, labels=made.labels, predictions=made.predictions)
    sweep = replace(parse_sweep({**SMALL, "pools": [{"file": "a.npz"}]}), home=str(tmp_path))
    run_sweep(replace(sweep, seeds=(0,)), rows, Workers())
    from altmas.experiments.bench.run import _prepared

    _prepared.cache_clear()
    np.savez(file, labels=made.labels[::-1], predictions=made.predictions)
    with pytest.raises(InputError, match="pool 'a' must be the one of the rows, with checksum"):
        run_sweep(sweep, rows, Workers(), resume=True)


def test_rows_are_written_by_one_sweep_at_a_time(tmp_path):
    with (
        appending(tmp_path / "rows.jsonl"),
        pytest.raises(InputError, match="one sweep at a time"),
        appending(tmp_path / "rows.jsonl"),
    ):
        pass
    (tmp_path / "other.jsonl").write_text("not a sweep\n")
    with pytest.raises(InputError, match="rows file other.jsonl must hold the lines of a sweep; got line 1"):
        read_finished(tmp_path / "other.jsonl")


def test_interrupted_by_a_person(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("altmas.experiments.bench.sweep.attempt", stop)
    done = CliRunner().invoke(commands, ["bench", str(SMOKE), "--rows", str(tmp_path / "r.jsonl"), "--jobs", "1"])
    assert "go on with --resume" in done.stderr
    assert done.exit_code != 0
