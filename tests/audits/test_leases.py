"""Leases: what one annotator was given, no other gets meanwhile, in this process or in another."""

import json
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from altmas.audits.audit import Audit
from altmas.audits.leases import LEASES_FILE, Leases
from altmas.audits.questions import Questions
from altmas.core.policies import Choice
from worlds.audits import make_audit, make_world
from worlds.commands import told
from worlds.page import Served, fails_until
from worlds.page import make_audit as make_page_audit

WORKER = """
import json, sys
from altmas.audits.audit import Audit
from altmas.audits.leases import Leases
folder, leased, rounds, *names = sys.argv[1:]
if leased == "no":
    Leases.take = lambda self, annotator, choose: choose({})
with Audit.open(folder) as audit:
    for _ in range(int(rounds)):
        sys.stdin.readline()
        asked = [(name, query.id) for name in names for query in audit.ask(1, annotator=name, wait=False)]
        print(json.dumps(asked), flush=True)
        sys.stdin.readline()
        for name, id in asked:
            audit.tell(id, "cat", annotator=name)
        print("told", flush=True)
"""
PROCESSES, ANNOTATORS, ROUNDS = 4, 8, 5


def answered_by_crowd(folder, *, leased, together):
    """Eight annotators in four processes; `together`, all are asked before anyone answers. Answers per item."""
    names = [f"annotator {k}" for k in range(ANNOTATORS)]
    command = [sys.executable, "-c", WORKER, str(folder), "yes" if leased else "no", str(ROUNDS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen([*command, *names[k::PROCESSES]], **pipes) for k in range(PROCESSES)]
    try:
        if together:
            for _ in range(ROUNDS):
                for turn in range(2):
                    for one in workers:
                        one.stdin.write("go\n")
                        one.stdin.flush()
                    for one in workers:
                        said = one.stdout.readline()
                        assert (said == "told\n") == (turn == 1)
        for one in workers:
            one.communicate("go\n" * 2 * ROUNDS, timeout=120)
            assert one.returncode == 0
    finally:
        for one in workers:
            one.kill()
            one.wait()
    with Audit.open(folder) as audit:
        assert audit.verify().ok
        return Counter({position: len(people) for position, people in audit.state.entries.items()})


@pytest.fixture(scope="module")
def wide():
    return make_world(600)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("overlap", [1, 2])
def test_processes_give_a_question_to_as_many_as_must_answer_it(tmp_path, wide, overlap, together):
    make_audit(tmp_path / "a", wide, method="random", overlap=overlap).close()
    given = answered_by_crowd(tmp_path / "a", leased=True, together=together)
    assert given.total() == ANNOTATORS * ROUNDS
    assert max(given.values()) == overlap


def test_without_leases_processes_give_the_same_question_to_many(tmp_path, wide):
    make_audit(tmp_path / "a", wide, method="random").close()
    assert max(answered_by_crowd(tmp_path / "a", leased=False, together=True).values()) > 1


def test_asking_twice_gives_the_same(audit):
    mine = audit.ask(3, annotator="mk")
    assert audit.ask(3, annotator="mk") == mine
    theirs = audit.ask(3, annotator="jo")
    assert not {one.id for one in mine} & {one.id for one in theirs}
    with Audit.open(audit.folder) as again:
        assert again.ask(3, annotator="mk") == mine
        assert again.ask(3, annotator="jo") == theirs
        assert again.ask(6) == [*mine, *theirs]  # who is not named gets them in the order drawn, and holds none
    assert audit.ask(3, annotator="mk") == mine


def test_a_lease_ends_with_the_next_question_or_after_a_while(audit):
    now = [1000.0]
    audit.leases.clock = lambda: now[0]
    [a] = audit.ask(1, annotator="mk")
    assert audit.ask(1, annotator="jo") != [a]
    now[0] += 599
    assert audit.ask(1, annotator="jo") != [a]
    now[0] += 2
    assert audit.ask(1, annotator="jo") == [a]
    now[0] -= 10_000  # a clock that was set back keeps nothing from anybody
    assert audit.ask(1, annotator="al") == [a]


def test_only_those_who_have_not_answered_hold_a_place(tmp_path, wide):
    with make_audit(tmp_path / "a", wide, overlap=2) as audit:
        [query] = audit.ask(1, annotator="mk")
        assert audit.ask(1, annotator="jo") == [query]
        assert audit.ask(1, annotator="al") != [query]
        audit.tell(query.id, "cat", annotator="mk")
        assert audit.ask(1, annotator="al") != [query]  # jo still has the other place
        audit.ask(1, annotator="jo", without=[query.position])
        assert audit.ask(1, annotator="al") == [query]  # mk answered, and still holds a lease


def test_what_was_taken_back_is_shown_to_nobody_else(audit, monkeypatch):
    [query] = audit.ask(1, annotator="mk")
    audit.tell(query.id, "cat", annotator="mk")
    audit.ask(1, annotator="mk")

    def attack():
        audit.undo("mk")
        got = audit.ask(1, annotator="jo")
        audit.redo("mk")
        audit.ask(1, annotator="mk")
        return got == [query]

    fails_until(monkeypatch, attack, Leases, "add", lambda self, annotator, position: None)


def test_questions_asked_again_go_to_one_at_a_time(audit):
    for query in audit.ask(2):
        audit.tell(query.id, "unsure")
    [mine] = audit.ask(1, annotator="mk", again=True)
    [theirs] = audit.ask(1, annotator="jo", again=True)
    assert mine != theirs
    assert audit.ask(1, annotator="al", again=True) == []
    assert audit.ask(1, again=True) == [mine]


def test_a_method_that_draws_nothing_more_ends_the_asking(audit, monkeypatch):
    draws = []

    def nothing(self, state, count, fit):
        draws.append(count)
        assert len(draws) < 9, "asked for ever"
        return Choice(np.empty(0, dtype=np.int64), np.empty(0))

    mine = audit.ask(2, annotator="mk")
    monkeypatch.setattr(Questions, "draw", nothing)
    assert audit.ask(3, annotator="mk") == mine
    assert audit.ask(3, annotator="jo") == []
    assert draws == [1, 3]


def test_every_door_keeps_to_them(tmp_path, monkeypatch):
    """The page, the terminal, a file of questions, and Python."""
    monkeypatch.setattr("builtins.input", lambda prompt: "q")
    folder = make_page_audit(tmp_path / "audit")
    with Served(folder) as served, served.client("on the page") as client:
        shown = client.post("/api/next", json={}).json()["query"]["content"][0][1]
        terminal = told("label", folder, "--tty", "--annotator", "tty")
        [listed] = json.loads(told("next", folder, "-n", "1", "--annotator", "file", "--json"))["questions"]
        with Audit.open(folder) as audit:
            [asked] = audit.ask(1, annotator="python")
    ids = [
        "id-" + "".join(filter(str.isdecimal, shown)),
        terminal.partition("item ")[2].split()[0],
        listed["id"],
        asked.id,
    ]
    assert len(set(ids)) == 4, ids


def test_a_file_that_is_damaged_or_cannot_be_written_keeps_nobody_from_a_question(audit, tmp_path):
    [query] = audit.ask(1, annotator="mk")
    audit.close()
    (audit.folder / LEASES_FILE).write_bytes(b"no database, but long enough to look at" * 100)
    for ending in ("-wal", "-shm"):
        (audit.folder / f"{LEASES_FILE}{ending}").unlink(missing_ok=True)
    with Audit.open(audit.folder) as again:
        assert again.ask(1, annotator="jo") == [query]
        assert again.ask(1, annotator="mk") != [query]  # and they are kept again
    nowhere = Leases(tmp_path / "no such folder")
    assert nowhere.take("mk", lambda held: [1]) == [1]
    nowhere.add("mk", 1)


def test_reading_makes_no_file(audit):
    audit.ask(3)
    audit.status()
    audit.answers_of("mk")
    assert not (audit.folder / LEASES_FILE).exists()
    audit.ask(1, annotator="mk")
    modes = {path.name: path.stat().st_mode & 0o777 for path in audit.folder.glob(f"{LEASES_FILE}*")}
    assert modes
    assert set(modes.values()) == {0o600}
