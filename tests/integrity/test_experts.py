"""Second readings against those who could bend them: experts choose nothing, and nobody reads their own answers."""

import shutil

import pytest

from altmas import InputError
from altmas.audits.audit import Audit
from worlds.attacks import forge
from worlds.audits import make_audit, make_world
from worlds.commands import altmas


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """An audit of sixty answers, of which an expert has read some, and its world."""
    world = make_world()
    folder = tmp_path_factory.mktemp("experts") / "audit"
    with make_audit(folder, world, experts=["lee"], second_readings=30, budget=60) as audit:
        for _ in range(6):
            for query in audit.ask(10, annotator="mk"):
                label = world.wrong if query.position % 5 == 0 else world.label
                audit.tell(query.id, label(query.position), annotator="mk")
            for query in audit.ask(4, annotator="lee"):
                audit.tell(query.id, world.label(query.position), annotator="lee")
    return folder, world


@pytest.fixture
def audit(read, tmp_path):
    with Audit.open(shutil.copytree(read[0], tmp_path / "audit")) as opened:
        yield opened


def test_experts_read_only_what_was_drawn(audit, read):
    picked = next(p for p in audit.state.order if p not in audit.state.to_read)
    with pytest.raises(InputError, match="one that was drawn for a second reading"):
        audit.tell(audit.pool.ids[picked], read[1].label(picked), annotator="lee")


def test_nobody_reads_their_own_answer(audit, read, tmp_path):
    drawn = next(iter(audit.state.to_read))
    with pytest.raises(InputError, match="one of the experts"):
        audit.tell(audit.pool.ids[drawn], read[1].label(drawn), annotator="mk", expert=True)
    with make_audit(tmp_path / "unnamed", read[1]) as unnamed:
        for query in unnamed.ask(20, annotator="mk"):
            unnamed.tell(query.id, read[1].label(query.position), annotator="mk")
        (query,) = unnamed.ask(1, annotator="lee", second_reading=True)
        with pytest.raises(InputError, match="somebody else than the annotator"):
            unnamed.tell(query.id, read[1].label(query.position), annotator="mk", expert=True)
        assert unnamed.ask(1, annotator="mk", second_reading=True) == []


def test_an_expert_is_told_neither_the_answer_nor_the_prediction(audit, tmp_path):
    done = altmas("next", audit.folder, "--second-reading", "--to", tmp_path / "todo.csv")
    assert done.code == 0, done.err
    head, *rows = (tmp_path / "todo.csv").read_text().splitlines()
    assert head == "id,label"
    assert rows
    assert all(row.endswith(",") for row in rows)


def test_readings_picked_by_hand_are_found(read, tmp_path):
    def without_last_reading(told):
        last = max(k for k, one in enumerate(told) if one[2].get("expert") is True)
        return told[:last] + told[last + 1 :]

    def picked(told):
        told = without_last_reading(told)
        at = max(k for k, one in enumerate(told) if one[1] == "reread")
        when, kind, body, client = told[at]
        drawn = {place for one in told if one[1] == "reread" for place in one[2]["places"]}
        other = next(place for place in body["among"] if place not in drawn)
        told[at] = (when, kind, body | {"places": [*body["places"][:-1], other]}, client)
        return told

    folder = shutil.copytree(read[0], tmp_path / "honest")
    forge(folder, without_last_reading)
    assert altmas("log", folder, "--verify").code == 0
    folder = shutil.copytree(read[0], tmp_path / "forged")
    forge(folder, picked)
    done = altmas("log", folder, "--verify")
    assert done.code == 3
    assert "Problem: " in done.err
