"""A bar on a terminal, plain lines elsewhere."""

import os
import pty
import subprocess
import sys

from altmas.core.progress import Bar, Lines, Silent, reporter

PROGRAM = """
from altmas.core.progress import reporter
with reporter(True) as tell:
    tell.note("hello [0.1, 0.2]")
    for i in range(11):
        tell.step(i, 10, "accuracy 0.9 [0.8, 1.0]")
    tell.step(1, 2, "tuning", "trials")
    tell.step(2, 2, "tuning", "trials")
print("done")
"""


def test_lines_come_once_per_tenth(capfd):
    with Lines() as tell:
        for done in range(101):
            tell.step(done, 100, "x")
    assert len(capfd.readouterr().err.splitlines()) == 11


def test_silence(capfd):
    with reporter(False) as tell:
        tell.note("x")
        tell.step(1, 2, "x")
    assert isinstance(tell, Silent)
    assert capfd.readouterr() == ("", "")


def test_a_bar_on_a_terminal():
    leader, follower = pty.openpty()
    done = subprocess.run([sys.executable, "-c", PROGRAM], stderr=follower, stdout=subprocess.PIPE, text=True)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert done.stdout == "done\n"
    assert "hello [0.1, 0.2]" in shown
    assert "10/10" in shown
    assert isinstance(Bar(), Bar)
