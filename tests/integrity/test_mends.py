"""Ways that somebody found to write over a record, to hang a command or to end it with a traceback."""

import json
import os
import shutil
import zipfile

import numpy as np
import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from worlds.attacks import CLASSES, forge, label, pool_of, vendor
from worlds.commands import altmas, refused, told


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An audit with refits, and the labels of its world."""
    truth, said, confidence = vendor(120, accuracy=0.7)
    folder = tmp_path_factory.mktemp("made") / "audit"
    with Audit.create(folder, pool_of(said, confidence), metrics=["accuracy"], initial=20) as audit:
        label(audit, truth, 40)
        audit.estimate()
    return folder, truth


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made[0], tmp_path / "audit")


def answered_by(folder, name, count=3):
    """New questions, answered by somebody; their ids."""
    with Audit.open(folder) as audit:
        ids = [query.id for query in audit.ask(count)]
        for one in ids:
            audit.tell(one, "cat", annotator=name)
    return ids


def rows(path, ids, **columns):
    pd.DataFrame({"id": ids, **columns}).to_csv(path, index=False)
    return path


def test_a_nameless_file_replaces_a_named_answer_and_disputes_nothing(folder, tmp_path):
    ids = answered_by(folder, "bob")
    told("import", folder, rows(tmp_path / "new.csv", ids, label="dog"), "--replace")
    with Audit.open(folder) as audit:
        assert audit.status().disputed == 0
        assert [one.label for one in audit.answers_of("bob")] == ["dog"] * 3
    assert "3 known already" in told("import", folder, tmp_path / "new.csv", "--replace")


def test_who_is_replaced_must_be_named_where_several_answered(tmp_path):
    with Audit.create(tmp_path / "a", pool_of(np.zeros(30, int), np.ones(30)), overlap=2) as audit:
        one = audit.ask(1)[0].id
        audit.tell(one, "cat", annotator="bob")
        audit.tell(one, "cat", annotator="eve")
        with pytest.raises(
            InputError, match=r"annotator must be named where several answered; got none, of bob, eve\."
        ):
            audit.tell(one, "dog", replace=True)
        audit.tell(one, "dog", annotator="eve", replace=True)
        assert audit.status().disputed == 1


def test_a_file_of_somebody_else_is_not_taken_for_bobs(folder, tmp_path):
    with Audit.open(folder) as audit:
        ids = [query.id for query in audit.ask(3)]
    path = rows(tmp_path / "theirs.csv", ids, label="cat", annotator=["alice", "", "bob"])
    done = altmas("import", folder, path, "--annotator", "bob")
    assert done.code == 2
    assert "row 2: annotator must be 'bob' or nobody, as --annotator says; got 'alice'" in done.err
    assert "row 3" not in done.err
    assert "3 answers taken" in told("import", folder, path)
    assert "alice: 1 answer\n" in told("status", folder)


def test_a_backup_has_the_files_that_the_log_names_and_no_others(folder, tmp_path):
    """Whether they lie in the folder or are linked from there."""
    (folder / "fits" / "private.txt").write_text("of somebody else")
    for name in ("pool/ids.json", "fits/0000.npz"):
        shutil.move(folder / name, tmp_path / "elsewhere")
        (folder / name).symlink_to(tmp_path / "elsewhere")
        told("backup", folder, tmp_path / "b.zip", "--replace")
        (folder / name).unlink()
        shutil.move(tmp_path / "elsewhere", folder / name)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert "audit/fits/private.txt" not in archive.namelist()
        archive.extractall(tmp_path / "restored")
    told("log", tmp_path / "restored" / "audit", "--verify")
    (folder / "fits" / "0000.npz").unlink()
    assert "file fits/0000.npz is missing" in refused("backup", folder, tmp_path / "c.zip")
    assert not (tmp_path / "c.zip").exists()


WRONG = (
    {"took_ms": "fast"}, {"took_ms": float("nan")}, {"took_ms": -1}, {"took_ms": True}, {"took_ms": 10**400},
    {"note": b"x"}, {"note": 5}, {"client": 5}, {"given_at": 3},
)  # fmt: skip


@pytest.mark.parametrize("extra", WRONG, ids=lambda one: str(one)[:20])
def test_an_answer_that_a_log_cannot_keep_is_refused_before_it_is_written(extra, folder):
    with Audit.open(folder) as audit:
        one, before = audit.ask(1)[0].id, len(audit.events())
        with pytest.raises(InputError, match=r" must be .*; got "):
            audit.tell(one, "cat", **extra)
        assert len(audit.events()) == before
        audit.tell(one, "cat", took_ms=np.int64(900))


@pytest.mark.parametrize(
    "body", [{"item": [1]}, {"item": 10**6}, {"annotator": 5}, {"what": b"x"}, {"n": {1}}, [1], None]
)
def test_an_event_that_a_log_cannot_keep_is_refused(body, folder):
    with Audit.open(folder) as audit:
        before = len(audit.events())
        with pytest.raises(InputError, match=r" must be .*; got "):
            audit.record("revealed", body)
        assert len(audit.events()) == before


OUT = (
    ("log", "--to", "audit.db"), ("log", "--to", "audit.head"), ("next", "--to", "pool/q.csv"),
    ("report", "-o", "r.html"), ("export", "fits"), ("export", "."), ("backup", "b.zip"),
    ("estimate", "--to", "pool/e.csv"), ("surface", "--by", "class", "--figure", "f.svg"),
)  # fmt: skip


@pytest.mark.parametrize("command", OUT, ids=lambda one: f"{one[0]} {one[-1]}")
def test_nothing_is_written_into_an_audit(command, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for home in (folder, tmp_path / "link", folder / "pool" / ".."):
        said = refused(command[0], folder, *command[1:-1], home / command[-1])
        assert "must lie outside of the audit's own folder" in said
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert refused("log", folder, "--to", folder / "audit.db").startswith("--to must lie")


def changed(name, value):
    def change(events):
        at, kind, body, client = events[0]
        if name.startswith("settings."):
            body = {**body, "settings": {**body["settings"], name.removeprefix("settings."): value}}
        else:
            body = {**body, name: value}
        return [(at, kind, body, client), *events[1:]]

    return change


BEGINNINGS = (
    ("media", 5), ("media", {"files": "x", "hashed": 1}), ("settings.seed", "x"), ("settings.level", 1e300),
    ("settings.budget", []), ("settings.inputs", 5), ("settings.versions", "x"), ("settings.initial", 10**400),
    ("settings.task", {"task": 5}), ("settings", []), ("size", "x"), ("files", []), ("files", {"../x": "0" * 64}),
    ("earlier", 5), ("earlier", [{"created": 1, "labels": "x"}]), ("secret", "ab"), ("engine", "x"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BEGINNINGS, ids=lambda one: str(one)[:20])
def test_a_forged_beginning_is_a_sentence_everywhere(name, value, folder, tmp_path):
    forge(folder, changed(name, value))
    done = altmas("log", folder, "--verify")
    assert done.code == 3
    assert f"Problem: the first event does not hold what an audit begins with: {name}" in done.err
    assert altmas("check", folder).code == 3
    for command in (("status",), ("estimate",), ("report", "-o", tmp_path / "r.md")):
        assert "audit must be whole" in refused(command[0], folder, *command[1:])


def test_an_event_without_names_is_a_sentence_too(folder):
    forge(folder, lambda events: [(events[0][0], "created", [1], None), *events[1:]])
    assert altmas("log", folder, "--verify").code == 3
    for command in ("status", "recover"):
        assert "audit must be whole" in refused(command, folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_for_a_witness_is_as_good_as_none(folder):
    (folder / "audit.head").unlink()
    os.mkfifo(folder / "audit.head")
    said = refused("status", folder)
    assert "audit.head, which says how far the log had come, is missing" in said
    assert "Put audit.head back if you have it" in said
    assert "Put audit.head back" in altmas("recover", folder).err
    told("recover", folder, "--accept-loss")
    told("status", folder)


def test_the_file_of_a_refit_is_the_one_that_is_read(folder):
    """Its hash would else be that of an honest file, while another one is read."""
    shutil.copy(folder / "fits" / "0000.npz", folder / "fits" / "honest.npz")

    def change(events):
        return [
            (at, kind, {**body, "file": "honest.npz"} if body.get("file") == "0000.npz" else body, client)
            for at, kind, body, client in events
        ]

    forge(folder, change)
    assert "refit 0 names 'honest.npz' and not 0000.npz as its file" in altmas("log", folder, "--verify").err
    assert "refit 0 names" in refused("estimate", folder)


def test_answers_that_a_table_lacks_are_counted(folder, made, tmp_path):
    known = rows(tmp_path / "some.csv", range(60), label=[CLASSES[one] for one in made[1][:60]])
    said = told("label", folder, "--from", known, "-n", 30)
    with Audit.open(folder) as audit:
        skipped = audit.status().skipped
    assert skipped
    assert f"{30 - skipped} labels taken from {known}; {skipped} questions skipped, which it lacks." in said


def test_nothing_to_ask_again_is_no_file(folder, tmp_path):
    said = told("next", folder, "--again", "--to", tmp_path / "again.csv")
    assert said.startswith("Nothing to ask again")
    assert not (tmp_path / "again.csv").exists()
    assert json.loads(told("next", folder, "--again", "--json"))["questions"] == []


def test_a_head_that_is_in_the_chain_is_named(folder):
    events = altmas("log", folder, "--json").json["events"]
    third = events[2]
    said = told("log", folder, "--verify", "--head", third["hash"][:12])
    assert f"{third['hash'][:12]} is event 3, '{third['kind']}' at {third['at']}; " in said
    assert "the last one" in told("log", folder, "--verify", "--head", events[-1]["hash"])


def test_hints_name_what_to_type(folder, tmp_path):
    said = rows(tmp_path / "p.csv", range(9), prediction=["cat", "dog", "cow"] * 3)
    assert f"altmas status {folder} shows one that is there" in refused("init", folder, "--predictions", said)
    assert refused("compare", folder, "--group", "regio", "--a", "n", "--b", "s").startswith("--group must be one of")


def test_a_page_on_a_disk_that_can_only_be_read_says_so(folder, monkeypatch):
    from filelock import FileLock

    def acquire(lock, **how):
        raise OSError(30, "Read-only file system", str(lock.lock_file))

    monkeypatch.setattr(FileLock, "acquire", acquire)
    said = refused("label", folder, "--annotator", "mk")
    assert said.startswith(f"folder must be writable; got {folder}: Read-only file system. Work on a copy")
