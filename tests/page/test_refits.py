"""Refits are made behind the page, and their trouble is not the annotator's."""

import os
import signal
import stat
import sys
import time

from altmas.page import refits
from altmas.page.refits import Refits
from worlds.page import (
    Served,
    answer_all,
    answers_in,
    events_of,
    make_audit,
    next_item,
    reply,
)


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_refit_is_made_behind_the_page(tmp_path):
    folder = make_audit(tmp_path / "audit", method="certified", initial=10, batch=5)
    flag = tmp_path / "made"
    command = (sys.executable, "-c", f"import time; time.sleep(0.5); open({str(flag)!r}, 'w').write('x')")
    with Served(folder, refit=command) as served, served.client() as client:
        got = answer_all(client, 10)
        assert got["standing"]["refitting"]
        assert not flag.exists()  # nobody waited for it
        more = answer_all(client, 1)
        assert more["query"] is not None
        wait_for(flag.exists)
        wait_for(lambda: not served.refits.running)
        assert not served.refits.failed


def test_the_worker_refits(tmp_path):
    folder = make_audit(tmp_path / "audit", method="certified", initial=10, batch=5)
    with Served(folder, refit=tuple(refits.refit_command(folder))) as served, served.client() as client:
        answer_all(client, 10)
        wait_for(lambda: not served.refits.running, 120)
        assert not served.refits.failed, (folder / refits.LOG_FILE).read_text()
        assert client.get("/api/state").json()["standing"]["ranked"] == 10
    assert any(event.kind == "fitted" for event in events_of(folder))


def test_a_worker_that_failed_is_not_started_at_once_again(tmp_path):
    now = [0.0]
    command = lambda folder: (sys.executable, "-c", "print('sorry'); raise SystemExit(3)")  # noqa: E731
    held = Refits(tmp_path, command, clock=lambda: now[0])
    assert held.start()
    wait_for(lambda: not held.running)
    assert held.failed
    assert (tmp_path / refits.LOG_FILE).read_text() == "sorry\n"
    assert stat.S_IMODE((tmp_path / refits.LOG_FILE).stat().st_mode) == 0o600
    assert not held.start()
    now[0] = refits.PAUSE_AFTER_FAILURE + 1
    assert held.start()
    held.stop()


def test_stopping_ends_the_worker(tmp_path):
    held = Refits(tmp_path, lambda folder: (sys.executable, "-c", "import time; time.sleep(600)"))
    assert held.start()
    assert not held.start()
    assert os.getpriority(os.PRIO_PROCESS, held._worker.pid) >= 10
    worker = held._worker
    held.stop()
    assert worker.returncode == -signal.SIGTERM


def test_trouble_after_an_answer_does_not_look_like_an_answer_lost(served, client, monkeypatch, caplog):
    item = next_item(client)
    monkeypatch.setattr(served.page._desk, "_and_then", lambda *_: 1 / 0)
    got = client.post("/api/answer", json=reply(item)).json()
    assert got["saved"]["new"]
    assert got["why"] == "trouble"
    assert len(answers_in(served.folder)) == 1
    assert "ZeroDivisionError" in caplog.text
