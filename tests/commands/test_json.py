"""What `--json` prints is what docs/command-line.md says, field by field: the page's own blocks are the schemas."""

import json
import re
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from altmas.cli import commands
from worlds.commands import SECRETS, altmas, fill, init, told, truth_of, write
from worlds.places import DOCS

PAGE = DOCS / "command-line.md"
KINDS = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "name": lambda value: isinstance(value, str | int | float),
    "list": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
    "any": lambda value: True,
}


def faults(schema, value, where=""):
    """Where a value is not as its schema says."""
    if isinstance(schema, str):
        if schema.startswith("altmas-"):
            return [] if value == schema else [f"{where}: {value!r} is not {schema!r}"]
        return [] if any(KINDS[one](value) for one in schema.split(" or ")) else [f"{where}: {value!r} is no {schema}"]
    if not isinstance(value, type(schema)):
        return [f"{where}: {value!r} is no {type(schema).__name__}"]
    if isinstance(schema, list):
        return [fault for k, one in enumerate(value) for fault in faults(schema[0], one, f"{where}[{k}]")]
    known = {name.removesuffix("?"): one for name, one in schema.items() if name != "*"}
    lacking = [name for name in schema if name != "*" and not name.endswith("?") and name not in value]
    out = [f"{where}.{name} is missing" for name in lacking]
    for name, one in value.items():
        if name not in known and "*" not in schema:
            out.append(f"{where}.{name} is not in the schema")
        else:
            out += faults(known.get(name, schema.get("*")), one, f"{where}.{name}")
    return out


