"""An audit is made whole or not at all, is private, and is later what it was."""

import json
import os
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.audits.settings import Settings
from altmas.audits.store import STORE_FILE
from altmas.audits.verification import verify_folder
from altmas.core.pool import Pool
from altmas.core.tasks import EstimateGroups
from altmas.metrics.errors import InputError
from worlds.audits import CLASSES, answer, make_audit, make_world

# Made whole, or not at all; private


def test_files_are_private_whatever_the_umask(tmp_path, world):
    before = os.umask(0)
    try:
        with make_audit(tmp_path / "audit", world) as audit:
            answer(audit, world, 30)
            found = {path: stat.S_IMODE(path.stat().st_mode) for path in [audit.folder, *audit.folder.rglob("*")]}
    finally:
        os.umask(before)
    assert {path.name for path in found} >= {STORE_FILE, f"{STORE_FILE}-wal", "refit.lock", "0000.npz", "ids.json"}
    assert {oct(mode) for path, mode in found.items() if path.is_dir()} == {"0o700"}
    assert {oct(mode) for path, mode in found.items() if path.is_file()} == {"0o600"}


@pytest.mark.parametrize("target", ["altmas.audits.creation.save_pool", "altmas.audits.store.Store.create"])
def test_a_creation_that_fails_leaves_nothing(tmp_path, world, monkeypatch, target):
    module, name = target.rsplit(".", 1)

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(target, fail)
    with pytest.raises(OSError, match="no space left"):
        make_audit(tmp_path / "audit", world)
    assert list(tmp_path.iterdir()) == [], (module, name)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"metrics": ["no_such_metric"]}, "no_such_metric"),
        ({"metrics": []}, "metrics of an audit must be names, at least one"),
        ({"method": "lure"}, "method of an audit must be one of certified, random"),
        ({"method": "no such"}, "method of an audit must be one of certified, random"),
        ({"options": {"worth": "gold"}}, "worth must be one of"),
        ({"options": {"surrogate": object()}}, "must"),
        ({"options": {"floor": float("nan")}}, "must"),
        ({"seed": -1}, "seed must"),
        ({"initial": 0}, "initial must"),
        ({"batch": 0}, "batch must"),
        ({"overlap": 0}, "overlap must"),
        ({"level": 1.5}, "level must"),
        ({"budget": 0}, "budget must"),
        ({"budget": 100_000}, "budget must be at most the pool's size"),
        ({"items": pd.DataFrame({"text": ["one"]})}, "items must have a row per item; got 1 for 200"),
        ({"media": [None]}, "media must have a row per item"),
    ],
)
def test_what_would_fail_later_is_refused_before_a_folder_is_made(tmp_path, world, options, sentence):
    with pytest.raises(InputError, match=sentence):
        make_audit(tmp_path / "audit", world, **options)
    assert list(tmp_path.iterdir()) == []


def test_calibration_error_needs_scores_that_are_probabilities(tmp_path, world):
    bare = make_world(scores=None)
    for one, options in ((bare, {}), (make_world(scores=np.arange(200.0)), {}), (world, {"method": "hierarchical"})):
        with pytest.raises(InputError, match="ece"):
            make_audit(tmp_path / "audit", one, metrics=["accuracy", "ece"], **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("pool", "sentence"),
    [
        (lambda: Pool.build(["cat", "skip"] * 20), "classes must leave the words unsure and skip to the annotator"),
        (lambda: Pool.build(["cat", " Unsure "] * 20), "classes must leave the words"),
        (lambda: Pool.build([1, 2] * 20, classes=[1, "1", 2]), "classes of an audit must read differently"),
        (lambda: Pool.build(["a", "b"] * 2, ids=[1, "1", 2, 3]), "ids of an audit must read differently"),
        (lambda: Pool.build(["a", "b"], ids=[(1, 2), (3, 4)]), "ids of an audit must be text or numbers"),
        (lambda: Pool.build([("a",), ("b",)] * 2), "classes of an audit must be text or numbers"),
    ],
)
def test_a_pool_that_a_store_cannot_keep_is_refused(tmp_path, pool, sentence):
    with pytest.raises(InputError, match=sentence):
        Audit.create(tmp_path / "audit", pool(), metrics="accuracy")
    assert list(tmp_path.iterdir()) == []


def test_only_a_new_or_empty_folder_becomes_an_audit(tmp_path, world):
    (tmp_path / "empty").mkdir()
    make_audit(tmp_path / "empty", world).close()
    (tmp_path / "file").write_text("mine")
    for name in ("empty", "file"):
        with pytest.raises(InputError, match="audit folder must be new or empty"):
            make_audit(tmp_path / name, world)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="audit folder must be new or empty"):
        make_audit(tmp_path / "full", world)
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "full"]
    make_audit(tmp_path / "deep" / "deeper" / "audit", world).close()


