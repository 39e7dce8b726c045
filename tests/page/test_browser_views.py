"""What the page shows in a real browser: other annotators, what is hidden, keys, images, and nothing that runs."""

import re

import pandas as pd

from worlds.browser import Watched, answered, expect, press
from worlds.page import Served, answers_in, events_of, make_audit

HOSTILE = '<img src="x" onerror="window.hurt = 1"><script>window.hurt = 1</script> & "quotes"'


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
