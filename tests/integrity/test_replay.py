"""Honest audits replay, whatever the method and however people went about it: no false alarm."""

import random

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.settings import NOT_IN_AUDITS
from altmas.catalogue import METHODS
from altmas.core.pool import Pool
from worlds.attacks import CLASSES, label, vendor

OPTIONS = {"altmas": {"draws": 6}, "bald": {"draws": 6}, "surface": {"settings": {"steps": 30}, "by": "region,day"}}


OF_SEVERAL = ("coda", "model-selector")
"""Methods that look for the best of several models."""


def pool_with_groups(said, confidence):
    rng = np.random.default_rng(0)
    groups = {"region": rng.choice(list("nse"), len(said)), "day": rng.choice(["mon", "tue"], len(said))}
    return Pool.build([CLASSES[one] for one in said], scores=confidence, classes=CLASSES, groups=groups)


def pool_of_models(said):
    """The vendor, and two others that change some of its answers."""
    rng = np.random.default_rng(0)
    others = {
        name: np.where(rng.random(len(said)) < 0.3, rng.integers(len(CLASSES), size=len(said)), said) for name in "ab"
    }
    named = {name: [CLASSES[one] for one in column] for name, column in {"vendor": said, **others}.items()}
    return Pool.build(named, classes=CLASSES)


HEAVY = ("altmas", "bald", "surface")


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in HEAVY else [])
        for name in METHODS
        if name not in NOT_IN_AUDITS
    ],
)
def test_every_method_replays(method, tmp_path):
    truth, said, confidence = vendor(150)
    settings = {"method": method, "options": OPTIONS.get(method, {}), "initial": 15, "batch": 5}
    pool = pool_of_models(said) if method in OF_SEVERAL else pool_with_groups(said, confidence)
    with Audit.create(tmp_path / "a", pool, **settings) as audit:
        label(audit, truth, 30)
        found = audit.verify(fits=True)
    assert found.ok, found.problems
    assert found.notices == ()


def second_thoughts(audit, who, chance):
    """Now and then somebody gives an answer again, a refit is made, or the estimates are looked at."""
    if chance.random() < 0.1:
        audit.redo(who)
    if chance.random() < 0.3:
        audit.refit()
    if chance.random() < 0.1 and audit.status().answered:
        audit.estimate()


@pytest.mark.parametrize("overlap", [1, 2])
def test_an_audit_of_people_who_change_their_minds_replays(tmp_path, overlap, seed):
    """Questions from the page, files and Python, answered late, out of order, not at all, changed and taken back."""
    chance = random.Random(seed)
    truth, said, confidence = vendor(300)
    pool = pool_with_groups(said, confidence)
    with Audit.create(tmp_path / "a", pool, initial=20, metrics="accuracy", overlap=overlap) as audit:
        for _ in range(70):
            who = chance.choice(("mk", "jo", "ab"))
            queries = audit.ask(chance.choice((1, 2, 7)), annotator=who, wait=chance.random() < 0.3)
            for query in chance.sample(queries, chance.randint(0, len(queries))):
                answer = chance.choice((CLASSES[truth[query.position]],) * 8 + ("unsure", "skip"))
                audit.tell(query.id, answer, annotator=who, replace=True)
            if chance.random() < 0.2:
                audit.undo(who)
            second_thoughts(audit, who, chance)
        found = audit.verify(fits=True)
        assert len(audit.state.fits) > 2
    assert found.ok, found.problems


def test_a_report_is_intact_and_tells_the_same_twice(tmp_path):
    truth, said, confidence = vendor(300)
    with Audit.create(tmp_path / "a", pool_with_groups(said, confidence), initial=20) as audit:
        label(audit, truth, 40)
        one, two = (audit.report(tmp_path / name).read_text() for name in ("one.md", "two.md"))
    assert one == two
    assert "The record is intact." in one


@pytest.mark.parametrize("overlap", [1, 2])
def test_an_audit_in_which_experts_read_as_well_replays(tmp_path, overlap, seed):
    """Readings that come late or not at all, are changed and taken back, disputes that are settled and opened again."""
    chance = random.Random(seed)
    truth, said, confidence = vendor(300)
    pool, experts = pool_with_groups(said, confidence), ("ada", "bob")
    options = {"initial": 20, "metrics": "accuracy", "overlap": overlap, "experts": experts, "budget": 120}
    with Audit.create(tmp_path / "a", pool, **options) as audit:
        for _ in range(60):
            who = chance.choice(("mk", "jo", "ab", *experts))
            reads = who in experts and chance.random() < 0.8
            wait = chance.random() < (0.8 if reads else 0.3)
            queries = audit.ask(chance.choice((1, 2, 7)), annotator=who, wait=wait, second_reading=reads)
            for query in chance.sample(queries, chance.randint(0, len(queries))):
                right, wrong = CLASSES[truth[query.position]], CLASSES[truth[query.position] - 1]
                answer = chance.choice((right,) * 8 + (wrong,) * 3 + ("unsure", "skip"))
                audit.tell(query.id, answer, annotator=who, replace=True, expert=reads)
            if chance.random() < 0.3:
                audit.undo(who)
            second_thoughts(audit, who, chance)
        assert audit.status().to_read > 2
        found = audit.verify(fits=True)
    assert found.ok, found.problems
