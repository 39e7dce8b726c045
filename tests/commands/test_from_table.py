"""`altmas label --from`: the audit asks, a table of labels answers, and only what was asked is looked up."""

import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import altmas as package
from worlds.commands import CLASSES, SIZE, altmas, head, init, told, truth_of, write

# As a shell starts it: a test run in the background would hand an ignored Ctrl-C down.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from altmas.cli import main; main()"
)


def status(audit):
    return altmas("status", audit, "--json").json


def exported(audit, folder):
    told("export", audit, folder)
    return pd.read_csv(folder / "labels.csv", dtype={"id": str, "label": str}, keep_default_na=False)


def test_the_table_answers_up_to_the_budget_and_says_how_far_it_is(files, tmp_path, monkeypatch):
    monkeypatch.delenv("ALTMAS_PROGRESS")
    audit = init(files, tmp_path / "a", "--budget", 35, "--method", "random")
    done = altmas("label", audit, "--from", files / "truth.csv")
    assert (done.code, done.out) == (0, f"35 labels taken from {files / 'truth.csv'}.\n")
    assert "35 of 35" in done.err
    now = status(audit)
    assert (now["answered"], now["open"], now["annotators"]) == (35, 0, {"table": 35})
    table = exported(audit, tmp_path / "out")
    now = status(audit)  # exporting is a look at the estimates, which the log has
    truth = truth_of(files)
    assert [truth[one] for one in table["id"]] == table["label"].tolist()
    assert altmas("label", audit, "--from", files / "truth.csv").out.startswith("Nothing to ask")
    assert status(audit) == now


def test_more_may_be_asked_than_the_budget_and_by_any_name(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "random")
    assert altmas("label", audit, "--from", files / "truth.csv").out.startswith("Nothing to ask")
    told("label", audit, "--from", files / "truth.csv", "-n", 12, "--annotator", "registry")
    told("label", audit, "--from", files / "truth.csv", "-n", 999, "--annotator", "registry")
    assert status(audit)["annotators"] == {"registry": SIZE}


def test_items_that_the_table_lacks_are_skipped(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "random")
    half = pd.read_csv(files / "truth.csv", dtype=str).iloc[: SIZE // 2]
    write(half, tmp_path / "half.csv")
    told("label", audit, "--from", tmp_path / "half.csv", "-n", SIZE)
    now = status(audit)
    assert (now["answered"], now["labels"], now["skipped"]) == (SIZE, SIZE // 2, SIZE // 2)
    warnings = altmas("estimate", audit, "--json").json["warnings"]
    assert any(f"{SIZE // 2} of {SIZE} questions have no label" in one for one in warnings)


def test_a_table_of_more_than_the_pool_will_do(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "random")
    truth = pd.read_csv(files / "truth.csv", dtype=str)
    more = pd.DataFrame({"id": ["elsewhere", "abroad"], "label": ["cat", "dog"]})
    write(pd.concat([more, truth]), tmp_path / "more.csv")
    told("label", audit, "--from", tmp_path / "more.csv", "-n", 10)
    assert status(audit)["answered"] == 10


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"label": ["emu", "cat"], "id": ["000", "001"]}, ["row 2", "'emu'"]),
        ({"label": ["cat", "dog"], "id": ["000", "000"]}, ["row 2", "row 3", "'000'"]),
        ({"label": ["cat", "dog"], "item": ["000", "001"]}, ["'id'"]),
        ({"truth": ["cat", "dog"], "id": ["000", "001"]}, ["'label'"]),
    ],
)
def test_a_wrong_table_is_refused_before_anything_is_asked(files, tmp_path, change, why):
    audit = init(files, tmp_path / "a")
    before = head(audit)
    write(pd.DataFrame(change), tmp_path / "wrong.csv")
    done = altmas("label", audit, "--from", tmp_path / "wrong.csv", "-n", 5)
    assert (done.code, done.out) == (2, "")
    assert all(part in done.err for part in why), done.err
    assert head(audit) == before


def test_the_same_seed_and_table_give_the_same_labels(files, tmp_path):
    for name, seed in (("first", 3), ("second", 3), ("other", 4)):
        audit = init(files, tmp_path / name, "--seed", seed)
        told("label", audit, "--from", files / "truth.csv", "-n", 40)
        exported(audit, tmp_path / f"{name}-out")
    first, second, other = ((tmp_path / f"{n}-out/labels.csv").read_bytes() for n in ("first", "second", "other"))
    assert first == second
    assert first != other


def test_exported_labels_are_a_log_that_estimates_can_be_made_of(files, tmp_path):
    audit = init(files, tmp_path / "a")
    half = pd.read_csv(files / "truth.csv", dtype=str)[::2]
    write(half, tmp_path / "half.csv")
    told("label", audit, "--from", tmp_path / "half.csv", "-n", 60)
    table = exported(audit, tmp_path / "out")
    assert set(table["answer"]) == {"label", "skip"}
    assert table["inclusion"].between(0, 1, inclusive="right").all()
    ours = pd.read_csv(files / "ours.csv", dtype={"id": str})
    scores = ours[[f"p_{one}" for one in CLASSES]].to_numpy()
    pool = package.Pool.build(ours["prediction"].tolist(), ids=ours["id"].tolist(), scores=scores, classes=CLASSES)
    found = package.estimate_from_log(pool, table, ["accuracy", "f1:cat"])
    assert set(found["missing"]) == {int((table["answer"] == "skip").sum())}
    truth = truth_of(files)
    right = np.mean([truth[one] == said for one, said in zip(ours["id"], ours["prediction"], strict=True)])
    assert found["metric"].tolist() == ["accuracy", "f1:cat"]
    assert (found["low"] <= found["estimate"]).all()
    assert (found["estimate"] <= found["high"]).all()
    assert found["low"][0] <= right <= found["high"][0]


def test_ctrl_c_leaves_a_whole_audit(tmp_path, monkeypatch):
    monkeypatch.delenv("ALTMAS_PROGRESS")
    size = 20_000
    ids = [f"n{k}" for k in range(size)]
    pd.DataFrame({"id": ids, "prediction": ["cat", "dog"] * (size // 2)}).to_csv(tmp_path / "ours.csv", index=False)
    pd.DataFrame({"id": ids, "label": ["cat"] * size}).to_csv(tmp_path / "truth.csv", index=False)
    audit = init(tmp_path, tmp_path / "a", "--method", "random", "--metrics", "accuracy", "--batch", 5000)
    command = ["label", str(audit), "--from", "truth.csv", "-n", str(size)]
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    first = run.stderr.readline()
    assert re.search(r"\d+ of 20000 questions", first), first
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert out == ""
    assert err.endswith("Interrupted; every answer is kept.\n")
    assert "Traceback" not in err
    told("log", audit, "--verify")
    now = status(audit)
    assert 0 < now["answered"] < size
    assert now["answered"] + now["open"] == now["asked"]
    told("label", audit, "--from", tmp_path / "truth.csv", "-n", 10)
    assert status(audit)["answered"] == now["answered"] + 10
