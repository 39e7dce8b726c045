"""A store keeps what was written, migrates, and refuses what is no audit."""

import os
import sqlite3
import stat
import threading
from contextlib import suppress

import pytest

from altmas.audits import schema
from altmas.audits.audit import Audit
from altmas.audits.recovery import accept_loss
from altmas.audits.store import STORE_FILE, Store, StoreError
from altmas.audits.verification import verify_folder
from altmas.metrics.errors import AltmasError, InputError
from worlds.audits import kinds, make_audit, make_world, rows, standing

# What was written stays


def test_a_commit_is_on_disk_before_it_is_acknowledged(tmp_path, world):
    """What a loss of power leaves rests on these two settings of SQLite, and on nothing of ours."""
    with make_audit(tmp_path / "audit", world) as audit:
        ask = audit.store._connection.execute
        assert ask("PRAGMA synchronous").fetchone() == (2,)
        assert ask("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("table", ["events", "items"])
@pytest.mark.parametrize("statement", ["UPDATE {0} SET {1} = {1}", "DELETE FROM {0}"])
def test_the_store_itself_refuses_to_change_or_forget(folder, table, statement):
    connection = sqlite3.connect(folder / STORE_FILE)
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} are append-only"):
        connection.execute(statement.format(table, {"events": "body", "items": "content"}[table]))
    connection.close()
    assert verify_folder(folder).ok


def test_a_full_disk_takes_nothing_and_breaks_nothing(tmp_path, world):
    with make_audit(tmp_path / "audit", world) as audit:
        queries = audit.ask(20)
        audit.tell(queries[0].id, "cat")
        pages = audit.store._connection.execute("PRAGMA page_count").fetchone()[0]
        audit.store._connection.execute(f"PRAGMA max_page_count = {pages}")

        def tell_all():
            for query in queries[1:]:
                audit.tell(query.id, "cat", note="x" * 1000)

        with pytest.raises(StoreError, match="store must be writable; got .*full"):
            tell_all()
        with Audit.open(audit.folder) as again:
            assert standing(audit) == standing(again)
            assert audit.status() == again.status()
            held = len(standing(again))
        assert 1 <= held < 20
        audit.store._connection.execute("PRAGMA max_page_count = 1000000")
        audit.tell(queries[held].id, "cat")
        assert len(standing(audit)) == held + 1
        assert audit.verify().ok


def test_a_writer_that_has_to_wait_too_long_says_so(tmp_path, world, monkeypatch):
    monkeypatch.setattr("altmas.audits.connections.BUSY_SECONDS", 0.2)
    with make_audit(tmp_path / "audit", world) as audit:
        query = audit.ask(1)[0]
        blocker = sqlite3.connect(audit.folder / STORE_FILE, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="store must be writable; got .*locked"):
            audit.tell(query.id, "cat")
        assert audit.status().answered == 0  # reading goes on
        blocker.execute("ROLLBACK")
        blocker.close()
        assert audit.tell(query.id, "cat").new
        assert audit.status().answered == 1


def test_threads_that_share_an_audit_count_each_answer_once(tmp_path, world):
    with make_audit(tmp_path / "audit", make_world(600), initial=300) as audit, Audit.open(audit.folder) as elsewhere:
        queries, failures = audit.ask(300), []

        def work(part):
            try:
                for query in part:
                    audit.tell(query.id, "cat", annotator="mk")
                    audit.ask(1, annotator="mk")
                    audit.status()
            except BaseException as error:
                failures.append(error)

        def look():
            while any(one.is_alive() for one in threads[:4]):
                audit.refresh()

        threads = [threading.Thread(target=work, args=(queries[k::6],)) for k in range(4)]
        threads += [threading.Thread(target=look) for _ in range(2)]
        for one in threads:
            one.start()
        for query in [*queries[4::6], *queries[5::6]]:
            elsewhere.tell(query.id, "cat", annotator="elsewhere")
        for one in threads:
            one.join()
        audit.refresh()
        assert failures == []
        counted = sum(len(entries) for people in audit.state.entries.values() for entries in people.values())
        assert counted == kinds(audit).count("answered") == 300
        assert audit.status() == elsewhere.status()


# Versions


MIGRATION = "ALTER TABLE items ADD COLUMN colour TEXT"


def test_an_older_store_is_backed_up_migrated_and_logged(folder, monkeypatch):
    before = rows(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATION,))
    with Audit.open(folder) as audit:
        assert audit.events()[-1].kind == "migrated"
        assert audit.events()[-1].body == {"from": 1, "to": 2}
        assert schema.version_of(audit.store._connection) == 2
        audit.tell(audit.ask(1)[0].id, "cat")
    assert rows(folder)[: len(before)] == before
    assert verify_folder(folder).ok
    with Audit.open(folder) as audit:
        assert kinds(audit).count("migrated") == 1
    copy = folder / f"{STORE_FILE}.version-1"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    monkeypatch.setattr(schema, "MIGRATIONS", ())
    copy.rename(folder / STORE_FILE)
    for left in (f"{STORE_FILE}-wal", f"{STORE_FILE}-shm"):
        (folder / left).unlink(missing_ok=True)
    with pytest.raises(StoreError, match="acknowledged events are lost"):  # what came after the copy was made
        Audit.open(folder)
    assert rows(folder) == before
    assert accept_loss(folder).kind == "recovered"
    with Audit.open(folder) as audit:
        assert audit.verify().ok


