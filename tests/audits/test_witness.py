"""The witness: a store that is older than what was acknowledged is found out, whatever made it so."""

import os
import shutil
import sqlite3

import pytest

from altmas.audits import witness
from altmas.audits.audit import Audit
from altmas.audits.recovery import accept_loss, loss_of
from altmas.audits.store import COMMITS_IN_WAL, STORE_FILE, Store, StoreError
from altmas.audits.verification import verify_folder
from altmas.audits.witness import WITNESS_FILE, Seen
from worlds.audits import make_audit, make_world, rows
from worlds.commands import altmas, mode, refused, told
from worlds.integrity import WAL, copy_live, left_by_a_kill, made_without_witness, without_wal


@pytest.fixture
def killed(tmp_path):
    """An audit whose last six answers are in the WAL alone."""
    left_by_a_kill(tmp_path / "killed")
    return tmp_path / "killed"


def lines(folder):
    return (folder / WITNESS_FILE).read_text().splitlines()


# Nothing acknowledged is lost without a word


def test_what_lies_in_the_wal_alone_is_there_after_a_kill(killed):
    assert verify_folder(killed).ok
    with Audit.open(killed) as audit:
        assert audit.status().annotators["mk"] == 6


@pytest.mark.parametrize("harm", ["deleted", "not copied", "cut", "emptied", "flipped"])
def test_answers_lost_with_the_wal_are_missed(killed, tmp_path, harm):
    folder, wal = killed, killed / WAL
    if harm == "deleted":
        wal.unlink()
    elif harm == "not copied":
        folder = without_wal(killed, tmp_path / "copy")
    elif harm == "flipped":
        content = bytearray(wal.read_bytes())
        content[2000] ^= 4
        wal.write_bytes(content)
    else:
        os.truncate(wal, 6000 if harm == "cut" else 0)
    found = verify_folder(folder)
    assert not found.ok
    assert "acknowledged event" in found.problems[0]
    with pytest.raises(
        StoreError, match=r"(\d+ acknowledged events are|1 .* is) lost.*audit.db-wal was deleted.*--accept-loss"
    ):
        Audit.open(folder)
    for command in (["status"], ["estimate"], ["next"], ["undo", "--annotator", "mk"]):
        assert "--accept-loss" in refused(command[0], folder, *command[1:])


def test_a_wal_that_is_put_back_mends_it(killed):
    kept = (killed / WAL).read_bytes()
    (killed / WAL).unlink()
    assert not verify_folder(killed).ok
    (killed / WAL).write_bytes(kept)
    assert verify_folder(killed).ok


def test_a_damaged_wal_is_put_aside_before_sqlite_forgets_it(killed):
    content = bytearray((killed / WAL).read_bytes())
    content[2000] ^= 4
    (killed / WAL).write_bytes(content)
    assert not verify_folder(killed).ok
    assert (killed / f"{WAL}.put-aside").read_bytes() == content


def test_a_store_put_back_and_written_to_is_another(killed, tmp_path):
    """An earlier version, which knows no witness, would have gone on."""
    (killed / WAL).unlink()
    store = Store.open(killed)
    kept = (killed / WITNESS_FILE).read_bytes()
    for number in range(20):
        with store.writing():
            store.append("noted", {"number": number})
    store.close()
    (killed / WITNESS_FILE).write_bytes(kept)
    assert "the log went another way" in verify_folder(killed).problems[0]
    with pytest.raises(StoreError, match="another than the one that was acknowledged"):
        Audit.open(killed)
    event = accept_loss(killed)
    assert event.body["from"] < event.body["from"] + event.body["lost"] <= event.seq
    assert verify_folder(killed).ok


@pytest.mark.parametrize("harm", ["missing", "emptied", "zeros"])
def test_a_witness_that_is_gone_is_missed(folder, harm):
    path = folder / WITNESS_FILE
    size = path.stat().st_size
    path.unlink()
    if harm != "missing":
        path.write_bytes(bytes(size if harm == "zeros" else 0))
    assert "audit.head" in verify_folder(folder).problems[0]
    with pytest.raises(StoreError, match="audit.head, which says how far"):
        Audit.open(folder)
    assert accept_loss(folder).body["lost"] is None
    assert verify_folder(folder).ok


# How it is written


def test_a_line_is_there_for_every_commit_before_it_is_acknowledged(audit):
    assert mode(audit.folder / WITNESS_FILE) == 0o600
    for query in audit.ask(5):
        seq = audit.tell(query.id, "cat").seq
        assert lines(audit.folder)[-1] == f"{seq} {rows(audit.folder)[-1][-1]}"


def test_an_audit_of_an_earlier_version_gets_its_witness_with_the_next_answer(folder):
    made_without_witness(folder)
    assert verify_folder(folder).ok
    with Audit.open(folder) as audit:
        assert not (folder / WITNESS_FILE).exists()
        seq = audit.tell(audit.ask(1)[0].id, "cat").seq
    assert witness.seen(folder)[0].seq == seq
    assert verify_folder(folder).ok


def test_a_commit_the_witness_did_not_see_is_no_fault_and_is_seen_before_it_is_acknowledged(audit, monkeypatch):
    [query] = audit.ask(1)
    before = lines(audit.folder)

    class KilledError(BaseException):
        pass

    def killed(*_):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(witness, "note", killed)
        with pytest.raises(KilledError):
            audit.tell(query.id, "cat", client="a")
    assert lines(audit.folder) == before
    with Audit.open(audit.folder) as again:
        told = again.tell(query.id, "cat", client="a")  # the client does not know, and sends it again
        assert not told.new
        assert witness.seen(audit.folder)[0].seq == told.seq


