"""The front page and the page on ordinary files do what they say: commands print what is quoted, or are refused so."""

import contextlib
import shlex

import pandas as pd
import pytest

from worlds.commands import altmas
from worlds.pages import FENCE, missing_lines, steps
from worlds.places import DOCS

REFUSED = {"index.md": 0, "dirty-files.md": 2}
"""The pages, and how many of their steps are refused."""


def come_back_changed():
    """Do to todo.csv what a spreadsheet and a person do: ids lose their zeros, labels get capitals and blanks."""
    table = pd.read_csv("todo.csv", dtype=str)
    truth = pd.read_csv("labels.csv", dtype=str).set_index("id")["label"]
    table["label"] = table["id"].map(truth).str.title() + " "
    table["id"] = table["id"].str.lstrip("0")
    table.to_csv("back.csv", index=False)


@pytest.fixture(scope="module", params=REFUSED)
def walked(request, tmp_path_factory):
    """A page's name, and each of its steps with how its commands ended."""
    text = (DOCS / request.param).read_text()
    found = []
    with contextlib.chdir(tmp_path_factory.mktemp("page")):
        (files,) = [one[2] for one in FENCE.finditer(text) if one[1] == "py"]
        exec(files, {})
        for step in steps(text):
            done = []
            for command in step.commands:
                if command.startswith("altmas import"):
                    come_back_changed()
                done.append(altmas(*shlex.split(command)[1:]))
            found.append((step, done))
    return request.param, found


def test_every_command_prints_what_the_page_quotes(walked):
    _, found = walked
    assert len(found) >= 5
    for step, done in found:
        assert step.quoted, step.commands
        printed = "".join(one.err + one.out for one in done)
        assert not missing_lines(step.quoted, printed), printed


def test_only_what_the_page_says_is_refused(walked):
    name, found = walked
    assert sum(step.quoted.startswith("Error:") for step, _ in found) == REFUSED[name]
    for step, done in found:
        wanted = 2 if step.quoted.startswith("Error:") else 0
        assert {one.code for one in done} == {wanted}, step.commands


def test_the_front_page_shows_the_file_it_makes(tmp_path):
    text = (DOCS / "index.md").read_text()
    (shown,) = [one[2] for one in FENCE.finditer(text) if one[1] == "csv"]
    (files,) = [one[2] for one in FENCE.finditer(text) if one[1] == "py"]
    with contextlib.chdir(tmp_path):
        exec(files, {})
        assert (tmp_path / "vendor.csv").read_text().startswith(shown)
