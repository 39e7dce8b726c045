"""Each protection of the labelling page, by an attack that fails, and that succeeds once the protection is gone."""

import base64
import contextlib
import hmac
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import httpx
import pytest
from page_world import ANIMALS, Served, answers_in, draw_image, events_of, make_audit, new_client_id, next_item, reply

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.page import app, doors, files, guards, instance, media, server
from altmas.page.doors import Doors, Session
from altmas.page.instance import only_instance
from altmas.page.names import Names

STATIC = Path(server.__file__).parent / "static"


@pytest.fixture
def served(tmp_path):
    with Served(make_audit(tmp_path / "audit")) as one:
        yield one


def fails_until(monkeypatch, attack, owner, name, instead):
    """The attack fails; without the protection `name` it succeeds, so that the test can tell."""
    assert not attack()
    monkeypatch.setattr(owner, name, instead)
    assert attack()


# Where it listens


def test_listens_on_this_machine_only(tmp_path, monkeypatch):
    folder = make_audit(tmp_path / "audit")
    with server.listening("127.0.0.1", 0, folder) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"

    def attack():
        try:
            server.serve(folder, annotator="mk", host="192.0.2.7")  # an address for documentation: nobody's
        except InputError as error:
            return "host must be 127.0.0.1" not in str(error)
        return True

    fails_until(monkeypatch, attack, server, "check_host", lambda host, allow: None)


def test_another_host_only_when_wanted_and_with_a_warning(tmp_path, monkeypatch):
    folder = make_audit(tmp_path / "audit")
    said, hosts = [], []
    monkeypatch.setattr(server, "listening", lambda host, port, folder: socket.create_server(("127.0.0.1", 0)))
    monkeypatch.setattr(server, "hosts_of", lambda host, port: hosts.append(host) or {f"{host}:{port}"})
    monkeypatch.setattr(server, "run", lambda page, listener: None)
    server.serve(folder, annotator="mk", host="192.0.2.7", allow_remote=True, say=said.append)
    assert said[0] == server.WARNING
    assert hosts == ["192.0.2.7"]
    with pytest.raises(InputError, match="name or address"):
        server.serve(folder, annotator="mk", host="0.0.0.0", allow_remote=True)


def test_host_names_of_other_sites_are_refused(served, monkeypatch):
    def attack(host="evil.example"):
        return httpx.get(served.url + "/login", headers={"Host": f"{host}:{served.port}"}).status_code != 421

    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:1@evil", "0.0.0.0", "[::1]", ""):
        assert not attack(host)
    assert attack("127.0.0.1")
    assert attack("LOCALHOST")
    fails_until(monkeypatch, attack, guards, "host_allowed", lambda host, hosts: True)


# Logging in


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


# Images


@pytest.fixture
def pictured(tmp_path):
    home = (tmp_path / "images").resolve()
    home.mkdir()
    kinds = {"a.png": "PNG", "a.jpg": "JPEG", "a.gif": "GIF", "a.webp": "WEBP", "a.bmp": "BMP"}
    for name in kinds:
        draw_image(home / name)
    (home / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    (home / "a.html").write_text("<script>alert(1)</script>")
    (home / "html.png").write_text("<html><script>alert(1)</script>")
    (home / "a.txt").write_text("BM is how this text begins, and yet it is no bitmap at all")
    (home / "polyglot.gif").write_bytes(b"GIF89a/*<script>alert(1)</script>*/=1")
    names = sorted(path.name for path in home.iterdir())
    pool = Pool.build(["cat"] * len(names), ids=names, classes=list(ANIMALS))
    folder = tmp_path / "audit"
    Audit.create(folder, pool, metrics=["accuracy"], method="random", media=[str(home / n) for n in names]).close()
    with Served(folder) as served, served.client() as client:
        secret = Names((folder / "page.key").read_bytes(), len(names))

        def get(name):
            return client.get("/media/" + secret.name(names.index(name)))

        yield home, get, client


def test_images_have_their_own_type(pictured):
    home, get, _ = pictured
    for name, kind in [("png", "png"), ("jpg", "jpeg"), ("gif", "gif"), ("webp", "webp"), ("bmp", "bmp")]:
        got = get(f"a.{name}")
        assert (got.status_code, got.headers["content-type"]) == (200, f"image/{kind}")
        assert got.content == (home / f"a.{name}").read_bytes()
    assert get("polyglot.gif").headers["content-type"] == "image/gif"
    assert get("polyglot.gif").headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["a.svg", "a.html", "html.png", "a.txt"])
def test_what_is_no_image_is_not_sent(pictured, monkeypatch, name):
    home, get, _ = pictured

    def attack():
        got = get(name)
        return got.status_code != 415 and (home / name).read_bytes() in got.content

    fails_until(monkeypatch, attack, media, "image_type", lambda head: "text/html")


