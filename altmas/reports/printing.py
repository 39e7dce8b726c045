"""A report as PDF, printed by a browser that is there already: no window, no network, no profile left behind.

The page holds no script and asks for nothing; the browser could reach nobody all the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from altmas.metrics.errors import AltmasError, InputError

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge",
)  # fmt: skip
"""Browsers that print without a window, by the names of their programs."""

NAMED_BY = "ALTMAS_BROWSER"
"""The environment's variable that names another one."""

PATIENCE = 180
"""Seconds after which a browser is given up."""

_FLAGS = (
    "--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
    "--disable-breakpad", "--no-pdf-header-footer",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
)  # fmt: skip


def a_browser() -> str:
    """The program that prints: the one that `ALTMAS_BROWSER` names, or the first that is there."""
    hint = f"Install Chromium, Chrome or Edge, or let {NAMED_BY} name one; or write report.html and print that."
    if named := os.environ.get(NAMED_BY):
        if (found := shutil.which(named)) is None:
            raise InputError(NAMED_BY, "name a browser that can be started", repr(named), hint)
        return found
    for one in BROWSERS:
        if (found := shutil.which(one)) is not None:
            return found
    raise InputError("report.pdf", "be printed by a browser", "none", hint)


def printed(page: str, browser: str) -> bytes:
    """The page as PDF."""
    with tempfile.TemporaryDirectory(prefix="altmas-print-") as folder:
        source, target = Path(folder, "report.html"), Path(folder, "report.pdf")
        source.write_text(page, encoding="utf-8")
        command = [
            browser, *_FLAGS, *_as_root(), f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise AltmasError(f"The browser {browser} could not print the report: {error}") from None
        if not target.is_file():
            said = done.stderr.strip().splitlines()[-1:] or ["it wrote nothing"]
            raise AltmasError(f"The browser {browser} could not print the report: {said[0]}")
        return target.read_bytes()


def _as_root() -> list[str]:
    """Chromium's own sandbox does not start for root; the page is ours, and holds no script."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
