"""An audit that is changed while its page is open, what annotators may not look at, and items as they are shown."""

import pandas as pd

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from worlds.browser import answered, expect, press
from worlds.page import ANIMALS, Served, draw_image, events_of, make_audit, make_pool, new_client_id, next_item


def looks(client, item):
    """Ask for everything that is hidden, past whatever the page may show or not."""
    for more in ({"what": "prediction", "item": item}, {"what": "estimate"}):
        yield client.post("/api/reveal", json={"client": new_client_id(), **more})


def test_the_server_shows_nothing_where_the_auditor_wants_no_looks(tmp_path):
    folder = make_audit(tmp_path / "audit", reveal=False)
    with Served(folder) as served, served.client() as client:
        item = next_item(client)
        assert client.get("/api/state").json()["standing"]["reveal"] is False
        for got in looks(client, item):
            assert got.status_code == 403
            assert got.json() == {"error": "Predictions and estimates are not shown in this audit."}
        assert all(event.kind != "revealed" for event in events_of(folder))
        with Audit.open(folder) as auditor:
            auditor.set(reveal=True)
        assert [got.status_code for got in looks(client, item)] == [200, 200]
        with Audit.open(folder) as auditor:  # and back again: the next request is refused
            auditor.set(reveal=False)
        assert [got.status_code for got in looks(client, item)] == [403, 403]


def test_a_page_that_is_open_takes_up_what_changes(tmp_path, visit):
    items = pd.DataFrame({"text": ["What animal?"] * 200})
    region = pd.DataFrame({"region": ["north"] * 200})
    folder = make_audit(tmp_path / "audit", items=items, withheld=region, guidelines="*Old* rules")
    with Served(folder) as served:
        page = visit(served, viewport={"width": 700, "height": 800})
        expect(page.locator("#guidelines")).to_be_hidden()  # folded on a small screen
        expect(page.locator("#prediction-button")).to_be_visible()
        with Audit.open(folder) as auditor:
            auditor.set(
                budget=90, title="Spring", reveal=False, show=["region", "text"],
                guidelines="# New\n\n<script>window.hurt = 1</script> [see](https://x.example)",
            )  # fmt: skip
        press(page, "1")
        answered(page, 1)
        expect(page.locator("#progress")).to_contain_text("1 of 90 answered")
        expect(page.locator("h1")).to_have_text("Spring")
        expect(page.locator("#guidelines h2")).to_have_text("New")  # opened, so that they are noticed
        expect(page.locator("#guidelines")).to_contain_text("<script>window.hurt = 1</script>")
        expect(page.locator("#guidelines a")).to_have_attribute("rel", "noopener noreferrer nofollow")
        assert page.evaluate("window.hurt") is None
        expect(page.locator("#item dt").first).to_have_text("region")
        expect(page.locator("#prediction-button")).to_be_hidden()
        expect(page.locator("#estimate-button")).to_be_hidden()


def test_an_item_without_an_image_shows_its_id_and_columns(tmp_path, visit):
    draw_image(tmp_path / "a.png")
    pool = make_pool(2)
    media = [str(tmp_path / "a.png"), None]
    Audit.create(tmp_path / "audit", pool, metrics=["accuracy"], method="random", media=media).close()
    with Served(tmp_path / "audit") as served:
        page = visit(served)
        seen = {}
        for count in (1, 2):
            seen[page.locator("#item-id").inner_text()] = page.locator("#item").inner_text()
            press(page, "1")
            answered(page, count)
        assert seen["Item id-1"].splitlines()[0] == "This item has no image."
        assert "no image" not in seen["Item id-0"]


def test_ids_are_text_whatever_they_hold(tmp_path, visit):
    ids = ["a\"b'<i>x</i>&amp;", "../../etc/passwd", "\x01\x1b[2J\x7f", "\u202eevil", " ", "é/ü" * 60]
    pool = Pool.build(["cat", "dog"] * 3, ids=ids, classes=list(ANIMALS))
    Audit.create(tmp_path / "audit", pool, metrics=["accuracy"], method="random").close()
    with Served(tmp_path / "audit") as served:
        page = visit(served, viewport={"width": 320, "height": 640})
        seen = set()
        for count in range(1, 7):
            seen.add(page.locator("#item-id bdi").text_content())
            assert page.locator("#item-id i").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth") == 320
            press(page, "1")
            answered(page, count)
    assert seen == {one.translate({1: "␁", 0x1B: "␛", 0x7F: "␡"}) for one in ids}


def test_classes_stand_in_even_rows_and_are_never_cut_off(tmp_path, visit):
    names = ("x" * 200, "of several words " * 12, "קטגוריה", "🐈‍⬛ cat", "two\nlines", " blank ", "<b>bold</b>")
    with Served(make_audit(tmp_path / "audit", classes=names, size=20, budget=None)) as served:
        page = visit(served)
        columns = "async () => (await import('/static/choices.js')).evenColumns"
        laid = page.evaluate(f"({columns})().then(f => [2, 3, 4, 5, 6, 7, 8, 9].map(n => f(n, 4)))")
        assert laid == [2, 3, 4, 3, 3, 4, 4, 3]
        for width in (1280, 375):
            page.set_viewport_size({"width": width, "height": 800})
            cut = "one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight"
            assert page.locator(".choice").evaluate_all(f"all => all.filter({cut}).length") == 0
            assert page.evaluate("document.documentElement.scrollWidth") == width
        for count in range(1, 8):
            press(page, str(count))
            answered(page, count)
    told = [event.body["label"] for event in events_of(tmp_path / "audit") if event.kind == "answered"]
    assert told == list(names)


def test_page_status_and_report_count_answers_alike(tmp_path):
    folder = make_audit(tmp_path / "audit", budget=6, size=30)
    with Served(folder) as served, served.client() as client:
        for label in ("unsure", 0, "skip", 1):
            client.post("/api/answer", json={"client": new_client_id(), "item": next_item(client), "label": label})
        standing = client.get("/api/state").json()["standing"]
    with Audit.open(folder) as audit:
        now = audit.status()
    assert (standing["answered"], standing["labels"]) == (now.answered, now.labels) == (4, 2)
    assert repr(audit).endswith("4 of 10 questions answered")
