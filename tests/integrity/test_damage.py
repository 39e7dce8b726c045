"""Whatever happens to whichever file: the same numbers as before, or a sentence and an exit code; never a traceback."""

import json
import random
import shutil
from collections import Counter

import pandas as pd
import pytest

from altmas.audits.store import STORE_FILE
from altmas.audits.witness import WITNESS_FILE
from altmas.metrics.errors import AltmasError
from altmas.page.doors import Doors
from altmas.page.server import cookie_name, last_instance
from worlds.audits import make_world
from worlds.commands import altmas
from worlds.integrity import WAL, cut, flip, left_by_a_kill, overwrite

LOOKS = (("status",), ("estimate",), ("worst",), ("log",), ("next", "-n", "3"))
"""The last one draws questions: what is drawn from damaged files would be logged, and be wrong for good."""

DAMAGES = {
    "a bit": flip,
    "bits": lambda path, chance: flip(path, chance, bits=chance.randint(2, 64)),
    "cut": cut,
    "zeros": overwrite,
    "noise": lambda path, chance: overwrite(path, chance, fill=chance),
    "emptied": lambda path, chance: path.write_bytes(b""),
    "deleted": lambda path, chance: path.unlink(),
    "longer": lambda path, chance: path.write_bytes(path.read_bytes() + chance.randbytes(chance.randint(1, 5000))),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """An audit left by a kill, served by a page before, with texts to show; what it says is what it must say."""
    folder = tmp_path_factory.mktemp("template") / "audit"
    world = make_world()
    texts = pd.DataFrame({"text": [f"what is number {k}?" for k in range(world.pool.size)]})
    left_by_a_kill(folder, world, more=4, items=texts)
    doors = Doors(folder)
    for who in ("mk", "jo"):
        doors.enter(doors.new_login(who))
    cookie_name(folder)
    (folder / "server.json").write_text(json.dumps({"pid": 1, "host": "127.0.0.1", "port": 8000}))
    return folder


def looks(folder):
    return [altmas(name, folder, *more, "--json") for name, *more in LOOKS]


def told(done):
    found = done.json
    found.pop("audit")
    if "events" in found:  # a look is logged, and may refit first
        found["events"] = [event for event in found["events"] if event["kind"] not in ("fitted", "looked")]
    return {key: value for key, value in found.items() if key not in ("head", "fit_at", "fit_labels")}


def picked(folder, chance):
    """A file; those of the store more often than others."""
    most = [folder / name for name in (STORE_FILE, STORE_FILE, WAL, WITNESS_FILE)]
    others = sorted(path for path in folder.rglob("*") if path.is_file())
    return chance.choice(most) if chance.random() < 0.6 else chance.choice(others)


def judge(folder, wanted, figures, what):
    """The same, or a refusal."""
    refused = 0
    for look, done, other in zip(LOOKS, looks(folder), wanted, strict=True):
        if done.code == 0:
            assert told(done) == told(other), (what, look)
        else:
            refused += 1
            assert done.code in (2, 3), (what, look, done)
            assert done.err.startswith("Error: "), (what, look, done.err)
            assert "must " in done.err, (what, look, done.err)
    verified = altmas("log", folder, "--verify")
    assert verified.code in (0, 2, 3), (what, verified)
    assert not refused or verified.code, (what, "refused, and nothing found wrong")
    try:
        Doors(folder)
        cookie_name(folder)
        last_instance(folder)
    except AltmasError:
        figures["page refused"] += 1
    figures["refused" if refused else "same numbers, named" if verified.code else "same numbers"] += 1


def run_trials(template, home, trials, seed):
    chance, figures = random.Random(seed), Counter()
    wanted = looks(shutil.copytree(template, home / "whole"))
    assert [one.code for one in wanted] == [0] * len(LOOKS)
    for trial in range(trials):
        folder = shutil.copytree(template, home / f"{trial}")
        path, kind = picked(folder, chance), list(DAMAGES)[trial % len(DAMAGES)]
        what = (trial, kind, str(path.relative_to(folder)))
        DAMAGES[kind](path, chance)
        judge(folder, wanted, figures, what)
        figures[path.parent.name if path.parent != folder else path.name] += 1
        shutil.rmtree(folder)
    print(dict(sorted(figures.items())))
    return figures


def test_damage_changes_no_number_without_a_word(template, tmp_path, seed):
    figures = run_trials(template, tmp_path, 24, seed)
    assert figures["refused"] > 5
    assert figures["same numbers"] > 0


@pytest.mark.slow
def test_three_hundred_damages_change_no_number_without_a_word(template, tmp_path, seed):
    figures = run_trials(template, tmp_path, 300, seed)
    assert figures["refused"] > 100
    assert figures["same numbers"] > 10