@pytest.mark.parametrize(
    "name",
    [
        "0",
        "3",
        "a.png",
        "../page.key",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2fetc%2fpasswd",
        "/etc/passwd",
        "A" * 32,
        "%00",
        "%ff",
    ],
)
def test_images_are_found_by_name_alone(pictured, name):
    _, _, client = pictured
    got = client.get("/media/" + name)
    assert got.status_code == 404
    assert "root:" not in got.text


def test_names_cannot_be_made_up(pictured, monkeypatch):
    _, _, client = pictured

    def attack():
        return client.get("/media/3").status_code == 200

    fails_until(monkeypatch, attack, Names, "position", lambda self, name: int(name))


def test_names_of_one_audit_are_nothing_to_another():
    names, others = Names(b"a" * 32, 1000), Names(b"b" * 32, 1000)
    assert [names.position(names.name(k)) for k in range(1000)] == list(range(1000))
    assert all(others.position(names.name(k)) is None for k in range(1000))
    flipped = bytearray(base64.urlsafe_b64decode(names.name(7)))
    flipped[-1] ^= 1
    assert names.position(base64.urlsafe_b64encode(flipped).decode()) is None


def test_names_tell_nothing_of_the_place():
    names = Names(b"a" * 32, 1000)
    firsts = [base64.urlsafe_b64decode(names.name(k))[-8:] for k in range(256)]
    assert len({one[:2] for one in firsts}) > 200  # a plain number would begin with zeros


def test_links_that_lead_elsewhere_are_not_followed(tmp_path, monkeypatch):
    home, secret = tmp_path.resolve() / "images", tmp_path.resolve() / "private"
    for folder in (home, secret):
        folder.mkdir()
        draw_image(folder / "0.png", seed=len(folder.name))
    pool = Pool.build(["cat"], classes=list(ANIMALS))
    audit = tmp_path / "audit"
    Audit.create(audit, pool, metrics=["accuracy"], method="random", media=[str(home / "0.png")]).close()
    with Served(audit) as served, served.client() as client:
        address = "/media/" + Names((audit / "page.key").read_bytes(), 1).name(0)
        assert client.get(address).status_code == 200
        (home / "0.png").rename(home / "1.png")
        (home / "0.png").symlink_to(secret / "0.png")
        assert client.get(address).status_code == 404
        (home / "0.png").unlink()
        (home / "1.png").unlink()
        home.rmdir()
        home.symlink_to(secret)

        def attack():
            return client.get(address).content == (secret / "0.png").read_bytes()

        fails_until(monkeypatch, attack, media, "real_path", lambda registered: registered)


def test_only_plain_files_of_some_size_are_read(tmp_path, monkeypatch):
    home = tmp_path.resolve()
    os.mkfifo(home / "pipe")
    (home / "folder").mkdir()
    for name in ("pipe", "folder", "missing"):
        with pytest.raises(Exception, match="image of this item") as caught:
            media.read_image(home / name)
        assert caught.value.status == 404
    monkeypatch.setattr(media, "LARGEST_IMAGE", 10)
    draw_image(home / "a.png")
    with pytest.raises(Exception, match="larger than"):
        media.read_image(home / "a.png")


# Files and instances


def test_files_are_private(tmp_path, monkeypatch):
    before = os.umask(0)
    try:

        def attack():
            folder = make_audit(tmp_path / new_client_id())
            with Served(folder, refit=(sys.executable, "-c", "")) as served, served.client() as client:
                client.post("/api/answer", json=reply(next_item(client)))
                served.refits.start()
                with only_instance(folder) as held:
                    held.announce("127.0.0.1", 1)
                    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
            assert {"page.key", "sessions.json", "server.lock", "refit.log", "audit.db"} <= {p.name for p in modes}
            return any(mode != (0o700 if path.is_dir() else 0o600) for path, mode in modes.items())

        from altmas.core import files as audit_files

        fails_until(monkeypatch, attack, audit_files, "FILE_MODE", 0o644)
    finally:
        os.umask(before)


def test_one_page_per_audit(tmp_path, monkeypatch):
    folder = make_audit(tmp_path / "audit")
    with only_instance(folder) as held:
        held.announce("127.0.0.1", 4321)

        def attack():
            try:
                with only_instance(folder):
                    return True
            except InputError as error:
                sentence.append(str(error))
                return False

        sentence = []
        fails_until(monkeypatch, attack, instance.fcntl, "flock", lambda handle, how: None)
        assert f"another in process {os.getpid()} at http://127.0.0.1:4321" in sentence[0]
    with only_instance(folder):
        pass


def test_annotators_have_names_that_can_be_shown(tmp_path):
    held = Doors(make_audit(tmp_path / "audit"))
    for name in ("", " mk", "m\nk", "x" * 65, "\u202e\x00"):
        with pytest.raises(InputError, match="annotator must be a name"):
            held.new_login(name)
