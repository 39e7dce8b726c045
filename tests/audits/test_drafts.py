"""A draft of an audit that was killed while it was made is removed by the next who makes it; a live one is not."""

import subprocess
import sys

import pytest

from altmas.audits.drafts import LOCK, draft_of
from worlds.audits import make_audit
from worlds.commands import mode

KILLED = """
import os, signal, sys
from pathlib import Path
from altmas.audits.drafts import draft_of
with draft_of(Path(sys.argv[1])) as draft:
    (draft / "half").write_text("half")
    if sys.argv[2] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    print(draft, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_one_left_is_removed_by_the_next(tmp_path, world):
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "audit", "kill"])
    assert done.returncode == -9
    [left] = tmp_path.iterdir()
    assert left.name.startswith(".audit.")
    make_audit(tmp_path / "other", world).close()  # not its own
    assert left.exists()
    make_audit(tmp_path / "audit", world).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit", "other"]
    assert not (tmp_path / "audit" / LOCK).exists()
    assert mode(tmp_path / "audit") == 0o700


def test_one_that_is_still_being_made_is_left_alone(tmp_path, world):
    command = [sys.executable, "-c", KILLED, tmp_path / "audit", "wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        with draft_of(tmp_path / "audit") as draft:
            (draft / "mine").write_text("mine")
        process.communicate("")
    assert process.returncode != 0  # the name was taken by then
    assert [path.name for path in (tmp_path / "audit").iterdir()] == ["mine"]
    assert [path.name for path in tmp_path.iterdir()] == ["audit"]


def test_folders_of_others_that_only_look_like_drafts_stay(tmp_path, world):
    for name in (".audit.mine", ".a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious").write_text("mine")
    make_audit(tmp_path / "audit", world).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".a", ".audit.mine", "audit"]


def test_a_draft_that_fails_is_gone(tmp_path):
    with pytest.raises(KeyboardInterrupt), draft_of(tmp_path / "audit"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