def test_an_answer_is_not_acknowledged_where_the_witness_cannot_be_written(audit):
    [query] = audit.ask(1)
    path = audit.folder / WITNESS_FILE
    kept = path.read_bytes()
    path.unlink()
    path.symlink_to("/dev/full")
    with pytest.raises(StoreError, match="store must be writable; got"):
        audit.tell(query.id, "cat")
    path.unlink()
    path.write_bytes(kept)
    assert not audit.tell(query.id, "cat").new  # it was on disk, and now the witness has seen it
    assert lines(audit.folder)[-1].startswith(f"{rows(audit.folder)[-1][0]} ")


def test_a_line_cut_short_by_a_loss_of_power_says_nothing_and_spoils_no_other(audit):
    [query] = audit.ask(1)
    with (audit.folder / WITNESS_FILE).open("ab") as file:
        file.write(b"99 abc")
    assert verify_folder(audit.folder).ok
    seq = audit.tell(query.id, "cat").seq
    assert witness.seen(audit.folder)[0].seq == seq


def test_lines_count_by_their_number_not_by_their_order(tmp_path):
    for seq in (1, 3, 2):
        witness.note(tmp_path, seq, "a" * 64)
    assert witness.seen(tmp_path)[0] == Seen(3, "a" * 64)


# Checkpoints


def test_commits_do_not_stay_in_the_wal_for_long(tmp_path):
    """Copied without its WAL, a live audit lacks fewer than fifty commits; after a refit or a close, none."""
    world = make_world(400)
    with make_audit(tmp_path / "audit", world, initial=300) as audit:
        for number, query in enumerate(audit.ask(120)):
            seq = audit.tell(query.id, "cat").seq
            if number % 17 == 0:
                assert seq - events_without_wal(audit.folder, tmp_path) < COMMITS_IN_WAL
        with Audit.open(audit.folder) as other:
            other.status()
            audit.close()  # not the last one to have it open
            assert events_without_wal(audit.folder, tmp_path) == seq


def test_a_refit_leaves_nothing_in_the_wal_alone(audit, world):
    for query in audit.ask(20):
        audit.tell(query.id, world.label(query.position))
    assert audit.refit()
    assert events_without_wal(audit.folder, audit.folder.parent) == audit.events()[-1].seq


def test_a_reader_who_stays_keeps_no_labeller_waiting(audit):
    queries = audit.ask(20)
    reader = sqlite3.connect(audit.folder / STORE_FILE, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM events").fetchone()
    audit.store._commits = COMMITS_IN_WAL - 1
    assert audit.tell(queries[0].id, "cat").new
    reader.close()
    assert verify_folder(audit.folder).ok


def events_without_wal(folder, home):
    copy = without_wal(folder, home / "without")
    connection = sqlite3.connect(copy / STORE_FILE)
    [(count,)] = connection.execute("SELECT COUNT(*) FROM events")
    connection.close()
    shutil.rmtree(copy)
    return count


def test_a_file_system_without_shared_memory_is_used_with_another_journal(tmp_path, monkeypatch):
    """Network drives are such; SQLite's own locking by files has no shared memory either."""
    connect = sqlite3.connect

    def elsewhere(path, **options):
        return connect(f"{path.absolute().as_uri()}?vfs=unix-dotfile", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr("altmas.audits.connections.sqlite3.connect", elsewhere)
        with make_audit(tmp_path / "audit", make_world()) as audit:
            ask = audit.store._connection.execute
            assert ask("PRAGMA journal_mode").fetchone() == ("delete",)
            assert ask("PRAGMA synchronous").fetchone() == (2,)
            audit.tell(audit.ask(1)[0].id, "cat")
            assert audit.verify().ok
    assert verify_folder(tmp_path / "audit").ok


# Recovering


def test_recovering_says_what_is_lost_and_goes_on_only_if_told_to(killed):
    copy = copy_live(killed, killed.with_name("copy"))
    assert told("recover", copy).startswith("Nothing is lost")
    (killed / WAL).unlink()
    lost = loss_of(killed)
    before = rows(killed)
    done = altmas("recover", killed)
    assert (done.code, done.out) == (3, "")
    assert f"{lost.count} acknowledged events are lost" in done.err
    assert rows(killed) == before
    said = told("recover", killed, "--accept-loss")
    assert f"{lost.count} acknowledged events are lost" in said
    event = rows(killed)[-1]
    assert event[2] == "recovered"
    assert verify_folder(killed).ok
    assert len(lines(killed)) == 1
    with Audit.open(killed) as audit:
        found = audit.events()[-1]
        assert found.body == {"from": len(before), "lost": lost.count, "witnessed": lost.last.hash}
        audit.tell(audit.ask(1)[0].id, "cat")
        assert f"{lost.count} acknowledged events after event {len(before)} were lost" in audit.findings().warnings[0]
    assert told("recover", killed, "--accept-loss").startswith("Nothing is lost")
    assert [row[2] for row in rows(killed)].count("recovered") == 1


def test_other_damage_is_not_accepted(killed):
    copy = copy_live(killed, killed.with_name("copy"))
    connection = sqlite3.connect(copy / STORE_FILE)
    connection.execute("DROP TRIGGER events_no_update")
    connection.execute("UPDATE events SET kind = 'noted' WHERE seq = 5")
    connection.commit()
    connection.close()
    (copy / WITNESS_FILE).unlink()
    assert "event 5 was changed" in refused("recover", copy, "--accept-loss")
