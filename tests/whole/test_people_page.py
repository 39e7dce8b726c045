"""The page about people who answer does what it says: its files are made, its commands run, in order."""

import pandas as pd
import pytest

from worlds.pages import missing_lines, of_that_form, walked_page
from worlds.places import DOCS

PAGE = DOCS / "people.md"


def fill(name, reader):
    """What a person does with a file of questions."""
    table = pd.read_csv(name, dtype=str)
    table["label"] = table["id"].map(pd.read_csv(f"{reader}.csv", dtype=str).set_index("id")["label"])
    table.to_csv(name, index=False)


BETWEEN = {
    "altmas import scans/ for-lee.csv": lambda: fill("for-lee.csv", "lee"),
    "altmas import gaps/ again.csv": lambda: fill("again.csv", "mk"),
}
"""What people do before a command, as the page tells."""


def act(command):
    for before, does in BETWEEN.items():
        if command.startswith(before):
            does()


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Every step of the page with what its commands printed, and the folder in which they ran."""
    return walked_page(PAGE, tmp_path_factory.mktemp("people"), act)


def test_every_command_of_the_page_runs(walked):
    home, printed = walked
    names = [command.split()[1] for step, _ in printed for command in step.commands]
    assert {"init", "label", "next", "import", "status", "estimate", "report", "log"} <= set(names)
    assert all(output.strip() for _, output in printed)
    assert "lee, expert" in (home / "pair.html").read_text()


def test_quoted_output_is_what_is_printed(walked):
    _, printed = walked
    quoted = [(step, output) for step, output in printed if step.quoted]
    assert len(quoted) > 4
    wrong = {step.commands: missing_lines(step.quoted, output, of_that_form) for step, output in quoted}
    assert not any(wrong.values()), "\n".join(line for lines in wrong.values() for line in lines)
