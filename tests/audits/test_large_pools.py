"""An audit of a sample of a log: made, labelled, told of, verified; on a machine and on a cluster."""

import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import altmas
from worlds.commands import altmas as command_line
from worlds.dask_clusters import two_workers
from worlds.wholes import whole

WHOLE = whole(9_000, seed=4)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("log") / "log"
    folder.mkdir()
    names = np.array(["cat", "dog", "emu"])
    table = pd.DataFrame({
        "id": [f"r{i}" for i in range(9_000)], "prediction": names[WHOLE.said], "score": WHOLE.score,
        "side": WHOLE.group,
    })  # fmt: skip
    for k in range(6):
        table.iloc[k * 1_500 : (k + 1) * 1_500].to_parquet(folder / f"part-{k}.parquet")
    pd.DataFrame({"id": table["id"], "label": names[WHOLE.truth]}).to_csv(folder.parent / "labels.csv", index=False)
    return folder


def altmas_says(*arguments, code=0):
    done = command_line(*arguments)
    assert done.code == code, done.out + done.err
    return done.out + done.err


def made(log, folder, *more):
    altmas_says("init", folder, "--predictions", f"{log}/*.parquet", "--sample", 800, "--seed", 5, "--group", "side",
                "--metrics", "accuracy,precision:emu,ece", *more)  # fmt: skip
    return folder


def test_an_audit_of_a_sample_is_about_the_whole(log, tmp_path):
    audit = made(log, tmp_path / "audit", "--budget", "120")
    assert "The pool is a sample of 800 of 9,000 rows" in altmas_says("check", audit)
    altmas_says("label", audit, "--from", log.parent / "labels.csv")
    assert "The pool is a sample of 800 of 9,000 rows" in altmas_says("status", audit)
    assert json.loads(altmas_says("status", audit, "--json"))["drawn_from"] == 9_000
    found = {one["metric"]: one for one in json.loads(altmas_says("estimate", audit, "--json"))["estimates"]}
    assert found["accuracy"]["low"] < WHOLE.right.mean() < found["accuracy"]["high"]
    assert found["precision:emu"]["low"] < WHOLE.right[WHOLE.said == 2].mean() < found["precision:emu"]["high"]
    assert "9,000 items" in altmas_says("report", audit, "-o", tmp_path / "r.md") + (tmp_path / "r.md").read_text()
    assert "The numbers are about all 9,000 rows, of which the pool has 800" in (tmp_path / "r.md").read_text()
    altmas_says("report", audit, "-o", tmp_path / "de.md", "--lang", "de")
    assert "Die Zahlen gelten für alle 9.000 Zeilen" in (tmp_path / "de.md").read_text()
    altmas_says("report", audit, "-o", tmp_path / "r.json")
    drawn = json.loads((tmp_path / "r.json").read_text())["pool"]["drawn_from"]
    assert (drawn["rows"], drawn["seed"]) == (9_000, 5)
    assert [one["rows"] for one in drawn["predicted"]] == np.bincount(WHOLE.said).tolist()
    altmas_says("worst", audit, "--by", "class")
    altmas_says("compare", audit, "--group", "side", "--a", "left", "--b", "right")
    assert "9,000 rows" in altmas_says("gate", audit, "--require", "accuracy >= 0.5", code=2)
    assert "9,000 rows" in altmas_says("estimate", audit, "--anytime", code=2)
    assert "every question was drawn again" in altmas_says("log", audit, "--verify")
    with altmas.Audit.open(audit) as held:
        phase = held.pool.first_phase
        assert (phase.whole, len(phase.stratum), phase.seed) == (9_000, 800, 5)


def test_a_changed_stratum_is_found(log, tmp_path):
    audit = made(log, tmp_path / "audit")
    path = audit / "pool" / "stratum-rows.npy"
    path.chmod(0o600)
    rows = np.load(path)
    rows[0] += 1
    np.save(path, rows)
    assert "stratum-rows.npy was changed" in altmas_says("check", audit, code=3)


def test_assess_takes_a_pattern(log):
    labels = dict(pd.read_csv(log.parent / "labels.csv").values)
    found = altmas.assess(f"{log}/*.parquet", oracle=labels, sample=800, budget=100, metrics="accuracy", progress=False)
    assert "on these 9,000 items" in found.verdict
    with pytest.raises(altmas.metrics.errors.InputError, match="scheduler must come with sample"):
        altmas.assess(f"{log}/part-0.parquet", oracle=labels, scheduler="tcp://127.0.0.1:9")


def test_two_workers_draw_what_one_machine_draws(log, tmp_path):
    alone = made(log, tmp_path / "alone")
    with two_workers(tmp_path) as (address, _, env):
        command = ["init", tmp_path / "together", "--predictions", f"{log}/*.parquet", "--sample", "800", "--seed", "5"]
        more = ["--group", "side", "--metrics", "accuracy,precision:emu,ece", "--scheduler", address]
        subprocess.run([sys.executable, "-m", "altmas", *command, *more], env=env, check=True, capture_output=True)
    for name in ("ids.json", "stratum.npy", "stratum-rows.npy", "model-0-scores.npy"):
        assert (alone / "pool" / name).read_bytes() == (tmp_path / "together" / "pool" / name).read_bytes()


@pytest.mark.slow
def test_a_lost_worker_costs_time_only(log, tmp_path):
    big = tmp_path / "big"
    big.mkdir()
    table = pd.concat([pd.read_parquet(one) for one in sorted(log.glob("*.parquet"))] * 40, ignore_index=True)
    for k in range(24):
        table.assign(id=np.arange(len(table)) + k * len(table)).to_parquet(big / f"{k:02d}.parquet")
    command = ["--predictions", str(big), "--sample", "4000", "--seed", "5"]
    with two_workers(tmp_path) as (address, workers, env):
        run = subprocess.Popen(
            [sys.executable, "-m", "altmas", "init", str(tmp_path / "together"), *command, "--scheduler", address],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        time.sleep(4)
        workers[0].kill()
        out, _ = run.communicate(timeout=300)
        assert run.returncode == 0, out.decode()
    altmas_says("init", tmp_path / "alone", *command)
    for name in ("ids.json", "stratum.npy", "stratum-rows.npy"):
        assert (tmp_path / "alone/pool" / name).read_bytes() == (tmp_path / "together/pool" / name).read_bytes()
