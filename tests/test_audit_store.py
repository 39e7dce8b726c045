"""The store of an audit: what was written stays, what was changed is found, and nothing is half made."""

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from audit_world import CLASSES, answer, kinds, make_audit, make_world, meddle, standing

from altmas.audits import schema
from altmas.audits.audit import Audit
from altmas.audits.events import faults
from altmas.audits.store import NAME, Store, StoreError
from altmas.audits.verification import verify_folder
from altmas.core.pool import Pool
from altmas.metrics.errors import AltmasError, InputError

COLUMNS = ("at", "kind", "body", "client", "previous", "hash")


@pytest.fixture(scope="module")
def template(tmp_path_factory, world):
    """A closed audit with rounds, answers, an undo, a replacement, a note, a client's id and three fits."""
    folder = tmp_path_factory.mktemp("template") / "audit"
    with make_audit(folder, world) as audit:
        answer(audit, world, 40)
        audit.undo()
        audit.redo()
        position = next(iter(audit.state.order))
        audit.tell(audit.pool.ids[position], world.wrong(position), replace=True, note="é ☃ after a second look")
        query = audit.ask(1)[0]
        audit.tell(query.id, "unsure", client="a-client", annotator="mk")
        assert kinds(audit).count("fitted") == 3
    return folder


@pytest.fixture
def folder(tmp_path, template):
    """A copy of it, to meddle with."""
    return shutil.copytree(template, tmp_path / "audit")


def rows(folder):
    connection = sqlite3.connect(folder / NAME)
    found = connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
    connection.close()
    return found


def replaced(row, column, text):
    place = 1 + COLUMNS.index(column)
    return (*row[:place], text, *row[place + 1 :])


def other(letter):
    return "b" if letter == "a" else "a"


# What was changed is found, and named


def test_a_whole_audit_verifies(folder):
    found = verify_folder(folder)
    assert found.ok
    assert found.problems == ()
    assert found.events == len(rows(folder))
    assert found.head == rows(folder)[-1][-1]
    with Audit.open(folder) as audit:
        assert audit.verify() == found
        assert audit.status().head == found.head


