"""Those who connect and say nothing, or read nothing, do not keep out the people who label."""

import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import httpx
import pytest
from starlette.responses import Response

from altmas.page import connections
from altmas.page.connections import Connection
from worlds.page import csrf_of, fails_until, make_audit, next_item, reply

resource = pytest.importorskip("resource", reason="no limits on open files on this system")

HALF = b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
LARGE = 4 << 20


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


def deaf(port, said, room=4096):
    """A connection that asks, and has little room for answers."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    one.settimeout(20)
    one.connect(("127.0.0.1", port))
    with contextlib.suppress(OSError):  # turned out already
        one.sendall(said)
    return one


def asks(served, more="", path="/static/page.css"):
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n{more}\r\n".encode()


def stuck(served, client):
    """The server's end of a connection, once it can write no more."""
    for _ in range(500):
        time.sleep(0.02)
        for one in list(served.uvicorn.server_state.connections):
            if one.client == client.getsockname() and one.flow.write_paused:
                return one
    raise AssertionError("it can write still")


def spares_the_answered(newest, all_of_them):
    """To make room without regard to who is logged in, and never for those whose answer is not complete."""
    if len(all_of_them) <= connections.MOST:
        return []
    finished = (one for one in all_of_them if one is not newest and (one.cycle is None or one.cycle.response_complete))
    return [next(finished, newest)]


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
            client.get("/static/page.css")  # asks for no session; they are known nevertheless
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

    fails_until(monkeypatch, attack, connections, "turned_out", spares_the_answered)


def test_those_who_do_not_read_make_room_too(served, monkeypatch):
    monkeypatch.setattr(connections, "MOST", 20)
    said = asks(served) * 1000

    def attack():
        with served.client() as client, contextlib.ExitStack() as held:
            client.get("/api/state")
            [theirs] = (one for one in served.uvicorn.server_state.connections if one.logged_in)
            for _ in range(60):
                held.enter_context(deaf(served.port, said))
                time.sleep(0.03)  # each is to be answered until it can take no more
            try:
                return theirs.transport.is_closing() or httpx.get(served.url + "/login").status_code != 200
            except httpx.HTTPError:
                return True

    fails_until(monkeypatch, attack, connections, "turned_out", spares_the_answered)


def test_one_answer_at_a_time_lies_ready(served, monkeypatch):
    def attack():
        with deaf(served.port, asks(served) * 1000) as one:
            return stuck(served, one).transport.get_write_buffer_size() > 20_000

    assert len(httpx.get(served.url + "/static/page.css").content) < 19_000
    fails_until(monkeypatch, attack, connections, "UNSENT_BYTES", 1 << 16)


@pytest.mark.parametrize("more", ["", "Connection: close\r\n"])
def test_an_answer_must_be_read_in_time(served, monkeypatch, more):
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.1)
    served.page._static["page.css"] = Response(bytes(LARGE))

    def attack():
        with deaf(served.port, asks(served, more)):
            for _ in range(100):
                time.sleep(0.02)
                if served.uvicorn.server_state.total_requests and not served.uvicorn.server_state.connections:
                    return False
            return True

    fails_until(monkeypatch, attack, connections, "WRITE_SECONDS", 3600.0)


def test_people_who_are_logged_in_may_read_later(served, monkeypatch):
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.1)
    with served.client() as client:
        cookie = client.cookies[served.cookie]

    def given_up():
        with deaf(served.port, asks(served, f"Cookie: {served.cookie}={cookie}\r\n", "/") * 1000) as one:
            theirs = stuck(served, one)
            time.sleep(1.0)
            return theirs.transport.is_closing()

    fails_until(monkeypatch, given_up, connections, "LOGGED_IN_WRITE_SECONDS", 0.1)


def test_those_who_read_slowly_get_all_of_it(served, monkeypatch):
    monkeypatch.setattr(connections, "WRITE_SECONDS", 1.0)
    served.page._static["page.css"] = Response(bytes(LARGE))

    def cut_short():
        got = 0
        said = asks(served, "Connection: close\r\n")
        with deaf(served.port, said, 1 << 16) as one, contextlib.suppress(ConnectionError):
            while some := one.recv(LARGE // 64, socket.MSG_WAITALL):
                got += len(some)
                time.sleep(0.04)
        return got < LARGE

    fails_until(monkeypatch, cut_short, Connection, "_look_for_reading", lambda one, before: one.give_up())


def test_who_is_logged_in_and_idle_is_the_last_to_go(monkeypatch):
    monkeypatch.setattr(connections, "most_connections", lambda: 0)

    def one(logged_in, waits, idle, since):
        return SimpleNamespace(logged_in=logged_in, waits=waits, idle=idle, since=since)

    newest = one(False, True, True, 9)
    answered = one(True, False, False, 1)
    order = [
        one(False, True, True, 4),
        one(False, False, False, 5),
        one(False, True, False, 6),
        one(True, True, False, 8),
        one(True, True, True, 2),
        one(True, True, True, 3),
    ]
    there, gone = [answered, newest, *reversed(order)], []
    while (out := connections.turned_out(newest, there)) != [newest]:
        gone += out
        there = [each for each in there if each not in out]
    assert gone == order


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
