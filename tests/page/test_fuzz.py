"""Whatever is sent to the labelling page, it never fails, and only a valid request changes the store."""

import json
import socket
import sqlite3
from collections import Counter
from contextlib import closing

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from worlds.page import Served, make_audit, next_item, reply

FEW = settings(max_examples=300, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=10_000, suppress_health_check=list(HealthCheck))

WRITES = ("next", "answer", "undo", "redo", "reveal")
FIELDS = ("client", "item", "label", "note", "took_ms", "replace", "again", "beyond", "what", "token", "wrong")
STARTS = ("/", "/media/", "/static/", "/api/review?at=", "/api/", "/login?token=", "/api/state?")
HEADERS = ("Origin", "Host", "Content-Type", "X-Altmas-Csrf", "Cookie", "Content-Encoding", "Accept")
LINES = (b"", b"GET / HTTP/1.1\r\n", b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\n")
PARTS = (b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"\x00", b"\r\n\r\n")

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
keys = st.text(max_size=5)
anything = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner))
printable = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=30)


class World:
    """A server, a client that is logged in, an item; and the store's head, read beside the server."""

    def __init__(self, served, client, store):
        self.served, self.client, self._store = served, client, store
        self.item = next_item(client)
        assert client.post("/api/answer", json=reply(self.item, 0)).status_code == 200
        self.seen = Counter()

    def head(self):
        return self._store.execute("SELECT count(*), max(hash) FROM events").fetchone()

    def send(self, request, *, writes):
        """No failure, and no change but by a write that was accepted."""
        before = self.head()
        response = self.client.send(request)
        self.seen[response.status_code] += 1
        assert response.status_code < 500, response.text
        if response.status_code >= 400 and request.method != "HEAD":
            assert response.json()["error"]
        assert self.head() == before or (writes and response.status_code == 200), (request.url, request.content)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    home = tmp_path_factory.mktemp("fuzz")
    folder = make_audit(home / "audit", size=50, images=home / "images", budget=None)
    with Served(folder) as served, served.client() as client, closing(sqlite3.connect(folder / "audit.db")) as store:
        yield World(served, client, store)


def bodies(item):
    """From noise to almost right, and right."""
    fitting = (item, "client-123456", "client-654321", 0, 2, 3, -1, "unsure", "skip", "prediction", True, "", 7)
    likely = st.sampled_from(fitting) | scalars
    near = st.dictionaries(st.sampled_from(FIELDS), likely, max_size=7)
    answer = st.fixed_dictionaries(
        {"client": st.just("client-123456"), "item": st.just(item), "label": st.sampled_from([0, 1, "skip"])},
        optional={"note": st.text(max_size=10), "replace": st.booleans(), "took_ms": st.integers(-5, 5), "x": scalars},
    )
    turn = st.fixed_dictionaries({"client": st.text("abcdefgh-", min_size=6, max_size=10)})
    look = st.fixed_dictionaries(
        {"client": st.just("client-777777"), "what": st.sampled_from(["prediction", "no"]), "item": likely}
    )
    as_json = (near | answer | turn | look | anything).map(lambda value: json.dumps(value).encode())
    torn = st.tuples(as_json, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
    return as_json | torn | st.binary(max_size=200)


def send_body(world, data):
    path = data.draw(st.sampled_from([*(f"/api/{one}" for one in WRITES), "/login"]))
    body = data.draw(bodies(world.item))
    kind = data.draw(st.sampled_from(["application/json"] * 9 + ["text/plain"]))
    request = world.client.build_request("POST", path, content=body, headers={"Content-Type": kind})
    world.send(request, writes=True)


def send_address(world, data):
    ends = st.sampled_from([world.item, "page.js", "../page.key", "..%2f", "%00", "0", "9" * 30]) | st.text(max_size=30)
    address = (data.draw(st.sampled_from(STARTS)) + data.draw(ends)).encode("utf-8", "replace")
    sendable = bytes(code if 0x21 <= code <= 0x7E and code != ord("#") else ord("%") for code in address)
    method = data.draw(st.sampled_from(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]))
    url = httpx.URL(world.served.url).copy_with(raw_path=sendable)
    world.send(world.client.build_request(method, url), writes=False)


def send_headers(world, data):
    own = f"127.0.0.1:{world.served.port}"
    values = printable | st.sampled_from(["null", world.served.url, "application/json", own, "gzip"])
    headers = data.draw(st.dictionaries(st.sampled_from(HEADERS), values, min_size=1))
    body = reply(world.item, 0)
    world.send(world.client.build_request("POST", "/api/answer", json=body, headers=headers), writes=True)


def send_noise(world, data):
    before = world.head()
    parts = st.lists(st.sampled_from(PARTS) | st.binary(max_size=60), max_size=6)
    noise = data.draw(st.sampled_from(LINES)) + b"".join(data.draw(parts))
    with socket.create_connection(("127.0.0.1", world.served.port), timeout=5) as raw:
        raw.sendall(noise)
        raw.shutdown(socket.SHUT_WR)
        answer = raw.recv(65536)
    assert not answer.startswith(b"HTTP/1.1 5")
    assert world.client.get("/api/state").status_code == 200
    assert world.head() == before


def run(send, world, how):
    how(given(st.data())(lambda data: send(world, data)))()


SENDERS = [send_body, send_address, send_headers, send_noise]


@pytest.mark.parametrize("send", SENDERS)
def test_nothing_that_is_sent_makes_it_fail(world, send):
    run(send, world, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("send", SENDERS)
def test_nothing_that_is_sent_in_a_long_time_makes_it_fail(world, send):
    run(send, world, MANY)


def test_what_is_sent_is_not_all_refused_at_the_door(world):
    for send in (send_body, send_headers):
        run(send, world, settings(FEW, max_examples=100))
    assert {200, 400, 403, 409, 415} <= world.seen.keys()
    before = world.head()
    assert world.client.post("/api/answer", json=reply(world.item, 1, replace=True)).status_code == 200
    assert world.head() != before