def test_every_single_letter_of_every_event_counts(folder):
    whole = rows(folder)
    assert faults(whole) == []
    tried = 0
    for k, row in enumerate(whole):
        for column in COLUMNS:
            text = row[1 + COLUMNS.index(column)] or ""
            step = 1 if len(text) < 200 else 31  # long lists of chances are sampled
            for place in range(0, len(text), step):
                changed = replaced(row, column, text[:place] + other(text[place]) + text[place + 1 :])
                assert f"event {row[0]} was changed after it was written" in faults([*whole[:k], changed])
                tried += 1
    assert tried > 5_000


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", ["created", "drawn", "answered", "undone", "fitted"])
def test_a_changed_row_in_the_file_is_named(folder, column, kind):
    row = next(row for row in reversed(rows(folder)) if row[2] == kind)
    text = row[1 + COLUMNS.index(column)] or ""
    changed = text[: len(text) // 2] + other(text[len(text) // 2 : len(text) // 2 + 1]) + text[len(text) // 2 + 1 :]
    meddle(folder, (f"UPDATE events SET {column} = ? WHERE seq = ?", changed, row[0]))
    found = verify_folder(folder)
    assert not found.ok
    assert any(f"event {row[0]} " in one for one in found.problems), found.problems


@pytest.mark.parametrize(
    "body", ["{", "{}", "[]", "null", '{"item": "no such item", "annotator": "", "answer": "skip"}']
)
def test_an_answer_that_makes_no_sense_is_named_and_not_taken(folder, body):
    seq = next(row[0] for row in rows(folder) if row[2] == "answered")
    meddle(folder, (f"UPDATE events SET body = ? WHERE seq = {seq}", body))
    assert verify_folder(folder).problems == (f"event {seq} was changed after it was written",)
    with pytest.raises(StoreError, match="audit must be whole.*--verify"):
        Audit.open(folder)


def test_an_event_taken_out_of_the_middle_is_missed(folder):
    meddle(folder, "DELETE FROM events WHERE seq = 9")
    assert any("event 9 is missing" in one for one in verify_folder(folder).problems)


def test_an_event_taken_out_and_the_rest_renumbered_is_missed(folder):
    meddle(folder, "DELETE FROM events WHERE seq = 9", "UPDATE events SET seq = seq - 1 WHERE seq > 9")
    assert any("event 9 does not follow the one before it" in one for one in verify_folder(folder).problems)


def test_the_first_events_cannot_be_taken_away(folder):
    meddle(folder, "DELETE FROM events WHERE seq <= 2")
    assert any("event 1 is missing" in one for one in verify_folder(folder).problems)


def test_two_events_that_changed_places_are_found(folder):
    meddle(
        folder, "UPDATE events SET seq = -1 WHERE seq = 7", "UPDATE events SET seq = 7 WHERE seq = 8",
        "UPDATE events SET seq = 8 WHERE seq = -1",
    )  # fmt: skip
    problems = verify_folder(folder).problems
    assert any("event 7 " in one for one in problems)
    assert any("event 8 " in one for one in problems)


@pytest.mark.parametrize("change", ['content = \'{"text":"other"}\'', "id = 'other'", "media = '/etc/passwd'"])
def test_changed_items_are_found(folder, change):
    meddle(folder, f"UPDATE items SET {change} WHERE position = 3")
    assert verify_folder(folder).problems == ("the items' contents were changed after the audit was made",)


def test_every_file_of_the_pool_and_of_fits_is_watched(folder):
    files = sorted([*(folder / "pool").iterdir(), *(folder / "fits").iterdir()])
    assert {"ids.json", "names.json", "0000.npz", "0001.npz"} <= {path.name for path in files}
    for path in files:
        before, name = path.read_bytes(), f"file {path.parent.name}/{path.name} was changed"
        middle = len(before) // 2
        path.write_bytes(before[:middle] + bytes([before[middle] ^ 1]) + before[middle + 1 :])
        assert [one.startswith(name) for one in verify_folder(folder).problems] == [True]
        path.unlink()
        assert verify_folder(folder).problems == (f"file {path.parent.name}/{path.name} is missing",)
        path.write_bytes(before)
    assert verify_folder(folder).ok


@pytest.mark.parametrize("name", ["model-0-scores.npy", "features.npy"])
def test_a_file_put_into_the_pool_is_neither_used_nor_overlooked(tmp_path, name):
    with Audit.create(tmp_path / "a", Pool.build(["cat", "dog"] * 30), metrics="accuracy"):
        pass
    np.save(tmp_path / "a" / "pool" / name, np.full(60, 0.9))
    assert verify_folder(tmp_path / "a").problems == (f"file pool/{name} does not belong to the audit",)
    with Audit.open(tmp_path / "a") as audit:
        assert audit.pool.scores is None
        assert audit.pool.features is None


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
    connection = sqlite3.connect(folder / NAME)
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
    monkeypatch.setattr("altmas.audits.store.BUSY_SECONDS", 0.2)
    with make_audit(tmp_path / "audit", world) as audit:
        query = audit.ask(1)[0]
        blocker = sqlite3.connect(audit.folder / NAME, isolation_level=None)
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
    copy = folder / f"{NAME}.version-1"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    monkeypatch.setattr(schema, "MIGRATIONS", ())
    copy.rename(folder / NAME)
    for left in (f"{NAME}-wal", f"{NAME}-shm"):
        (folder / left).unlink(missing_ok=True)
    with Audit.open(folder) as audit:
        assert audit.verify().ok
    assert rows(folder) == before


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
    copy = sqlite3.connect(folder / f"{NAME}.version-1")
    assert copy.execute("PRAGMA user_version").fetchone() == (1,)
    assert copy.execute("SELECT * FROM events ORDER BY seq").fetchall() == before
    copy.close()


def test_checking_an_older_store_leaves_it_as_it_is(folder, monkeypatch):
    before = rows(folder)
    monkeypatch.setattr(schema, "MIGRATIONS", (MIGRATION,))
    assert verify_folder(folder).ok
    assert rows(folder) == before


def test_a_newer_store_is_refused_and_left_alone(folder):
    connection = sqlite3.connect(folder / NAME)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(StoreError, match="store must be of version 1 to 1; got version 7"):
        Audit.open(folder)
    connection = sqlite3.connect(folder / NAME)
    assert connection.execute("PRAGMA user_version").fetchone() == (7,)
    connection.close()


# What is no audit


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to look like one" * 20])
def test_a_file_that_is_no_store_is_refused_by_a_sentence(tmp_path, content):
    (tmp_path / NAME).write_bytes(content)
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
    content = bytearray((folder / NAME).read_bytes())
    pages = len(content) // 4096
    start = 4096 * (page % pages)
    content[start : start + 4096] = bytes(byte ^ 0x5A for byte in content[start : start + 4096])
    (folder / NAME).write_bytes(content)
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


# Made whole, or not at all; private


def test_files_are_private_whatever_the_umask(tmp_path, world):
    before = os.umask(0)
    try:
        with make_audit(tmp_path / "audit", world) as audit:
            answer(audit, world, 30)
            found = {path: stat.S_IMODE(path.stat().st_mode) for path in [audit.folder, *audit.folder.rglob("*")]}
    finally:
        os.umask(before)
    assert {path.name for path in found} >= {NAME, f"{NAME}-wal", "refit.lock", "0000.npz", "ids.json"}
    assert {oct(mode) for path, mode in found.items() if path.is_dir()} == {"0o700"}
    assert {oct(mode) for path, mode in found.items() if path.is_file()} == {"0o600"}


@pytest.mark.parametrize("target", ["altmas.audits.creation.save_pool", "altmas.audits.store.Store.create"])
def test_a_creation_that_fails_leaves_nothing(tmp_path, world, monkeypatch, target):
    module, name = target.rsplit(".", 1)

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(target, fail)
    with pytest.raises(OSError, match="no space left"):
        make_audit(tmp_path / "audit", world)
    assert list(tmp_path.iterdir()) == [], (module, name)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"metrics": ["no_such_metric"]}, "no_such_metric"),
        ({"metrics": []}, "metrics of an audit must be names, at least one"),
        ({"method": "lure"}, "method of an audit must be one of certified, random"),
        ({"method": "no such"}, "method of an audit must be one of certified, random"),
        ({"options": {"worth": "gold"}}, "worth must be one of"),
        ({"options": {"surrogate": object()}}, "must"),
        ({"options": {"floor": float("nan")}}, "must"),
        ({"seed": -1}, "seed must"),
        ({"initial": 0}, "initial must"),
        ({"batch": 0}, "batch must"),
        ({"overlap": 0}, "overlap must"),
        ({"level": 1.5}, "level must"),
        ({"budget": 0}, "budget must"),
        ({"budget": 100_000}, "budget must be at most the pool's size"),
        ({"items": pd.DataFrame({"text": ["one"]})}, "items must have a row per item; got 1 for 200"),
        ({"media": [None]}, "media must have a row per item"),
    ],
)
def test_what_would_fail_later_is_refused_before_a_folder_is_made(tmp_path, world, options, sentence):
    with pytest.raises(InputError, match=sentence):
        make_audit(tmp_path / "audit", world, **options)
    assert list(tmp_path.iterdir()) == []


