"""A catalogue holds every text that is said, and no other."""

import ast
import re
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

import altmas
from altmas.words.language import catalogue, languages

HOME = Path(altmas.__file__).parent
COUNTING = ("words", "reports")
"""Rooms whose nouns are translated; the others count for the command line and for refusals, which are English."""

NAMES = re.compile(r"\{(\w*)\}")
TAGS = re.compile(r"</?\w+[^>]*>")


def texts(node):
    """Texts that an argument may be: written out, or one of two."""
    if isinstance(node, ast.IfExp):
        return texts(node.body) + texts(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def template_texts(node):
    if isinstance(node, nodes.CondExpr):
        return template_texts(node.expr1) + template_texts(node.expr2)
    return [node.value] if isinstance(node, nodes.Const) else []


def nouns(words):
    singular, *plural = words
    return {f"{{number}} {singular}", f"{{number}} {plural[0] if plural else singular + 's'}"}


def said_in_python(path):
    counts, found = path.relative_to(HOME).parts[0] in COUNTING, set()
    for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
        name = getattr(call.func, "id", "")
        if name in ("sentence", "to_say"):
            found.update(texts(call.args[0]))
        elif name == "counted" and counts:
            found |= nouns([one for argument in call.args[1:] for one in texts(argument)])
    return found


def said_in_template(path):
    page, found = jinja2.Environment().parse(path.read_text("utf-8")), set()
    for call in page.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "t":
            found.update(template_texts(call.args[0]))
    for used in page.find_all(nodes.Filter):
        if used.name == "counted":
            found |= nouns([one.value for one in used.args])
    return found


@pytest.fixture(scope="module")
def said():
    python = [said_in_python(path) for path in HOME.rglob("*.py")]
    pages = (HOME / "reports" / "templates").iterdir()
    return set().union(*python, *(said_in_template(path) for path in pages if path.suffix != ".css"))


def test_texts_are_found_where_they_are_said(said):
    assert {"not known", "{number} labels", "{number} classes", "{questions} has no label: {reasons}."} <= said


@pytest.mark.parametrize("code", languages()[1:])
def test_a_catalogue_has_every_text_and_no_other(code, said):
    known = set(catalogue(code))
    assert not said - known, "not translated"
    assert not known - said, "said nowhere"


@pytest.mark.parametrize("code", languages()[1:])
def test_translations_have_the_names_and_tags_of_the_english(code):
    for english, other in catalogue(code).items():
        assert set(NAMES.findall(other)) == set(NAMES.findall(english)), english
        assert sorted(TAGS.findall(other)) == sorted(TAGS.findall(english)), english


@pytest.mark.parametrize("code", languages()[1:])
def test_the_example_of_a_number_has_its_marks_where_they_are_looked_for(code):
    assert re.fullmatch(r"1(\D)234(\D)5", catalogue(code)["1,234.5"])
