"""An expert at the page: a queue of their own, and no annotator's answer in it."""

import json

import pytest

from altmas.audits.audit import Audit
from altmas.page.desk import Desk
from altmas.page.refits import Refits
from altmas.page.wire import RefusedError, Reply, Turn, Wish
from worlds.page import ANIMALS, NO_REFIT, Served, make_audit, new_client_id, next_item, reply

ADA = "ada"


@pytest.fixture
def folder(tmp_path):
    """An audit of which MK has answered twenty questions, all with owl; eight are drawn to be read again."""
    settings = {"method": "certified", "experts": [ADA], "initial": 20}
    folder = make_audit(tmp_path / "audit", **settings)
    with Audit.open(folder) as audit:
        for query in audit.ask(20):
            audit.tell(query.id, "owl", annotator="mk")
        assert audit.draw_readings(8) == 8
    return folder


@pytest.fixture
def desk(folder):
    made = Desk(Audit.open(folder), Refits(folder, command=lambda _: NO_REFIT))
    yield made
    made.close()


def answered(desk, label=0, who=ADA):
    item = desk.next(who, Wish())["query"]["item"]
    return desk.answer(who, Reply(new_client_id(), item, label, wish=Wish()))


def test_an_expert_is_given_what_was_drawn_and_nothing_else(desk, folder):
    got = [answered(desk) for _ in range(8)]
    assert all(one["saved"]["new"] for one in got)
    assert got[-1]["query"] is None
    assert got[-1]["why"] == "read"
    with Audit.open(folder) as audit:
        assert audit.status().experts == {ADA: 8}
        assert audit.status().readings_open == 0
        assert audit.status().annotators == {"mk": 20}


def test_no_annotators_answer_is_shown(desk):
    shown = json.dumps([desk.state(ADA)["standing"], desk.next(ADA, Wish())])
    assert "owl" not in shown
    assert "mk" not in shown
    assert set(desk.next(ADA, Wish())["query"]) == {"item", "id", "content", "media"}


def test_the_standing_counts_readings(desk):
    before = desk.state(ADA)["standing"]
    assert (before["expert"], before["to_read"], before["read"], before["yours"]) == (True, 8, 0, 0)
    answered(desk)
    after = desk.state(ADA)["standing"]
    assert (after["read"], after["yours"], after["answered"], after["annotators"]) == (1, 1, 20, 1)
    assert desk.state("mk")["standing"]["expert"] is False


def test_annotators_go_on_as_before(desk):
    item = desk.next("mk", Wish())["query"]["item"]
    assert item != desk.next(ADA, Wish())["query"]["item"]
    assert desk.answer("mk", Reply(new_client_id(), item, 1, wish=Wish()))["standing"]["answered"] == 21


def test_an_expert_takes_a_reading_back_and_gives_it_again(desk):
    first = desk.next(ADA, Wish())["query"]["item"]
    answered(desk)
    undone = desk.undo(ADA, Turn(new_client_id(), Wish()))
    assert undone["query"]["item"] == first
    assert undone["standing"]["read"] == 0
    assert desk.redo(ADA, Turn(new_client_id(), Wish()))["standing"]["read"] == 1


def test_an_expert_looks_at_readings_of_their_own(desk):
    with pytest.raises(RefusedError, match="You have given no answer yet"):
        desk.review(ADA, None)
    first = desk.next(ADA, Wish())["query"]["item"]
    answered(desk, label=1)
    answered(desk, label=2)
    got = desk.review(ADA, 0)
    assert (got["at"], got["of"], got["query"]["item"], got["answer"]["label"]) == (0, 2, first, 1)


def test_an_item_that_was_not_drawn_cannot_be_read(desk):
    mine = desk.review("mk", 0)
    drawn = set()
    while (got := desk.next(ADA, Wish()))["query"] is not None:
        drawn.add(got["query"]["item"])
        desk.answer(ADA, Reply(new_client_id(), got["query"]["item"], 0, wish=Wish()))
    other = next(desk.review("mk", k)["query"]["item"] for k in range(mine["of"])
                 if desk.review("mk", k)["query"]["item"] not in drawn)  # fmt: skip
    with pytest.raises(RefusedError, match="not among those for you to read"):
        desk.answer(ADA, Reply(new_client_id(), other, 0, wish=Wish()))


def test_what_annotators_left_undecided_comes_after_what_was_drawn(desk):
    item = desk.next("mk", Wish())["query"]["item"]
    desk.answer("mk", Reply(new_client_id(), item, "unsure", wish=Wish()))
    for _ in range(8):
        assert desk.next(ADA, Wish())["query"]["item"] != item
        answered(desk)
    assert desk.next(ADA, Wish())["query"]["item"] == item
    assert desk.state(ADA)["standing"]["unsure"] == 1
    assert answered(desk)["standing"]["unsure"] == 0


def test_experts_of_the_server_read_where_an_audit_names_none(tmp_path):
    folder = make_audit(tmp_path / "audit", overlap=2)
    desk = Desk(Audit.open(folder), Refits(folder, command=lambda _: NO_REFIT), experts=["bob"])
    try:
        item = desk.next("mk", Wish())["query"]["item"]
        for label, who in enumerate(("mk", "jo")):
            desk.answer(who, Reply(new_client_id(), item, label, wish=Wish()))
        assert desk.state("bob")["standing"]["disputed"] == 1
        assert answered(desk, who="bob")["standing"]["disputed"] == 0
    finally:
        desk.close()


def test_the_plan_of_annotators_leaves_room_for_readings(tmp_path):
    settings = {"method": "certified", "experts": [ADA], "initial": 20, "budget": 60, "cost_expert": 4}
    folder = make_audit(tmp_path / "audit", **settings)
    desk = Desk(Audit.open(folder), Refits(folder, command=lambda _: NO_REFIT))
    try:
        assert desk.state("mk")["standing"]["budget"] == 30  # one reading for four answers, until a fit tells
    finally:
        desk.close()


def test_over_the_wire(folder):
    with Served(folder) as served, served.client(ADA) as client:
        got = client.post("/api/answer", json=reply(next_item(client), 0)).json()
        assert got["standing"]["read"] == 1
        assert client.get("/api/state").json()["classes"] == list(ANIMALS)