def test_calibration_error_needs_scores_that_are_probabilities(tmp_path, world):
    bare = make_world(scores=None)
    for one, options in ((bare, {}), (make_world(scores=np.arange(200.0)), {}), (world, {"method": "hierarchical"})):
        with pytest.raises(InputError, match="ece"):
            make_audit(tmp_path / "audit", one, metrics=["accuracy", "ece"], **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("pool", "sentence"),
    [
        (lambda: Pool.build(["cat", "skip"] * 20), "classes must leave the words unsure and skip to the annotator"),
        (lambda: Pool.build(["cat", " Unsure "] * 20), "classes must leave the words"),
        (lambda: Pool.build([1, 2] * 20, classes=[1, "1", 2]), "classes of an audit must read differently"),
        (lambda: Pool.build(["a", "b"] * 2, ids=[1, "1", 2, 3]), "ids of an audit must read differently"),
        (lambda: Pool.build(["a", "b"], ids=[(1, 2), (3, 4)]), "ids of an audit must be text or numbers"),
        (lambda: Pool.build([("a",), ("b",)] * 2), "classes of an audit must be text or numbers"),
    ],
)
def test_a_pool_that_a_store_cannot_keep_is_refused(tmp_path, pool, sentence):
    with pytest.raises(InputError, match=sentence):
        Audit.create(tmp_path / "audit", pool(), metrics="accuracy")
    assert list(tmp_path.iterdir()) == []


def test_only_a_new_or_empty_folder_becomes_an_audit(tmp_path, world):
    (tmp_path / "empty").mkdir()
    make_audit(tmp_path / "empty", world).close()
    (tmp_path / "file").write_text("mine")
    for name in ("empty", "file"):
        with pytest.raises(InputError, match="audit folder must be new or empty"):
            make_audit(tmp_path / name, world)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="audit folder must be new or empty"):
        make_audit(tmp_path / "full", world)
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "full"]
    make_audit(tmp_path / "deep" / "deeper" / "audit", world).close()


