"""The README and the docs do what they say: every block runs, every command exists, every example holds."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import altmas
from altmas.cli import commands
from worlds.places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ROOMS = ["altmas", "altmas.metrics", "altmas.surrogates", "altmas.experiments"]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def modules():
    """Every module below altmas, however deep, so that no room can be forgotten."""
    for room in ROOMS:
        folder = Path(importlib.import_module(room).__file__).parent  # altmas.__path__ has the folder above it as well
        yield room
        yield from (one.name for one in pkgutil.walk_packages([str(folder)], f"{room}.", onerror=_cannot_import))


def _cannot_import(name):
    raise ImportError(f"{name} must be importable")


@pytest.mark.parametrize("name", sorted(set(modules())))
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(page, tmp_path):
    """All blocks of a page, in order, in one process, as a reader would type them."""
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks(page, "python")))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_console_blocks_name_targets_and_commands_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    lines = [line for page in PAGES for block in blocks(page, "console") for line in block.splitlines() if line.strip()]
    assert lines
    for line in lines:
        program, command, *_ = line.split()
        known = {"make": targets, "altmas": set(commands.list_commands(None))}
        assert command in known.get(program, ()), line


def test_every_command_and_method_and_metric_is_documented():
    text = "\n".join(page.read_text() for page in PAGES)
    for command in commands.list_commands(None):
        assert f"altmas {command}" in text or f"make {command}" in text
    from altmas.catalogue import METHODS
    from altmas.metrics import metric_names

    for name in METHODS:
        assert f"`{name}`" in text or f'"{name}"' in text
    catalogue = (ROOT / "docs" / "metrics.md").read_text()
    for name in metric_names():
        family, _, kind = name.partition("_")
        known = f"`{name}`" in catalogue or (f"`{family}_`" in catalogue and f"`{kind}`" in catalogue)
        assert known, name


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_public_name_is_documented():
    for name in altmas.__all__:
        if not name.startswith("_"):
            assert (getattr(altmas, name).__doc__ or "").strip(), name


def test_pages_speak_of_the_product_alone():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        assert not re.search(r"\bissue \d|\bsession\b|/work/", page.read_text()), page


def test_every_promise_of_security_has_its_test():
    text = (ROOT / "SECURITY.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    written = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(rows) > 30
    for row in rows:
        names = re.findall(r"`(tests/[\w/]+\.py|test_\w+)`", row.split("|")[2])
        assert names, row
        for name in names:
            exists = (ROOT / name).is_file() if name.startswith("tests/") else f"def {name}(" in written
            assert exists, name


def test_demo_writes_its_figure_and_tables(tmp_path):
    done = CliRunner().invoke(commands, ["demo", "--budget", "60", "--out", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    import json

    rows = json.loads(done.stdout)["methods"]
    assert {row["method"] for row in rows} == {"certified", "altmas", "bald", "random"}
    assert {row["metric"] for row in rows} == {"accuracy", "macro_precision", "macro_recall"}
    for row in rows:
        assert abs(row["estimate"] - row["truth"]) == pytest.approx(row["error"])
    names = {p.name for p in (tmp_path / "out").iterdir()}
    assert {
        "relative-error.svg",
        "relative-error.png",
        "estimates.csv",
        "history-altmas.csv",
        "answers-bald.csv",
        "report.html",
        "audit",
    } <= names


def test_command_line_refusals_are_one_sentence(tmp_path):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "altmas", *arguments], capture_output=True, text=True, cwd=tmp_path
        )

    done = run("demo", "--budget", "0")
    assert (done.returncode, done.stderr) == (2, "Error: budget must be an int >= 1; got 0.\n")
    assert run("demo", "--budget", "many").returncode == 2
    assert run("nonsense").returncode == 2
    assert run("--version").stdout.strip() == f"altmas, version {altmas.__version__}"
    assert run("--help").returncode == 0
