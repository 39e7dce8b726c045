"""The report in a real browser: light, dark, narrow, printed; no request, no serious accessibility finding."""

import shutil
import subprocess
from pathlib import Path

import pytest

from altmas.reports.writing import write_report
from worlds.browser import axe_findings
from worlds.reports import HOSTILE, made

PICTURES = Path("/tmp/altmas-report")
"""Where screenshots go, to be looked at."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A plain report, one of two models with items' contents, one of four with targets, one with hostile names."""
    home = tmp_path_factory.mktemp("browser")
    kinds = {
        "plain": ({"unsure": 1, "title": "Animals at the gate"}, {}),
        "several": ({"models": 2, "metrics": ["accuracy", "macro_f1"]}, {"contents": True}),
        "four": ({"models": 4, "targets": ["accuracy >= 0.6", "recall:cat >= 0.5"], "budget": 90}, {}),
        "hostile": ({"names": HOSTILE, "title": HOSTILE[1]}, {"contents": True}),
    }
    found = {}
    for name, (settings, options) in kinds.items():
        with made(home / name, **settings) as audit:
            found[name] = write_report(audit, home / f"{name}.html", **options)
    return found


@pytest.fixture
def opened(browser, reports):
    """Open a report and watch what it asks for and complains about; nothing is allowed."""
    contexts, seen = [], []

    def show(name, width=1280, height=800, scheme="light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        address = reports[name].as_uri()
        page.on("request", lambda request: seen.append(request.url) if request.url != address else None)
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        page.goto(address)
        return page

    yield show
    for context in contexts:
        context.close()
    assert seen == []


def picture(page, name, *, full=True):
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=full)


def test_first_screen_answers_the_three_questions(opened):
    page = opened("plain")
    picture(page, "first", full=False)
    for question in ("How good is model 0?", "How sure are we?", "Where is it worst?", "What next?"):
        heading = page.get_by_role("heading", name=question)
        box = heading.locator("xpath=..").bounding_box()
        assert box["y"] + box["height"] <= 800
    assert page.get_by_role("img", name="accuracy about").first.bounding_box()["width"] > 300


def test_first_screen_of_four_models_says_which_how_good_and_how_sure(opened):
    page = opened("four")
    picture(page, "first-four", full=False)
    for question in ("Which is best?", "How good are they?", "How sure are we?"):
        box = page.get_by_role("heading", name=question).locator("xpath=..").bounding_box()
        assert box["y"] + box["height"] <= 800
    table = page.locator("table.ranking")
    assert table.locator("tbody tr").count() == 4
    assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")  # nothing of it is cut off


@pytest.mark.parametrize("name", ["plain", "four", "hostile"])
def test_on_a_telephone_letters_stay_readable_and_what_is_wide_scrolls(opened, name):
    page = opened(name, width=375)
    smallest = page.evaluate("""() => Math.min(...[...document.querySelectorAll('figure svg')].flatMap(svg => {
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return [...svg.querySelectorAll('text')].map(one => scale * parseFloat(getComputedStyle(one).fontSize));
    }))""")
    assert smallest >= 11
    wide = page.locator(".scroll").evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length")
    assert wide > 0
    shadows = page.locator(".scroll").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundImage)")
    assert all(one.count("gradient") == 4 for one in shadows)


@pytest.mark.parametrize("name", ["plain", "several", "four", "hostile"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (768, "light"), (375, "dark")])
def test_renders_without_running_off_the_page(opened, name, width, scheme):
    page = opened(name, width=width, scheme=scheme)
    picture(page, f"{name}-{width}-{scheme}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    for figure in page.locator("figure svg").all():
        assert figure.bounding_box()["height"] > 60
    assert page.locator("script, img").count() == 0


def test_figures_take_the_colours_of_the_page(opened):
    inks = []
    for scheme in ("light", "dark"):
        page = opened("plain", scheme=scheme)
        text = page.locator("figure svg text").first
        inks.append(text.evaluate("one => getComputedStyle(one).fill"))
        assert text.evaluate("one => getComputedStyle(one).fontFamily") == page.evaluate(
            "getComputedStyle(document.body).fontFamily"
        )
    assert inks[0] != inks[1]


def test_links_and_details_work_without_script(opened):
    page = opened("plain")
    page.get_by_role("link", name="Audit trail").click()
    assert page.url.endswith("#trail")
    events = page.locator("#trail details.long")
    assert not events.locator("table").is_visible()
    events.locator("summary").click()
    assert events.locator("table").is_visible()
    assert events.locator("tbody tr").count() > 60


def test_prints_in_black_on_white_even_where_the_screen_is_dark(opened, tmp_path):
    page = opened("plain", scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    target = tmp_path / "report.pdf"
    page.pdf(path=target, format="A4", print_background=True)
    assert target.read_bytes().startswith(b"%PDF")
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", target, "-"], check=True, capture_output=True, text=True).stdout
        assert "Accuracy of model 0 is" in text
        assert "P(worst)" in text  # the tables behind the figures are printed
    if shutil.which("pdftoppm"):
        PICTURES.mkdir(exist_ok=True)
        subprocess.run(["pdftoppm", "-r", "60", "-png", target, PICTURES / "print"], check=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["plain", "several", "four"])
def test_no_serious_accessibility_finding(opened, name, scheme):
    page = opened(name, scheme=scheme, bypass_csp=True)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert axe_findings(page) == []
