"""The labelling page without a browser: what its endpoints do, and what they leave in the store."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time

import httpx
import pandas as pd
import pytest
from page_world import ANIMALS, Served, answers_in, events_of, make_audit, new_client_id, next_item, reply

from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from altmas.page import refits, server
from altmas.page.leases import Leases
from altmas.page.refits import Refits


@pytest.fixture
def served(tmp_path):
    with Served(make_audit(tmp_path / "audit")) as one:
        yield one


@pytest.fixture
def client(served):
    with served.client() as one:
        yield one


def answer_all(client, count, label=0, **wish):
    """Answer what comes, and give the last response."""
    got = client.post("/api/next", json=wish).json()
    for _ in range(count):
        got = client.post("/api/answer", json=reply(got["query"]["item"], label, **wish)).json()
    return got


def turn(client, way):
    return client.post(f"/api/{way}", json={"client": new_client_id()})


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
    got = client.post("/api/reveal", json={"client": new_client_id(), "what": "estimate"}).json()["estimates"]["rows"]
    assert got[0]["metric"] == "accuracy"
    assert got[0]["low"] <= got[0]["estimate"] <= got[0]["high"]
    looks = [event.body for event in events_of(served.folder) if event.kind == "revealed"]
    assert looks == [{"what": "estimate", "annotator": "mk"}] * 2


@pytest.mark.parametrize("change", [{"what": "labels"}, {"what": ["prediction"]}, {"item": None}, {"client": ""}])
def test_only_what_is_there_can_be_revealed(served, client, change):
    body = {"client": new_client_id(), "what": "prediction", "item": next_item(client), **change}
    assert client.post("/api/reveal", json=body).status_code == 400
    assert all(event.kind != "revealed" for event in events_of(served.folder))


# Several annotators


def test_annotators_get_different_items(served, client):
    with served.client("ab") as other:
        mine, theirs = set(), set()
        for _ in range(12):
            for who, got in ((client, mine), (other, theirs)):
                item = next_item(who)
                got.add(item)
                assert who.post("/api/answer", json=reply(item)).status_code == 200
        assert len(mine) == len(theirs) == 12
        assert not mine & theirs
        assert client.get("/api/state").json()["standing"]["annotators"] == 2


def test_a_lease_runs_out(tmp_path):
    now = [0.0]
    leases = Leases(clock=lambda: now[0])
    folder = make_audit(tmp_path / "audit")
    with Served(folder, leases=leases) as served, served.client("mk") as client, served.client("ab") as other:
        held = next_item(client)
        assert next_item(other) != held
        now[0] = 601.0
        assert next_item(other) == held


def test_with_overlap_as_many_hold_an_item_as_must_answer_it(tmp_path):
    folder = make_audit(tmp_path / "audit", overlap=2)
    with Served(folder) as served, served.client("a") as a, served.client("b") as b, served.client("c") as c:
        item = next_item(a)
        assert next_item(b) == item
        assert next_item(c) != item
        a.post("/api/answer", json=reply(item, 0))
        assert next_item(c) != item  # one answer is in, b holds the other place
        b.post("/api/answer", json=reply(item, 1))
        standing = c.get("/api/state").json()["standing"]
        assert (standing["answered"], standing["disputed"]) == (1, 1)


def test_leases_are_per_annotator_and_replaced():
    now = [0.0]
    leases = Leases(seconds=10, clock=lambda: now[0])
    leases.hold("a", [1, 2])
    leases.hold("b", [2])
    assert leases.full("c", lambda position: 1) == {1, 2}
    assert leases.full("c", lambda position: 2) == {2}
    assert leases.full("a", lambda position: 1) == {2}
    leases.hold("a", [3])
    assert leases.full("c", lambda position: 1) == {2, 3}
    now[0] = 10.0
    assert leases.full("c", lambda position: 1) == set()


# The plan


def test_at_the_end_of_the_plan_one_may_go_on(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=5, size=30)) as served, served.client() as client:
        got = answer_all(client, 5)
        assert (got["query"], got["why"]) == (None, "planned")
        assert client.post("/api/next", json={}).json()["why"] == "planned"
        asked = client.get("/api/state").json()["standing"]
        assert asked["answered"] == 5
        assert answer_all(client, 3, beyond=True)["query"] is not None
        assert answer_all(client, 22, beyond=True)["why"] == "all"


def test_the_unsure_and_skipped_can_be_looked_at_again(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=6, size=30)) as served, served.client() as client:
        for label in ("unsure", 0, "skip", 1, "unsure", 2):
            client.post("/api/answer", json=reply(next_item(client), label))
        assert client.post("/api/next", json={}).json()["why"] == "planned"
        got = client.post("/api/next", json={"again": True}).json()
        seen = []
        while got["query"] is not None:
            seen.append(got["query"]["item"])
            label = "unsure" if len(seen) == 2 else 0
            got = client.post("/api/answer", json=reply(seen[-1], label, replace=True, again=True)).json()
        assert len(set(seen)) == len(seen) == 3
        assert got["why"] == "seen"
        assert (got["standing"]["unsure"], got["standing"]["skipped"], got["standing"]["labels"]) == (1, 0, 5)


def test_with_overlap_nothing_is_drawn_beyond_the_plan(tmp_path):
    folder = make_audit(tmp_path / "audit", overlap=2, budget=10, size=100)
    with Served(folder) as served, served.client("a") as a, served.client("b") as b:
        got = answer_all(a, 10)
        assert (got["query"], got["why"]) == (None, "held")
        with Audit.open(folder) as audit:
            assert len(audit.state.order) == 10
        assert answer_all(b, 10)["why"] == "planned"


def test_without_a_budget_there_is_no_end_but_the_pools(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=None, size=15)) as served, served.client() as client:
        assert answer_all(client, 15)["why"] == "all"


def test_items_show_their_columns_and_images(tmp_path):
    table = pd.DataFrame({"name": ["a", "b"], "price": [1.5, 2.0]})
    with Served(make_audit(tmp_path / "row", size=2, items=table, budget=None)) as served, served.client() as client:
        content = client.post("/api/next", json={}).json()["query"]["content"]
        assert dict(map(tuple, content)) in ({"name": "a", "price": "1.5"}, {"name": "b", "price": "2.0"})
    folder = make_audit(tmp_path / "image", size=3, images=tmp_path / "images", budget=None)
    with Served(folder) as served, served.client() as client:
        got = client.post("/api/next", json={}).json()
        assert client.get(got["query"]["media"]).headers["content-type"] == "image/png"
        assert client.get(got["upcoming"]).headers["content-type"] == "image/png"
        assert got["upcoming"] != got["query"]["media"]


# Refits


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_refit_is_made_behind_the_page(tmp_path):
    folder = make_audit(tmp_path / "audit", method="certified", initial=10, batch=5)
    flag = tmp_path / "made"
    command = (sys.executable, "-c", f"import time; time.sleep(0.5); open({str(flag)!r}, 'w').write('x')")
    with Served(folder, refit=command) as served, served.client() as client:
        got = answer_all(client, 10)
        assert got["standing"]["refitting"]
        assert not flag.exists()  # nobody waited for it
        more = answer_all(client, 1)
        assert more["query"] is not None
        wait_for(flag.exists)
        wait_for(lambda: not served.refits.running)
        assert not served.refits.failed


def test_the_worker_refits(tmp_path):
    folder = make_audit(tmp_path / "audit", method="certified", initial=10, batch=5)
    with Served(folder, refit=tuple(refits.refit_command(folder))) as served, served.client() as client:
        answer_all(client, 10)
        wait_for(lambda: not served.refits.running, 120)
        assert not served.refits.failed, (folder / refits.LOG_FILE).read_text()
        assert client.get("/api/state").json()["standing"]["ranked"] == 10
    assert any(event.kind == "fitted" for event in events_of(folder))


def test_a_worker_that_failed_is_not_started_at_once_again(tmp_path):
    now = [0.0]
    command = lambda folder: (sys.executable, "-c", "print('sorry'); raise SystemExit(3)")  # noqa: E731
    held = Refits(tmp_path, command, clock=lambda: now[0])
    assert held.start()
    wait_for(lambda: not held.running)
    assert held.failed
    assert (tmp_path / refits.LOG_FILE).read_text() == "sorry\n"
    assert stat.S_IMODE((tmp_path / refits.LOG_FILE).stat().st_mode) == 0o600
    assert not held.start()
    now[0] = refits.PAUSE_AFTER_FAILURE + 1
    assert held.start()
    held.stop()


def test_stopping_ends_the_worker(tmp_path):
    held = Refits(tmp_path, lambda folder: (sys.executable, "-c", "import time; time.sleep(600)"))
    assert held.start()
    assert not held.start()
    assert os.getpriority(os.PRIO_PROCESS, held._worker.pid) >= 10
    worker = held._worker
    held.stop()
    assert worker.returncode == -signal.SIGTERM


def test_trouble_after_an_answer_does_not_look_like_an_answer_lost(served, client, monkeypatch, caplog):
    item = next_item(client)
    monkeypatch.setattr(served.page._desk, "_and_then", lambda *_: 1 / 0)
    got = client.post("/api/answer", json=reply(item)).json()
    assert got["saved"]["new"]
    assert got["why"] == "trouble"
    assert len(answers_in(served.folder)) == 1
    assert "ZeroDivisionError" in caplog.text


# Serving

SERVE = """
import sys
from altmas.page.server import serve
serve(sys.argv[1], annotator=sys.argv[2:])
"""


def started(folder, *annotators):
    process = subprocess.Popen(
        [sys.executable, "-u", "-W", "error", "-c", SERVE, str(folder), *annotators],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    links = [process.stdout.readline().split() for _ in annotators]
    assert process.stdout.readline() == "Stop with Ctrl-C; every answer is kept.\n"
    return process, links


def test_serve_prints_a_link_each_and_stops_at_ctrl_c(tmp_path):
    folder = make_audit(tmp_path / "audit")
    process, links = started(folder, "mk", "ab")
    with process:
        assert [name for name, _ in links] == ["mk:", "ab:"]
        assert httpx.get(links[0][1]).status_code == 200
        url = links[0][1].partition("/login")[0]
        second = subprocess.run(
            [sys.executable, "-c", SERVE, str(folder), "cd"], capture_output=True, text=True, timeout=60
        )
        assert second.returncode == 1
        assert f"another in process {process.pid} at {url}" in second.stderr
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")
    process, links = started(folder, "mk")
    with process:
        assert links[0][1].startswith(url)  # on the same port, so that pages still open go on
        process.kill()


def test_serve_refuses_in_sentences(tmp_path):
    folder = make_audit(tmp_path / "audit")
    with pytest.raises(InputError, match="audit must be a folder"):
        server.serve(tmp_path, annotator="mk")
    with pytest.raises(InputError, match="annotator must"):
        server.serve(folder, annotator="")
    with pytest.raises(InputError, match="port must be an int"):
        server.serve(folder, annotator="mk", port=-1)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError, match="port must be free"):
        server.serve(folder, annotator="mk", port=taken.getsockname()[1])
    with pytest.raises(InputError, match="port must be at most 65535"):
        server.serve(folder, annotator="mk", port=70_000)


def test_the_port_of_the_last_time_is_taken_if_it_is_free(tmp_path):
    folder = make_audit(tmp_path / "audit")
    with server.only_instance(folder) as held, server.listening("127.0.0.1", 0, folder) as first:
        port = first.getsockname()[1]
        held.announce("127.0.0.1", port)
        with server.listening("127.0.0.1", 0, folder) as second:
            assert second.getsockname()[1] != port
    with server.listening("127.0.0.1", 0, folder) as third:
        assert third.getsockname()[1] == port
    (folder / "server.json").write_text("not JSON")
    with server.listening("127.0.0.1", 0, folder) as fourth:
        assert fourth.getsockname()[1] > 0
