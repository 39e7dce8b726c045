"""A vendor's file names columns, classes and groups as it likes; a terminal must not take them for commands."""

import pandas as pd
import pytest

from altmas.audits.audit import Audit
from worlds.commands import altmas, told

BYTES = "\x1b]0;PWNED\x07"
SHOWN = "\\x1b]0;PWNED\\x07"


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """An audit in which every name holds bytes that would set a terminal's title."""
    home = tmp_path_factory.mktemp("bytes")
    rows = [
        (f"i{k}{BYTES}", f"{('cat', 'dog')[k % 2]}{BYTES}", "hello", f"{'ns'[k % 3 > 0]}{BYTES}") for k in range(40)
    ]
    named = ["id", "prediction", f"shown{BYTES}", f"region{BYTES}"]
    pd.DataFrame(rows, columns=named).to_csv(home / "said.csv", index=False)
    how = ["--predictions", home / "said.csv", "--id", "id", "--prediction", "prediction"]
    said = told("init", home / "a", *how, "--group", f"region{BYTES}", "--show", f"shown{BYTES}", "--initial", 20)
    assert "\x1b" not in said
    assert f"group region{SHOWN}" in said
    assert f"annotators see: the id, shown{SHOWN}" in said
    with Audit.open(home / "a") as audit:
        for query in audit.ask(20):
            audit.tell(query.id, f"dog{BYTES}")
    return home / "a"


COMMANDS = (
    ("check",), ("next",), ("worst",), ("worst", "--by", f"region{BYTES}"), ("surface", "--by", f"region{BYTES}"),
    ("compare", "--group", f"region{BYTES}", "--a", f"n{BYTES}", "--b", f"s{BYTES}"), ("log",), ("undo",),
    ("estimate", "--metrics", f"recall:cat{BYTES}"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one[0])
def test_no_name_reaches_the_terminal_as_it_is(command, audit):
    done = altmas(command[0], audit, *command[1:])
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    assert "PWNED" in done.out


@pytest.mark.parametrize(
    "command", [("worst", "--by", BYTES), ("estimate", "--metrics", BYTES), ("status", "--" + BYTES)]
)
def test_no_error_brings_one_there(command, audit):
    done = altmas(command[0], audit, *command[1:])
    assert done.code == 2
    assert "PWNED" in done.err
    assert "\x1b" not in done.err


def test_json_is_data_and_a_terminal_may_show_it(tmp_path):
    csi = "\x9b31m"  # JSON escapes what is below a blank, and leaves these
    pd.DataFrame({"id": range(9), "prediction": [f"cat{csi}", "dog", "cow"] * 3}).to_csv(
        tmp_path / "p.csv", index=False
    )
    done = altmas("init", tmp_path / "a", "--predictions", tmp_path / "p.csv", "--json")
    assert "\x9b" not in done.out
    assert f"cat{csi}" in done.json["classes"]
