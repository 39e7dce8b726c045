"""kill -9, then harm to the files: what was acknowledged is there, or opening and verifying say that it is not.

Somebody labels and notes, forced to disk, what the audit acknowledged. They are killed at a random moment, and then the
WAL is deleted or cut, the database copied without it, a bit flipped, or nothing more happens.
"""

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections import Counter

import pytest

from altmas.audits.audit import Audit
from altmas.audits.recovery import accept_loss
from altmas.audits.store import STORE_FILE
from altmas.audits.verification import verify_folder
from altmas.audits.witness import WITNESS_FILE
from altmas.metrics.errors import AltmasError
from worlds.audits import CLASSES, answer, make_audit, make_world
from worlds.integrity import SHM, WAL, cut, flip, without_wal
from worlds.notes import Notes, read

PRELOADED = ["pytest", "altmas.audits.looks", "altmas.surrogates.outputs.evidence"]
"""What a labeller would otherwise spend its short life importing."""


def label(folder, path, seed):
    notes, chance = Notes(path), random.Random(seed)
    with Audit.open(folder) as audit:
        notes.write("ready")
        while True:
            for query in audit.ask(10, annotator="mk", wait=False):
                said = chance.choice([*CLASSES, "unsure"])
                told = audit.tell(query.id, said, annotator="mk")
                notes.write("told", seq=told.seq, item=query.id, label=said)
                if chance.random() < 1 / 10:
                    done = audit.undo("mk")
                    notes.write("undone", seq=done.seq, item=done.id)


def nothing(folder, chance):
    return folder


def delete_wal(folder, chance):
    (folder / WAL).unlink()
    if chance.random() < 1 / 2:
        (folder / SHM).unlink()
    return folder


def copy_without_wal(folder, chance):
    return without_wal(folder, folder.with_name(f"{folder.name}-copy"))


def cut_wal(folder, chance):
    cut(folder / WAL, chance)
    (folder / SHM).unlink()  # of the machine that lost power
    return folder


def flip_a_bit(folder, chance):
    flip(folder / chance.choice([STORE_FILE, WAL, WAL, WITNESS_FILE]), chance)
    (folder / SHM).unlink()
    return folder


def delete_witness(folder, chance):
    (folder / WITNESS_FILE).unlink()
    return folder


HARMS = (nothing, delete_wal, copy_without_wal, cut_wal, flip_a_bit, delete_witness)


def missing(acknowledged, events):
    """Acknowledged, and not in the log as it was acknowledged."""
    found = {event.seq: event for event in events}

    def there(note):
        event = found.get(note["seq"])
        if event is None or event.body.get("item") != note["item"]:
            return False
        return event.kind == "undone" or note["label"] in (event.body.get("label"), event.body["answer"])

    return [note for note in acknowledged if not there(note)]


def judge(folder, acknowledged, figures, harm):
    """Whether all of it is there, or somebody says that it is not."""
    verified = verify_folder(folder)
    lost, said = None, ""
    try:
        with Audit.open(folder) as audit:
            lost = missing(acknowledged, audit.events())
            audit.status()
    except AltmasError as error:
        said = str(error)
    if said:
        assert "must be" in said
        assert not verified.ok, said  # whoever asks is told the same
        figures[f"{harm}: refused"] += 1
        goes_on_if_told_to(folder, acknowledged, figures)
        return
    figures[f"{harm}: whole" if verified.ok else f"{harm}: whole log, damage named"] += 1
    assert not lost, (harm, lost[:3])
    assert harm != "nothing" or verified.ok


def goes_on_if_told_to(folder, acknowledged, figures):
    try:
        event = accept_loss(folder)
    except AltmasError:  # more is wrong than a loss
        return
    with Audit.open(folder) as audit:
        if event.body["lost"] is not None:
            assert len(missing(acknowledged, audit.events())) <= event.body["lost"]
        audit.tell(audit.ask(1, annotator="after", wait=False)[0].id, "cat", annotator="after")
    assert verify_folder(folder).ok
    figures["loss accepted"] += 1


def run_trials(home, trials, longest, seed):
    chance, figures = random.Random(seed), Counter()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    world = make_world(4000)
    with make_audit(home / "template", world, initial=30) as audit:
        answer(audit, world, 40)
    for trial in range(trials):
        folder, path = home / f"audit-{trial}", home / f"{trial}.notes"
        shutil.copytree(home / "template", folder)
        labeller = context.Process(target=label, args=(folder, path, chance.random()), daemon=True)
        labeller.start()
        while not path.exists() or not path.read_text().count('"told"'):
            assert labeller.is_alive()
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, longest))
        assert labeller.exitcode is None
        os.kill(labeller.pid, signal.SIGKILL)
        labeller.join()
        labeller.close()
        acknowledged = [one for one in read(path) if one["what"] != "ready"]
        figures["acknowledged"] += len(acknowledged)
        harm = HARMS[trial % len(HARMS)]
        judge(harm(folder, chance), acknowledged, figures, harm.__name__)
        for used in home.glob(f"audit-{trial}*"):
            shutil.rmtree(used)
    print(dict(sorted(figures.items())))
    return figures


def test_nothing_acknowledged_is_lost_without_a_word(tmp_path, seed):
    figures = run_trials(tmp_path, 18, 0.15, seed)
    assert figures["nothing: whole"] == 3
    assert figures["delete_wal: refused"] + figures["copy_without_wal: refused"] > 0
    assert figures["delete_witness: refused"] == 3
    assert figures["loss accepted"] > 0


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_without_a_word_in_three_hundred_trials(tmp_path, seed):
    figures = run_trials(tmp_path, 300, 0.4, seed)
    assert figures["nothing: whole"] == 50
    assert figures["delete_wal: refused"] + figures["copy_without_wal: refused"] > 50
    assert figures["acknowledged"] > 3000
