"""Logs that were edited, cut or written anew: `altmas log --verify` alone finds every one.

A forger has the folder and altmas: chain and witness are made to fit. What is left to find it by are the draws, the
refits, and the registry in the auditor's own home, which a forger elsewhere does not have.
"""

import random
import shutil

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.core.files import sha256_of
from worlds.attacks import CLASSES, forge, label, pool_of, vendor
from worlds.audits import meddle, rows
from worlds.commands import altmas

NUMBERS = (("estimate",), ("worst",), ("status",), ("report", "-o", "report.html"), ("export", "out"), ("next",))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """An audit of 80 answers, its world, and the folder it lies in."""
    truth, said, confidence = vendor(400, accuracy=0.7)
    folder = tmp_path_factory.mktemp("honest") / "audit"
    with Audit.create(folder, pool_of(said, confidence), metrics=["accuracy"], initial=20) as audit:
        label(audit, truth, 80)
        audit.estimate()
    return folder, truth, said


def another(name):
    return CLASSES[(CLASSES.index(name) + 1) % len(CLASSES)]


def answered(told):
    return [k for k, (_, kind, _, _) in enumerate(told) if kind == "answered"]


def edited(folder, chance, world):
    """A label is changed where it lies."""
    row = chance.choice([one for one in rows(folder) if one[2] == "answered"])
    before = next(name for name in CLASSES if f'"{name}"' in row[3])
    changed = row[3].replace(f'"{before}"', f'"{another(before)}"')
    meddle(folder, ("UPDATE events SET body = ? WHERE seq = ?", changed, row[0]))


def cut(folder, chance, world):
    """The last events are gone."""
    meddle(folder, ("DELETE FROM events WHERE seq > ?", len(rows(folder)) - chance.randint(1, 40)))


def relabelled(folder, chance, world):
    """A label that a refit has seen is another one, and everything in the folder is made to fit."""

    def change(told):
        k = chance.choice(answered(told)[:60])
        at, kind, body, client = told[k]
        told[k] = at, kind, {**body, "label": another(body["label"])}, client
        return told

    forge(folder, change)


def picked(folder, chance, world):
    """Some questions are others, on which the model is right, with the answers that go with them."""
    _, truth, said = world

    def change(told):
        drawn = [k for k, (_, kind, _, _) in enumerate(told) if kind == "drawn"]
        asked = {item for k in drawn for item in told[k][2]["items"]}
        right = [int(one) for one in np.flatnonzero(truth == said) if one not in asked]
        out = chance.sample(sorted(asked), chance.randint(1, 15))
        instead = dict(zip(out, chance.sample(right, len(out)), strict=True))
        changed = []
        for at, kind, body, client in told:
            new = dict(body)
            if kind == "drawn":
                new["items"] = [instead.get(one, one) for one in body["items"]]
            if kind == "answered" and body["item"] in instead:
                new |= {"item": instead[body["item"]], "label": CLASSES[truth[instead[body["item"]]]]}
            changed.append((at, kind, new, client))
        return changed

    forge(folder, change)


def refitted(folder, chance, world):
    """The belief of a refit is made to suit: sure that the model is right everywhere."""
    _, _, said = world
    files = sorted((folder / "fits").glob("*.npz"))
    path = chance.choice(files)
    arrays = dict(np.load(path))
    arrays["belief"] = (0.97 * np.eye(len(CLASSES))[said] + 0.01).astype(np.float32)
    np.savez(path, **arrays)

    def change(told):
        return [
            (at, kind, {**body, "sha256": sha256_of(path)} if body.get("file") == path.name else body, client)
            for at, kind, body, client in told
        ]

    forge(folder, change)


def left_out(folder, chance, world):
    """Answers that the model got wrong were never given, it seems."""
    _, truth, said = world

    def change(told):
        wrong = [k for k in answered(told) if truth[told[k][2]["item"]] != said[told[k][2]["item"]]]
        out = set(chance.sample(wrong, chance.randint(1, 6)))
        return [one for k, one in enumerate(told) if k not in out]

    forge(folder, change)


def another_secret(folder, chance, world):
    """The secret is another, as if many had been tried."""

    def change(told):
        at, kind, body, client = told[0]
        return [(at, kind, {**body, "secret": chance.randbytes(32).hex()}, client), *told[1:]]

    forge(folder, change)


KINDS = (edited, cut, relabelled, picked, refitted, left_out, another_secret)


