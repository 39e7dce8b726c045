"""`altmas label --tty`, driven through a real terminal: a pseudo-terminal, one key press or line at a time."""

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time

import pandas as pd
import pytest

from altmas.commands.terminal import class_meant, printable
from worlds.commands import altmas, init, told, write_files

# It takes the terminal for its own, as a login does, so that Ctrl-C reaches it even from a test run in the background.
PROGRAM = """
import fcntl, signal, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
from altmas.cli import main
main()
"""
PROMPT = "label> "
PATIENCE = 60


class Terminal:
    """The program on a terminal of its own; `say` types a line and reads until the next prompt."""

    def __init__(self, *arguments):
        self._terminal, its = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *map(str, arguments)], stdin=its, stdout=its, stderr=its,
            start_new_session=True,
        )  # fmt: skip
        os.close(its)
        self.shown = ""

    def read(self, until=PROMPT):
        """What is shown until a prompt, or to the end."""
        start, limit = len(self.shown), time.monotonic() + PATIENCE
        while until is None or until not in self.shown[start:]:
            assert time.monotonic() < limit, self.shown
            if not select.select([self._terminal], [], [], 1)[0]:
                continue
            try:
                more = os.read(self._terminal, 65536)
            except OSError:  # Linux says so when the program has gone
                break
            if not more:
                break
            self.shown += more.decode()
        return self.shown[start:]

    def say(self, line, until=PROMPT):
        self.press(line + "\n")
        return self.read(until)

    def press(self, keys):
        os.write(self._terminal, keys.encode())

    def leave(self, keys):
        """Press Ctrl-C or Ctrl-D as a person does: some time after the prompt, and again if nothing happens.

        Python's input() leaves an interrupt until the next key if it comes just before it begins to read.
        """
        time.sleep(0.5)
        for _ in range(3):
            self.press(keys)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
                break
        return self.end()

    def end(self):
        """Read to the end; the exit code."""
        self.read(None)
        return self._process.wait(PATIENCE)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = write_files(tmp_path_factory.mktemp("files"))
    (folder / "guidelines.txt").write_text("A calf is a cow.\x1b[2J\n")
    return folder


@pytest.fixture
def audit(files, tmp_path):
    return init(files, tmp_path / "a", "--guidelines", files / "guidelines.txt", "--method", "random", "--budget", 40)


@pytest.fixture
def sit_down(audit):
    """Start a terminal on the audit, at its first prompt."""
    started = []

    def sit(folder=audit, who="mk"):
        started.append(Terminal("label", folder, "--tty", "--annotator", who))
        started[-1].read()
        return started[-1]

    yield sit
    for terminal in started:
        terminal.close()


def given(audit):
    """Answers in the log, by the item's id: the last that stands."""
    events = altmas("log", audit, "--json").json["events"]
    gone = {seq for event in events if event["kind"] == "undone" for seq in event["body"]["answers"]}
    gone -= {seq for event in events if event["kind"] == "redone" for seq in event["body"]["answers"]}
    stand = [event["body"] for event in events if event["kind"] == "answered" and event["seq"] not in gone]
    return [(one.get("label", one["answer"]), one.get("note", "")) for one in stand]


def item(screen):
    return re.findall(r"item (\d+)", screen)[-1]


def test_every_key_does_what_it_says(audit, sit_down):
    terminal = sit_down()
    assert "0 of 40 answered" in terminal.shown
    assert "1 cat  2 cow  3 dog" in terminal.shown
    assert "saved" in terminal.say("2")
    screen = terminal.say("dog")
    assert "2 of 40 answered" in screen
    terminal.say("u")
    skipped = item(terminal.shown)
    after = item(terminal.say("s"))
    assert "Undone: 'skip'" in (screen := terminal.say("z"))
    assert item(screen) == skipped
    assert "Given again: 'skip'" in (screen := terminal.say("Z"))
    assert item(screen) == after
    terminal.say("n", "note")
    assert item(terminal.say("only half of it is seen")) == after
    terminal.say("1")
    assert "A calf is a cow." in (screen := terminal.say("g"))
    assert "\x1b[2J" not in screen
    assert "u unsure" in terminal.say("?")
    assert "emu" in terminal.say("emu")
    assert "'9'" in terminal.say("9")
    terminal.press("q\n")
    assert terminal.end() == 0
    expected = [("cow", ""), ("dog", ""), ("unsure", ""), ("skip", ""), ("cat", "only half of it is seen")]
    assert given(audit) == expected