def test_what_a_killed_writer_left_is_removed_by_the_next_and_what_is_young_is_not(folder):
    left, young = (folder / f".{STORE_FILE}.version-1.{name}.part" for name in ("left", "young"))
    for part in (left, young):
        part.write_bytes(b"half")
    os.utime(left, (0, 0))
    with Audit.open(folder) as audit:
        audit.tell(audit.ask(1)[0].id, "cat")
    assert not left.exists()
    assert young.exists()


def test_a_migration_that_fails_leaves_the_store_as_it_was(folder, monkeypatch):
    before = rows(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATION, "ALTER TABLE no_such_table ADD COLUMN x"))
    with pytest.raises(StoreError, match="store must be readable; got .*no_such_table"):
        Audit.open(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", ())
    assert verify_folder(folder).ok
    assert rows(folder) == before


def test_two_that_open_an_older_store_at_once_migrate_it_once(folder, monkeypatch):
    before, back_up = rows(folder), Store._back_up
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATION,))
    others = []

    def after_another_did_it_all(store, *arguments):
        if not others:  # between looking at the version and doing something about it
            others.append(threading.Thread(target=lambda: Store.open(folder).close()))
            others[0].start()
            others[0].join(0.5)  # it may have to wait for us, then
        return back_up(store, *arguments)

    monkeypatch.setattr(Store, "_back_up", after_another_did_it_all)
    Store.open(folder).close()
    others[0].join()
    assert [row[2] for row in rows(folder)] == [*(row[2] for row in before), "migrated"]
    copy = sqlite3.connect(folder / f"{STORE_FILE}.version-1")
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("SELECT * FROM events ORDER BY seq").fetchall() == before
    copy.close()


def test_checking_an_older_store_leaves_it_as_it_is(folder, monkeypatch):
    before = rows(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATION,))
    assert verify_folder(folder).ok
    assert rows(folder) == before


def test_a_newer_store_is_refused_and_left_alone(folder):
    connection = sqlite3.connect(folder / STORE_FILE)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(StoreError, match="store must be of version 1 to 1; got version 7"):
        Audit.open(folder)
    connection = sqlite3.connect(folder / STORE_FILE)
    assert connection.execute("PRAGMA user_version").fetchone() == (7,)
    connection.close()


# What is no audit


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to look like one" * 20])
def test_a_file_that_is_no_store_is_refused_by_a_sentence(tmp_path, content):
    (tmp_path / STORE_FILE).write_bytes(content)
    with pytest.raises(StoreError, match="store must "):
        Audit.open(tmp_path)


def test_a_folder_that_is_no_audit_is_refused_by_a_sentence(tmp_path):
    with pytest.raises(InputError, match="audit must be a folder made by"):
        Audit.open(tmp_path)
    with pytest.raises(InputError, match="audit must be a folder made by"):
        Audit.open(tmp_path / "nowhere")


def test_a_store_without_creation_is_refused_by_a_sentence(tmp_path):
    Store.create(tmp_path, []).close()
    with pytest.raises(AltmasError, match="audit must "):
        Audit.open(tmp_path)


@pytest.mark.parametrize("page", [1, 2, 3, -1])
def test_a_damaged_file_is_refused_or_named(folder, page):
    content = bytearray((folder / STORE_FILE).read_bytes())
    pages = len(content) // 4096
    start = 4096 * (page % pages)
    content[start : start + 4096] = bytes(byte ^ 0x5A for byte in content[start : start + 4096])
    (folder / STORE_FILE).write_bytes(content)
    assert not verify_folder(folder).ok
    with suppress(AltmasError):  # or it opens, where nothing it needs was hit
        Audit.open(folder).close()


@pytest.mark.parametrize("name", ["ids.json", "names.json", "model-0-predictions.npy", "model-0-scores.npy"])
@pytest.mark.parametrize("harm", ["missing", "empty", "cut"])
def test_a_pool_that_cannot_be_read_is_refused_by_a_sentence_and_named(folder, name, harm):
    path = folder / "pool" / name
    content = path.read_bytes()
    path.unlink()
    if harm != "missing":
        path.write_bytes(content[: len(content) // 2] if harm == "cut" else b"")
    assert any(f"file pool/{name} " in one for one in verify_folder(folder).problems)
    with pytest.raises(AltmasError, match="must be"):
        Audit.open(folder)