def schemas():
    blocks = re.findall(r"^```json\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = [json.loads(block) for block in blocks]
    return {one["schema"].removeprefix("altmas-").partition("/")[0]: one for one in found}


SCHEMAS = schemas()


def checked(command, *arguments):
    """Run a command with --json; its output, if it is as the page says."""
    done = altmas(command, *arguments, "--json")
    found = done.json  # refuses NaN and infinity
    assert not faults(SCHEMAS[command], found)
    assert done.out.count("\n{") == 0  # one object
    return found


@pytest.fixture(scope="module")
def audit(files):
    """Two vendors, a group, 40 answers of which four are no label."""
    folder = files / "audit"
    told("init", folder, "--predictions", f"ours={files / 'ours.parquet'}", "--predictions", files / "theirs.csv",
         "--group", "region", "--initial", 20, "--budget", 40)  # fmt: skip
    told("label", folder, "--from", files / "truth.csv", "-n", 30)
    told("next", folder, "-n", 10, "--to", files / "todo.csv")
    table = fill(files / "todo.csv", truth_of(files))
    table.loc[:3, "label"] = ["unsure", "unsure", "skip", ""]
    write(table, files / "todo.csv")
    told("import", folder, files / "todo.csv", "--annotator", "mk")
    return folder


def test_the_validator_sees_what_is_wrong():
    schema = {"schema": "altmas-x/1", "a": "integer", "b?": ["number or null"], "c": {"*": "string"}}
    good = {"schema": "altmas-x/1", "a": 1, "b": [0.5, None], "c": {"d": "e"}}
    assert faults(schema, good) == []
    assert faults(schema, {name: one for name, one in good.items() if name != "b"}) == []
    for change in (
        {"a": True},
        {"a": 1.5},
        {"b": ["x"]},
        {"b": 3},
        {"c": {"d": 1}},
        {"e": 1},
        {"schema": "altmas-y/1"},
    ):
        assert faults(schema, {**good, **change}), change
    assert faults(schema, {"schema": "altmas-x/1", "c": {}})


def test_every_command_that_has_json_has_a_schema():
    context = click.Context(commands)
    known = {name: commands.get_command(context, name) for name in commands.list_commands(context)}
    having = {name for name, one in known.items() if any("--json" in p.opts for p in one.params)}
    assert having == set(SCHEMAS)


def test_init_and_check(files, tmp_path):
    np.save(tmp_path / "emb.npy", np.random.default_rng(0).normal(size=(120, 4)))
    made = checked(
        "init", tmp_path / "a", "--predictions", files / "ours.csv", "--opinions", files / "theirs.csv", "--features",
        tmp_path / "emb.npy", "--group", "region", "--classes", "cat,cow,dog,emu", "--option", "worth=uniform",
    )  # fmt: skip
    assert made["features"] == [4]
    assert made["opinions"] == ["theirs"]
    assert made["groups"] == {"region": 2}
    assert made["models"][0]["predicted"]["emu"] == 0
    assert made["options"] == {"worth": "uniform"}
    looked = checked("check", tmp_path / "a")
    assert (looked["ok"], looked["problems"]) == (True, [])
    same = set(made) - {"schema", "notes"}
    assert {name: looked[name] for name in same} == {name: made[name] for name in same}
    (tmp_path / "a" / "pool" / "ids.json").unlink()
    looked = checked("check", tmp_path / "a")
    assert not looked["ok"]
    assert "ids.json" in looked["problems"][0]


def test_next_shows_nothing_that_a_model_said(audit):
    found = checked("next", audit, "-n", 12)
    assert len(found["questions"]) == 12
    for one in found["questions"]:
        assert set(one) == {"id", "text", "label"}
        assert not set(one) & set(SECRETS)


def test_set(files, tmp_path):
    audit = init(files, tmp_path / "a", "--group", "region", "--budget", 30)
    found = checked("set", audit, "--budget", 40, "--show", "text,region", "--no-reveal", "--target", "accuracy >= 80%")
    changed = {"budget": 40, "show": ["text", "region"], "reveal": False, "targets": ["accuracy >= 0.8"]}
    assert (found["event"], found["changed"], found["notes"]) == (2, changed, [])
    assert checked("set", audit, "--budget", 40)["event"] is None
    looked = checked("check", audit)
    assert {name: looked[name] for name in ("budget", "reveal", "targets")} == {
        "budget": 40, "reveal": False, "targets": ["accuracy >= 0.8"],
    }  # fmt: skip
    assert (looked["annotators_see"], looked["withheld"]) == (["text", "region"], [])


def test_import(audit, files):
    found = checked("import", audit, files / "todo.csv", "--annotator", "mk")
    assert (found["new"], found["known"], found["empty"]) == (0, 9, 1)
    (files / "wrong.csv").write_text("id,label\nnowhere,cat\n")
    found = checked("import", audit, files / "wrong.csv", "--partial")
    assert (found["new"], len(found["refused"])) == (0, 1)


def test_status(audit):
    found = checked("status", audit)
    assert found["annotators"] == {"table": 30, "mk": 9}
    assert (found["answered"], found["labels"], found["unsure"], found["skipped"]) == (39, 36, 2, 1)
    assert found["open"] == found["asked"] - 39
    assert re.fullmatch(r"[0-9a-f]{64}", found["head"])
    assert found["unseen"] == []


def test_a_class_that_was_never_the_answer(files, tmp_path):
    audit = init(files, tmp_path / "a", "--classes", "cat,cow,dog,emu")
    told("label", audit, "--from", files / "truth.csv", "-n", 25)
    assert checked("status", audit)["unseen"] == ["emu"]
    found = checked("estimate", audit, "--metrics", "macro_recall,macro_recall_occurring")
    assert [(one["class"], one["labels"] > 0) for one in found["classes_seen"]] == [
        ("cat", True), ("cow", True), ("dog", True), ("emu", False),
    ]  # fmt: skip
    sentence = "Class 'emu' was never the answer in 25 labels: it may not occur in the pool."
    assert any(one.startswith(sentence) for one in found["warnings"])
    for command in ("status", "estimate"):
        assert sentence in " ".join(told(command, audit).split())


def test_estimate(audit):
    found = checked("estimate", audit, "--metrics", "accuracy,f1:cat,ece", "--level", "0.9")
    assert [(one["model"], one["metric"]) for one in found["estimates"][:2]] == [
        ("ours", "accuracy"),
        ("ours", "f1:cat"),
    ]
    assert {one["metric"] for one in found["estimates"]} == {"accuracy", "f1:cat", "ece"}
    assert found["level"] == 0.9
    assert found["missing"]["unsure"] == 2
    for one in found["estimates"]:
        assert one["low"] <= one["estimate"] <= one["high"]
        if one["worst_case"] is not None:
            assert one["worst_case"] <= one["best_case"]
    assert any(one["worst_case"] is not None for one in found["estimates"])
    only = checked("estimate", audit, "--metrics", "ece")
    assert {one["metric"] for one in only["estimates"]} == {"ece"}
    assert "all looks together" in checked("estimate", audit, "--anytime")["estimates"][0]["promise"]


def test_estimate_of_a_method_without_a_surrogate(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "random")
    told("label", audit, "--from", files / "truth.csv", "-n", 25)
    assert "plug_in" not in checked("estimate", audit)["estimates"][0]
    checked("worst", audit)


def test_worst(audit):
    for by, metric, m, model in (
        ("class", "accuracy", 2, "theirs"),
        ("region", "error_rate", 1, "ours"),
        ("score", "accuracy", 1, "ours"),
    ):
        whole = checked("worst", audit, "--by", by, "--metric", metric, "-m", m, "--model", model)
        (found,) = whole["models"]
        assert sum(one["p"] for one in found["groups"]) == pytest.approx(m)
        assert [one["p"] for one in found["groups"]] == sorted((one["p"] for one in found["groups"]), reverse=True)
        assert sum(one["size"] for one in found["groups"]) == 120
        assert (found["model"], whole["m"]) == (model, m)


def test_worst_of_every_model(audit):
    assert [one["model"] for one in checked("worst", audit)["models"]] == ["ours", "theirs"]


def test_compare(audit):
    whole = checked("compare", audit, "--group", "region", "--a", "north", "--b", "south", "--rope", "0.1")
    assert [one["model"] for one in whole["models"]] == ["ours", "theirs"]
    for found in whole["models"]:
        assert found["p_lower"] + found["p_equal"] + found["p_higher"] == pytest.approx(1)
        assert found["low"] <= found["estimate"] <= found["high"]
        assert (found["a"], found["b"], whole["rope"]) == ("north", "south", 0.1)


def test_surface(audit):
    found = checked("surface", audit, "--by", "region,class", "--estimator", "beta-i", "-m", 4, "--model", "theirs")
    assert (found["by"], found["model"], len(found["arms"])) == (["region", "class"], "theirs", 4)
    assert found["combinations"] == {"possible": 6, "with_items": 6, "judged": 6, "labelled": 6}
    assert sum(one["support"] for one in found["attributes"]["region"]) == 120
    assert sum(one["labels"] for one in found["attributes"]["class"]) == 36


def test_vendors(audit):
    found = checked("vendors", audit)
    assert {one["model"] for one in found["best"]} == {"ours", "theirs"}
    assert {(one["first"], one["second"]) for one in found["differences"]} == {("ours", "theirs")}
    accuracy = [one for one in found["best"] if one["metric"] == "accuracy"]
    assert sum(one["p_best"] for one in accuracy) == pytest.approx(1)
    assert [one["metric"] for one in found["contests"]] == ["accuracy", "macro_precision", "macro_recall"]
    lead = found["contests"][0]
    assert (lead["leader"], lead["p_best"]) == (accuracy[0]["model"], accuracy[0]["p_best"])
    assert 0 <= lead["expected_loss"] <= lead["loss_bound"]
    for one in accuracy:
        assert one["behind_low"] <= one["behind"] <= one["behind_high"]


def test_log_and_its_file(audit, tmp_path):
    found = checked("log", audit)
    assert [one["seq"] for one in found["events"]] == list(range(1, len(found["events"]) + 1))
    assert "ok" not in found
    verified = checked("log", audit, "--verify", "--to", tmp_path / "events.jsonl")
    assert verified["ok"]
    assert verified["head"] == verified["events"][-1]["hash"]
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == verified["events"]


@pytest.mark.parametrize(("kind", "one"), [("csv", str), ("parquet", int)])
def test_ids_and_classes_are_of_the_types_the_file_has(tmp_path, kind, one):
    """A CSV has text only, so that 007 stays 007."""
    table = pd.DataFrame({"id": range(60), "prediction": [k % 3 for k in range(60)]})
    write(table, tmp_path / f"ours.{kind}")
    write(table.rename(columns={"prediction": "label"}), tmp_path / "truth.csv")
    audit = tmp_path / "a"
    told("init", audit, "--predictions", tmp_path / f"ours.{kind}", "--initial", 20)
    assert {type(query["id"]) for query in checked("next", audit)["questions"]} == {one}
    told("label", audit, "--from", tmp_path / "truth.csv", "-n", 25)
    checked("estimate", audit)  # every prediction was right: intervals of no width, no NaN
    assert {row["group"] for row in checked("worst", audit)["models"][0]["groups"]} == {one(0), one(1), one(2)}
    assert checked("compare", audit, "--group", "class", "--a", "0", "--b", "2")["models"][0]["a"] == one(0)


@pytest.mark.slow
def test_demo(tmp_path):
    found = checked("demo", "--budget", "60", "--out", tmp_path / "out", "--no-compare")
    assert found["methods"] is None
    assert Path(found["report"]).is_file()


def test_bench(tmp_path):
    sweep = tmp_path / "sweep.toml"
    pools = '[{name = "made", kind = "generated"}, {name = "two", kind = "generated", items = 30}]'
    sweep.write_text(f'pools = {pools}\nmetrics = ["accuracy"]\nmethods = ["random", "lure"]\nbudgets = [30]\n')
    found = checked("bench", sweep, "--jobs", 1)
    assert (found["cells"], found["skipped"], found["failed"]) == (4, 0, [])
    rows = Path(found["rows"])
    rows.write_bytes(b"".join(rows.read_bytes().splitlines(keepends=True)[:1]))
    again = checked("bench", sweep, "--jobs", 1, "--resume")
    assert again["skipped"] == 1


@pytest.fixture(scope="module")
def months(tmp_path_factory):
    """Two audits of one model, half of whose items are the same."""
    home = tmp_path_factory.mktemp("months")
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 300)
    score = 1 / (1 + np.exp(-(rng.normal(size=300) + 2 * label - 1)))
    ids = [f"i{n}" for n in range(300)]
    table = pd.DataFrame({"id": ids, "prediction": (score >= 0.5).astype(int), "score": score})
    write(table.assign(label=label)[["id", "label"]], home / "truth.csv")
    for name, part in (("march", table[:200]), ("april", table[100:])):
        scores = part.assign(p_0=1 - part["score"], p_1=part["score"]).drop(columns="score")
        write(scores, home / f"{name}.csv")
        told("init", home / name, "--predictions", home / f"{name}.csv", "--scores", "p_*", "--metrics",
             "accuracy,auroc", "--initial", 20)  # fmt: skip
    told("label", home / "march", "--from", home / "truth.csv", "-n", 60)
    return home


