"""The labelling page in a real browser, by keyboard; what it leaves in the store, and whom it talks to."""

import json
import re
import subprocess
import sys
from itertools import cycle, islice

import pandas as pd
import pytest
from page_browser import Watched, answered, browser_fixture, expect, press, visit_fixture
from page_world import ANIMALS, MANY, Served, answers_in, events_of, make_audit, next_item, reply

__all__ = ["browser_fixture", "visit_fixture"]

HOSTILE = '<img src="x" onerror="window.hurt = 1"><script>window.hurt = 1</script> & "quotes"'


# Labelling


def test_thirty_items_by_keyboard_alone(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    keys = list(islice(cycle(["1", "2", "3", "u", "s"]), 30))
    with Served(folder) as served:
        page = visit(served)
        for count, key in enumerate(keys, start=1):
            press(page, key)
            answered(page, count)
        page.wait_for_timeout(300)
        press(page, "?")
        expect(page.locator("#timing")).to_contain_text("ms, the middle of 30")
        assert page.evaluate("window.altmasTimings.length") == 30
    meant = dict(zip("123us", [*ANIMALS, "unsure", "skip"], strict=True))
    assert [one.label for one in answers_in(folder)] == [meant[key] for key in keys]
    bodies = [event.body for event in events_of(folder) if event.kind == "answered"]
    assert len({body["item"] for body in bodies}) == 30
    assert all(0 <= body["ms"] < 60_000 for body in bodies)


def test_hasty_keys_label_no_item_twice_and_lose_nothing(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        for _ in range(40):
            page.keyboard.press("1")  # some fall while an answer is under way: those are about nothing yet
        expect(page.locator("body")).not_to_have_class("busy")
        shown = page.locator("#progress").inner_text()
    given = answers_in(folder)
    assert shown.startswith(f"{len(given)} of 60")
    assert len({one.position for one in given}) == len(given) >= 1
    assert sum(event.kind == "answered" for event in events_of(folder)) == len(given)


def test_keys_are_ignored_in_fields_and_when_held_down(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        press(page, "n")
        expect(page.locator("#note")).to_be_focused()
        page.keyboard.type("1 u s z?")
        page.keyboard.press("Escape")
        expect(page.locator("#note-panel")).to_be_hidden()
        assert answers_in(folder) == []
        page.keyboard.down("2")
        answered(page, 1)
        page.keyboard.down("2")  # held: the browser repeats it
        page.keyboard.down("2")
        page.keyboard.up("2")
        page.wait_for_timeout(200)
        page.keyboard.press("Control+1")
        page.keyboard.press("Alt+1")
        page.wait_for_timeout(100)
        answered(page, 1)
    assert [(one.label, one.note) for one in answers_in(folder)] == [("dog", "1 u s z?")]


def test_undo_redo_and_review_by_keyboard(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        texts = []
        for count, key in enumerate("123", start=1):
            texts.append(page.locator("#item").inner_text())
            press(page, key)
            answered(page, count)
        press(page, "z")
        expect(page.locator("#notice")).to_have_text("Taken back: owl.")
        expect(page.locator("#item")).to_have_text(texts[2])
        press(page, "Control+z")
        expect(page.locator("#item")).to_have_text(texts[1])
        press(page, "Shift+Z")
        expect(page.locator("#notice")).to_have_text("Given again: dog.")
        press(page, "Shift+Z")
        expect(page.locator("#notice")).to_have_text("Given again: owl.")
        press(page, "Shift+Z")
        expect(page.locator("#trouble")).to_have_text("There is nothing to redo.")
        now = page.locator("#item").inner_text()
        press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
        expect(page.locator("#notice")).to_contain_text("Your answer 1 of 3: cat.")
        expect(page.locator("#item")).to_have_text(texts[0])
        expect(page.locator(".choice[aria-pressed=true]")).to_contain_text("cat")
        press(page, "2")
        expect(page.locator("#notice")).to_have_text("Your answer was changed.")
        expect(page.locator("#item")).to_have_text(now)
        press(page, "ArrowLeft")
        expect(page.locator("#notice")).to_contain_text("3 of 3: dog.")
        press(page, "ArrowRight")
        expect(page.locator("#notice")).to_be_hidden()
        expect(page.locator("#item")).to_have_text(now)
        press(page, "z", "3")  # the change is taken back, and another one made
        answered(page, 3)
    assert sorted(one.label for one in answers_in(folder)) == ["dog", "owl", "owl"]


SERVE = "import sys; from altmas.page.server import serve; serve(sys.argv[1], annotator='mk')"


def started(folder):
    process = subprocess.Popen([sys.executable, "-u", "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()[1]


def test_undo_across_a_restart_and_an_answer_given_meanwhile(tmp_path, browser):
    folder = make_audit(tmp_path / "audit")
    first, link = started(folder)
    with Watched(browser) as watched:
        page = watched.context.new_page()
        with first:
            page.goto(link)
            expect(page.locator("#item > *")).to_be_visible()
            press(page, "1")
            answered(page, 1)
            text = page.locator("#item").inner_text()
            first.kill()
            first.wait()
        press(page, "3")
        expect(page.locator("#trouble")).to_contain_text("Not saved, retrying")
        page.keyboard.press("2")  # waits for nothing, and is about nothing
        assert len(answers_in(folder)) == 1
        second, link = started(folder)
        with second:
            answered(page, 2)  # the same page goes on: same port, same session
            expect(page.locator("#trouble")).to_be_hidden()
            press(page, "z")
            expect(page.locator("#item")).to_have_text(text)
            expect(page.locator("#notice")).to_have_text("Taken back: owl.")
            second.kill()
    kinds = [event.kind for event in events_of(folder) if event.kind != "drawn"]
    assert kinds == ["created", "answered", "answered", "undone"]


@pytest.mark.parametrize("lost", ["request", "response"])
def test_an_answer_is_sent_until_it_is_acknowledged(tmp_path, visit, lost):
    folder = make_audit(tmp_path / "audit")
    sent = []

    def cut(route):
        sent.append(json.loads(route.request.post_data)["client"])
        if len(sent) > 2:
            route.continue_()
        else:
            if lost == "response":
                route.fetch()
            route.abort()

    with Served(folder) as served:
        page = visit(served)
        page.route("**/api/answer", cut)
        press(page, "2")
        expect(page.locator("#trouble")).to_contain_text("Not saved, retrying")
        answered(page, 1)
        expect(page.locator("#trouble")).to_be_hidden()
    assert len(sent) == 3
    assert len(set(sent)) == 1
    assert [one.label for one in answers_in(folder)] == ["dog"]
    assert sum(event.kind == "answered" for event in events_of(folder)) == 1


def test_an_answer_survives_closing_the_page(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        page.route("**/api/answer", lambda route: route.abort())
        press(page, "3")
        expect(page.locator("#trouble")).to_contain_text("Not saved, retrying")
        page.unroute("**/api/answer")
        page.goto(served.url)
        expect(page.locator("#progress")).to_contain_text("1 of 60 answered")
    assert [one.label for one in answers_in(folder)] == ["owl"]


def test_an_answer_given_elsewhere_is_not_written_over(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served, served.client() as client:
        page = visit(served)
        text = page.locator("#item").inner_text()
        client.post("/api/answer", json=reply(next_item(client), 0))
        press(page, "2")
        expect(page.locator("#trouble")).to_contain_text("already given")
        expect(page.locator("#item")).not_to_have_text(text)
    assert [one.label for one in answers_in(folder)] == ["cat"]


# Many classes


def test_a_class_among_a_hundred_is_found_by_typing(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", classes=MANY)
    with Served(folder) as served:
        page = visit(served)
        press(page, "/")
        expect(page.locator("#filter")).to_be_focused()
        page.keyboard.press("Enter")  # nothing is marked yet
        page.keyboard.type("HERON 1")
        expect(page.locator("[role=option]")).to_have_count(11)
        expect(page.locator("[role=option][aria-selected=true]")).to_have_text("heron 1")
        page.keyboard.press("Enter")
        answered(page, 1)
        expect(page.locator("#filter")).to_be_focused()
        expect(page.locator("#filter")).to_have_value("")
        page.keyboard.press("Enter")
        page.keyboard.type("gull 1")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        answered(page, 2)
        page.keyboard.type("19")
        page.locator("[role=option]", has_text="jay 19").click()
        answered(page, 3)
        page.locator("#filter").fill("no such bird")
        expect(page.locator(".count")).to_have_text("No class has this in its name.")
        page.locator("#filter").press("Enter")
        page.keyboard.press("Escape")
        press(page, "u")
        answered(page, 4)
    assert [one.label for one in answers_in(folder)] == ["heron 1", "gull 10", "jay 19", "unsure"]


def test_digits_have_their_own_keys(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", classes=tuple(str(k) for k in range(10)))
    with Served(folder) as served:
        page = visit(served)
        for count, key in enumerate("0918", start=1):
            press(page, key)
            answered(page, count)
        press(page, "?")
        expect(
            page.locator("#help-keys dt", has_text=re.compile("^f$"))
        ).to_be_visible()  # 0 is a class, so the whole image is f
    assert [one.label for one in answers_in(folder)] == ["0", "9", "1", "8"]


# Several annotators, what is hidden, the plan


def test_two_annotators_at_once_get_different_items(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        pages = [visit(served, name) for name in ("mk", "ab")]
        for count in range(1, 9):
            texts = [page.locator("#item").inner_text() for page in pages]
            assert texts[0] != texts[1]
            for turn, page in enumerate(pages):
                press(page, "1")
                expect(page.locator("#progress")).to_contain_text(f"{2 * count - 1 + turn} of 60 answered")
        expect(pages[1].locator("#progress")).to_contain_text("(8 by you)")
    mine, theirs = ({one.position for one in answers_in(folder, name)} for name in ("mk", "ab"))
    assert len(mine) == len(theirs) == 8
    assert not mine & theirs


def test_prediction_and_estimate_are_hidden_until_asked_for(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        press(page, "1")
        answered(page, 1)
        expect(page.locator("#prediction")).to_have_text("")
        assert all(event.kind != "revealed" for event in events_of(folder))
        page.locator("#prediction-button").click()
        expect(page.locator("#prediction")).to_have_text(re.compile("^model: (cat|dog|owl)$"))
        press(page, "1")
        answered(page, 2)
        expect(page.locator("#prediction")).to_have_text("")
        page.locator("#estimate-button").click()
        expect(page.locator("#estimate")).to_contain_text("accuracy")
    looks = [event.body["what"] for event in events_of(folder) if event.kind == "revealed"]
    assert looks == ["prediction", "estimate"]


def test_the_end_of_the_plan_and_beyond(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", budget=3, size=40)
    with Served(folder) as served:
        page = visit(served)
        for count, key in enumerate("1u2", start=1):
            press(page, key)
            answered(page, count)
        expect(page.locator("#done")).to_contain_text("2 labels, 1 unsure")
        expect(page.locator("#item")).to_be_hidden()
        press(page, "1")
        page.locator("#again-button").click()
        expect(page.locator("#item")).to_be_visible()
        press(page, "3")
        expect(page.locator("#done-title")).to_have_text("You have been through them all")
        page.locator("#back-button").click()
        expect(page.locator("#done")).to_contain_text("3 labels")
        page.locator("#beyond-button").click()
        expect(page.locator("#item")).to_be_visible()
        press(page, "1")
        answered(page, 4)
        expect(page.locator("#progress")).to_contain_text("4 answered (3 planned)")
        press(page, "z")
        expect(page.locator("#notice")).to_have_text("Taken back: cat.")
        page.locator("#redo-button").click()
        expect(page.locator("#notice")).to_have_text("Given again: cat.")
        expect(page.locator("#redo-button")).to_be_hidden()
        expect(page.locator("#item")).to_be_visible()  # still beyond the plan
    assert len(answers_in(folder)) == 4


# Keys


def test_keys_can_be_changed_and_stay_changed(tmp_path, visit):
    folder = make_audit(tmp_path / "audit")
    with Served(folder) as served:
        page = visit(served)
        press(page, "?")
        page.locator("#settings-button").click()
        cat = page.get_by_label("cat", exact=True)
        cat.press("u")
        expect(page.locator("#settings-error")).to_have_text("u is taken by: Unsure.")
        expect(cat).to_have_value("1")
        cat.press("Enter")
        expect(page.locator("#settings-error")).to_contain_text("belongs to the browser")
        cat.press("c")
        expect(page.locator("#settings-error")).to_be_hidden()
        page.get_by_label("Unsure", exact=True).press("q")
        page.locator("#settings-close").click()
        expect(page.locator(".choice", has_text="cat")).to_contain_text("c")
        page.reload()
        expect(page.locator("#unsure-button")).to_contain_text("q")
        press(page, "1", "u", "c")
        answered(page, 1)
        press(page, "q")
        answered(page, 2)
        press(page, "?")
        page.locator("#settings-button").click()
        page.locator("#keys-off").check()
        page.locator("#settings-close").click()
        press(page, "c", "q")
        page.locator(".choice", has_text="owl").click()
        answered(page, 3)
    assert [one.label for one in answers_in(folder)] == ["cat", "unsure", "owl"]


# What is shown


def test_items_are_text_never_markup(tmp_path, visit, browser):
    folder = make_audit(tmp_path / "audit", size=20, budget=None, items=pd.DataFrame({"text": [HOSTILE] * 20}))
    with Served(folder) as served:
        page = visit(served)
        expect(page.locator("#item p")).to_have_text(HOSTILE)
        assert page.locator("#item img, #item script").count() == 0

        def as_markup(route):  # the same page, if it were written carelessly
            text = route.fetch().text()
            wrong = text.replace("element.append(...children)", "element.innerHTML = children.join('')")
            assert wrong != text
            route.fulfill(body=wrong, content_type="text/javascript")

        with Watched(browser) as watched:
            careless = watched.context.new_page()
            careless.route("**/static/dom.js", as_markup)
            careless.goto(served.login_url())
            expect(careless.locator("#item img")).to_have_count(1)
            assert careless.evaluate("window.hurt") is None  # and then the content policy still stands
            assert any("Content Security Policy" in said for said in watched.complaints)


def test_the_content_policy_stops_scripts_and_styles(tmp_path, browser):
    injected = """() => { const one = document.createElement('script'); one.textContent = 'window.hurt = 1';
        document.body.append(one); return window.hurt ?? 0; }"""
    with Served(make_audit(tmp_path / "audit")) as served:
        for bypass in (False, True):
            with Watched(browser, bypass_csp=bypass) as watched:
                page = watched.context.new_page()
                page.goto(served.login_url())
                expect(page.locator("#item > *")).to_be_visible()
                assert page.evaluate(injected) == int(bypass)


def test_a_script_cannot_read_the_cookie_and_the_address_forgets_the_token(tmp_path, visit):
    with Served(make_audit(tmp_path / "audit")) as served:
        page = visit(served)
        assert page.url == served.url + "/"
        assert page.evaluate("document.cookie") == ""
        assert served.cookie in {one["name"] for one in page.context.cookies()}


def test_a_link_works_once_and_can_be_pasted(tmp_path, browser):
    with Served(make_audit(tmp_path / "audit")) as served, Watched(browser) as watched:
        page = watched.context.new_page()
        link = served.login_url()
        page.goto(served.url)
        assert page.url == served.url + "/login"
        page.locator("#token").fill(link)
        page.keyboard.press("Enter")
        expect(page.locator("#item > *")).to_be_visible()
    with Served(served.folder) as served, Watched(browser) as watched:
        page = watched.context.new_page()
        page.goto(served.url + "/login?token=" + link.partition("token=")[2])
        expect(page.locator("#trouble")).to_contain_text("was used before")
        assert page.url == served.url + "/login"
        assert watched.hosts == {f"127.0.0.1:{served.port}"}


def test_an_image_can_be_zoomed_and_moved(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", size=30, images=tmp_path / "images", budget=None)
    with Served(folder) as served:
        page = visit(served)
        image = page.locator("#item img")
        place = lambda: page.evaluate("document.querySelector('#item img').style.transform")  # noqa: E731
        assert place() == "translate(0px, 0px) scale(1)"
        press(page, "+")
        assert place().endswith("scale(1.5)")
        press(page, "-", "-")
        assert place().endswith("scale(1)")
        image.hover()
        page.mouse.wheel(0, -100)
        page.mouse.wheel(0, -100)
        expect(image).to_have_class(re.compile("zoomed"))
        before = place()
        page.keyboard.press("Shift+ArrowLeft")
        assert place() != before
        box = image.bounding_box()
        page.mouse.move(600, 300)
        page.mouse.down()
        page.mouse.move(640, 330)
        page.mouse.up()
        assert image.bounding_box() != box
        press(page, "0")
        assert place() == "translate(0px, 0px) scale(1)"
        page.get_by_role("button", name="Zoom in").click()
        assert place().endswith("scale(1.5)")


def test_the_next_image_is_fetched_ahead_and_once(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", size=30, images=tmp_path / "images", budget=10)
    with Served(folder) as served:
        page = visit(served)
        page.wait_for_load_state("networkidle")  # the first two images are there
        asked = []
        page.on("request", lambda request: "/media/" in request.url and asked.append(request.url))
        for count in range(1, 6):
            press(page, "1")
            answered(page, count)
            shown = page.locator("#item img").get_attribute("src")
            assert served.url + shown not in asked[-1:]  # it was there already; the last one asked for is the next
        for _ in range(100):  # the last is asked for after its answer is shown
            if len(asked) >= 5:
                break
            page.wait_for_timeout(100)
        assert len(asked) == len(set(asked)) == 5


def test_an_image_that_cannot_be_shown_says_why(tmp_path, visit):
    folder = make_audit(tmp_path / "audit", size=3, images=tmp_path / "images", budget=None)
    for image in (tmp_path / "images").iterdir():
        image.write_text("<svg/>")
    with Served(folder) as served:
        page = visit(served)
        expect(page.locator("#item")).to_contain_text("is no PNG, JPEG, GIF, WebP or BMP image")
        press(page, "s")
        expect(page.locator("#progress")).to_contain_text("1 answered")
