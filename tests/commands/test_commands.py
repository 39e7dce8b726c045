"""Every command as people use it: what it prints and where, its exit code, its refusals, and that nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from altmas.audits import witness
from worlds.audits import meddle, rows
from worlds.commands import (
    CLASSES,
    altmas,
    fill,
    head,
    init,
    mode,
    program,
    refused,
    told,
    truth_of,
    write,
)

# The program


def test_exit_codes_and_streams(labelled, tmp_path):
    done = program("--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "..." not in done.stdout.split("Commands:")[1]
    done = program(cwd=tmp_path)
    assert done.returncode == 2
    assert (done.stdout + done.stderr).startswith("Usage: altmas")
    done = program("status", labelled, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("40 of 60 answered")
    done = program("status", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "Error: audit must be a folder made by `altmas init` or Audit.create; got no audit.db in nowhere.\n"
    )
    done = program("estimate", labelled, "--level", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_reader_that_stops_reading_is_no_failure_to_tell_of(labelled):
    command = f"{sys.executable} -m altmas log {labelled} --json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.parametrize("command", ["init", "label", "estimate", "report"])
def test_help_loads_nothing_heavy(command):
    heavy = ("pandas", "pyarrow", "scipy", "sklearn", "tensorflow", "matplotlib", "starlette", "uvicorn")
    code = f"""
