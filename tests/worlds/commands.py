"""What the tests of the commands share: a vendor's files, the command line in this process and in one of its own."""

import contextlib
import io
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from altmas.cli import main

CLASSES = ("cat", "cow", "dog")
SIZE = 120
SECRETS = ("prediction", "confidence", "p_cat", "p_cow", "p_dog")
"""Columns of a model's outputs, which nobody who labels may see."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word):
    raise AssertionError(f"{word} is not JSON")


def altmas(*arguments):
    """Run the command line here, through the same door as the program."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        patch.object(sys, "argv", ["altmas", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def told(*arguments):
    """Run a command that must succeed; what it printed."""
    done = altmas(*arguments)
    assert done.code == 0, done.err
    return done.out


def refused(*arguments):
    """Run a command that must be refused; the one sentence it said."""
    done = altmas(*arguments)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("Error: ")
    assert done.err.endswith("\n")
    return done.err.removeprefix("Error: ").rstrip("\n")


def program(*arguments, cwd, **how):
    """Run the program itself."""
    command = [sys.executable, "-m", "altmas", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, **how)


def write_files(folder):
    """Two vendors' files on the same items, the items, and the labels, which only the tests know."""
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=SIZE)

    def vendor(accuracy):
        said = np.where(rng.random(SIZE) < accuracy, truth, rng.integers(3, size=SIZE))
        raw = rng.normal(size=(SIZE, 3))
        raw[np.arange(SIZE), said] += 4
        scores = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
        return scores.argmax(1), scores

    said, scores = vendor(0.85)
    other, other_scores = vendor(0.6)
    names = np.array(CLASSES)
    ids = [f"{i:03d}" for i in range(SIZE)]
    texts = ["=1+1", "-2", "@now", "a\x1b[2Jb", 'ü, "quoted"\nline', "plain"] * (SIZE // 6)
    ours = pd.DataFrame({"id": ids, "prediction": names[said], "text": texts})
    ours["region"] = np.where(rng.random(SIZE) < 0.5, "north", "south")
    for k, name in enumerate(CLASSES):
        ours[f"p_{name}"] = scores[:, k]
    ours.to_csv(folder / "ours.csv", index=False)
    ours.to_parquet(folder / "ours.parquet")
    ours.to_json(folder / "ours.jsonl", orient="records", lines=True)
    theirs = pd.DataFrame({"id": ids, "prediction": names[other], "confidence": other_scores.max(1)})
    theirs.sample(frac=1, random_state=0).to_csv(folder / "theirs.csv", index=False)
    pd.DataFrame({"id": ids, "label": names[truth]}).to_csv(folder / "truth.csv", index=False)
    return folder


def truth_of(folder):
    """Label by id."""
    return pd.read_csv(folder / "truth.csv", dtype=str).set_index("id")["label"].to_dict()


def init(files, audit, *options, initial=20):
    """An audit of the first vendor."""
    told("init", audit, "--predictions", files / "ours.csv", "--initial", initial, *options)
    return audit


def fill(todo, labels, target=None):
    """Do what an annotator does with a file of questions: write the labels in, in place or into another file."""
    table = read(todo)
    table["label"] = [labels[one] for one in table["id"]]
    write(table, target or todo)
    return table


def read(path):
    """A file of questions, all text, as it is."""
    path = Path(path)
    if path.suffix == ".parquet":
        return pd.read_parquet(path).astype(object)
    if path.suffix == ".jsonl":
        return pd.DataFrame([json.loads(line) for line in path.read_text().splitlines()])
    delimiter = "\t" if path.suffix == ".tsv" else ","
    return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False, encoding="utf-8-sig")


def write(table, path):
    path = Path(path)
    if path.suffix == ".parquet":
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",", index=False)


def mode(path):
    """Permissions of a file."""
    return stat.S_IMODE(os.stat(path).st_mode)


def head(audit):
    """The hash of the last event, and how many there are: equal if nothing changed."""
    log = altmas("log", audit, "--json").json
    return log["events"][-1]["hash"], len(log["events"])
