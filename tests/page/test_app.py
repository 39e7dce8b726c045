"""The labelling page without a browser: what its endpoints do, and what they leave in the store."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from altmas.audits.audit import Audit
from altmas.page import app
from worlds.page import (
    ANIMALS,
    Served,
    answer_all,
    answers_in,
    events_of,
    fails_until,
    make_audit,
    new_client_id,
    next_item,
    reply,
    turn,
)

# Answering


def test_the_page_begins_with_the_classes_and_where_things_stand(client):
    state = client.get("/api/state").json()
    assert state["classes"] == list(ANIMALS)
    assert state["annotator"] == "mk"
    standing = state["standing"]
    assert (standing["answered"], standing["budget"], standing["pool"]) == (0, 60, 200)


def test_an_answer_is_acknowledged_and_brings_the_next_item(served, client):
    first = client.post("/api/next", json={}).json()
    assert first["query"]["content"][0][0] == "text"
    assert client.post("/api/next", json={}).json() == first  # the same until it is answered
    got = client.post("/api/answer", json=reply(first["query"]["item"], 2, note="a beak", took_ms=1234)).json()
    last = events_of(served.folder)[-1]
    assert (got["saved"]["seq"], got["saved"]["at"], got["saved"]["new"]) == (last.seq, last.at, True)
    assert (last.kind, last.body["label"], last.body["note"], last.body["ms"]) == ("answered", "owl", "a beak", 1234)
    assert last.body["annotator"] == "mk"
    assert got["query"]["item"] != first["query"]["item"]
    assert got["standing"]["answered"] == 1


@pytest.mark.parametrize("said", ["unsure", "skip"])
def test_unsure_and_skip_are_answers(served, client, said):
    client.post("/api/answer", json=reply(next_item(client), said))
    assert answers_in(served.folder)[0].label == said


def test_an_answer_sent_twice_is_kept_once(served, client):
    body = reply(next_item(client), 1)
    first, second = (client.post("/api/answer", json=body).json() for _ in range(2))
    assert first["saved"]["seq"] == second["saved"]["seq"]
    assert (first["saved"]["new"], second["saved"]["new"]) == (True, False)
    assert sum(event.kind == "answered" for event in events_of(served.folder)) == 1


def test_another_answer_is_refused_unless_it_replaces(served, client):
    item = next_item(client)
    client.post("/api/answer", json=reply(item, 0))
    refused = client.post("/api/answer", json=reply(item, 1))
    assert refused.status_code == 409
    assert "already given" in refused.json()["error"]
    assert client.post("/api/answer", json=reply(item, 1, replace=True)).status_code == 200
    assert [one.label for one in answers_in(served.folder)] == ["dog"]


def test_an_item_that_was_not_asked_about_is_refused(served, client):
    name = served.page._desk._names.name
    with Audit.open(served.folder) as audit:
        open_item = next(k for k in range(200) if k not in audit.state.order)
    assert client.post("/api/answer", json=reply(name(open_item))).status_code == 409


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"label": 3}, "label must be 0 to 2, 'unsure' or 'skip'; got 3."),
        ({"label": True}, "label must"),
        ({"label": "cat"}, "label must"),
        ({"label": None}, "label must"),
        ({"client": "short"}, "client must be 8 to 64"),
        ({"client": 7}, "client must"),
        ({"item": "../etc"}, "item must be the name of an item"),
        ({"note": "x" * 4001}, "note must be a text of at most 4,000"),
        ({"note": "\x00"}, "note must"),
        ({"note": "\ud800"}, "note must"),
        ({"took_ms": -1}, "took_ms must"),
        ({"took_ms": 10**9}, "took_ms must"),
        ({"took_ms": 1.5}, "took_ms must"),
        ({"replace": 1}, "replace must be true or false"),
        ({"wrong": 1}, "request must have no fields but"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(served, client, change, sentence):
    item, before = next_item(client), len(events_of(served.folder))
    body = json.dumps({**reply(item), **change})
    got = client.post("/api/answer", content=body, headers={"Content-Type": "application/json"})
    assert got.status_code == 400
    assert sentence in got.json()["error"]
    assert len(events_of(served.folder)) == before


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"a": NaN}', b"[" * 60_000, b"9" * 60_000])
def test_what_is_no_json_object_is_refused(client, body):
    got = client.post("/api/next", content=body, headers={"Content-Type": "application/json"})
    assert got.status_code == 400
    assert got.json()["error"].startswith("The request must be")


def test_notes_may_say_anything_printable(served, client):
    note = "zoë 👩‍👩‍👧 \u202emirrored\nsecond line\t<b>"
    assert client.post("/api/answer", json=reply(next_item(client), note=note)).status_code == 200
    assert answers_in(served.folder)[0].note == note


def test_addresses_that_are_not_there(client):
    for path in ("/nowhere", "/static/../desk.py", "/static/page.html", "/api/answers", "/media/"):
        assert client.get(path).status_code == 404
    assert client.get("/api/answer").status_code == 405
    assert "error" in client.get("/nowhere").json()


# Taking back, looking back


def test_undo_and_redo_are_the_stores(served, client):
    assert turn(client, "undo").json() == {"error": "There is nothing to undo."}
    got = client.post("/api/next", json={}).json()
    first = got["query"]["item"]
    client.post("/api/answer", json=reply(first, 2))
    undone = turn(client, "undo").json()
    assert (undone["query"]["item"], undone["undone"]["label"]) == (first, 2)
    assert undone["standing"]["answered"] == 0
    assert client.post("/api/next", json={}).json()["query"]["item"] == first
    redone = turn(client, "redo").json()
    assert redone["redone"]["label"] == 2
    assert redone["query"]["item"] != first
    assert turn(client, "redo").status_code == 409
    assert [event.kind for event in events_of(served.folder)][-3:] == ["answered", "undone", "redone"]


def test_an_undo_sent_twice_is_done_once(served, client):
    answer_all(client, 3)
    body = {"client": new_client_id()}
    first, second = (client.post("/api/undo", json=body).json() for _ in range(2))
    assert first == second
    assert len(answers_in(served.folder)) == 2


def test_undo_after_a_restart(tmp_path):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served, served.client() as client:
        item = next_item(client)
        client.post("/api/answer", json=reply(item, "unsure"))
    with Served(folder) as served, served.client() as client:
        assert turn(client, "undo").json()["query"]["item"] == item
    with Served(folder) as served, served.client() as client:
        assert turn(client, "redo").json()["redone"]["label"] == "unsure"


def test_one_undoes_only_ones_own(served, client):
    answer_all(client, 1)
    with served.client("ab") as other:
        assert turn(other, "undo").status_code == 409


def test_earlier_answers_can_be_looked_at_and_changed(served, client):
    assert client.get("/api/review").status_code == 404
    items = []
    for label in (0, 1, "skip"):
        items.append(next_item(client))
        client.post("/api/answer", json=reply(items[-1], label, note=f"note {label}"))
    last = client.get("/api/review").json()
    assert (last["at"], last["of"], last["query"]["item"]) == (2, 3, items[2])
    assert last["answer"]["label"] == "skip"
    first = client.get("/api/review?at=0").json()
    assert (first["query"]["item"], first["answer"]["label"], first["answer"]["note"]) == (items[0], 0, "note 0")
    assert client.get("/api/review?at=99").json()["at"] == 2
    for wrong in ("x", "-1", "1e3", "", "9" * 12):
        assert client.get(f"/api/review?at={wrong}").status_code == 400
    client.post("/api/answer", json=reply(items[0], 2, replace=True))
    assert {one.label for one in answers_in(served.folder)} == {"dog", "skip", "owl"}


# What is hidden


def test_a_look_at_the_prediction_is_logged(served, client):
    item = next_item(client)
    assert "prediction" not in client.post("/api/next", json={}).text
    body = {"client": new_client_id(), "what": "prediction", "item": item}
    got = client.post("/api/reveal", json=body).json()
    client.post("/api/reveal", json=body)
    looks = [event for event in events_of(served.folder) if event.kind == "revealed"]
    assert len(looks) == 1
    with Audit.open(served.folder) as audit:
        position = audit.position(looks[0].body["item"])
        predicted = audit.pool.classes[audit.pool.predictions[position]]
    assert got["predictions"][0]["prediction"] == predicted
    assert looks[0].body == {"what": "prediction", "item": f"id-{position}", "annotator": "mk"}


def test_a_look_at_the_estimate_is_logged(served, client):
    early = client.post("/api/reveal", json={"client": new_client_id(), "what": "estimate"}).json()["estimates"]
    assert early["rows"] or early["sentence"]
    answer_all(client, 12)
    reply = client.post("/api/reveal", json={"client": new_client_id(), "what": "estimate"}).json()["estimates"]
    got = reply["rows"]
    assert reply["sentence"].startswith("2 of 3 classes were never the answer in 12 labels: 'dog' and 'owl'.")
    assert got[0]["metric"] == "accuracy"
    assert got[0]["low"] <= got[0]["estimate"] <= got[0]["high"]
    looks = [event.body for event in events_of(served.folder) if event.kind == "revealed"]
    assert looks == [{"what": "estimate", "annotator": "mk"}] * 2


@pytest.mark.parametrize("change", [{"what": "labels"}, {"what": ["prediction"]}, {"item": None}, {"client": ""}])
def test_only_what_is_there_can_be_revealed(served, client, change):
    body = {"client": new_client_id(), "what": "prediction", "item": next_item(client), **change}
    assert client.post("/api/reveal", json=body).status_code == 400
    assert all(event.kind != "revealed" for event in events_of(served.folder))


def test_estimates_are_made_one_at_a_time(served, monkeypatch):
    """They are heavy: a machine that makes ten at once serves nobody."""
    under_way, most, lock = [0], [0], threading.Lock()

    def slow_estimate(folder):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        time.sleep(0.1)
        with lock:
            under_way[0] -= 1
        return {"rows": [], "sentence": ""}

    def look(client):
        return client.post("/api/reveal", json={"client": new_client_id(), "what": "estimate"}).status_code

    monkeypatch.setattr(app, "running_estimate", slow_estimate)
    with served.client("mk") as one, served.client("ab") as other, ThreadPoolExecutor(4) as threads:

        def attack():
            most[0] = 0
            assert list(threads.map(look, [one, other, one, other])) == [200] * 4
            return most[0] > 1

        fails_until(monkeypatch, attack, served.page, "_one_estimate", asyncio.Semaphore(9))
