"""Where the page listens, the files it keeps, one page per audit, and how it starts and stops."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys

import httpx
import pytest

from altmas.metrics.errors import InputError
from altmas.page import guards, server
from altmas.page.server import only_instance
from worlds.page import Served, fails_until, make_audit, new_client_id, next_item, reply

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
    monkeypatch.setattr(server, "run", lambda page, listener, on_started: None)
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


# Files and instances


def test_files_are_private(tmp_path, monkeypatch):
    before = os.umask(0)
    try:

        def attack():
            folder = make_audit(tmp_path / new_client_id())
            with Served(folder, refit=(sys.executable, "-c", "")) as served, served.client() as client:
                client.post("/api/answer", json=reply(next_item(client)))
                served.refits.start()
                with only_instance(folder):
                    server.announce(folder, "127.0.0.1", 1)
                    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}
            expected = {"page.key", "sessions.json", "server.lock", "server.json", "refit.log", "audit.db"}
            assert expected <= {p.name for p in modes}
            return any(mode != (0o700 if path.is_dir() else 0o600) for path, mode in modes.items())

        from altmas.core import files as audit_files

        fails_until(monkeypatch, attack, audit_files, "FILE_MODE", 0o644)
    finally:
        os.umask(before)


def test_one_page_per_audit(tmp_path, monkeypatch):
    folder = make_audit(tmp_path / "audit")
    with only_instance(folder):
        server.announce(folder, "127.0.0.1", 4321)

        def attack():
            try:
                with only_instance(folder):
                    return True
            except InputError as error:
                sentence.append(str(error))
                return False

        sentence = []
        fails_until(monkeypatch, attack, server, "locked", lambda path, wait: contextlib.nullcontext(True))
        assert f"another in process {os.getpid()} at http://127.0.0.1:4321" in sentence[0]
    with only_instance(folder):
        pass


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
    with server.only_instance(folder), server.listening("127.0.0.1", 0, folder) as first:
        port = first.getsockname()[1]
        server.announce(folder, "127.0.0.1", port)
        with server.listening("127.0.0.1", 0, folder) as second:
            assert second.getsockname()[1] != port
    with server.listening("127.0.0.1", 0, folder) as third:
        assert third.getsockname()[1] == port
    (folder / "server.json").write_text("not JSON")
    with server.listening("127.0.0.1", 0, folder) as fourth:
        assert fourth.getsockname()[1] > 0