def found_out(kind, honest, folder, chance):
    shutil.copytree(honest[0], folder)
    kind(folder, chance, honest)
    verified = altmas("log", folder, "--verify")
    assert verified.code == 3, (kind.__name__, verified)
    assert "Problem: " in verified.err
    shutil.rmtree(folder)


def test_an_honest_log_verifies(honest):
    done = altmas("log", honest[0], "--verify")
    assert done.code == 0, done.err
    assert "every question was drawn again, every refit made again" in done.out


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_few_forged_logs_are_found(kind, honest, tmp_path):
    """The home of the tests is empty: nothing but the folder tells."""
    chance = random.Random(kind.__name__)
    for trial in range(2):
        found_out(kind, honest, tmp_path / str(trial), chance)


@pytest.mark.slow
def test_a_hundred_forged_logs_are_found(honest, tmp_path):
    for trial in range(105):
        found_out(KINDS[trial % len(KINDS)], honest, tmp_path / str(trial), random.Random(trial))


def test_a_label_changed_after_the_last_refit_is_known_in_the_auditors_home(honest, tmp_path):
    """Elsewhere nothing can tell: whoever has the folder and altmas can have answered so."""
    folder = shutil.copytree(honest[0], tmp_path / "a")
    with Audit.open(folder) as audit:
        label(audit, honest[1], 90)
        audit.estimate()

    def change(told):
        last = answered(told)[-1]
        at, kind, body, client = told[last]
        return [*told[:last], (at, kind, {**body, "label": another(body["label"])}, client), *told[last + 1 :]]

    forge(folder, change)
    done = altmas("log", folder, "--verify")
    assert done.code == 3
    assert "is not the one that was noted in" in done.err


@pytest.mark.parametrize("command", NUMBERS, ids=lambda one: one[0])
def test_no_number_comes_from_an_edited_label(command, honest, tmp_path, monkeypatch):
    folder = shutil.copytree(honest[0], tmp_path / "a")
    edited(folder, random.Random(1), honest)
    monkeypatch.chdir(tmp_path)
    done = altmas(command[0], folder, *command[1:])
    assert done.code == 2
    assert done.out == ""
    assert "was changed after it was written" in done.err
    assert "log --verify" in done.err


def test_a_page_or_program_that_is_running_notices_too(honest, tmp_path):
    from altmas.audits.store import StoreError

    folder = shutil.copytree(honest[0], tmp_path / "a")
    with Audit.open(folder) as audit:
        edited(folder, random.Random(1), honest)
        with pytest.raises(StoreError, match="was changed after it was written"):
            audit.estimate()


def test_lost_refits_are_made_again_from_the_log(honest, tmp_path):
    folder = shutil.copytree(honest[0], tmp_path / "a")
    before = altmas("estimate", folder, "--json").json["estimates"]
    files = sorted((folder / "fits").glob("*.npz"))
    hashes = [sha256_of(one) for one in files]
    files[0].unlink()
    files[-1].write_bytes(b"damaged")
    done = altmas("estimate", folder)
    assert done.code == 2
    assert f"altmas refit {folder}" in done.err
    assert "Made again from the log: refit 0, refit" in altmas("refit", folder).out
    assert [sha256_of(one) for one in files] == hashes
    assert altmas("estimate", folder, "--json").json["estimates"] == before
    assert altmas("log", folder, "--verify").code == 0


def test_a_refit_that_comes_out_a_little_differently_is_logged_and_one_that_does_not_fit_is_refused(honest, tmp_path):
    """As on another processor; then one from which the questions cannot be drawn again."""
    from altmas.audits import replay

    made = replay.made_again
    for share, kept in ((1e-12, True), (0.5, False)):
        folder = shutil.copytree(honest[0], tmp_path / str(kept))
        (folder / "fits" / "0001.npz").unlink()

        def nearly(audit, one, events, share=share):
            arrays, labels = made(audit, one, events)
            noise = 1 + share * np.random.default_rng(0).random(arrays["ideal"].shape)
            return {**arrays, "ideal": arrays["ideal"] * noise}, labels

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replay, "made_again", nearly)
            done = altmas("refit", folder)
        if kept:
            assert "Made again" in done.out, done.err
            assert altmas("log", folder, "--json").json["events"][-1]["kind"] == "rebuilt"
            assert altmas("log", folder, "--verify").code == 0
        else:
            assert done.code == 2
            assert "must come out as they were" in done.err
            assert not (folder / "fits" / "0001.npz").exists()
