"""Those who connect and say nothing do not keep out the people who label."""

import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from altmas.page import connections
from altmas.page.connections import Connection
from worlds.page import csrf_of, fails_until, make_audit, next_item, reply

resource = pytest.importorskip("resource", reason="no limits on open files on this system")

HALF = b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextlib.contextmanager
def half_open(port, count, said=HALF):
    """So many connections whose request never ends."""
    with contextlib.ExitStack() as held:
        for _ in range(count):
            one = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            with contextlib.suppress(OSError):  # turned out already
                one.sendall(said)
        yield


def still_open(one, seconds=2.0):
    """Whether the server keeps a connection; it says nothing to those it gives up."""
    one.settimeout(seconds)
    try:
        return one.recv(1000) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


@pytest.mark.parametrize("said", [b"", HALF])
def test_a_request_must_come_in_time(served, monkeypatch, said):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)

    def attack():
        with socket.create_connection(("127.0.0.1", served.port)) as one:
            one.sendall(said)
            return still_open(one)

    fails_until(monkeypatch, attack, connections, "HEAD_SECONDS", 3600.0)


def test_a_second_request_must_come_in_time_too(served, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)

    def attack():
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)) as one:
            one.request("GET", "/static/page.css")
            assert one.getresponse().read()
            one.sock.sendall(HALF)
            return still_open(one.sock)

    fails_until(monkeypatch, attack, connections, "HEAD_SECONDS", 3600.0)


def test_a_slow_answer_is_no_late_request(served, monkeypatch):
    """The clock is for the request alone, not for what is done about it, nor for the pause until the next."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with served.client() as client:
        item = next_item(client)
        for _ in range(3):
            pause = served.page._thread.submit(time.sleep, 0.5)
            item = client.post("/api/answer", json=reply(item)).json()["query"]["item"]
            pause.result()


def test_there_are_not_more_connections_than_allowed(served, monkeypatch):
    monkeypatch.setattr(connections, "MOST", 20)

    def attack():
        with served.client() as client, half_open(served.port, 60):
            assert client.post("/api/answer", json=reply(next_item(client))).status_code == 200
            return len(served.uvicorn.server_state.connections) > 21

    fails_until(monkeypatch, attack, connections, "MOST", 1000)


def test_strangers_make_room_before_people_who_are_logged_in(served, monkeypatch):
    monkeypatch.setattr(connections, "MOST", 20)

    def attack():
        with served.client() as client:
            client.get("/api/state")
            [theirs] = (one for one in served.uvicorn.server_state.connections if one.logged_in or not guarded[0])
            with half_open(served.port, 60):
                httpx.get(served.url + "/login")  # by now all of them were accepted
                return theirs.transport.is_closing()

    guarded = [True]
    assert not attack()
    guarded[0] = False
    monkeypatch.setattr(Connection, "logged_in", False)
    assert attack()


def test_those_who_send_no_body_make_room_too(served, monkeypatch):
    monkeypatch.setattr(connections, "MOST", 20)
    said = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Type: application/json\r\n"
    said += f"Origin: {served.url}\r\nContent-Length: 9\r\n\r\n"

    def attack():
        with contextlib.ExitStack() as held:
            for _ in range(200):
                if sum(one.cycle is not None for one in list(served.uvicorn.server_state.connections)) >= 20:
                    break
                held.enter_context(half_open(served.port, 1, said.encode()))
                time.sleep(0.01)  # each is to be listened to before the next
            try:
                return httpx.get(served.url + "/login").status_code != 200
            except httpx.HTTPError:  # turned out itself, because nobody else could be
                return True

    fails_until(monkeypatch, attack, Connection, "waits", property(lambda one: one.cycle is None))


# Thousands, at a server of its own

SERVE = """
import resource, sys
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
from altmas.page import connections
if sys.argv[3] == "unguarded":
    connections.HEAD_SECONDS, connections.turned_out = 3600.0, lambda newest, connections: []
from altmas.page.server import serve
serve(sys.argv[1], annotator="mk")
"""
COUNT = 2_000


@pytest.fixture
def many_files():
    """As many files as it takes to be an attacker."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < COUNT + 200 and hard != resource.RLIM_INFINITY:
        pytest.skip(f"no more than {hard} files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, COUNT + 200), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.contextmanager
def server_of_few_files(folder, files, guards="guarded"):
    """A server that may open so many files, and somebody who is logged in there; what it said is bounded."""
    command = [sys.executable, "-u", "-c", SERVE, str(folder), str(files), guards]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            url, _, token = process.stdout.readline().split()[1].partition("/login?token=")
            with httpx.Client(base_url=url, headers={"Origin": url}, timeout=30) as client:
                client.post("/login", json={"token": token})
                client.headers["X-Altmas-Csrf"] = csrf_of(client)
                yield client
        finally:
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
    assert len(told) < 100_000


@pytest.mark.parametrize("files", [200, 1024])
def test_an_answer_arrives_while_thousands_keep_the_server_waiting(tmp_path, many_files, files):
    with server_of_few_files(make_audit(tmp_path / "audit"), files) as client:
        item = next_item(client)
        with half_open(client.base_url.port, COUNT):
            got = client.post("/api/answer", json=reply(item)).json()
            assert got["saved"]["new"]
            with httpx.Client(base_url=client.base_url, headers=client.headers, cookies=client.cookies) as fresh:
                assert fresh.post("/api/answer", json=reply(got["query"]["item"])).json()["saved"]["new"]


def test_without_bounds_they_would_keep_everybody_out(tmp_path, many_files):
    with (
        server_of_few_files(make_audit(tmp_path / "audit"), 200, "unguarded") as client,
        half_open(client.base_url.port, 400),
        pytest.raises(httpx.TimeoutException),
    ):
        httpx.get(client.base_url.join("/login"), timeout=3)
