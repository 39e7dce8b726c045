"""Whatever was changed behind the program's back is found, and named."""

from dataclasses import replace

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.events import faults
from altmas.audits.store import StoreError
from altmas.audits.verification import verify_folder
from altmas.core.pool import Pool
from worlds.audits import meddle, rows

COLUMNS = ("at", "kind", "body", "client", "previous", "hash")


def replaced(row, column, text):
    place = 1 + COLUMNS.index(column)
    return (*row[:place], text, *row[place + 1 :])


def other(letter):
    return "b" if letter == "a" else "a"


def test_a_whole_audit_verifies(folder):
    found = verify_folder(folder)
    assert found.ok
    assert found.problems == ()
    assert found.events == len(rows(folder))
    assert found.head == rows(folder)[-1][-1]
    with Audit.open(folder) as audit:
        assert replace(audit.verify(fits=True), notices=()) == found
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
