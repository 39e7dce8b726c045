"""The tutorial does what it says: its commands run in order, its export is the one used, its figures are those printed.

The vendors' data is not part of altmas. Where `ALTMAS_DATA` names a folder that has it, every quoted line is compared
with what is printed; elsewhere the same commands run on a stand-in of the same form.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas.cli import commands
from worlds.pages import FENCE, missing_lines, of_that_form, steps
from worlds.places import DOCS

PAGE = DOCS / "tutorial.md"
DATA = Path(os.environ.get("ALTMAS_DATA", "")) / "vendor_ferplus.npz"
REAL = "ALTMAS_DATA" in os.environ and DATA.is_file()
NOT_HERE = "the page quotes data that is not here: set ALTMAS_DATA to its folder"


def walk_and_more():
    walk, mark, more = PAGE.read_text().partition("\n# Other ways\n")
    assert mark
    return steps(walk), steps(more)


def stand_in(path, size=1500):
    """Four services of 90 to 60% accuracy on seven classes, two of them rare."""
    rng = np.random.default_rng(0)
    labels = rng.choice(7, size, p=[0.09, 0.01, 0.03, 0.28, 0.11, 0.13, 0.35]).astype(np.int16)
    confidence = rng.uniform(0.3, 1, (4, size)).astype(np.float32)
    right = rng.random((4, size)) < confidence ** np.array([[0.3], [0.6], [0.7], [1.0]])
    predictions = np.where(right, labels, rng.integers(7, size=(4, size))).astype(np.int16)
    services = np.array(["Google", "FacePP", "Microsoft", "GitHub(CNN)"])
    np.savez(path, labels=labels, predictions=predictions, confidence=confidence, services=services)


def fill(name, wrong=0, unsure=()):
    """What a person does with a file of questions: the labels, but for some."""
    table = pd.read_csv(name, dtype=str)
    table["label"] = table["id"].map(pd.read_csv("labels.csv", dtype=str).set_index("id")["label"])
    other = {"happy": "neutral"}
    table.loc[: wrong - 1, "label"] = [other.get(one, "happy") for one in table["label"][:wrong]]
    table.loc[list(unsure), "label"] = "unsure"
    table.to_csv(name, index=False)


def label_in_label_studio():
    """Tasks as they come back from there: each with an annotation, the last one cancelled."""
    labels = pd.read_csv("labels.csv", dtype=str).set_index("id")["label"]
    tasks = json.loads(Path("tasks.json").read_text())
    for number, task in enumerate(tasks, 1):
        choice = {"choices": [labels[task["data"]["altmas_id"]]]}
        region = {"type": "choices", "from_name": "altmas_label", "to_name": "item", "value": choice}
        done = {"completed_by": {"id": 1, "email": "mk@here"}, "result": [region], "was_cancelled": False}
        task |= {"id": number, "annotations": [done | {"created_at": "2026-11-16T14:02:11Z"}]}
    tasks[-1]["annotations"][0] |= {"was_cancelled": True, "result": []}
    Path("export.json").write_text(json.dumps(tasks))


BETWEEN = {
    "altmas import fer/ todo.csv": lambda: fill("todo.csv", unsure=[3]),
    "altmas import team/ mk.csv": lambda: fill("mk.csv"),
    "altmas import team/ ab.csv": lambda: fill("ab.csv", wrong=2),
    "altmas import team/ again.csv": lambda: fill("again.csv"),
    "altmas import four/ export.json": label_in_label_studio,
}
"""What people do before a command, as the page tells."""


def serve(command):
    """The one command that waits for people: it must give a link, answer to it, and end well when told to."""
    run = [sys.executable, "-m", "altmas", *shlex.split(command)[1:]]
    with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served:
        try:
            link = served.stdout.readline().split()[-1]
            with urllib.request.urlopen(link, timeout=30) as answer:
                assert answer.status == 200
        finally:
            served.send_signal(signal.SIGINT)
        assert served.wait(timeout=30) == 0, served.stderr.read()
    return link


def run(command):
    for before, act in BETWEEN.items():
        if command.startswith(before):
            act()
    if command.startswith("altmas label") and "--from" not in command:
        return serve(command)
    done = CliRunner().invoke(commands, shlex.split(command)[1:], catch_exceptions=False)
    assert done.exit_code == 0, f"{command}\n{done.output}"
    return done.output


def test_quotations_are_held_to_the_letter():
    assert missing_lines("a 0.5\n…\nlast … 9", "a 0.5 \nb\nlast 14:02 9\n") == []
    assert missing_lines("a 0.5\nlast", "last\na 0.5") == ["last"]
    assert missing_lines("a 0.51", "a 0.5") == ["a 0.51"]


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Everything the page does, in a folder: each step with what its commands printed."""
    home, before = tmp_path_factory.mktemp("tutorial"), Path.cwd()
    if REAL:
        shutil.copy(DATA, home / "vendor_ferplus.npz")
    else:
        stand_in(home / "vendor_ferplus.npz")
    os.chdir(home)
    try:
        (export,) = [one[2] for one in FENCE.finditer(PAGE.read_text()) if one[1] == "py"]
        exec(export, {})  # the page's own lines
        walk, more = walk_and_more()
        printed = [(step, "".join(run(command) for command in step.commands)) for step in [*walk, *more]]
    finally:
        os.chdir(before)
    return home, printed


