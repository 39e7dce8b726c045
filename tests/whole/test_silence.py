"""The command line is silent while all is quick, tells of what takes long, and shows no program's own warnings."""

import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import openpyxl
import pandas as pd
import pytest

from altmas.core.doing import doing, heard, so_far
from worlds.commands import altmas, write_files
from worlds.commands import program as run

RAW = re.compile(r"\.py:\d+|\w+Warning\b|^\s*warnings?\.warn|Traceback|tensorflow/|oneDNN|cuda", re.MULTILINE)
"""What Python, or TensorFlow, writes to a terminal by itself."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


def quiet(done):
    assert done.returncode in (0, 3), done.stderr
    assert not RAW.search(done.stderr), done.stderr
    return done


# Warnings


def test_the_pattern_knows_raw_warnings(tmp_path):
    program = "import numpy as np; np.log(np.zeros(2))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path).stderr
    assert RAW.search(said)


def test_files_that_provoke_warnings(files, tmp_path):
    """Scores that are doubtful, a workbook with what openpyxl does not know, features that no learner converges on."""
    table = pd.read_csv(files / "ours.csv", dtype={"id": str})
    table["text"] = "plain"
    scores = [name for name in table if name.startswith("p_")]
    table[scores] = np.roll(table[scores].to_numpy(), 1, axis=1)  # the highest score is never that of the prediction
    table.to_csv(tmp_path / "doubtful.csv", index=False)
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [list(table.columns), *table.to_numpy().tolist()]:
        sheet.append(row)
    sheet.conditional_formatting.add("A1:A3", openpyxl.formatting.rule.CellIsRule("equal", ["1"]))
    book.save(tmp_path / "book.xlsx")
    features = np.random.default_rng(0).normal(size=(len(table), 3)) * [1e-12, 1.0, 1e12]
    features[:, 1] = 7.0
    np.save(tmp_path / "emb.npy", features)
    said = []
    for name, more in (("doubtful.csv", ("--features", "emb.npy")), ("book.xlsx", ())):
        audit = name.partition(".")[0]
        quiet(run("init", audit, "--predictions", name, "--group", "region", "--initial", 20, *more, cwd=tmp_path))
        said.append(quiet(run("check", audit, cwd=tmp_path)).stdout)
        quiet(run("label", audit, "--from", files / "truth.csv", "-n", 40, cwd=tmp_path))
        quiet(run("estimate", audit, "--metrics", "accuracy,mcc,ece", cwd=tmp_path))
        quiet(run("report", audit, "-o", f"{audit}.html", cwd=tmp_path))
    assert all("Warning: doubtful:" in one or "Warning: book:" in one for one in said), said  # kept by `altmas check`


NOISY = """
import sys, warnings
import numpy as np
from altmas.formats import ingest as module
true = module.ingest

def ingest(*given, **named):
    from sklearn.linear_model import LogisticRegression
    np.log(np.zeros(2))
    LogisticRegression(max_iter=1, tol=1e-12).fit(np.random.default_rng(0).normal(size=(40, 3)), [0, 1] * 20)
    for _ in range(3):
        warnings.warn_explicit("first\\nsecond", FutureWarning, "/x/site-packages/pyarrow/a.py", _)
    return true(*given, **named)

