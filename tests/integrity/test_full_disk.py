"""A disk that is full, or a folder that cannot be written to: a sentence, and nothing half done."""

import shutil
from pathlib import Path

import pytest

from altmas.audits.verification import verify_folder
from worlds.commands import altmas, init, told, write_files
from worlds.integrity import fill_up, for_reading_only, run_by_others, small_disk


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def disk(place):
    with small_disk(place / "disk", 2000) as one:
        yield one


def assert_a_sentence(done, *words):
    assert done.code == 2, done
    [line] = [one for one in done.err.splitlines() if one != "Refitting first ..."]
    assert line.startswith("Error: ")
    assert " must " in line
    assert "; got " in line
    assert any(word in line for word in words), line


@pytest.mark.parametrize("left", [0, 4, 40, 60, 80, 100])
def test_init_on_a_full_disk_says_so_and_leaves_nothing(files, disk, left):
    room = disk / "room"
    room.write_bytes(bytes(left * 1024))
    fill_up(disk)
    room.unlink()
    done = altmas("init", disk / "audit", "--predictions", files / "ours.csv")
    if done.code:  # there may have been room enough
        assert_a_sentence(done, "No space left", "full", "disk I/O error")
        assert [path.name for path in disk.iterdir()] == ["ballast"]
    else:
        assert left >= 60
        assert verify_folder(disk / "audit").ok


def test_an_audit_on_a_disk_that_is_full_can_be_looked_at_and_goes_on_when_there_is_room(files, disk):
    audit = init(files, disk / "audit")
    told("label", audit, "--from", files / "truth.csv", "-n", 25)
    shutil.copytree(audit, disk.parent / "copy")
    wanted = {name: altmas(name, disk.parent / "copy", "--json").json for name in ("status", "estimate")}
    fill_up(disk)
    for name, other in wanted.items():
        done = altmas(name, audit, "--json")
        assert done.code == 0, done.err
        if name == "estimate":
            assert {**done.json, "audit": ""} == {**other, "audit": ""}
    todo = disk.parent / "todo.csv"
    told("next", disk.parent / "copy", "-n", 10, "--to", todo)
    for command in (("next", audit, "-n", 100), ("import", audit, files / "truth.csv", "--partial", "--replace"),
                    ("label", audit, "--from", files / "truth.csv", "-n", 60), ("undo", audit),
                    ("label", audit, "--annotator", "mk", "--no-open"), ("next", audit, "--to", disk / "todo.csv"),
                    ("report", audit, "-o", disk / "report.html"), ("backup", audit, disk / "a.zip")):  # fmt: skip
        assert_a_sentence(altmas(*command), "No space left", "full", "disk I/O error", "unable to open")
    (disk / "ballast").unlink()
    assert verify_folder(audit).ok
    told("label", audit, "--from", files / "truth.csv", "-n", 30)
    assert verify_folder(audit).ok


def test_init_where_nothing_may_be_written_says_so(files, place):
    shutil.copytree(files, place / "files")
    for_reading_only(place / "files")
    for target in ("files/audit", "files/deep/audit"):
        [done] = run_by_others([("init", place / target, "--predictions", place / "files" / "ours.csv")], place)
        assert_a_sentence(done, "Permission denied")
    assert Path(place / "files" / "audit").exists() is False
