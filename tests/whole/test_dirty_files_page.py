"""The page on ordinary files does what it says: every command prints the sentences it quotes, refusals among them."""

import contextlib
import shlex

import pandas as pd
import pytest

from worlds.commands import altmas
from worlds.pages import FENCE, missing_lines, steps
from worlds.places import DOCS

PAGE = DOCS / "dirty-files.md"


def come_back_changed():
    """Do to todo.csv what a spreadsheet and a person do: ids lose their zeros, labels get capitals and blanks."""
    table = pd.read_csv("todo.csv", dtype=str)
    truth = pd.read_csv("labels.csv", dtype=str).set_index("id")["label"]
    table["label"] = table["id"].map(truth).str.title() + " "
    table["id"] = table["id"].str.lstrip("0")
    table.to_csv("back.csv", index=False)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Each step with what its commands printed and how each ended."""
    with contextlib.chdir(tmp_path_factory.mktemp("page")):
        (files,) = [one[2] for one in FENCE.finditer(PAGE.read_text()) if one[1] == "py"]
        exec(files, {})
        found = []
        for step in steps(PAGE.read_text()):
            done = []
            for command in step.commands:
                if command.startswith("altmas import"):
                    come_back_changed()
                done.append(altmas(*shlex.split(command)[1:]))
            found.append((step, done))
        return found


def test_every_command_prints_what_the_page_quotes(walked):
    assert len(walked) >= 9
    for step, done in walked:
        assert step.quoted, step.commands
        printed = "".join(one.err + one.out for one in done)
        assert not missing_lines(step.quoted, printed), printed


def test_only_what_the_page_says_is_refused(walked):
    assert sum(step.quoted.startswith("Error:") for step, _ in walked) == 2
    for step, done in walked:
        wanted = 2 if step.quoted.startswith("Error:") else 0
        assert {one.code for one in done} == {wanted}, step.commands
