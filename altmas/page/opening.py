"""Opening the browser by way of a private file: all users of a machine can read what programs are called with."""

from __future__ import annotations

import os
import tempfile
import threading
import webbrowser
from html import escape
from pathlib import Path

PREFIX, ENDING = "altmas-login-", ".html"
SECONDS = 60.0
"""A browser that has not read the file by then is not going to."""

PAGE = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="referrer" content="no-referrer">
  <meta http-equiv="refresh" content="0; url={link}">
  <title>altmas</title>
</head>
<body><p><a href="{link}">To the labelling page</a></p></body>
</html>
"""


class Opening:
    """A file that only its owner can read and that leads a browser to a login link; gone when it was used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._timer: threading.Timer | None = None

    def start(self, link: str) -> None:
        """Open the browser; never waits for it, since some are in the terminal and end only when they are left."""
        try:
            handle, name = tempfile.mkstemp(ENDING, PREFIX, self._folder)  # a new file, 0600, named by chance
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(PAGE.format(link=escape(link)))
        except OSError:  # a page without a browser is better than none, and its link was told
            return
        threading.Thread(target=webbrowser.open, args=(Path(name).resolve().as_uri(),), daemon=True).start()
        self._timer = threading.Timer(SECONDS, self.end)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Remove the file, and any that a server left behind which was killed."""
        if self._timer is not None:
            self._timer.cancel()
        for one in self._folder.glob(f"{PREFIX}*{ENDING}"):
            one.unlink(missing_ok=True)
