"""What the tests of attacks share: a vendor that guesses the questions, and a forger that writes a log anew."""

import json
import sqlite3

import numpy as np

from altmas.audits.audit import Audit
from altmas.audits.events import GENESIS, canonical, link
from altmas.audits.store import STORE_FILE
from altmas.audits.witness import rewrite
from altmas.core.pool import Pool

CLASSES = ("cat", "dog", "owl", "rat")


def vendor(size=5000, accuracy=0.63, seed=0):
    """Labels, what a model says of the items, and how sure it is, which tells a little."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(CLASSES), size=size)
    right = rng.random(size) < accuracy
    said = np.where(right, truth, (truth + rng.integers(1, len(CLASSES), size)) % len(CLASSES))
    return truth, said, 0.5 + 0.5 * np.where(right, rng.random(size) ** 0.4, rng.random(size))


def pool_of(said, confidence):
    return Pool.build([CLASSES[one] for one in said], scores=confidence, classes=CLASSES)


def label(audit, truth, count, reply=None):
    """Answer as `truth` says, until `count` questions were asked."""
    while (asked := len(audit.state.order)) < count:
        size = audit.settings.initial if asked == 0 else audit.settings.batch
        for query in audit.ask(min(size, count - asked)):
            said = CLASSES[truth[query.position]]
            audit.tell(query.id, said if reply is None else reply(query.position, said))
    return audit


def guessed_questions(folder, truth, said, confidence, count, **settings):
    """The questions that a vendor expects, who runs altmas at home on what it is going to say; nobody stops it."""
    with Audit.create(folder, pool_of(said, confidence), metrics=["accuracy"], **settings) as audit:
        return list(label(audit, truth, count).state.order)


def forge(folder, change, *, witness=True):
    """Write the log anew: `change` takes and gives a list of (at, kind, body, client); the chain is made to fit.

    With `witness`, the file beside the store is made to fit as well.
    """
    connection = sqlite3.connect(folder / STORE_FILE)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    rows = connection.execute("SELECT at, kind, body, client FROM events ORDER BY seq").fetchall()
    told = change([(at, kind, json.loads(body), client) for at, kind, body, client in rows])
    connection.execute("DELETE FROM events")
    previous = GENESIS
    for seq, (at, kind, body, client) in enumerate(told, start=1):
        text = canonical(body)
        found = link(seq, at, kind, text, client, previous)
        row = (seq, at, kind, text, client, previous, found)
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        previous = found
    connection.commit()
    connection.close()
    if witness:
        rewrite(folder, len(told), previous)
