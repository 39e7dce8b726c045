"""The gallery runs, and its notebooks are those of its programs."""

import importlib
import os
import subprocess
import sys

import pytest

from worlds.places import DOCS

sys.path.insert(0, str(DOCS / "building"))
notebooks = importlib.import_module("notebooks")
SOURCES = notebooks.sources()
TFP = [
    "-W", "ignore:The distutils package is deprecated:DeprecationWarning",
    "-W", "ignore:distutils Version classes are deprecated:DeprecationWarning",
]  # fmt: skip
"""tensorflow-probability 0.25 compares versions with distutils when it is imported (2026-11)."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.stem)
def test_programs_run(source, tmp_path):
    """In a process of its own, as the notebook does, and without a warning."""
    command = [sys.executable, "-W", "error", *TFP, source]
    silent = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=silent)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.stem)
def test_notebooks_have_the_cells_of_their_programs_and_were_executed(source):
    found = notebooks.read_notebook(source)["cells"]
    wanted = notebooks.cells(source.read_text())
    assert [(one["cell_type"], "".join(one["source"])) for one in found] == [(one.kind, one.text) for one in wanted]
    code = [one for one in found if one["cell_type"] == "code"]
    assert [one["execution_count"] for one in code] == list(range(1, len(code) + 1))
    assert any("text/html" in output.get("data", {}) for one in code for output in one["outputs"])


def test_there_are_five():
    assert len(SOURCES) == 5
