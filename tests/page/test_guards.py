"""What a write must bring with it, and which headers every response has."""

import contextlib
import json
import re
import socket
import time
from pathlib import Path

import httpx
import pytest

from altmas.page import files, guards, server
from worlds.page import (
    Served,
    answers_in,
    events_of,
    fails_until,
    make_audit,
    next_item,
    reply,
)

STATIC = Path(server.__file__).parent / "static"


# Writing


def writes(served, client):
    """An answer with headers of the caller's making; whether it reached the store."""

    def attempt(**headers):
        before = len(events_of(served.folder))
        body = json.dumps(reply(next_item(client)))
        own = {
            "Origin": served.url,
            "Content-Type": "application/json",
            "X-Altmas-Csrf": client.headers["x-altmas-csrf"],
        }
        sent = {k: v for k, v in {**own, **headers}.items() if v is not None}
        bare = httpx.post(served.url + "/api/answer", content=body, headers=sent, cookies=dict(client.cookies))
        return bare.status_code == 200 and len(events_of(served.folder)) > before

    return attempt


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1", "https://127.0.0.1:{port}"]
)
def test_writes_need_the_pages_own_origin(served, monkeypatch, origin):
    with served.client() as client:
        write = writes(served, client)
        assert write()
        other = origin and origin.format(port=served.port)
        fails_until(monkeypatch, lambda: write(Origin=other), guards, "check_origin", lambda request: None)


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_writes_need_json(served, monkeypatch, kind):
    with served.client() as client:
        write = writes(served, client)
        fails_until(monkeypatch, lambda: write(**{"Content-Type": kind}), guards, "check_json", lambda request: None)


@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_writes_need_the_pages_token(served, monkeypatch, token):
    with served.client() as client:
        write = writes(served, client)
        attack = lambda: write(**{"X-Altmas-Csrf": token})  # noqa: E731
        fails_until(monkeypatch, attack, guards, "check_csrf", lambda request, expected: None)


def test_a_token_of_another_session_is_no_good(served):
    with served.client("mk") as client, served.client("ab") as other:
        assert not writes(served, client)(**{"X-Altmas-Csrf": other.headers["x-altmas-csrf"]})


def test_nobody_can_answer_for_another(served):
    with served.client("mk") as client:
        refused = client.post("/api/answer", json=reply(next_item(client), annotator="ab"))
        assert refused.status_code == 400
        assert "annotator" in refused.json()["error"]
        taken = client.post("/api/answer", json=reply(next_item(client)))
        assert taken.status_code == 200
    with served.client("ab") as other:  # the same id from another browser is another id
        body = {**reply(next_item(other)), "client": json.loads(taken.request.content)["client"]}
        assert other.post("/api/answer", json=body).json()["saved"]["new"]
    assert len(answers_in(served.folder, "mk")) == len(answers_in(served.folder, "ab")) == 1


def test_the_body_is_limited_by_the_bytes_that_arrive(served, monkeypatch):
    def send(head, chunks):
        with served.client() as client, socket.create_connection(("127.0.0.1", served.port)) as raw:
            cookies = "; ".join(f"{k}={v}" for k, v in client.cookies.items())
            lines = [
                "POST /api/answer HTTP/1.1", f"Host: 127.0.0.1:{served.port}", f"Origin: {served.url}",
                "Content-Type: application/json", f"Cookie: {cookies}",
                f"X-Altmas-Csrf: {client.headers['x-altmas-csrf']}", "Connection: close", *head,
            ]  # fmt: skip
            raw.sendall("\r\n".join([*lines, "", ""]).encode())
            with contextlib.suppress(OSError):  # the server may hang up before all is sent
                for chunk in chunks:
                    raw.sendall(chunk)
            got = raw.recv(65536)
        return int(got.split()[1])

    spaces = b" " * 4096
    many = 1 + guards.BODY_LIMIT // len(spaces)

    def chunked():
        return send(["Transfer-Encoding: chunked"], [b"1000\r\n" + spaces + b"\r\n"] * many + [b"0\r\n\r\n"]) != 413

    def announced():
        return send([f"Content-Length: {len(spaces) * many}"], [spaces] * many) != 413

    assert send(["Content-Length: 2"], [b"{}"]) == 400
    assert not announced()
    fails_until(monkeypatch, chunked, guards, "BODY_LIMIT", 1 << 30)
    assert announced()


def test_a_body_that_never_ends_is_given_up(served, monkeypatch):
    monkeypatch.setattr(guards, "BODY_SECONDS", 0.05)
    with served.client() as client:

        def slowly():
            yield b"{"
            time.sleep(0.5)

        assert (
            client.post("/api/next", content=slowly(), headers={"Content-Type": "application/json"}).status_code == 408
        )


# What is sent


def everything_sent(served):
    """A response of every kind."""
    with served.client() as client:
        item = next_item(client)
        yield client.get("/")
        yield client.get("/login")
        yield client.get("/api/state")
        yield client.get("/static/page.js")
        yield client.get("/nowhere")
        yield client.put("/api/next")
        yield client.get("/media/wrong")
        yield client.post("/api/answer", json={})
        yield client.post("/api/answer", json=reply(item))
        yield client.get("/login", headers={"Host": "evil.example"})
    yield httpx.get(served.url + "/")
    yield httpx.get(served.url + "/api/state")


@pytest.mark.parametrize("header", sorted(guards.HEADERS))
def test_every_response_has_the_headers(served, monkeypatch, header):
    wanted = guards.HEADERS[header]

    def attack():
        return any(response.headers.get(header) != wanted for response in everything_sent(served))

    fails_until(monkeypatch, attack, guards, "HEADERS", {k: v for k, v in guards.HEADERS.items() if k != header})


def test_the_content_policy_is_strict():
    assert guards.CONTENT_POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in guards.CONTENT_POLICY
    parts = dict(part.strip().split(" ", 1) for part in guards.CONTENT_POLICY.split(";"))
    assert set(parts.values()) == {"'none'", "'self'"}
    assert parts["base-uri"] == parts["frame-ancestors"] == "'none'"


def test_the_pages_files_are_their_own():
    for path in STATIC.iterdir():
        if path.suffix == ".png":
            continue
        text = path.read_text()
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.", text.replace("https?://", "")), path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            path
        )
        if path.suffix == ".html":
            assert not re.search(r"\sstyle=|\son\w+=|<style|javascript:|\|\s*safe", text), path
            assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), path


def test_templates_escape(tmp_path, monkeypatch):
    evil = "<script>alert(1)</script>"
    folder = make_audit(tmp_path / "audit", title=evil, guidelines=evil)
    with Served(folder) as served, served.client("<b>mk</b>") as client:

        def attack():
            files.environment.cache_clear()
            pages = client.get("/").text + client.get("/login").text
            assert "&lt;script&gt;" in pages or evil in pages
            return evil in pages or "<b>mk" in pages

        fails_until(monkeypatch, attack, files, "AUTOESCAPE", False)
    files.environment.cache_clear()
