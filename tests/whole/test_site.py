"""The site is whole: it builds without a warning, has every public name, and loads nothing from elsewhere."""

import doctest
import importlib
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import altmas
from worlds.places import DOCS, ROOT

sys.path.insert(0, str(DOCS / "building"))  # as MkDocs does for its hooks
reference = importlib.import_module("reference")

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("form", "action")}
"""What a browser loads by itself, unlike the target of a link."""


class Page(HTMLParser):
    """Addresses on a page, the ids of its parts, and its text."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.ids, self.words = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src", "action") and value:
                self.addresses.append((tag, name, value))
            if name == "id":
                self.ids.add(value)

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="the site needs pip install '.[site]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    silent = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # as in the Makefile
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=silent)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}


def public_names():
    for home in (altmas, importlib.import_module("altmas.metrics"), importlib.import_module("altmas.testing")):
        yield from (f"{home.__name__}.{name}" for name in home.__all__ if not name.startswith("_"))


def test_every_public_name_has_a_page(site):
    written = {path.stem for path in (site / "reference").glob("*.html")}
    assert written == {"index", *public_names()}


@pytest.mark.parametrize("of", [altmas.Audit, altmas.Pool, altmas.Result, altmas.CertifiedResult])
def test_every_public_method_has_a_part_of_its_page(of, site, pages):
    ids = pages[site / "reference" / f"altmas.{of.__name__}.html"].ids
    public = [name for name in dir(of) if not name.startswith("_") and not isinstance(getattr(of, name), str | tuple)]
    assert len(public) > 3
    fields = set(getattr(of, "__dataclass_fields__", ()))
    assert [name for name in public if name not in fields and name not in ids] == []


def test_every_example_of_a_public_name_is_shown_as_code(site, pages):
    for name in public_names():
        home, _, last = name.rpartition(".")
        text = getattr(importlib.import_module(home), last).__doc__ or ""
        shown = "".join(pages[site / "reference" / f"{name}.html"].words)
        for example in re.findall(r"^\s*(>>> .*)$", text, flags=re.MULTILINE):
            assert example in shown, name


def test_every_page_of_the_docs_is_in_the_navigation(site, pages):
    front = pages[site / "index.html"]
    listed = {unquote(urlsplit(value).path) for tag, _, value in front.addresses if tag == "a"}
    for page in DOCS.glob("*.md"):
        assert f"{page.stem}.html" in listed, page.name


def test_nothing_is_loaded_from_elsewhere(pages, site):
    for path, page in pages.items():
        for tag, name, value in page.addresses:
            if (tag, name) in LOADED:
                assert urlsplit(value).scheme in ("", "data"), f"{path.name}: {value}"
                assert not value.startswith("//"), f"{path.name}: {value}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text()), sheet.name


def test_links_of_the_site_lead_somewhere(pages):
    """Also to parts of pages, those of the navigation and of generated pages too."""
    for path, page in pages.items():
        for _, _, value in page.addresses:
            parts = urlsplit(value)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{path.name}: {value}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids | {"__comments"}, f"{path.name}: {value}"


def test_search_finds_words_of_every_kind_of_page(site):
    """The index is a script, so that search works from a folder, without a server."""
    written = (site / "search" / "search_index.js").read_text()
    entries = json.loads(written[written.index("{") :].rstrip().rstrip(";"))["docs"]
    found = {entry["location"].partition("#")[0]: entry for entry in entries}
    assert {"dirty-files.html", "reference/altmas.assess.html", "changelog.html", "tutorial.html"} <= set(found)
    assert any(place.startswith("gallery/") for place in found)
    assert any("decimal commas" in entry["text"] for entry in entries)


def test_search_and_narrow_screens_in_a_browser_without_a_server(site):
    """From the folder, with nothing asked of any other machine."""
    from worlds.browser import chromium, expect

    with chromium() as browser:
        page = browser.new_page(viewport={"width": 375, "height": 800})
        asked = []
        page.on("request", lambda request: asked.append(urlsplit(request.url)))
        for name in ("index", "dirty-files", "command-line", "reference/altmas.assess", "gallery/01-vendor-audit"):
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
        page.set_viewport_size({"width": 1280, "height": 900})
        page.get_by_role("textbox", name="Search").click()
        page.keyboard.type("decimal commas")
        expect(page.locator(".md-search-result__item").first).to_contain_text("Ordinary files")
    assert {one.scheme for one in asked} <= {"file", "data", "blob"}, asked


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 200


@pytest.mark.parametrize("name", ["notebooks", "reference"])
def test_examples_of_what_builds_the_site(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_reference_pages_load_no_tensorflow():
    program = (
        "import sys; from reference import reference_pages; reference_pages(); sys.exit('tensorflow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=DOCS / "building", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_public_names_of_the_reference_are_those_of_the_package():
    told = {f"{home}.{name}" for home, names in reference.public_names().items() for name in names}
    assert told == set(public_names())
