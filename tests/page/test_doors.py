"""Logging in: links that work once, sessions, cookies, and names of annotators."""

import base64
import contextlib
import hmac
import json
import signal
import subprocess
import sys
import textwrap
import time

import httpx
import pytest

from altmas.metrics.errors import InputError
from altmas.page import app, doors
from altmas.page.doors import Doors, Session
from altmas.page.names import Names
from worlds.page import (
    Served,
    fails_until,
    make_audit,
)


def test_a_login_token_works_once(served, monkeypatch):
    def attack():
        token = served.doors.new_login("mk")
        codes = [
            httpx.post(served.url + "/login", json={"token": token}, headers={"Origin": served.url}).status_code
            for _ in range(2)
        ]
        assert codes[0] == 200
        return codes[1] == 200

    fails_until(monkeypatch, attack, doors, "SINGLE_USE", False)


def test_looking_at_the_link_does_not_use_it_up(served):
    link = served.login_url()
    assert httpx.get(link).status_code == 200
    token = link.partition("token=")[2]
    assert httpx.post(served.url + "/login", json={"token": token}, headers={"Origin": served.url}).is_success


def test_the_cookie_is_out_of_reach(served, monkeypatch):
    def flags():
        token = served.doors.new_login("mk")
        answer = httpx.post(served.url + "/login", json={"token": token}, headers={"Origin": served.url})
        return answer.headers["set-cookie"]

    def attack():
        found = {part.strip().lower() for part in flags().split(";")}
        return not {"httponly", "samesite=strict", "path=/"} <= found or any(f.startswith("domain") for f in found)

    name, _, secret = flags().partition(";")[0].partition("=")
    assert name == served.cookie
    assert len(base64.urlsafe_b64decode(secret + "=")) == 32
    fails_until(monkeypatch, attack, app, "COOKIE", {})


def test_secrets_are_compared_in_constant_time(tmp_path, monkeypatch):
    compared = []
    monkeypatch.setattr(doors.hmac, "compare_digest", lambda a, b: compared.append(1) or hmac_equal(a, b))
    held = Doors(make_audit(tmp_path / "audit"))
    tokens = [held.new_login("mk") for _ in range(5)]

    def attack():  # the first of five is found as slowly as none
        times = []
        for guess in (tokens.pop(0), "wrong"):
            waiting = len(held._logins)
            compared.clear()
            held.enter(guess)
            times.append(len(compared) == waiting)
        return not all(times)

    fails_until(monkeypatch, attack, doors, "found", lambda wanted, hashes: wanted if wanted in hashes else None)


def hmac_equal(a, b):
    return hmac.HMAC(b"k", a.encode(), "sha256").digest() == hmac.HMAC(b"k", b.encode(), "sha256").digest()


def test_nothing_without_a_session(served, monkeypatch):
    name = Names((served.folder / "page.key").read_bytes(), 200).name(3)

    def attack():
        with httpx.Client(base_url=served.url, headers={"Origin": served.url}, cookies={served.cookie: "x"}) as client:
            codes = [client.get(path).status_code for path in ("/api/state", "/api/review", f"/media/{name}")]
            codes += [client.post(f"/api/{one}", json={}).status_code for one in ("next", "answer", "undo", "reveal")]
            assert client.get("/").headers.get("location", "/login") == "/login"
        return any(code != 401 for code in codes)

    fails_until(monkeypatch, attack, Doors, "session", lambda self, secret: Session("mk", "x"))


def test_a_session_ends(tmp_path, monkeypatch):
    now = [0.0]
    held = Doors(make_audit(tmp_path / "audit"), clock=lambda: now[0])
    secret = held.enter(held.new_login("mk"))
    assert held.session(secret).annotator == "mk"
    now[0] = doors.SESSION_SECONDS + 1.0
    assert held.session(secret) is None
    monkeypatch.setattr(held, "_clock", lambda: 0.0)
    assert held.session(secret) is not None


def test_sessions_outlive_the_server_and_their_file_opens_nothing(tmp_path):
    folder = make_audit(tmp_path / "audit")
    first = Doors(folder)
    token = first.new_login("mk")
    secret = first.enter(token)
    kept = (folder / doors.SESSIONS_FILE).read_text()
    assert secret not in kept
    assert token not in kept
    assert Doors(folder).session(secret).annotator == "mk"
    assert Doors(folder).session(next(iter(json.loads(kept)))) is None


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": 1}', '{"a": ["mk", "never"]}', "\x00"])
def test_a_file_of_sessions_that_cannot_be_read_holds_none(tmp_path, text):
    folder = make_audit(tmp_path / "audit")
    (folder / doors.SESSIONS_FILE).write_text(text)
    held = Doors(folder)
    assert held.session("a") is None
    assert held.session(held.enter(held.new_login("mk"))).annotator == "mk"


def test_two_audits_do_not_share_a_cookie(tmp_path):
    with Served(make_audit(tmp_path / "a")) as one, Served(make_audit(tmp_path / "b")) as other:
        assert one.cookie != other.cookie
        with one.client() as client:  # a browser sends cookies to every port of a host
            assert httpx.get(other.url + "/api/state", cookies=dict(client.cookies)).status_code == 401


SERVER = """
import sys
from altmas.page import server
{change}
server.serve(sys.argv[1], annotator=["mk", "ab"], on_ready=lambda link: open(sys.argv[2], "a").write(link + "\\n"))
"""


@contextlib.contextmanager
def own_process(folder, links, change=""):
    code = textwrap.dedent(SERVER).format(change=change)
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder), str(links)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            while not links.exists() or links.read_text().count("\n") < 2:
                assert process.poll() is None, process.stdout.read()
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def test_tokens_are_never_logged(tmp_path):
    def attack(change=""):
        folder = make_audit(tmp_path / f"audit{len(change)}")
        links = tmp_path / f"links{len(change)}"
        with own_process(folder, links, change) as process:
            tokens = []
            for link in links.read_text().split():
                httpx.get(link)
                tokens.append(link.partition("token=")[2])
            process.send_signal(signal.SIGINT)
            printed = process.stdout.read()
            assert process.wait(20) == 0, printed
        written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        return any(token.encode() in printed + written for token in tokens)

    assert not attack()
    assert attack("server.LOGGING = {'access_log': True, 'log_level': 'info'}")


def test_annotators_have_names_that_can_be_shown(tmp_path):
    held = Doors(make_audit(tmp_path / "audit"))
    for name in ("", " mk", "m\nk", "x" * 65, "\u202e\x00"):
        with pytest.raises(InputError, match="annotator must be a name"):
            held.new_login(name)