import sys
sys.argv = ["altmas", "{command}", "--help"]
from altmas.cli import main
try: main()
finally: print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_completion_completes(tmp_path):
    for shell, sign in {"bash": "complete ", "zsh": "compdef ", "fish": "complete --no-files"}.items():
        assert sign in told("completion", shell)
    assert "'tcsh'" in refused("completion", "tcsh")
    (tmp_path / "altmas").write_text(f'#!/bin/sh\nexec {sys.executable} -m altmas "$@"\n')
    (tmp_path / "altmas").chmod(0o700)
    (tmp_path / "completion").write_text(told("completion", "bash"))
    for words, expected in {"es": "estimate", "estimate --anyt": "--anytime", "completion f": "fish"}.items():
        script = f"""
            source completion; complete -p altmas >/dev/null || exit 1
            COMP_WORDS=(altmas {words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
            _altmas_completion altmas; printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PATH": path}
        )
        assert (done.stdout, done.stderr) == (f"{expected}\n", "")


# Setting up


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_every_kind_of_file_makes_the_same_audit(files, tmp_path, kind):
    init(files, tmp_path / "csv")
    told("init", tmp_path / kind, "--predictions", files / f"ours.{kind}", "--initial", 20)
    one, other = (altmas("check", tmp_path / name, "--json").json for name in ("csv", kind))
    own = {"audit": "", "commitment": ""}
    assert {**one, **own} == {**other, **own}


def test_an_audit_is_private(labelled):
    assert mode(labelled) == 0o700
    inside = [path for path in labelled.rglob("*") if path.is_file()]
    assert {path.name for path in inside} >= {"audit.db", "ids.json", "0000.npz"}
    assert {mode(path) for path in inside} == {0o600}


def test_images_belong_to_items_and_are_missed(files, tmp_path):
    (tmp_path / "images").mkdir()
    for name in truth_of(files):
        Image.fromarray(np.zeros((4, 4, 3), dtype=np.uint8)).save(tmp_path / "images" / f"{name}.png")
    audit = init(files, tmp_path / "a", "--items", tmp_path / "images")
    assert "image" in told("check", audit)
    question = altmas("next", audit, "-n", 1, "--json").json["questions"][0]
    assert question["file"] == str(tmp_path / "images" / f"{question['id']}.png")
    Path(question["file"]).unlink()
    done = altmas("check", audit)
    assert done.code == 3
    assert question["id"] in done.err
    assert "120 of 120 are known" in done.out  # the rest of it is told all the same
    assert altmas("log", audit, "--verify").code == 3


def test_images_that_were_changed_are_named(files, tmp_path):
    (tmp_path / "images").mkdir()
    for name in truth_of(files):
        (tmp_path / "images" / f"{name}.png").write_bytes(f"\x89PNG\r\n\x1a\n{name}".encode("latin-1"))
    audit = init(files, tmp_path / "a", "--items", tmp_path / "images")
    assert "Images: 120 of 120 are known" in told("log", audit, "--verify")
    (tmp_path / "images" / "007.png").write_bytes(b"\x89PNG\r\n\x1a\n008")
    for command in (["check"], ["log", "--verify"]):
        done = altmas(command[0], audit, *command[1:])
        assert done.code == 3
        assert "images were changed after the audit was made, those of 1 item, such as '007'" in done.err


def test_names_cannot_command_the_terminal(tmp_path):
    table = pd.DataFrame({"id": [f"i\x1b[2J{k}" for k in range(30)], "prediction": ["a\x1b[5mb", "[bold]c"] * 15})
    table["text"], table["region"] = "\x1b]0;owned\x07", ["n\x1b[1m", "s"] * 15
    table.to_json(tmp_path / "ours.jsonl", orient="records", lines=True)
    audit = tmp_path / "a"
    shown = told("init", audit, "--predictions", tmp_path / "ours.jsonl", "--group", "region", "--initial", 20)
    shown += told("check", audit) + told("next", audit)
    write(table[["id", "prediction"]].rename(columns={"prediction": "label"}), tmp_path / "truth.jsonl")
    shown += told("label", audit, "--from", tmp_path / "truth.jsonl", "-n", 25)
    for command in (["worst"], ["worst", "--by", "region"], ["undo"], ["redo"], ["status"], ["estimate"], ["log"]):
        shown += told(command[0], audit, *command[1:])
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]c" in shown


# Looking


def test_words_for_people(labelled):
    shown = told("estimate", labelled, "--metrics", "accuracy,recall:cat")
    assert "40 labels, level 0.95" in shown
    assert "recall:cat" in shown
    assert "The intervals promise: approximate 95% coverage" in shown
    assert "P(worst)" in told("worst", labelled)
    assert "P(among 2 worst)" in told("worst", labelled, "-m", 2)
    lines = told("compare", labelled, "--group", "region", "--a", "north", "--b", "south").splitlines()
    assert sum(not line.startswith("Warning: ") for line in lines) == 4  # warnings depend on what was drawn


def test_looking_changes_nothing(labelled):
    told("estimate", labelled)  # the first look at these answers is an event
    before = head(labelled)
    for command in ("status", "check", "estimate", "worst", "log", "refit"):
        told(command, labelled)
    assert head(labelled) == before


def test_tables_and_reports_are_written(labelled, tmp_path):
    told("estimate", labelled, "--to", tmp_path / "table.csv")
    table = pd.read_csv(tmp_path / "table.csv")
    assert table["metric"].tolist() == ["accuracy", "macro_precision", "macro_recall"]
    for name in ("report.html", "report.md", "report.json"):
        told("report", labelled, "-o", tmp_path / name, "--compare", "region:north:south")
        assert "Animals" in (tmp_path / name).read_text()
        assert "=1+1" not in (tmp_path / name).read_text()  # no item's content
        assert mode(tmp_path / name) == 0o600


def test_a_report_in_german(labelled, tmp_path):
    told("report", labelled, "-o", tmp_path / "bericht.md", "--lang", "de")
    assert "95-%-Intervall" in (tmp_path / "bericht.md").read_text("utf-8")


def test_export(labelled, tmp_path):
    told("export", labelled, tmp_path / "out")
    names = {"estimates.csv", "estimates.json", "labels.csv", "events.jsonl", "report.html"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    assert {mode(path) for path in (tmp_path / "out").iterdir()} == {0o600}
    labels = pd.read_csv(tmp_path / "out" / "labels.csv", dtype={"id": str})
    assert list(labels) == ["id", "label", "answer", "annotators", "round", "propensity", "inclusion"]
    assert len(labels) == 40
    assert set(labels["label"]) <= set(CLASSES)


# The record


def test_undo_takes_answers_back_and_redo_gives_them_again(audit):
    before = altmas("status", audit, "--json").json
    assert told("undo", audit, "-n", 3).count("Undone: ") == 3
    now = altmas("status", audit, "--json").json
    assert (now["answered"], now["open"]) == (before["answered"] - 3, before["open"] + 3)
    assert told("redo", audit, "-n", 2).count("Given again: ") == 2
    assert altmas("status", audit, "--json").json["answered"] == before["answered"] - 1
    assert "Nothing to undo" in told("undo", audit, "-n", 99)
    assert altmas("status", audit, "--json").json["answered"] == 0
    assert len([e for e in altmas("log", audit, "--json").json["events"] if e["kind"] == "answered"]) == 40
    assert "Nothing to undo for jo" in told("undo", audit, "--annotator", "jo")


def test_a_head_that_was_noted_must_be_in_the_chain(audit):
    noted = altmas("status", audit, "--json").json["head"]
    told("undo", audit)
    assert "head " in told("log", audit, "--verify", "--head", noted)
    assert told("log", audit, "--head", noted[:16]).startswith("4")
    meddle(audit, ("DELETE FROM events WHERE seq >= (SELECT seq FROM events WHERE hash = ?)", noted))
    assert "2 acknowledged events are lost" in altmas("log", audit, "--verify").err
    witness.rewrite(audit, *(rows(audit)[-1][k] for k in (0, -1)))  # by somebody who knows what they do
    assert altmas("log", audit, "--verify").code == 0  # the rest is a whole chain
    done = altmas("log", audit, "--verify", "--head", noted)
    assert done.code == 3
    assert noted in done.err


def test_a_refit_is_made_when_it_is_due(files, tmp_path):
    audit = init(files, tmp_path / "a")
    assert "no refit is due" in told("refit", audit)
    told("label", audit, "--from", files / "truth.csv", "-n", 20)
    assert told("refit", audit) == "The ranking knows 20 labels.\n"
    assert "no refit is due" in told("refit", audit)


# What people lose or believe by mistake


def test_a_file_that_somebody_labelled_in_is_not_written_over(files, audit, tmp_path):
    todo = tmp_path / "todo.csv"
    told("next", audit, "-n", 3, "--to", todo)
    told("next", audit, "-n", 4, "--to", todo)  # nothing in it yet
    fill(todo, truth_of(files))
    before = todo.read_bytes()
    assert "hold no answers yet" in refused("next", audit, "-n", 3, "--to", todo)
    assert todo.read_bytes() == before


def test_an_export_is_not_written_over_by_another(audit, tmp_path):
    told("export", audit, tmp_path / "out")
    assert "is not empty" in refused("export", audit, tmp_path / "out")
    told("export", audit, tmp_path / "out", "--replace")


def test_doubtful_classes_are_named(files, tmp_path):
    table = pd.read_csv(files / "ours.csv", dtype=str)
    table["said"] = ["Cat" if i == 0 and one == "cat" else one for i, one in enumerate(table["prediction"])]
    table.loc[0, "said"] = "CAT"
    table[["id", "said"]].to_csv(tmp_path / "odd.csv", index=False)
    out = told("init", tmp_path / "odd", "--predictions", tmp_path / "odd.csv", "--prediction", "said")
    assert "'CAT' is read as the class 'cat'" in out
    table["said"] = [f"0.{i}" for i in range(len(table))]
    table[["id", "said"]].to_csv(tmp_path / "many.csv", index=False)
    out = told("init", tmp_path / "many", "--predictions", tmp_path / "many.csv", "--prediction", "said")
    assert "120 classes for 120 items: is it the right column?" in out
    assert told("check", tmp_path / "many").count("doubtful: 120 classes") == 1


def test_questions_that_make_no_sense_are_refused(audit):
    assert "by predicted class" in refused("worst", audit, "--metric", "recall:cat")
    assert "rope must be a number between 0 and 1" in refused(
        "compare", audit, "--group", "region", "--a", "north", "--b", "south", "--rope", 5
    )
