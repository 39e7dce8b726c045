"""Two at once, and refits: made when due, once, behind the questions, and the same from the same answers."""

import os
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from altmas.audits.audit import Audit
from altmas.audits.fits import one_at_a_time
from altmas.audits.sample import asked_round
from altmas.audits.store import StoreError
from altmas.certified.refits import Refit
from altmas.certified.setup import Setup
from altmas.certified.state import advance, chances_of, start
from altmas.metrics.errors import InputError
from worlds.audits import answer, drawn, kinds, make_audit, rounds, standing

# Two at once


def test_two_that_have_one_audit_open_see_each_other(audit, world):
    with Audit.open(audit.folder) as other:
        queries = audit.ask(10)
        assert other.ask(10) == queries
        for k, query in enumerate(queries):
            (audit, other)[k % 2].tell(query.id, world.label(query.position))
        assert audit.status() == other.status()
        assert audit.status().answered == 10
        assert other.undo().id == queries[9].id  # the same annotator, through another door
        assert audit.redo().id == queries[9].id
        with pytest.raises(InputError, match="must be the one already given"):
            other.tell(queries[0].id, world.wrong(queries[0].position))
        assert standing(audit) == standing(other)


ASK = """
import sys, time
from altmas.audits.audit import Audit
with Audit.open(sys.argv[1]) as audit:
    print("ready", flush=True)
    sys.stdin.readline()
    print([query.position for query in audit.ask(20, wait=sys.argv[2] == "wait")])
"""


@pytest.mark.parametrize("wait", ["wait", "do not wait"])
def test_processes_that_ask_at_the_same_time_draw_once(audit, world, wait):
    answer(audit, world, 30)
    several = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, audit.folder, wait], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for one in several:
        assert one.stdout.readline() == "ready\n"
    for one in several:
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [one.communicate(timeout=60)[0] for one in several]
    assert len(set(said)) == 1
    assert len(drawn(audit)) == 30
    audit.refresh()
    assert len(drawn(audit)) == 50
    assert kinds(audit).count("fitted") == (2 if wait == "wait" else 1)
    assert audit.verify().ok


# Refits


def test_telling_never_refits(audit, world, monkeypatch):
    queries = audit.ask(200)
    monkeypatch.setattr("altmas.audits.audit.fit", None)  # a fit would fail
    for query in queries:
        audit.tell(query.id, world.label(query.position))
    assert "fitted" not in kinds(audit)
    assert audit.refit_due()
    assert audit.status().fit_labels == 0


def test_a_refit_is_made_once_when_due(audit, world):
    assert not audit.refit()
    queries = audit.ask(20)
    for query in queries[:19]:
        audit.tell(query.id, world.label(query.position))
    assert not audit.refit_due()
    audit.tell(queries[19].id, "unsure")
    assert audit.refit_due()
    assert audit.refit()
    assert not audit.refit_due()
    assert not audit.refit()
    [event] = [event for event in audit.events() if event.kind == "fitted"]
    assert event.body["labels"] == 19
    assert event.body["upto"] == event.seq - 1
    status = audit.status()
    assert (status.fit_labels, status.fit_at, status.refitting) == (19, event.at, False)


def test_refits_come_when_the_answers_have_grown(audit, world):
    answer(audit, world, 120)
    audit.refit()
    made = [event.body["labels"] for event in audit.events() if event.kind == "fitted"]
    assert made == [20, 30, 40, 50, 60, 80, 100, 120]


def test_an_undo_makes_no_refit_due_again(audit, world):
    answer(audit, world, 20)
    audit.refit()
    audit.undo()
    audit.redo()
    audit.undo()
    query = audit.ask(1)[0]
    audit.tell(query.id, "cat")
    assert not audit.refit_due()


def test_refitting_is_seen_while_it_goes_on(audit):
    assert not audit.status().refitting
    with one_at_a_time(audit.folder):
        assert audit.status().refitting
    assert not audit.status().refitting


def test_the_log_says_which_fit_each_round_came_from(audit, world):
    answer(audit, world, 60)
    assert [one["fit"] for one in rounds(audit)] == [None, 0, 1, 2, 3]
    assert [one["round"] for one in rounds(audit)] == [0, 1, 2, 3, 4]


def test_the_chances_in_the_log_are_those_of_the_design(audit, world):
    answer(audit, world, 60, reply=lambda position: "skip" if position % 5 == 0 else world.label(position))
    state = start(Setup(audit.job, audit.method))
    for one in audit.state.rounds:
        drawn_with = state if one.fit is None else state.with_refit(Refit(*audit.kept(one.fit)))
        chances = chances_of(drawn_with)
        left = chances[state.open_items].sum()
        state = advance(state, asked_round(one, [-1] * len(one.positions), audit.kept))
        for position, propensity in zip(one.positions, one.propensities, strict=True):
            assert propensity == pytest.approx(chances[position] / left)
            left -= chances[position]


def behind(folder, world, when, *, count=150):
    """A labelling page: questions never wait. `when(answered)` says whether the worker has got round to a refit."""
    with make_audit(folder, world) as audit:
        told = 0
        while told < count:
            for query in audit.ask(audit.settings.batch, wait=False):
                audit.tell(query.id, world.label(query.position))
                told += 1
                if when(told) and audit.refit_due():
                    audit.refit()
        return drawn(audit), [one["fit"] for one in rounds(audit)]


