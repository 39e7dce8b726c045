"""Several annotators at once, and the end of the plan."""

import pandas as pd

from altmas.audits.audit import Audit
from worlds.page import Served, answer_all, make_audit, next_item, reply

# Several annotators


def test_annotators_get_different_items(served, client):
    with served.client("ab") as other:
        mine, theirs = set(), set()
        for _ in range(12):
            for who, got in ((client, mine), (other, theirs)):
                item = next_item(who)
                got.add(item)
                assert who.post("/api/answer", json=reply(item)).status_code == 200
        assert len(mine) == len(theirs) == 12
        assert not mine & theirs
        assert client.get("/api/state").json()["standing"]["annotators"] == 2


def test_a_lease_runs_out(tmp_path):
    now = [0.0]
    folder = make_audit(tmp_path / "audit")
    with Served(folder, clock=lambda: now[0]) as served, served.client("mk") as client, served.client("ab") as other:
        held = next_item(client)
        assert next_item(other) != held
        now[0] = 601.0
        assert next_item(other) == held


def test_with_overlap_as_many_hold_an_item_as_must_answer_it(tmp_path):
    folder = make_audit(tmp_path / "audit", overlap=2)
    with Served(folder) as served, served.client("a") as a, served.client("b") as b, served.client("c") as c:
        item = next_item(a)
        assert next_item(b) == item
        assert next_item(c) != item
        a.post("/api/answer", json=reply(item, 0))
        assert next_item(c) != item  # one answer is in, b holds the other place
        b.post("/api/answer", json=reply(item, 1))
        standing = c.get("/api/state").json()["standing"]
        assert (standing["answered"], standing["disputed"]) == (1, 1)


# The plan


def test_at_the_end_of_the_plan_one_may_go_on(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=5, size=30)) as served, served.client() as client:
        got = answer_all(client, 5)
        assert (got["query"], got["why"]) == (None, "planned")
        assert client.post("/api/next", json={}).json()["why"] == "planned"
        asked = client.get("/api/state").json()["standing"]
        assert asked["answered"] == 5
        assert answer_all(client, 3, beyond=True)["query"] is not None
        assert answer_all(client, 22, beyond=True)["why"] == "all"


def test_the_unsure_and_skipped_can_be_looked_at_again(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=6, size=30)) as served, served.client() as client:
        for label in ("unsure", 0, "skip", 1, "unsure", 2):
            client.post("/api/answer", json=reply(next_item(client), label))
        assert client.post("/api/next", json={}).json()["why"] == "planned"
        got = client.post("/api/next", json={"again": True}).json()
        seen = []
        while got["query"] is not None:
            seen.append(got["query"]["item"])
            label = "unsure" if len(seen) == 2 else 0
            got = client.post("/api/answer", json=reply(seen[-1], label, replace=True, again=True)).json()
        assert len(set(seen)) == len(seen) == 3
        assert got["why"] == "seen"
        assert (got["standing"]["unsure"], got["standing"]["skipped"], got["standing"]["labels"]) == (1, 0, 5)


def test_with_overlap_nothing_is_drawn_beyond_the_plan(tmp_path):
    folder = make_audit(tmp_path / "audit", overlap=2, budget=10, size=100)
    with Served(folder) as served, served.client("a") as a, served.client("b") as b:
        got = answer_all(a, 10)
        assert (got["query"], got["why"]) == (None, "held")
        with Audit.open(folder) as audit:
            assert len(audit.state.order) == 10
        assert answer_all(b, 10)["why"] == "planned"


def test_without_a_budget_there_is_no_end_but_the_pools(tmp_path):
    with Served(make_audit(tmp_path / "audit", budget=None, size=15)) as served, served.client() as client:
        assert answer_all(client, 15)["why"] == "all"


def test_items_show_their_columns_and_images(tmp_path):
    table = pd.DataFrame({"name": ["a", "b"], "price": [1.5, 2.0]})
    with Served(make_audit(tmp_path / "row", size=2, items=table, budget=None)) as served, served.client() as client:
        content = client.post("/api/next", json={}).json()["query"]["content"]
        assert dict(map(tuple, content)) in ({"name": "a", "price": "1.5"}, {"name": "b", "price": "2.0"})
    folder = make_audit(tmp_path / "image", size=3, images=tmp_path / "images", budget=None)
    with Served(folder) as served, served.client() as client:
        got = client.post("/api/next", json={}).json()
        assert client.get(got["query"]["media"]).headers["content-type"] == "image/png"
        assert client.get(got["upcoming"]).headers["content-type"] == "image/png"
        assert got["upcoming"] != got["query"]["media"]
