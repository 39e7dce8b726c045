"""How the labelling page looks: on small screens, to those who use the keyboard, and to axe-core."""

from itertools import product

import pandas as pd
import pytest

from worlds.browser import Watched, answered, axe_findings, expect, press
from worlds.page import MANY, Served, make_audit

WORLDS = {
    "text": {"guidelines": "Label what you see.\n" * 5},
    "image": {"images": True},
    "row": {"items": pd.DataFrame({"name": ["x" * 200] * 60, "text": ["word " * 200] * 60}), "size": 60},
    "many": {"classes": MANY},
    "long": {"classes": ("w" * 60, "a class with a rather long name", "c")},
}


def world(tmp_path, name, **more):
    settings = {**WORLDS[name], **more}
    if settings.get("images"):
        settings["images"] = tmp_path / "images"
    return make_audit(tmp_path / name, **settings)


@pytest.mark.parametrize("name", WORLDS)
def test_nothing_sticks_out_at_320_pixels(tmp_path, visit, name):
    with Served(world(tmp_path, name)) as served:
        page = visit(served, viewport={"width": 320, "height": 640})
        press(page, "g", "n")
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        page.keyboard.press("Escape")
        press(page, "?")
        assert page.evaluate("document.querySelector('#help').getBoundingClientRect().width") <= 320


def test_focus_can_be_seen_everywhere(tmp_path, visit):
    with Served(world(tmp_path, "text")) as served:
        page = visit(served)
        seen = set()
        for _ in range(14):
            page.keyboard.press("Tab")
            focus = page.evaluate("""() => { const one = document.activeElement, style = getComputedStyle(one);
                return [one.id || one.textContent, style.outlineStyle, parseFloat(style.outlineWidth)]; }""")
            seen.add(focus[0])
            if focus[0] and page.evaluate("document.activeElement !== document.body"):
                assert focus[1] == "solid"
                assert focus[2] >= 2
        assert {"guidelines-button", "help-button", "item", "1cat", "unsure-button", "estimate-button"} <= seen


# Accessibility, by axe-core


def scenes(page):
    """The states of the page, one after the other."""
    yield "label"
    press(page, "g", "n")
    yield "guidelines and note"
    page.keyboard.press("Escape")
    press(page, "?")
    expect(page.locator("#help")).to_be_visible()
    yield "help"
    page.locator("#settings-button").click()
    page.locator("#settings-keys input").first.press("Enter")
    yield "settings"
    page.locator("#settings-close").click()
    if page.locator("#filter").count():
        page.locator("#filter").fill("1")
        yield "filter"
        page.keyboard.press("Escape")
    press(page, "u")
    answered(page, 1)
    press(page, "ArrowLeft")
    expect(page.locator("#notice")).to_be_visible()
    yield "review"
    page.locator("#estimate-button").click()
    expect(page.locator("#estimate")).to_be_visible()
    yield "estimate"
    page.locator("#estimate-close").click()
    press(page, "ArrowRight")
    expect(page.locator("#notice")).to_be_hidden()
    press(page, "u")
    answered(page, 2)
    expect(page.locator("#done")).to_be_visible()
    yield "done"


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("text", "light"),
        ("many", "dark"),
        *(pytest.param(*rest, marks=pytest.mark.slow) for rest in product(("image", "row"), ("light", "dark"))),
        pytest.param("text", "dark", marks=pytest.mark.slow),
        pytest.param("many", "light", marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious(tmp_path, visit, name, scheme):
    found = {}
    with Served(world(tmp_path, name, budget=2)) as served:
        page = visit(served, color_scheme=scheme, bypass_csp=True)
        for scene in scenes(page):
            if problems := axe_findings(page):
                found[scene] = problems
    assert found == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_at_the_login(tmp_path, browser, scheme):
    options = {"color_scheme": scheme, "bypass_csp": True}
    with Served(make_audit(tmp_path / "audit")) as served, Watched(browser, **options) as watched:
        page = watched.context.new_page()
        page.goto(served.url + "/login")
        page.locator("#token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("#trouble")).to_be_visible()
        assert axe_findings(page) == []
        page.evaluate("document.querySelector('label').remove()")
        assert [one[0] for one in axe_findings(page)] == ["label"]  # it would have seen a mistake
