"""A backup is the audit as it was at one moment, whoever was writing; unpacked, it opens and verifies."""

import multiprocessing
import time
from zipfile import ZipFile

import pytest

from altmas.audits.audit import Audit
from altmas.audits.backups import back_up
from altmas.audits.store import StoreError
from altmas.audits.verification import verify_folder
from altmas.metrics.errors import InputError
from altmas.page.names import audit_key
from worlds.audits import rows
from worlds.commands import mode, refused, told
from worlds.integrity import WAL, left_by_a_kill


def unpacked(archive, where):
    with ZipFile(archive) as file:
        assert file.testzip() is None
        file.extractall(where)
        [name] = {one.partition("/")[0] for one in file.namelist()}
    return where / name


def test_a_backup_unpacked_is_the_audit(folder, tmp_path):
    with Audit.open(folder) as audit:
        before = audit.estimate()
    assert "to restore it: unzip" in told("backup", folder, tmp_path / "audit.zip")
    assert mode(tmp_path / "audit.zip") == 0o600
    copy = unpacked(tmp_path / "audit.zip", tmp_path / "restored")
    assert copy.name == folder.name
    assert rows(copy) == rows(folder)
    assert verify_folder(copy).ok
    with Audit.open(copy) as audit:
        assert audit.estimate().equals(before)
        audit.tell(audit.ask(1)[0].id, "cat")
    assert verify_folder(copy).ok


def test_a_backup_holds_nothing_of_the_page_and_no_locks(folder, tmp_path):
    audit_key(folder)
    others = ("sessions.json", "server.json", "refit.log", "leases.db", "server.lock", ".x.0.part")
    for name in others:
        (folder / name).write_bytes(b"private")
    back_up(folder, tmp_path / "audit.zip")
    with ZipFile(tmp_path / "audit.zip") as file:
        names = {one.removeprefix("audit/") for one in file.namelist()}
        modes = {one.filename: one.external_attr >> 16 & 0o777 for one in file.infolist()}
    kept = {path.relative_to(folder).as_posix() for home in ("pool", "fits") for path in (folder / home).iterdir()}
    assert names == {"", "pool/", "fits/", "audit.db", "audit.head", *kept}
    assert {mode for name, mode in modes.items() if name.endswith("/")} == {0o700}
    assert {mode for name, mode in modes.items() if not name.endswith("/")} == {0o600}


def test_a_backup_is_not_written_over_nor_into_the_audit(folder, tmp_path):
    told("backup", folder, tmp_path / "audit.zip")
    first = (tmp_path / "audit.zip").read_bytes()
    assert "--replace writes over it" in refused("backup", folder, tmp_path / "audit.zip")
    assert (tmp_path / "audit.zip").read_bytes() == first
    told("backup", folder, tmp_path / "audit.zip", "--replace")
    assert "outside of the audit's own folder" in refused("backup", folder, folder / "audit.zip")
    assert "*.zip" in refused("backup", folder, tmp_path / "audit.tar")


def test_what_is_not_whole_is_not_backed_up(folder, tmp_path):
    path = folder / "pool" / "model-0-scores.npy"
    path.write_bytes(path.read_bytes()[:-8] + b"12345678")
    with pytest.raises(StoreError, match="file pool/model-0-scores.npy was changed"):
        back_up(folder, tmp_path / "audit.zip")
    assert not (tmp_path / "audit.zip").exists()
    with pytest.raises(InputError, match="audit must be a folder made by"):
        back_up(tmp_path, tmp_path.parent / "none.zip")


def test_what_lies_in_the_wal_alone_is_backed_up_too(tmp_path):
    left_by_a_kill(tmp_path / "killed")
    back_up(tmp_path / "killed", tmp_path / "audit.zip")
    copy = unpacked(tmp_path / "audit.zip", tmp_path / "restored")
    assert not (copy / WAL).exists()
    assert verify_folder(copy).ok
    with Audit.open(copy) as audit:
        assert audit.status().annotators["mk"] == 6


def label(folder, said):
    with Audit.open(folder) as audit:
        for query in audit.ask(150, annotator="mk", wait=False):
            said.put(audit.tell(query.id, "cat", annotator="mk").seq)
            audit.refit()


def test_a_backup_of_an_audit_that_others_write_to_is_of_one_moment(folder, tmp_path):
    context = multiprocessing.get_context("spawn")
    said = context.Queue()
    writer = context.Process(target=label, args=(folder, said), daemon=True)
    writer.start()
    number, archives = 0, []
    said.get(timeout=60)
    while writer.is_alive() or number < 3:
        before = 0
        while not said.empty():
            before = max(before, said.get())
        archive = tmp_path / f"{number}.zip"
        events = back_up(folder, archive)
        assert events >= before  # nothing that was acknowledged before is missing in it
        archives.append((archive, events))
        number += 1
        time.sleep(0.05)
    writer.join()
    assert len({events for _, events in archives}) > 1  # it was indeed written to
    for archive, events in archives[:5] + archives[-2:]:
        copy = unpacked(archive, tmp_path / f"restored-{events}-{archive.stem}")
        assert verify_folder(copy).problems == ()
        assert len(rows(copy)) == events
