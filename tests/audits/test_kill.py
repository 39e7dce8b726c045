"""kill -9 at any moment: what was acknowledged is there, once; an import is there whole or not at all; work goes on.

Two processes write to one audit, one labelling (with undo, and sending again what it does not know to have arrived),
one importing files and refitting. Each notes in a file of its own, forced to disk, what it was about to do and what
the audit acknowledged. Both are killed at a random moment, the audit is checked against their notes, and they go on.
"""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count

import pytest

from altmas.audits.audit import Audit
from altmas.audits.verification import verify_folder
from worlds.audits import CLASSES, make_audit, make_world
from worlds.notes import Notes, read

LABELLER, IMPORTER = "annotator", "importer"
ROWS = 7
KILLS_PER_AUDIT, SIZE = 4, 12_000
KINDS = {"told": "answered", "undo": "undone", "redo": "redone"}
PRELOADED = [
    "pytest",
    "altmas.audits.looks",
    "altmas.surrogates.outputs.evidence",
    "altmas.surrogates.outputs.score_calibrated",
]
"""What a writer would otherwise spend its short life importing."""


def label(folder, path, seed):
    """Answer questions one by one; take one in six back, and give half of those again."""
    notes, chance = Notes(path), random.Random(seed)
    with Audit.open(folder) as audit:
        before = read(path)
        notes.write("ready")
        arrived = {one["client"] for one in before if one["what"] in KINDS}
        sent = [one for one in before if one["what"] == "sending"]
        for one in sent:
            if one["client"] not in arrived:
                send(audit, notes, **{key: value for key, value in one.items() if key != "what"})
        clients = (f"client-{number}" for number in count(len(sent)))

        def do(act, **more):
            wish = {"act": act, "client": next(clients), **more}
            notes.write("sending", **wish)
            send(audit, notes, **wish)

        while True:
            for query in audit.ask(5, annotator=LABELLER, wait=False):
                do("told", item=query.id, label=chance.choice([*CLASSES, "unsure"]))
                if chance.random() < 1 / 6:
                    for act in ("undo", "redo") if chance.random() < 1 / 2 else ("undo",):
                        do(act)


def send(audit, notes, act, client, item=None, label=None):
    """Do it, and note what was acknowledged."""
    if act == "told":
        told = audit.tell(item, label, annotator=LABELLER, replace=True, client=client)
        notes.write(act, seq=told.seq, item=item, label=label, client=client)
    else:
        done = (audit.undo if act == "undo" else audit.redo)(LABELLER, client=client)
        notes.write(act, seq=done.seq, item=done.id, client=client)


def bring(folder, path, seed):
    """Import files of answers, one in four of them with a wrong row at its end; refit when it is due."""
    notes, chance = Notes(path), random.Random(seed)
    with Audit.open(folder) as audit:
        number = len(read(path))
        notes.write("ready")
        while True:
            file, number = f"file-{number}", number + 1
            queries = audit.ask(ROWS, annotator=IMPORTER, wait=False)
            try:
                with audit.importing({"file": file}):
                    for query in queries:
                        audit.tell(query.id, chance.choice(CLASSES), annotator=IMPORTER, note=file)
                    if chance.random() < 1 / 4:
                        audit.tell("no such item", "cat", annotator=IMPORTER)
                notes.write("imported", file=file, rows=len(queries))
            except ValueError:
                notes.write("refused", file=file)
            if audit.refit():
                notes.write("refitted", number=audit.state.fits[-1].number)


@dataclass
class Figures:
    """What all trials add up to."""

    trials: int = 0
    acknowledged: Counter = field(default_factory=Counter)
    unacknowledged: int = 0
    lost: list = field(default_factory=list)
    doubled: list = field(default_factory=list)
    halved: list = field(default_factory=list)


def kept(note, event):
    """Whether the log has what was acknowledged."""
    if event is None or event.kind != KINDS[note["what"]] or event.body["item"] != note["item"]:
        return False
    return note["what"] != "told" or note["label"] in (event.body.get("label"), event.body["answer"])