CREATE = """
import sys
from altmas.audits.audit import Audit
from altmas.core.pool import Pool
pool = Pool.build(["cat", "dog"] * 60_000)
print("ready", flush=True)
Audit.create(sys.argv[1], pool, metrics=["accuracy"]).close()
print("done", flush=True)
"""


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.25, 0.45])
def test_a_creation_that_is_killed_leaves_no_folder_of_that_name(tmp_path, moment):
    target = tmp_path / "audit"
    process = subprocess.Popen([sys.executable, "-c", CREATE, target], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=60)
    if target.exists():  # it was quicker
        assert verify_folder(target).ok
    else:
        assert "done" not in said
        make_audit(target).close()
        assert verify_folder(target).ok


# What a pool was, it is again


def test_a_pool_comes_back_as_it_was(tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 50)
    theirs = (scores.argmax(1) + 1).tolist()
    pool = Pool.build(
        {"ours": rng.choice([1, 2, 3], 50).tolist(), "theirs": [*theirs[:49], 99]},
        classes=[1, 2, 3], ids=[f"ü-{k}" for k in range(50)], scores={"theirs": scores},
        features=rng.random((50, 4, 4), dtype=np.float32),
        opinions={"third": (rng.choice([1, 2, 3], 50), scores.max(1))},
        groups={"region": ["north", "south"] * 25, "size": [1, 2, 3, 4, 5] * 10, "new": [True, False] * 25},
    )  # fmt: skip
    with Audit.create(tmp_path / "a", pool, metrics="accuracy", options={"network": False}):
        pass
    with Audit.open(tmp_path / "a") as audit:
        back = audit.pool
    assert (back.ids, back.classes, back.columns) == (pool.ids, pool.classes, pool.columns)
    assert [one.name for one in back.outputs] == ["ours", "theirs"]
    for kept, given in zip([*back.outputs, *back.opinions], [*pool.outputs, *pool.opinions], strict=True):
        np.testing.assert_array_equal(kept.predictions, given.predictions)
        assert (kept.scores is None) == (given.scores is None)
        if given.scores is not None:
            np.testing.assert_array_equal(kept.scores, given.scores)
    np.testing.assert_array_equal(back.features, pool.features)
    assert isinstance(back.features, np.memmap)
    assert {name: list(values) for name, values in back.groups.items()} == {
        name: list(values) for name, values in pool.groups.items()
    }
    assert [type(value) for value in back.groups["new"][:2]] == [bool, bool]


def test_settings_come_back_as_they_were(tmp_path, world):
    given = {
        "metrics": ["accuracy", "recall:cat", "expected_cost"], "options": {"worth": "uniform"}, "seed": 7,
        "level": 0.9, "budget": 120, "overlap": 2, "guidelines": "Look twice.\n\nThen ask.", "title": "Größe",
        "cost": 1 - np.eye(4), "inputs": {"vendor.csv": "ab" * 32},
    }  # fmt: skip
    with make_audit(tmp_path / "audit", world, **given) as audit:
        first = audit.settings
    with Audit.open(tmp_path / "audit") as audit:
        assert audit.settings == first
        assert audit.settings.metrics == ("accuracy", "recall:cat", "expected_cost")
        assert audit.settings.cost == tuple(map(tuple, (1 - np.eye(4)).tolist()))
        assert audit.settings.created == audit.events()[0].at
        assert audit.method.worth == "uniform"
        assert set(audit.settings.versions) >= {"altmas", "python", "numpy"}
        assert json.dumps(audit.settings.as_dict())


def test_items_show_their_own_columns_and_media(tmp_path, world):
    items = pd.DataFrame({"text": [f"<b>{k}</b> é" for k in range(200)], "n": [None, *range(1, 200)]})
    media = [None if k % 2 else tmp_path / f"{k}.png" for k in range(200)]
    with make_audit(tmp_path / "audit", world, items=items, media=media) as audit:
        assert audit.content(1) == {"text": "<b>1</b> é", "n": "1.0"}
        assert audit.content(0)["n"] == ""
        assert audit.media_path(0) == tmp_path / "0.png"
        assert audit.media_path(1) is None
        for query in audit.ask(10):
            assert query.content == audit.content(query.position)
            assert query.media == (query.position % 2 == 0)
        assert not any(name in CLASSES for name in audit.content(0).values())
