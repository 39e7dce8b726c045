"""What the tests of the labelling page share: small audits, a real server on 127.0.0.1, clients that logged in."""

import itertools
import re
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import numpy as np
import pandas as pd
from PIL import Image

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.page import server
from altmas.page.app import Page
from altmas.page.desk import Desk
from altmas.page.doors import Doors
from altmas.page.refits import Refits

ANIMALS = ("cat", "dog", "owl")
MANY = tuple(f"{kind} {k}" for k in range(20) for kind in ("finch", "gull", "heron", "ibis", "jay"))
_numbers = itertools.count()
NO_REFIT = (sys.executable, "-c", "")


def make_pool(size=200, classes=ANIMALS, seed=0):
    rng = np.random.default_rng(seed)
    picked = rng.integers(len(classes), size=size)
    return Pool.build([classes[k] for k in picked], ids=[f"id-{k}" for k in range(size)], classes=list(classes))


def make_audit(folder, size=200, classes=ANIMALS, images=None, items=None, **settings):
    """An audit in `folder`; items are sentences unless given, or pictures written to the folder `images`."""
    media = None
    if images is not None:
        images.mkdir()
        media = [str(draw_image(images / f"{k}.png", k).resolve()) for k in range(size)]
    elif items is None:
        items = pd.DataFrame({"text": [f"What animal is number {k}?" for k in range(size)]})
    chosen = {"metrics": ["accuracy"], "method": "random", "budget": 60, "title": "Animals", **settings}
    Audit.create(folder, make_pool(size, classes), items=items, media=media, **chosen).close()
    return folder


def draw_image(path, seed=0, size=(64, 48)):
    values = np.random.default_rng(seed).integers(0, 255, (size[1] // 8, size[0] // 8, 3), dtype=np.uint8)
    Image.fromarray(values).resize(size, Image.Resampling.NEAREST).save(path)
    return path


class Served:
    """An audit's page served from a thread of this process, so that a test can reach in and switch something off."""

    def __init__(self, folder, *, clock=time.time, refit=NO_REFIT, host="127.0.0.1", port=0):
        self.folder = folder
        self.listener = server.listening(host, port, folder)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://{host}:{self.port}"
        self.doors = Doors(folder)
        self.refits = Refits(folder, command=lambda _: refit)
        self.cookie = server.cookie_name(folder)
        hosts = server.hosts_of(host, self.port)
        self.page = Page(lambda: Desk(self._opened(clock), self.refits), self.doors, hosts, self.cookie)
        self.uvicorn = server.PageServer(self.page, log_level="critical")
        self.thread = threading.Thread(target=self.uvicorn.run, kwargs={"sockets": [self.listener]})

    def _opened(self, clock):
        audit = Audit.open(self.folder)
        audit.leases.clock = clock
        return audit

    def __enter__(self):
        self.thread.start()
        while not self.uvicorn.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self.uvicorn.should_exit = True
        self.thread.join()
        self.listener.close()
        self.page.close()

    def login_url(self, annotator="mk"):
        return f"{self.url}/login?token={self.doors.new_login(annotator)}"

    @contextmanager
    def client(self, annotator="mk"):
        """A client as the page is one: logged in, with the headers that writes need."""
        with httpx.Client(base_url=self.url, headers={"Origin": self.url}) as client:
            entered = client.post("/login", json={"token": self.doors.new_login(annotator)})
            assert entered.status_code == 200, entered.text
            client.headers["X-Altmas-Csrf"] = csrf_of(client)
            yield client


def csrf_of(client):
    return re.search(r'name="altmas-csrf" content="([^"]+)"', client.get("/").text)[1]


def new_client_id():
    return f"client-{next(_numbers):09d}"


def reply(item, label=0, **more):
    """The body of an answer."""
    return {"client": new_client_id(), "item": item, "label": label, **more}


def next_item(client, **wish):
    return client.post("/api/next", json=wish).json()["query"]["item"]


def events_of(folder):
    with Audit.open(folder) as audit:
        return audit.events()


def answers_in(folder, annotator="mk"):
    with Audit.open(folder) as audit:
        return audit.answers_of(annotator)


def fails_until(monkeypatch, attack, owner, name, instead):
    """The attack fails; without the protection `name` it succeeds, so that the test can tell."""
    assert not attack()
    monkeypatch.setattr(owner, name, instead)
    assert attack()


def answer_all(client, count, label=0, **wish):
    """Answer what comes, and give the last response."""
    got = client.post("/api/next", json=wish).json()
    for _ in range(count):
        got = client.post("/api/answer", json=reply(got["query"]["item"], label, **wish)).json()
    return got


def turn(client, way):
    return client.post(f"/api/{way}", json={"client": new_client_id()})
