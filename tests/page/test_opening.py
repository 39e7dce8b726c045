"""`--open`: the browser gets to the login link, and nobody else on the machine learns it."""

import contextlib
import stat
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from altmas.page import opening, server
from altmas.page.opening import Opening
from worlds.page import Served, make_audit

LINK = "http://127.0.0.1:4321/login?token=abc&x=<b>"


def left_in(folder):
    return list(folder.glob("altmas-login-*.html"))


def path_of(address):
    assert address.startswith("file:///")
    return Path(unquote(urlsplit(address).path))


def until(true):
    """Wait for something that another thread does."""
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def browser_calls(monkeypatch):
    """What a browser was called with, in place of one."""
    calls = []
    monkeypatch.setattr(opening.webbrowser, "open", calls.append)
    return calls


def test_the_browser_is_opened_on_a_private_file_once_the_page_is_served(tmp_path, monkeypatch):
    folder, seen, links, servers = make_audit(tmp_path / "audit"), {}, [], []
    made = server.PageServer.__init__

    def remembered(self, *arguments, **more):
        made(self, *arguments, **more)
        servers.append(self)

    def browser(address):
        path = path_of(address)
        seen["called with"], seen["file"] = address, path.read_text()
        seen["mode"] = stat.S_IMODE(path.stat().st_mode)
        seen["answer"] = httpx.get(links[0]).status_code
        seen["left before login"] = left_in(folder)
        url, _, token = links[0].partition("/login?token=")
        httpx.post(f"{url}/login", json={"token": token}, headers={"Origin": url})
        seen["left after login"] = left_in(folder)
        servers[0].should_exit = True

    monkeypatch.setattr(server.PageServer, "__init__", remembered)
    monkeypatch.setattr(opening.webbrowser, "open", browser)
    serving = {"annotator": ["mk", "ab"], "open_browser": True, "on_ready": links.append}
    thread = threading.Thread(target=server.serve, args=(folder,), kwargs=serving)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    token = links[0].partition("token=")[2]
    assert len(token) > 40
    assert token not in seen["called with"]
    assert f"url={links[0]}" in seen["file"]
    assert (seen["mode"], seen["answer"]) == (0o600, 200)
    assert len(seen["left before login"]) == 1
    assert seen["left after login"] == []


def test_the_file_holds_the_link_and_no_script(tmp_path, browser_calls):
    one = Opening(tmp_path)
    one.start(LINK)
    until(lambda: browser_calls)
    text = path_of(browser_calls[0]).read_text()
    assert "url=http://127.0.0.1:4321/login?token=abc&amp;x=&lt;b&gt;" in text
    assert "<script" not in text
    one.start(LINK)
    until(lambda: len(browser_calls) == 2)
    assert browser_calls[0] != browser_calls[1]
    one.end()
    assert left_in(tmp_path) == []


def test_the_file_goes_after_a_while_and_when_the_server_stops(tmp_path, browser_calls, monkeypatch):
    monkeypatch.setattr(opening, "SECONDS", 0.01)
    Opening(tmp_path).start(LINK)
    until(lambda: browser_calls and not left_in(tmp_path))
    folder = make_audit(tmp_path / "audit")
    (folder / "altmas-login-of-a-server-that-was-killed.html").write_text("")
    monkeypatch.setattr(opening, "SECONDS", 3600)
    monkeypatch.setattr(server, "run", lambda page, listener, on_started: on_started())
    server.serve(folder, annotator="mk", open_browser=True, on_ready=lambda link: None)
    until(lambda: len(browser_calls) == 2)
    assert left_in(folder) == []
    assert not path_of(browser_calls[1]).exists()


def test_a_file_that_cannot_be_written_stops_no_page(tmp_path, browser_calls):
    one = Opening(tmp_path / "no such folder")
    one.start(LINK)
    one.end()
    assert browser_calls == []


def test_a_real_browser_comes_in(tmp_path, browser, browser_calls):
    from worlds.browser import expect

    with Served(make_audit(tmp_path / "audit")) as served, contextlib.closing(browser.new_context()) as context:
        one = Opening(served.folder)
        one.start(f"{served.url}/login?token={served.doors.new_login('mk', one.end)}")
        until(lambda: browser_calls)
        page = context.new_page()
        page.goto(browser_calls[0], wait_until="commit")
        expect(page.locator("#progress")).to_contain_text("answered")
        expect(page).to_have_url(f"{served.url}/")
        assert left_in(served.folder) == []