def test_questions_that_do_not_wait_depend_on_the_answers_alone(tmp_path, world):
    at_once = behind(tmp_path / "0", world, lambda told: True)  # a refit is made before the next question is asked
    late = behind(tmp_path / "1", world, lambda told: told % 10 == 9)  # a round later
    mixed = behind(tmp_path / "2", world, lambda told: told % 10 == 3 or told % 20 == 0)
    assert at_once == late == mixed
    fits = at_once[1]
    assert fits[:4] == [None, None, None, 0]  # 20 answers make the first due, a round later it is used
    assert fits == sorted(fits, key=lambda one: -1 if one is None else one)
    assert fits[-1] >= 5


def test_a_worker_that_falls_behind_is_in_the_log(tmp_path, world):
    never = behind(tmp_path / "0", world, lambda told: False)
    slow = behind(tmp_path / "1", world, lambda told: told > 60)
    assert set(never[1]) == {None}
    assert slow[1][:7] == [None] * 7
    assert slow[1][-1] is not None


def test_not_waiting_draws_at_least_a_batch(audit):
    assert len(audit.ask(1, wait=False)) == 1
    assert len(drawn(audit)) == 10
    assert len(audit.ask(14, wait=False)) == 14
    assert len(drawn(audit)) == 20


REFIT = """
import sys, time
import altmas.audits.audit as home
real = home.fit
def slow(*arguments):
    made = real(*arguments)
    print("fitting", flush=True)
    time.sleep(float(sys.argv[2]))
    return made
home.fit = slow
with home.Audit.open(sys.argv[1]) as audit:
    audit.refit()
"""


def test_a_killed_refit_leaves_nothing_wrong(audit, world):
    answer(audit, world, 20)
    process = subprocess.Popen([sys.executable, "-c", REFIT, audit.folder, "60"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "fitting\n"
    assert audit.status().refitting
    start = time.perf_counter()
    [query] = audit.ask(1, wait=False)  # nobody waits for it
    audit.tell(query.id, world.label(query.position))
    assert time.perf_counter() - start < 5
    process.kill()
    process.communicate()
    # As if it had been killed while it wrote its file.
    (audit.folder / "fits").mkdir(mode=0o700, exist_ok=True)
    left, young = (audit.folder / "fits" / f".0000.npz.{name}.part" for name in ("left", "young"))
    for part in (left, young):
        part.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert not audit.status().refitting
    assert audit.verify().ok
    assert audit.refit_due()
    assert audit.refit()
    assert sorted(path.name for path in (audit.folder / "fits").iterdir()) == [young.name, "0000.npz"]
    assert audit.verify().ok
    answer(audit, world, 60)


def test_a_refit_waits_for_the_one_under_way_and_is_not_made_twice(audit, world):
    answer(audit, world, 20)
    process = subprocess.Popen([sys.executable, "-c", REFIT, audit.folder, "0.5"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "fitting\n"
    assert not audit.refit()
    assert process.wait(60) == 0
    process.stdout.close()
    assert kinds(audit).count("fitted") == 1


def test_refits_of_the_same_answers_are_the_same(tmp_path, world):
    made = []
    for k in range(2):
        with make_audit(tmp_path / str(k), world) as audit:
            answer(audit, world, 60)
            made.append([event.body["sha256"] for event in audit.events() if event.kind == "fitted"])
    assert made[0] == made[1]
    assert len(set(made[0])) == len(made[0]) == 4


def test_a_closed_audit_says_so(audit):
    audit.close()
    for act in (audit.status, audit.ask, lambda: audit.tell("item-0", "cat"), lambda: audit.content(0)):
        with pytest.raises(StoreError, match="store must be"):
            act()


def test_times_only_go_on(audit, world):
    answer(audit, world, 30)
    times = [event.at for event in audit.events()]
    assert all(before <= after for before, after in pairwise(times))
    assert audit.status().last_answer == times[-1]
    assert all(len(at) == 24 and at.endswith("Z") for at in times)


def test_an_answer_by_nobody_named_is_no_second_opinion(audit):
    first, second = audit.ask(2)
    audit.tell(first.id, "cat", annotator="mk")
    assert not audit.tell(first.id, "cat").new
    with pytest.raises(InputError, match="must be the one already given"):
        audit.tell(first.id, "dog")
    audit.tell(second.id, "cat")
    assert not audit.tell(second.id, "cat", annotator="mk").new
    assert audit.findings().agreement.items == 0
    assert audit.tell(first.id, "dog", annotator="jo").new  # somebody else, by name


def test_a_fit_of_another_process_is_found(tmp_path, world):
    """Between its last look and its findings, another process may have refitted."""
    with make_audit(tmp_path / "a", world) as audit, Audit.open(tmp_path / "a") as other:
        answer(other, world, 60)
        other.refit()
        newest = max(one.number for one in other.state.fits)
        assert newest not in [one.number for one in audit.state.fits]
        assert audit.kept(newest)[1] == other.kept(newest)[1]
        with pytest.raises(StoreError, match="got no fit 99"):
            audit.kept(99)