def check(folder, labelled, imported, figures, kills):
    """Compare the audit with the notes of those who wrote to it."""
    assert verify_folder(folder).problems == ()
    with Audit.open(folder) as audit:
        events = {event.seq: event for event in audit.events()}
        standing = {one.seq: one for one in audit.answers_of(LABELLER)}
        last = audit.state.to_undo(LABELLER)
    mine = {seq: event for seq, event in events.items() if event.body.get("annotator") == LABELLER}
    # Every acknowledged answer, undo and redo is in the log, as it was acknowledged.
    acknowledged = {one["seq"]: one for one in labelled if one["what"] in KINDS}
    figures.lost += [one for seq, one in acknowledged.items() if not kept(one, events.get(seq))]
    # What is there and was not acknowledged was under way, and will be sent again: one thing at most.
    assert len(mine.keys() - acknowledged.keys()) <= 1
    figures.unacknowledged += len(mine.keys() - acknowledged.keys())
    clients = Counter(event.client for event in mine.values())
    figures.doubled += [client for client, count in clients.items() if count > 1]
    # The answers that stand are those told and not taken back, by the annotator's own stack.
    stack, gone = [], []
    for seq in sorted(mine):
        kind, answers = mine[seq].kind, mine[seq].body.get("answers")
        if kind == "answered":
            stack, gone = [*stack, seq], []
        elif kind == "undone":
            assert answers == [stack[-1]]
            gone.append(stack.pop())
        else:
            assert answers == [gone[-1]]
            stack.append(gone.pop())
    assert (last and last.seq) == (stack[-1] if stack else None)
    newest = {mine[seq].body["item"]: seq for seq in stack}
    assert set(standing) == set(newest.values())
    # A file is there whole, or not at all.
    rows = Counter(event.body["note"] for event in events.values() if event.body.get("annotator") == IMPORTER)
    there = Counter(event.body["file"] for event in events.values() if event.kind == "imported")
    assert rows.keys() == there.keys()
    figures.doubled += [file for file, count in there.items() if count > 1]
    figures.halved += [file for file, count in rows.items() if count != ROWS]
    acknowledged_files = {one["file"] for one in imported if one["what"] == "imported"}
    figures.lost += sorted(acknowledged_files - there.keys())
    assert len(there.keys() - acknowledged_files) <= kills
    assert not there.keys() & {one["file"] for one in imported if one["what"] == "refused"}
    fits = [event.body["number"] for event in events.values() if event.kind == "fitted"]
    figures.lost += sorted({one["number"] for one in imported if one["what"] == "refitted"} - set(fits))
    figures.doubled += [number for number, count in Counter(fits).items() if count > 1]
    drawn = Counter(item for event in events.values() if event.kind == "drawn" for item in event.body["items"])
    figures.doubled += [item for item, count in drawn.items() if count > 1]
    return len(drawn)


def goes_on(folder):
    """Somebody sits down and works."""
    with Audit.open(folder) as audit:
        query = audit.ask(1, annotator="after", wait=False)[0]
        told = audit.tell(query.id, "cat", annotator="after")
        assert told.new
        assert audit.undo("after").id == query.id
        assert audit.redo("after").seq == told.seq + 2
        assert audit.undo("after").id == query.id


def run_trials(home, trials, longest, seed=0):
    """Kill two writers again and again, with a new audit now and then."""
    chance, figures = random.Random(seed), Figures()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    world = make_world(SIZE)
    asked, kills = SIZE, 0
    for trial in range(trials):
        if kills == KILLS_PER_AUDIT or asked > SIZE / 3:  # a quick machine uses a pool up
            folder, kills = home / f"audit-{trial}", 0
            notes = [home / f"{trial}-{who}.notes" for who in (LABELLER, IMPORTER)]
            make_audit(folder, world, initial=30).close()
        kills += 1
        processes = [
            context.Process(target=work, args=(folder, path, chance.random()), daemon=True)
            for work, path in zip((label, bring), notes, strict=True)
        ]
        for one in processes:
            one.start()
        while not all(ready(path) >= kills for path in notes):
            assert all(one.is_alive() for one in processes)
            time.sleep(0.005)
        time.sleep(chance.uniform(0.05, longest))
        assert [one.exitcode for one in processes] == [None, None]  # both were still at work
        for one in processes:
            os.kill(one.pid, signal.SIGKILL)
        for one in processes:
            one.join()
            one.close()
        figures.trials += 1
        asked = check(folder, *map(read, notes), figures, kills)
        goes_on(folder)
    for path in home.glob("*.notes"):
        figures.acknowledged.update(one["what"] for one in read(path))
        figures.acknowledged["answers in files"] += sum(one.get("rows", 0) for one in read(path))
    return figures


def ready(path):
    return path.read_text().count('"ready"') if path.exists() else 0


def assert_nothing_was_lost(figures, *, least):
    """And that there was enough to lose."""
    print(figures)
    assert figures.lost == []
    assert figures.doubled == []
    assert figures.halved == []
    assert {
        what: figures.acknowledged[what] for what, count in least.items() if figures.acknowledged[what] < count
    } == {}


def test_nothing_is_lost_or_doubled_by_kill_9(tmp_path, seed):
    figures = run_trials(tmp_path, 12, 0.8, seed)
    assert_nothing_was_lost(figures, least={"told": 20, "undo": 1, "imported": 5})


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_by_two_hundred_kills(tmp_path, seed):
    figures = run_trials(tmp_path, 200, 1.5, seed)
    least = {"told": 2000, "undo": 200, "redo": 100, "imported": 200, "refused": 50, "refitted": 100}
    assert_nothing_was_lost(figures, least=least)
