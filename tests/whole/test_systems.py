"""The product on systems that lack what POSIX has, whose text is not UTF-8, or whose drives keep data to themselves."""

import json
import os
import subprocess
import sys

import pytest

from altmas.audits import registry, witness
from altmas.audits.connections import connect
from altmas.core import files as core_files
from altmas.page import refits
from worlds.commands import write_files
from worlds.elsewhere import MODULES, OF_OS, PROGRAM

# Text without an encoding is read as the system likes: on Windows as cp1252. Python tells of it where it is asked to.
RUN = (
    PROGRAM
    + """
import json, sys, warnings
warnings.filterwarnings("error", category=EncodingWarning, module=r"altmas\\b")
from altmas.__main__ import main
for one in json.loads(sys.argv[1]):
    sys.argv = ["altmas", *one]
    main()
    print("%%%")
"""
)


def elsewhere(cwd, *several, **environment):
    """Run commands on such a system, one after another in one process; what each printed."""
    given = json.dumps([[str(word) for word in one] for one in several])
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-c", RUN, given], capture_output=True, cwd=cwd,
        encoding=environment.get("PYTHONIOENCODING", "utf-8"), env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split("%%%\n")[:-1]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


def test_the_simulation_takes_something_away(tmp_path):
    program = PROGRAM + (
        "lacking = []\n"
        f"for name in {MODULES!r}:\n"
        "    try: __import__(name, globals())\n"
        "    except ImportError: lacking.append(name)\n"
        "import os, altmas.core.files as ours\n"
        f"print(len(lacking), any(hasattr(here, name) for here in (os, ours.os) for name in {OF_OS!r}), ours._fcntl())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == f"{len(MODULES)} False None\n", done.stderr


def test_an_audit_from_the_first_file_to_the_report(files, tmp_path):
    options = ("--predictions", files / "ours.csv", "--group", "region", "--initial", 20, "--budget", 40)
    _, _, taken, estimated, *_ = elsewhere(
        tmp_path,
        ("init", "audit", *options),
        ("check", "audit"),
        ("label", "audit", "--from", files / "truth.csv"),
        ("estimate", "audit", "--json"),
        ("worst", "audit", "--by", "region"),
        ("report", "audit", "-o", "report.html"),
        ("next", "audit", "-n", 5, "--to", "todo.csv"),
        ("log", "audit", "--verify"),
        ("backup", "audit", "audit.zip"),
        ("export", "audit", "out"),
        ("doctor",),
    )
    assert taken.startswith("40 labels taken")
    assert json.loads(estimated)["labels"] == 40
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")


def test_the_page_opens_and_refits_behind_it(files, tmp_path):
    elsewhere(tmp_path, ("init", "audit", "--predictions", files / "ours.csv", "--initial", 5))
    program = PROGRAM + (
        "import threading, urllib.request, signal, _thread\n"
        "from altmas.page.refits import Refits\n"
        "from altmas.page.server import serve\n"
        "from pathlib import Path\n"
        "worker = Refits(Path('audit'), lambda folder: [sys.executable, '-c', 'pass'])\n"
        "assert worker.start()\n"
        "worker.stop()\n"
        "def look(link):\n"
        "    def ask():\n"
        "        print(urllib.request.urlopen(link).status, flush=True)\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    threading.Thread(target=ask).start()\n"
        "serve('audit', annotator='mk', on_ready=look)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.stdout == "200\n", done.stderr


def test_output_that_cannot_hold_a_letter_spells_it_out(files, tmp_path):
    table = (files / "ours.csv").read_text("utf-8").replace(",north,", ",żółć,")
    (tmp_path / "ours.csv").write_text(table, "utf-8")
    _, _, shown, plain = elsewhere(
        tmp_path,
        ("init", "audit", "--predictions", "ours.csv", "--group", "region", "--initial", 20),
        ("label", "audit", "--from", files / "truth.csv", "-n", 20),
        ("worst", "audit", "--by", "region"),
        ("worst", "audit", "--by", "region", "--json"),
        PYTHONIOENCODING="cp1252",
        PYTHONUTF8="0",
    )
    assert "\\u017c" in shown
    assert "żółć" in {one["group"] for one in json.loads(plain)["models"][0]["groups"]}
    assert plain.isascii()


def test_a_worker_of_its_own_where_there_are_no_sessions(monkeypatch, tmp_path):
    """Windows takes flags instead; they are numbers, made up here."""
    asked = {}

    class Started:
        pid = 1

        def __init__(self, command, **how):
            asked.update(how)

        def poll(self):
            return 0

    monkeypatch.setattr(refits, "_APART", {"creationflags": 0x4200})
    monkeypatch.setattr(refits.subprocess, "Popen", Started)
    monkeypatch.delattr(refits.os, "setpriority")
    assert refits.Refits(tmp_path).start()
    assert asked["creationflags"] == 0x4200
    assert "start_new_session" not in asked


def test_the_drive_is_asked_where_the_system_alone_does_not_wait_for_it(monkeypatch, tmp_path):
    """macOS: fsync returns when the drive has the data in its memory."""
    asked = []

    class Fcntl:
        F_FULLFSYNC = 51

        @staticmethod
        def fcntl(handle, what):
            asked.append(what)

    monkeypatch.setattr(core_files, "_fcntl", lambda: Fcntl)
    witness.note(tmp_path, 1, "a" * 64)
    core_files.write_text(tmp_path / "x", "y")
    assert asked == [51, 51]

    def refuse(handle, what):
        raise OSError(45, "Operation not supported")  # by a drive of a network

    monkeypatch.setattr(Fcntl, "fcntl", staticmethod(refuse))
    witness.note(tmp_path, 2, "b" * 64)
    assert [one.seq for one in witness.seen(tmp_path)] == [2, 1]
    store = connect(tmp_path / "store.db")
    assert store.execute("PRAGMA fullfsync").fetchone() == (1,)
    store.close()


def test_newlines_are_written_as_they_are(monkeypatch, tmp_path):
    """A file that Windows opens as text would get another byte with every line, and no line would be known again."""
    given = []
    true = os.open

    def opened(path, flags, *mode):
        given.append(flags)
        return true(path, flags & ~binary, *mode)

    binary = 1 << 28
    monkeypatch.setattr(witness, "AS_IT_IS", core_files.AS_IT_IS | binary)
    monkeypatch.setattr(os, "open", opened)
    witness.note(tmp_path, 1, "a" * 64)
    assert given[0] & binary


def test_the_registry_lies_where_windows_keeps_data(monkeypatch, tmp_path):
    monkeypatch.delenv(registry.HOME)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert registry.home() != tmp_path / "altmas"
    here = os.name
    try:
        monkeypatch.setattr(registry.os, "name", "nt")
        monkeypatch.setattr(registry, "Path", type(tmp_path))
        assert registry.home() == tmp_path / "altmas"
    finally:
        monkeypatch.setattr(registry.os, "name", here)


def test_a_sweep_says_where_memory_cannot_be_bounded(monkeypatch):
    from altmas.experiments.bench.run import at_most
    from altmas.metrics.errors import InputError

    monkeypatch.setitem(sys.modules, "resource", None)
    with at_most(None):
        pass
    with pytest.raises(InputError, match="memory must be left out on a system that cannot bound it"), at_most(1.0):
        pass
