"""Damage inside of the database and of the page's files: a sentence for each, and nothing counted that was changed."""

import json
import shutil

import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.audits.store import StoreError
from altmas.audits.verification import verify_folder
from altmas.metrics.errors import InputError
from altmas.page.doors import Doors
from altmas.page.names import KEY_FILE, audit_key
from altmas.page.server import serve
from worlds.audits import answer, make_audit, make_world, meddle, rows
from worlds.commands import refused

COLUMNS = ("at", "kind", "body", "client", "previous", "hash")
VALUES = {
    "no UTF-8": "CAST(x'ff80fe' AS TEXT)",
    "bytes": "x'00ff'",
    "nothing": "NULL",
    "a number": "7",
    "no JSON": "'{'",
    "a list": "'[]'",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template") / "audit"
    world = make_world()
    texts = pd.DataFrame({"text": [f"what is number {k}?" for k in range(world.pool.size)]})
    with make_audit(folder, world, items=texts) as audit:
        answer(audit, world, 40)
    return folder


@pytest.fixture
def folder(tmp_path, template):
    return shutil.copytree(template, tmp_path / "audit")


def loosened(folder, table):
    """Let a table hold anything, as damage does."""
    loose = "UPDATE sqlite_master SET sql = replace(replace(sql, 'NOT NULL', ''), 'STRICT', '') WHERE name = ?"
    meddle(folder, "PRAGMA writable_schema = ON", (loose, table))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", ["created", "answered"])
def test_an_event_that_holds_something_else_is_never_counted(folder, column, value, kind):
    seq = next(row[0] for row in rows(folder) if row[2] == kind)
    loosened(folder, "events")
    before = rows(folder)
    meddle(folder, f"UPDATE events SET {column} = {VALUES[value]} WHERE seq = {seq}")
    if (column, value) == ("client", "nothing"):
        assert rows(folder) == before  # as it was
        return
    assert not verify_folder(folder).ok
    for command in ("status", "estimate", "next", "log"):
        assert " must be " in refused(command, folder)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("column", ["content", "media", "id"])
def test_an_item_that_shows_something_else_is_shown_to_nobody(folder, column, value):
    loosened(folder, "items")
    with Audit.open(folder) as audit:
        query = audit.ask(1)[0]
    whole = (column, value) == ("media", "nothing")
    meddle(folder, f"UPDATE items SET {column} = {VALUES[value]} WHERE position = {query.position}")
    with Audit.open(folder) as audit:
        if whole:
            assert audit.ask(1) == [query]
        else:
            with pytest.raises(StoreError, match="must be"):
                audit.ask(1)
    assert verify_folder(folder).ok == whole


def test_an_item_that_reads_only_a_little_differently_is_shown_to_nobody(folder):
    with Audit.open(folder) as audit:
        position = audit.ask(1)[0].position
    meddle(folder, f"UPDATE items SET content = replace(content, 'is', 'as') WHERE position = {position}")
    with Audit.open(folder) as audit, pytest.raises(StoreError, match=f"item {position} was changed"):
        audit.ask(1)


@pytest.mark.parametrize("name", ["pool/model-0-scores.npy", "fits/{newest}"])
def test_no_question_is_drawn_from_files_that_were_changed(folder, name):
    """Their chances would be logged, and be wrong for good."""
    with Audit.open(folder) as audit:
        audit.refit()
        name = name.format(newest=audit.state.fits[-1].file)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    before = rows(folder)
    assert f"file {name} was changed" in refused("next", folder, "-n", 5)
    assert rows(folder) == before


# The page


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"a": 1}', '{"a": ["mk", "x"]}', '{"\u00e9": ["mk", 1]}', "\xff"]
)
def test_logins_that_cannot_be_read_are_put_aside(tmp_path, text):
    path = tmp_path / "sessions.json"
    path.write_bytes(text.encode("latin-1"))
    doors = Doors(tmp_path)
    assert doors.put_aside.read_bytes() == text.encode("latin-1")
    assert doors.enter(doors.new_login("mk")) is not None
    assert len(json.loads(path.read_text())) == 1


def test_whoever_starts_the_page_is_told(folder):
    (folder / "sessions.json").write_text("{")
    said = []

    def stop(link):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(folder, annotator="mk", on_ready=stop, say=said.append)
    assert "everybody logs in again" in said[0]


@pytest.mark.parametrize("size", [0, 7, 33])
def test_a_key_of_another_length_is_refused_with_what_to_do(tmp_path, size):
    (tmp_path / KEY_FILE).write_bytes(bytes(size))
    with pytest.raises(InputError, match=f"page.key must hold 32 bytes; got {size} in .*Delete it"):
        audit_key(tmp_path)
