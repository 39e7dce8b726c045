"""The page about the best of several models does what it says: its files are made, its commands run, in order."""

import re

import pytest

from worlds.pages import missing_lines, of_that_form, walked_page
from worlds.places import DOCS

PAGE = DOCS / "best.md"


def loosely(text):
    """A line of a table whose figures, and so its columns' widths, may be others."""
    return re.sub(r"[━─]+", "━", re.sub(r" +", " ", of_that_form(text)))


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Every step of the page with what its commands printed, and the folder in which they ran."""
    return walked_page(PAGE, tmp_path_factory.mktemp("best"))


def test_every_command_of_the_page_runs(walked):
    home, printed = walked
    names = [command.split()[1] for step, _ in printed for command in step.commands]
    assert names[0] == "init"
    assert {"label", "vendors", "report", "log"} <= set(names)
    assert all(output.strip() for _, output in printed)
    report = (home / "choice.html").read_text()
    assert "Who reads our mail?" in report
    assert "best by accuracy" in report


def test_quoted_output_is_what_is_printed(walked):
    _, printed = walked
    quoted = [(step, output) for step, output in printed if step.quoted]
    assert len(quoted) > 3
    wrong = {step.commands: missing_lines(step.quoted, output, loosely) for step, output in quoted}
    assert not any(wrong.values()), "\n".join(line for lines in wrong.values() for line in lines)