CREATE = """
import sys
from altmas.audits.audit import Audit
from altmas.audits.settings import Settings
from altmas.core.pool import Pool
from altmas.core.tasks import EstimateGroups
pool = Pool.build(["cat", "dog"] * 60_000)
print("ready", flush=True)
Audit.create(sys.argv[1], pool, metrics=["accuracy"]).close()
print("done", flush=True)
"""


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.25, 0.45])
def test_a_creation_that_is_killed_leaves_no_folder_of_that_name(tmp_path, moment):
    target = tmp_path / "audit"
    process = subprocess.Popen([sys.executable, "-c", CREATE, target], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=60)
    if target.exists():  # it was quicker
        assert verify_folder(target).ok
    else:
        assert "done" not in said
        make_audit(target).close()
        assert verify_folder(target).ok


# What a pool was, it is again


def test_a_pool_comes_back_as_it_was(tmp_path):
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 50)
    theirs = (scores.argmax(1) + 1).tolist()
    pool = Pool.build(
        {"ours": rng.choice([1, 2, 3], 50).tolist(), "theirs": [*theirs[:49], 99]},
        classes=[1, 2, 3], ids=[f"ü-{k}" for k in range(50)], scores={"theirs": scores},
        features=rng.random((50, 4, 4), dtype=np.float32),
        opinions={"third": (rng.choice([1, 2, 3], 50), scores.max(1))},
        groups={"region": ["north", "south"] * 25, "size": [1, 2, 3, 4, 5] * 10, "new": [True, False] * 25},
    )  # fmt: skip
    with Audit.create(tmp_path / "a", pool, metrics="accuracy", options={"learners": []}):
        pass
    with Audit.open(tmp_path / "a") as audit:
        back = audit.pool
    assert (back.ids, back.classes, back.columns) == (pool.ids, pool.classes, pool.columns)
    assert [one.name for one in back.outputs] == ["ours", "theirs"]
    for kept, given in zip([*back.outputs, *back.opinions], [*pool.outputs, *pool.opinions], strict=True):
        np.testing.assert_array_equal(kept.predictions, given.predictions)
        assert (kept.scores is None) == (given.scores is None)
        if given.scores is not None:
            np.testing.assert_array_equal(kept.scores, given.scores)
    np.testing.assert_array_equal(back.features, pool.features)
    assert isinstance(back.features, np.memmap)
    assert {name: list(values) for name, values in back.groups.items()} == {
        name: list(values) for name, values in pool.groups.items()
    }
    assert [type(value) for value in back.groups["new"][:2]] == [bool, bool]


def test_settings_come_back_as_they_were(tmp_path, world):
    given = {
        "metrics": ["accuracy", "recall:cat", "expected_cost"], "options": {"worth": "uniform"}, "seed": 7,
        "level": 0.9, "budget": 120, "overlap": 2, "guidelines": "Look twice.\n\nThen ask.", "title": "Größe",
        "cost": 1 - np.eye(4), "inputs": {"vendor.csv": "ab" * 32},
    }  # fmt: skip
    with make_audit(tmp_path / "audit", world, **given) as audit:
        first = audit.settings
    with Audit.open(tmp_path / "audit") as audit:
        assert audit.settings == first
        assert audit.settings.metrics == ("accuracy", "recall:cat", "expected_cost")
        assert audit.settings.cost == tuple(map(tuple, (1 - np.eye(4)).tolist()))
        assert audit.settings.created == audit.events()[0].at
        assert audit.method.worth == "uniform"
        assert set(audit.settings.versions) >= {"altmas", "python", "numpy"}
        assert json.dumps(audit.settings.as_dict())


def test_items_show_their_own_columns_and_media(tmp_path, world):
    items = pd.DataFrame({"text": [f"<b>{k}</b> é" for k in range(200)], "n": [None, *range(1, 200)]})
    media = [None if k % 2 else tmp_path / f"{k}.png" for k in range(200)]
    with make_audit(tmp_path / "audit", world, items=items, media=media) as audit:
        assert audit.content(1) == {"text": "<b>1</b> é", "n": "1.0"}
        assert audit.content(0)["n"] == ""
        assert audit.media_path(0) == tmp_path / "0.png"
        assert audit.media_path(1) is None
        for query in audit.ask(10):
            assert query.content == audit.content(query.position)
            assert query.media == (query.position % 2 == 0)
        assert not any(name in CLASSES for name in audit.content(0).values())


def test_settings_of_an_audit_made_before_tasks_were_kept():
    body = Settings(("accuracy",)).as_dict()
    del body["task"]
    older = Settings.of(body, "2026-01-01T00:00:00.000Z")
    assert older.goal == EstimateGroups()