def test_renew_compare_and_curves(months, tmp_path):
    march, april = months / "march", months / "april"
    renewed = checked("renew", april, "--from", march, "--keep-labels")
    assert renewed["kept"] + renewed["evidence"] == 60
    told("label", april, "--from", months / "truth.csv", "-n", 30)
    found = checked("compare-audits", march, april)
    assert [row["metric"] for row in found["metrics"]] == ["accuracy", "auroc"]
    assert found["pool"]["shared_ids"] == 100
    curve = checked("curve", march, "--points", 8, "--figure", tmp_path / "roc.png", "--kind", "pr", "--together")
    recalls = [row["recall"] for row in curve["points"]]
    assert recalls == sorted(recalls)
    assert (tmp_path / "roc.png").read_bytes()[:4] == b"\x89PNG"
    cost = checked("curve", march, "--false-positive", 1, "--false-negative", 3, "--figure", tmp_path / "cost.svg")
    assert cost["least"]["low"] <= cost["least"]["cost"] <= cost["least"]["high"]
    assert cost["points"][-1]["threshold"] is None
    for more in ((), ("--false-positive", 1, "--false-negative", 3)):
        assert "threshold" in told("curve", march, "--points", 6, *more)
    assert (cost["of"], cost["model"]) == ("1", "march")
    assert "finite" in altmas("curve", march, "--false-positive", "inf", "--false-negative", 1).err
    assert "must be named *.svg" in altmas("curve", march, "--figure", tmp_path / "roc.txt").err
    assert "be given together" in altmas("curve", march, "--false-positive", 1).err
    assert "taken as 1" in told("curve", march, "--points", 2)
    assert "drawn in this audit" in altmas("gate", april, "--require", "accuracy >= 0.5").err


def test_gate(audit, tmp_path):
    found = checked("gate", audit, "--require", "accuracy >= 0.01", "--model", "ours", "--junit", tmp_path / "g.xml")
    assert (found["outcome"], found["exit_code"]) == ("pass", 0)
    assert (tmp_path / "g.xml").read_text().startswith("<?xml")
    done = altmas("gate", audit, "--require", "accuracy@ours >= 0.999", "--require", "accuracy@theirs >= 0.01")
    assert done.code == (1 if "failed" in done.out else 3)
