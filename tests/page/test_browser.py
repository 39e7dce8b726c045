"""The labelling page in a real browser, by keyboard; what it leaves in the store, and whom it talks to."""

import json
import re
import subprocess
import sys
from itertools import cycle, islice

import pytest

from worlds.browser import Watched, answered, expect, press
from worlds.page import ANIMALS, MANY, Served, answers_in, events_of, make_audit, next_item, reply

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
