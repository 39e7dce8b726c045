"""Many people at the labelling page at once: what an answer takes at the start and at the end of a long audit.

Eight annotators, each in a thread of its own with one connection, answer as fast as they are let. The server is a
process of its own, as `altmas label` starts it. Measured with refits beside it, and with none ever due; then beside
connections that never finish their request.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import pandas as pd

from altmas.audits.audit import Audit
from altmas.core.pool import Pool

SERVE = "import sys; from altmas.page.server import serve; serve(sys.argv[1], annotator=sys.argv[2:])"
CLASSES = 9


def make_audit(folder, items, *, refits, seed=0):
    """An audit without an answer; a refit is never due where none is wanted."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(CLASSES, 0.3), items)
    pool = Pool.build(scores.argmax(1), scores=scores, classes=range(CLASSES))
    texts = pd.DataFrame({"text": [f"Item {k}" for k in range(items)]})
    Audit.create(folder, pool, items=texts, metrics=["accuracy"], initial=50 if refits else items).close()


class Annotator:
    """One person's browser: logs in, then answers whatever it is asked."""

    def __init__(self, link):
        host, port, self.token = re.fullmatch(r"http://([^:]+):(\d+)/login\?token=(.+)", link).groups()
        self.connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.headers = {"Origin": f"http://{host}:{port}", "Content-Type": "application/json"}
        self.numbers = itertools.count()

    def log_in(self):
        """Exchange the token for a session."""
        response, _ = self.request("POST", "/login", {"token": self.token})
        self.headers["Cookie"] = response.getheader("set-cookie").partition(";")[0]
        _, page = self.request("GET", "/")
        self.headers["X-Altmas-Csrf"] = re.search(r'name="altmas-csrf" content="([^"]+)"', page)[1]
        self.item = self.post("/api/next", {})["query"]["item"]

    def request(self, method, path, body=None):
        self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
        response = self.connection.getresponse()
        return response, response.read().decode()

    def post(self, path, body):
        response, text = self.request("POST", path, body)
        assert response.status == 200, text
        return json.loads(text)

    def answer(self):
        """Seconds until the answer is acknowledged and the next question is there."""
        number = next(self.numbers)
        start = time.perf_counter()
        got = self.post("/api/answer", {"client": f"client-{number:08d}", "item": self.item, "label": number % CLASSES})
        took = time.perf_counter() - start
        self.item = got["query"]["item"]
        return took


@contextmanager
def crowd(folder, size):
    """So many annotators, logged in at a page that is served by a process of its own."""
    names = [f"annotator-{k}" for k in range(size)]
    command = [sys.executable, "-u", "-c", SERVE, str(folder), *names]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        people = [Annotator(process.stdout.readline().split()[1]) for _ in names]
        for one in people:
            one.log_in()
        yield people
    finally:
        process.terminate()
        process.wait()


def answer_all(people, count):
    """Seconds for each answer, in the order they were acknowledged."""
    took, left = [], itertools.count()

    def work(one):
        while next(left) < count:
            took.append(one.answer())

    threads = [threading.Thread(target=work, args=(one,)) for one in people]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(took) == count
    return np.array(took)


def grown(folder, people, items, answers, *, refits):
    """How much longer an answer takes in the end than at the start: the ratio of the 99th percentiles."""
    make_audit(folder, items, refits=refits)
    part = max(answers // 10, 1)
    with crowd(folder, people) as all_of_them:
        answer_all(all_of_them, part // 5)  # imports, caches, files
        start = time.perf_counter()
        took = 1000 * answer_all(all_of_them, answers)
        seconds = time.perf_counter() - start
    print(f"{people} annotators, {items:,} items, {answers:,} answers, {'with' if refits else 'without'} refits:")
    for name, some in (("first", took[:part]), ("last", took[-part:])):
        half, most = np.quantile(some, [0.5, 0.99])
        print(f"  {name} {part}: median {half:.0f} ms, 99 of 100 within {most:.0f} ms")
    print(f"  {answers / seconds:.0f} answers per second")
    return float(np.quantile(took[-part:], 0.99) / np.quantile(took[:part], 0.99))


def beside_half_open(folder, items, count, answers):
    """Seconds for each answer, the first on a connection of its own, while so many requests never end."""
    make_audit(folder, items, refits=False)
    with crowd(folder, 1) as [one], ExitStack() as held:
        before = [one.answer() for _ in range(answers)]
        count = min(count, allow_files(count + 200) - 200)  # the server has started, with the limit it would have
        for _ in range(count):
            slow = held.enter_context(socket.create_connection((one.connection.host, one.connection.port), timeout=60))
            with suppress(OSError):  # given up already
                slow.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        one.connection.close()
        beside = [one.answer() for _ in range(answers)]
    print(f"{count:,} half-open connections: an answer took {1000 * max(before):.0f} ms at most before,")
    print(
        f"  {1000 * beside[0]:.0f} ms on a new connection beside them, {1000 * max(beside):.0f} ms at most after that"
    )


def allow_files(count):
    """Let this process open so many files; how many it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = count if hard == resource.RLIM_INFINITY else min(count, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
    return allowed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few answers, to see that it runs")
    asked = parser.parse_args()
    items, answers, people, slow = (1_000, 80, 4, 50) if asked.smoke else (20_000, 5_000, 8, 2_000)
    with tempfile.TemporaryDirectory() as home:
        ratios = {r: grown(Path(home) / f"audit-{r}", people, items, answers, refits=r) for r in (False, True)}
        beside_half_open(Path(home) / "audit", items, slow, 20)
    print(f"ratio, end to start: {ratios[False]:.2f} without refits, {ratios[True]:.2f} with them")
    print(f"ratio: {ratios[True]:.2f}")


if __name__ == "__main__":
    main()
