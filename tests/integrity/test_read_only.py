"""Whatever only looks works where nothing can be written, with the same numbers as where it can."""

import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import replace

import pytest

from altmas.audits.audit import Audit
from altmas.audits.fits import under_way
from altmas.audits.store import Store, StoreError
from altmas.core.pool import Pool
from worlds.audits import CLASSES, answer, make_audit, make_world
from worlds.commands import altmas
from worlds.integrity import SHM, WAL, for_reading_only, left_by_a_kill, run_by_others

LOOKS = (
    ("status",),
    ("estimate",),
    ("worst",),
    ("compare", "--group", "region", "--a", "north", "--b", "south"),
    ("vendors",),
    ("surface", "--by", "region", "--estimator", "beta-i", "--model", "ours"),
    ("check",),
    ("log",),
    ("log", "--verify"),
)
WRITES = (("next",), ("undo",), ("recover", "--accept-loss"), ("label", "--tty", "--annotator", "mk"))
MEANINGLESS = ("audit", "fit_labels", "fit_at", "refitting", "head", "events")
"""What differs between a copy that was refitted and one that cannot be."""


@pytest.fixture(scope="module")
def world():
    """Two models, and two regions."""
    one, other = make_world(), make_world(accuracy=0.6, seed=1)
    said = {"ours": [CLASSES[k] for k in one.said], "theirs": [CLASSES[k] for k in other.said]}
    pool = Pool.build(
        said, scores={"ours": one.confidence, "theirs": other.confidence}, ids=one.pool.ids, classes=CLASSES,
        groups={"region": ["north", "south"] * 100},
    )  # fmt: skip
    return replace(one, pool=pool)


@pytest.fixture(scope="module")
def due(tmp_path_factory, world):
    """An audit whose refit is due; nobody has it open."""
    folder = tmp_path_factory.mktemp("due") / "audit"
    with make_audit(folder, world) as audit:
        answer(audit, world, 40)
        assert audit.refit_due()
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory, world):
    """An audit with answers in the WAL alone, a refit due among them."""
    folder = tmp_path_factory.mktemp("killed") / "audit"
    left_by_a_kill(folder, world, more=10)
    return folder


def of_interest(text):
    return {key: value for key, value in json.loads(text).items() if key not in MEANINGLESS}


def all_looks(folder):
    return [(name, folder, *more, "--json") for name, *more in LOOKS]


def expected(folder, where):
    """What a copy that can be written to says."""
    return [altmas(*one) for one in all_looks(shutil.copytree(folder, where))]


def assert_the_same(found, wanted):
    for look, one, other in zip(LOOKS, found, wanted, strict=True):
        assert (one.code, one.err) == (0, ""), (look, one.err)
        assert of_interest(one.out) == of_interest(other.out), look


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("which", ["due", "killed"])
def test_others_who_may_only_read_see_the_same(which, request, place):
    template = request.getfixturevalue(which)
    folder = for_reading_only(shutil.copytree(template, place / "audit"))
    before = files_of(folder)
    assert_the_same(run_by_others(all_looks(folder), place), expected(template, place / "copy"))
    assert files_of(folder) == before


def test_others_see_what_is_written_just_now(killed, place):
    folder = shutil.copytree(killed, place / "audit")
    with Audit.open(folder) as live:
        live.tell(live.ask(1, wait=False)[0].id, "unsure", annotator="live")
        assert (folder / SHM).exists()
        for_reading_only(folder)
        [done] = run_by_others([("status", folder, "--json")], place)
        assert done.json["head"] == live.status().head
        assert done.json["annotators"]["live"] == 1


def test_what_a_killed_server_left_is_seen_by_others(killed, place):
    """With the file of shared memory that nobody holds any more."""
    folder = shutil.copytree(killed, place / "audit")
    (folder / SHM).write_bytes(bytes(32768))
    for_reading_only(folder)
    assert_the_same(run_by_others(all_looks(folder), place), expected(killed, place / "copy"))


def test_reports_and_exports_go_elsewhere(due, place):
    folder = for_reading_only(shutil.copytree(due, place / "audit"))
    out = place / "out"
    out.mkdir()
    out.chmod(0o777)
    commands = [("report", folder, "-o", out / "report.json"), ("export", folder, out / "all"),
                ("log", folder, "--to", out / "events.jsonl"), ("backup", folder, out / "audit.zip")]  # fmt: skip
    assert [(one.code, one.err) for one in run_by_others(commands, place)] == [(0, "")] * 4
    assert (out / "events.jsonl").read_text() == (out / "all" / "events.jsonl").read_text()
    with Audit.open(due) as audit:
        assert len((out / "events.jsonl").read_text().splitlines()) == len(audit.events())


@pytest.mark.parametrize("which", ["due", "killed"])
def test_what_would_write_is_refused_by_a_sentence(which, request, place):
    folder = for_reading_only(shutil.copytree(request.getfixturevalue(which), place / "audit"))
    if which == "due":
        (folder / "audit.head").unlink()  # for recover to have something to do
    commands = [(name, folder, *more) for name, *more in WRITES]
    commands += [("label", folder, "--annotator", "mk")]
    for command, done in zip(commands, run_by_others(commands, place), strict=True):
        if which == "killed" and command[0] == "recover":
            assert done.out.startswith("Nothing is lost")
            continue
        assert done.code == 2, done
        assert done.err.removeprefix("Refitting first ...\n").startswith("Error: ")


def test_a_store_that_can_only_be_read_says_so(due, tmp_path):
    with read_only_mount(due, tmp_path / "mounted") as folder:
        store = Store.open(folder)
        assert store.read_only
        with (
            pytest.raises(StoreError, match="store must be writable; got a folder that can only be read"),
            store.writing(),
        ):
            pass
        store.close()
        assert not under_way(folder)
    store = Store.open(due)
    assert not store.read_only
    store.close()


@pytest.mark.parametrize("which", ["due", "killed"])
def test_a_read_only_file_system_shows_the_same(which, request, tmp_path):
    template = request.getfixturevalue(which)
    wanted = expected(template, tmp_path / "copy")
    with read_only_mount(template, tmp_path / "mounted") as folder:
        assert_the_same([altmas(*one) for one in all_looks(folder)], wanted)
        for name, *more in (("next",), ("undo", "--annotator", ""), ("undo", "--annotator", "mk"), ("refit",)):
            done = altmas(name, folder, *more)
            if name != "refit":
                assert done.code == 2, done
                assert "store must be writable; got a folder that can only be read" in done.err
        done = altmas("label", folder, "--annotator", "mk")
        assert done.code == 2
        assert done.err.startswith("Error: ")


@contextmanager
def read_only_mount(folder, place):
    place.mkdir()
    done = subprocess.run(["mount", "--bind", folder, place], capture_output=True)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True, capture_output=True)
        assert not os.access(place, os.W_OK)
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_files_of_a_copy_are_gone_afterwards(killed, tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with read_only_mount(killed, tmp_path / "mounted") as folder:
        with Audit.open(folder) as audit:
            assert len(list(temporary.iterdir())) == 1
            assert audit.status().annotators["mk"] == 10
        assert list(temporary.iterdir()) == []
    assert (killed / WAL).exists()