module.ingest = ingest
from altmas.cli import main
main()
"""


def test_warnings_of_other_packages_are_a_line_each(files, tmp_path):
    given = ("init", "audit", "--predictions", str(files / "ours.csv"))
    done = subprocess.run([sys.executable, "-c", NOISY, *given], capture_output=True, text=True, cwd=tmp_path)
    quiet(done)
    lines = done.stderr.splitlines()
    assert "Warning of pyarrow: first second" in lines
    assert any(line.startswith("Warning of sklearn: lbfgs failed to converge") for line in lines), lines
    assert any(line.startswith("Warning: divide by zero") for line in lines), lines
    assert len(lines) == 3


@pytest.mark.slow
def test_tensorflow_says_nothing_of_itself(files, tmp_path):
    audit = ("--predictions", files / "ours.csv", "--group", "region", "--initial", 20)
    quiet(run("init", "audit", *audit, cwd=tmp_path))
    quiet(run("label", "audit", "--from", files / "truth.csv", "-n", 20, cwd=tmp_path))
    done = quiet(run("surface", "audit", "--by", "region", cwd=tmp_path))
    assert all(line.startswith(("altmas: ", "Refitting")) for line in done.stderr.splitlines()), done.stderr


# Progress


@pytest.fixture(autouse=True)
def told_of_steps(monkeypatch):
    monkeypatch.delenv("ALTMAS_PROGRESS")


def test_steps_can_be_told_to_be_silent(files, tmp_path, impatient, monkeypatch):
    monkeypatch.setenv("ALTMAS_PROGRESS", "off")
    assert altmas("init", tmp_path / "audit", "--predictions", files / "ours.csv").err == ""


def test_what_is_quick_says_nothing(files, tmp_path):
    said = []
    with heard(said.append):
        with doing("one thing"):
            so_far("half")
        with doing("another"):
            pass
    assert said == []


def test_what_takes_long_is_said_with_how_far_it_is():
    said = []
    with heard(said.append, first=0.05), doing("reading"):
        with doing("reading a.csv"):
            so_far("10 rows")
            _until(lambda: said == ["reading a.csv: 10 rows"])
            so_far("20 rows")
            _until(lambda: said[1:] == ["reading a.csv: 20 rows"])
        _until(lambda: said[-1] == "reading")
    assert len(said) == 3  # nothing twice
    with doing("nobody listens"):
        pass
    assert len(said) == 3


def test_a_listener_that_fails_disturbs_nothing():
    heard_of = []

    def say(text):
        heard_of.append(text)
        raise BrokenPipeError

    with heard(say, first=0.01), doing("something"):
        _until(lambda: heard_of)
        so_far("more")
        _until(lambda: len(heard_of) == 2)


def _until(true):
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture
def impatient(monkeypatch):
    """Every step is told of at once."""
    from altmas.core import doing as module

    class AtOnce(module._Listener):
        def begin(self, step):
            self.steps.append(step)
            self._say(str(step))

    monkeypatch.setattr(module, "_Listener", AtOnce)


def test_every_command_says_what_it_does(files, tmp_path, impatient):
    def steps(*given):
        done = altmas(*given)
        assert done.code == 0, done.err
        return {line.removeprefix("altmas: ") for line in done.err.splitlines() if line.startswith("altmas: ")}

    audit = tmp_path / "audit"
    assert steps("init", audit, "--predictions", files / "ours.csv", "--group", "region", "--initial", 20) >= {
        "reading ours.csv", "writing the pool", "writing the items into the store",
    }  # fmt: skip
    assert steps("check", audit) >= {"checking the chain of events", "checking every file", "opening the audit"}
    assert steps("label", audit, "--from", files / "truth.csv", "-n", 40) >= {
        "reading truth.csv", "refitting to 20 labels",
    }  # fmt: skip
    assert steps("estimate", audit) >= {"estimating", "refitting to 40 labels"}
    assert steps("report", audit, "-o", tmp_path / "r.html") >= {"gathering what the report says", "writing the report"}
    assert steps("log", audit, "--verify") >= {"drawing every question again", "refitting to 20 labels"}
    assert steps("export", audit, tmp_path / "out") >= {"writing labels.csv"}
    assert steps("backup", audit, tmp_path / "a.zip") >= {"copying the store", "packing audit.db"}
    assert steps("surface", audit, "--by", "region", "--estimator", "beta-i") >= {"fitting the surface"}
    done = altmas("estimate", audit, "--json")
    assert done.json["labels"] == 40  # nothing else on stdout
    assert "altmas: estimating" in done.err


def test_a_large_file_is_told_of_by_the_program_itself(tmp_path):
    """A reader that waits long enough, in place of a file that takes long enough."""
    program = (
        "import sys, time; from altmas.formats import tables; true = tables._from_file\n"
        "def slow(*given):\n    time.sleep(3)\n    return true(*given)\n"
        "tables._from_file = slow\nfrom altmas.cli import main; main()"
    )
    shutil.copy(write_files(tmp_path) / "ours.csv", tmp_path / "vendor.csv")
    given = ("init", "audit", "--predictions", "vendor.csv", "--json")
    done = subprocess.run([sys.executable, "-c", program, *given], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("altmas: reading vendor.csv\n")
    assert done.stdout.startswith("{")
    assert os.listdir(tmp_path / "audit")
