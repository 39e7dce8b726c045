"""The page about audits over time does what it says: its files are made, its commands run, in order."""

import re

import pytest

from worlds.pages import walked_page
from worlds.places import DOCS


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    return walked_page(DOCS / "over-time.md", tmp_path_factory.mktemp("over-time"))


def test_every_command_of_the_page_runs(walked):
    _, printed = walked
    said = {command: output for step, output in printed for command in step.commands}
    assert any(command.startswith("altmas renew") for command in said)
    last = "".join(output for _, output in printed)
    assert "were kept for items that stayed the same" in last
    assert "labels are in both audits" in last
    assert re.search("accuracy fell by about|Whether accuracy changed is not settled", last)
    assert re.search("Genauigkeit: (um etwa|ob sich etwas geändert hat)", last)
