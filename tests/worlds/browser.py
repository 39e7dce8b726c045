"""A real browser for the tests of pages: Debian's Chromium through playwright, and axe-core for accessibility."""

import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

expect.set_options(timeout=20_000)  # a machine that is busy with other things is slow, not wrong

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
CACHE = Path.home() / ".cache" / "altmas-tests"


@contextmanager
def chromium():
    """The browser, or a reason why there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no {CHROMIUM}: apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def axe_source():
    """axe-core's script, from npm the first time."""
    script = CACHE / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        if shutil.which("npm") is None:
            pytest.skip("axe-core is not there, and there is no npm to fetch it")
        command = ["npm", "install", "axe-core", "--prefix", str(CACHE), "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            pytest.skip(f"npm could not fetch axe-core: {done.stderr[-200:]}")
    return script.read_text()


def axe_findings(page):
    """What axe finds serious or critical on a page whose content policy is bypassed: rule and places."""
    page.evaluate(axe_source())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["impact"], [node["html"][:120] for node in one["nodes"]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


class Watched:
    """A browser's context that remembers every host asked for, and everything that went wrong in the console."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(**options)
        self.hosts, self.complaints = set(), []
        self.context.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.context.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@contextmanager
def visits(browser):
    """Open an audit's page as an annotator. Afterwards: no other host was asked for anything, no error was logged."""
    opened = []

    def visit(served, annotator="mk", **options):
        watched = Watched(browser, **options)
        opened.append((watched, f"127.0.0.1:{served.port}"))
        page = watched.context.new_page()
        page.goto(served.login_url(annotator))
        expect(page.locator("#progress")).to_contain_text("answered")
        expect(page.locator("#item > *, #done:not([hidden])").first).to_be_visible()
        return page

    yield visit
    for watched, host in opened:
        watched.context.close()
        assert watched.hosts == {host}
        assert [said for said in watched.complaints if not said.startswith("Failed to load resource")] == []


def answered(page, count):
    """So many are answered, and the last of them is saved."""
    sentence = rf"^{count}( of \d+)? answered.*, saved \d\d:\d\d:\d\d$"
    expect(page.locator("#progress")).to_contain_text(re.compile(sentence))


def press(page, *keys):
    """One key after the other, each when the one before is done."""
    for key in keys:
        expect(page.locator("body")).not_to_have_class("busy")
        page.keyboard.press(key)