def test_undo_reaches_back_over_a_restart(audit, sit_down):
    first = sit_down()
    shown = item(first.shown)
    first.say("cat")
    first.press("q\n")
    assert first.end() == 0
    second = sit_down()
    assert "Undone: 'cat'" in (screen := second.say("z"))
    assert item(screen) == shown
    assert "Nothing to undo" in second.say("z")
    second.say("cow")
    assert "Nothing to redo" in second.say("Z")
    assert given(audit) == [("cow", "")]


@pytest.mark.parametrize("keys", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_leaving_in_any_way_keeps_every_answer(audit, sit_down, keys):
    terminal = sit_down()
    terminal.say("cat")
    terminal.say("dog")
    assert terminal.leave(keys) == (130 if keys == "\x03" else 0)
    assert "every answer is kept" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert given(audit) == [("cat", ""), ("dog", "")]
    told("log", audit, "--verify")


def test_leaving_while_a_note_is_typed_keeps_every_answer(audit, sit_down):
    terminal = sit_down()
    terminal.say("cat")
    terminal.say("n", "note")
    terminal.press("half a no")
    assert terminal.leave("\x03") == 130
    assert given(audit) == [("cat", "")]


def test_a_note_belongs_to_the_item_it_was_written_at(audit, sit_down):
    terminal = sit_down()
    terminal.say("cat")
    terminal.say("n", "note")
    terminal.say("about the second")
    terminal.say("z")
    terminal.say("cow")
    assert given(audit) == [("cow", "")]


def test_item_texts_cannot_command_the_terminal(tmp_path, sit_down):
    evil = "\x1b]0;owned\x07 \x1b[2J \x9b31m \u202e"
    ids = [f"i\x1b[3{k % 8}m{k}" for k in range(30)]
    table = pd.DataFrame({"id": ids, "prediction": ["a\x1b[5mb", "dog"] * 15, "text": [evil] * 30})
    table.to_json(tmp_path / "ours.jsonl", orient="records", lines=True)
    audit = tmp_path / "evil"
    told("init", audit, "--predictions", tmp_path / "ours.jsonl", "--method", "random", "--initial", 5)
    terminal = sit_down(audit)
    terminal.say("1")
    terminal.say("z")
    terminal.say("nonsense\x0b")
    terminal.press("q\n")
    terminal.end()
    left = re.sub(r"\x1b\[[01]m", "", terminal.shown)  # bold, our own
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", left), repr(left)
    assert "owned" in left


def test_the_end_of_the_questions_is_said(tmp_path):
    pd.DataFrame({"id": ["a", "b"], "prediction": ["cat", "dog"]}).to_csv(tmp_path / "ours.csv", index=False)
    audit = init(tmp_path, tmp_path / "a", "--method", "random", "--metrics", "accuracy", initial=1)
    terminal = Terminal("label", audit, "--tty", "--annotator", "mk")
    terminal.read()
    terminal.say("cat")
    terminal.press("dog\n")
    assert terminal.end() == 0
    assert terminal.shown.rstrip().endswith("No questions left.")
    terminal.close()


def test_one_person_sits_at_a_terminal(audit):
    done = altmas("label", audit, "--tty", "--annotator", "mk", "--annotator", "jo")
    assert done.code == 2
    assert altmas("label", audit, "--tty").code == 2


@pytest.mark.parametrize("classes", [(0, 1, 2), ("1", "2", "cat")])
def test_what_is_typed_is_never_another_class_than_what_is_shown(tmp_path, sit_down, classes):
    """Where classes read as numbers, a digit must not mean both a class and a place in the list."""
    size = 4 * len(classes)
    pd.DataFrame({"id": range(size), "prediction": list(classes) * 4}).to_csv(tmp_path / "ours.csv", index=False)
    audit = init(tmp_path, tmp_path / "digits", "--method", "random", "--metrics", "accuracy", initial=5)
    terminal = sit_down(audit)
    line = next(line for line in reversed(terminal.shown.splitlines()) if line.split()[-1:] == [str(classes[-1])])
    keys = line.split()
    for one in classes:
        assert keys.count(str(one)) == 1, line  # no digit is both a key and a class
        terminal.say(str(one))
    assert [label for label, _ in given(audit)] == [str(one) for one in classes]


def test_names_and_numbers_of_classes():
    assert class_meant("2", ["cat", "dog"]) == "dog"
    assert class_meant("dog", ["cat", "dog"]) == "dog"
    assert class_meant("3", ["cat", "dog"]) is None
    assert class_meant("0", ["cat", "dog"]) is None
    assert printable("tab\tnew\nline é 日") == "tab\tnew\nline é 日"
    assert printable("\x1b\x07\x9b") == "\\x1b\\x07\\x9b"
