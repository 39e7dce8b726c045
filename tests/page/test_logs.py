"""What the server writes to the terminal stays bounded, whatever others make it complain about."""

import io
import logging
import signal
import socket
import subprocess
import sys

import pytest

from altmas.page import logs
from altmas.page.logs import Bounded, bounded_logs
from worlds.page import fails_until, make_audit


@pytest.fixture
def written():
    """What reaches the terminal from the loggers of the server."""
    text = io.StringIO()
    handler, log = logging.StreamHandler(text), logging.getLogger("uvicorn.error")
    before = log.handlers, log.propagate, log.level
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.WARNING)
    yield text
    log.handlers, log.propagate = before[:2]
    log.setLevel(before[2])


def test_lines_are_few_and_the_rest_is_counted(written):
    now = [0.0]
    bounded, log = Bounded(lines=3, seconds=60, clock=lambda: now[0]), logging.getLogger("uvicorn.error")
    log.addFilter(bounded)
    try:
        for k in range(1000):
            log.warning("no %d", k)
        now[0] = 61.0
        log.warning("again")
        log.warning("and again")
    finally:
        log.removeFilter(bounded)
    assert written.getvalue().splitlines() == [
        "no 0", "no 1", "no 2", "again (997 lines before this one were left out.)", "and again",
    ]  # fmt: skip


def test_lines_and_tracebacks_are_short(written, monkeypatch):
    def attack():
        written.truncate(0)
        with bounded_logs():
            logging.getLogger("uvicorn.error").warning("a long story: %s", "x" * 1_000_000)
            try:
                raise ValueError("y" * 1_000_000)
            except ValueError:
                logging.getLogger("uvicorn.error").exception("failed")
        assert "a long story" in written.getvalue()
        assert "Traceback" in written.getvalue()
        return len(written.getvalue()) > 10_000

    fails_until(monkeypatch, attack, logs, "LONGEST", 1 << 30)


def test_in_the_end_it_is_told_how_much_was_left_out(written):
    with bounded_logs():
        for _ in range(logs.LINES + 5):
            logging.getLogger("uvicorn.error").warning("no")
    assert written.getvalue().splitlines()[-1] == "5 lines were left out."


SERVE = """
import sys
from altmas.page import logs, server
logs.LOGGERS = logs.LOGGERS if sys.argv[2] == "bounded" else logs.LOGGERS[:0]
server.serve(sys.argv[1], annotator="mk")
"""


def lines_of_a_server(folder, *, bounded):
    """How many lines a server writes about two hundred requests that are none."""
    command = [sys.executable, "-u", "-c", SERVE, str(folder), "bounded" if bounded else "not"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline().split(":")[3].partition("/")[0])
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as raw:
                raw.sendall(b"\x00 no request \r\n\r\n")
                assert raw.recv(100).startswith(b"HTTP/1.1 400")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    return len(told.splitlines())


def test_a_server_that_is_sent_nonsense_says_little(tmp_path):
    folder = make_audit(tmp_path / "audit")
    assert 1 < lines_of_a_server(folder, bounded=True) <= logs.LINES + 1
    assert lines_of_a_server(folder, bounded=False) >= 200