def test_the_walk_is_short_and_goes_from_init_to_report():
    walk, _ = walk_and_more()
    lines = [command for step in walk for command in step.commands]
    names = [line.split()[1] for line in lines]
    assert len(lines) < 15
    assert names[0] == "init"
    assert "report" in names


def test_every_command_of_the_page_runs(walked):
    home, printed = walked
    report = (home / "report.html").read_text()
    assert "Emotions in faces" in report
    assert "How sure are we?" in report
    assert {"report.html", "labels.csv", "events.jsonl", "estimates.csv"} <= {
        one.name for one in (home / "handover").iterdir()
    }
    assert len(printed) > 10
    assert all(output.strip() for _, output in printed)


def test_csv_begins_as_the_page_shows(walked):
    home, _ = walked
    (shown,) = [one[2] for one in FENCE.finditer(PAGE.read_text()) if one[1] == "csv"]
    printed = (home / "microsoft.csv").read_text()
    assert printed.splitlines()[0] == shown.splitlines()[0]
    if REAL:
        assert printed.startswith(shown)


@pytest.mark.skipif(not REAL, reason=NOT_HERE)
def test_quoted_output_is_what_is_printed(walked):
    _, printed = walked
    quoted = [(step, output) for step, output in printed if step.quoted]
    assert len(quoted) > 8
    wrong = {step.commands: missing_lines(step.quoted, output, of_that_form) for step, output in quoted}
    assert not any(wrong.values()), "\n".join(line for lines in wrong.values() for line in lines)


@pytest.mark.skipif(not REAL, reason=NOT_HERE)
def test_the_truth_is_as_the_page_has_it():
    from altmas.metrics import metrics_named, tally

    with np.load(DATA) as data:
        labels, predictions, services = (data[name] for name in ("labels", "predictions", "services"))
    rows = {"Google": "Google", "FacePP": "Face++", "Microsoft": "Microsoft", "GitHub(CNN)": "GitHub"}
    text = PAGE.read_text()
    for service, predicted in zip(services.tolist(), predictions, strict=True):
        confusion = tally(labels.astype(np.int64), predicted.astype(np.int64), 7)
        wanted = metrics_named(["accuracy", "macro_recall", "precision:4", "recall:2"], range(7))
        cells = re.search(rf"^\| {re.escape(rows[service])} \|(.*)\|$", text, flags=re.MULTILINE)[1].split("|")
        for one, cell in zip(wanted, cells, strict=True):
            assert not cell.strip() or cell.strip() == f"{float(one.value(confusion)):.3f}"
