"""Which room may import which, and what a light import must not load. docs/architecture.md shows the table."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import altmas
import altmas.metrics
import altmas.surrogates
from worlds.places import ROOT

NUMERIC = {"numpy", "scipy"}
LEARNING = {"threadpoolctl", "tensorflow", "tensorflow_probability", "keras", "sklearn", "skopt"}
WEB = {"jinja2", "markdown_it", "markupsafe", "starlette", "uvicorn"}
USUAL = NUMERIC | {"pandas"}

# A row per room in the order of the flow: the rooms it may import, and the packages. Each imports rows above it only.
TABLE = {
    "metrics": ((), NUMERIC),
    "surrogates": (("metrics",), NUMERIC | LEARNING),
    "core": (("metrics",), USUAL | {"rich", "filelock"}),
    "words": (("core", "metrics"), set()),
    "beliefs": (("core", "metrics", "surrogates"), USUAL),
    "certified": (("beliefs", "core", "metrics", "words"), USUAL),
    "methods": (("beliefs", "core", "metrics"), USUAL),
    "bandits": (("core", "metrics", "surrogates", "words"), USUAL),
    "surfaces": (("core", "metrics", "surrogates", "words"), USUAL),
    "plots": (("core", "metrics", "surfaces", "words"), USUAL | {"matplotlib"}),
    "features": (("core", "metrics"), USUAL | {"sklearn", "PIL"}),
    "formats": (("core", "features", "metrics", "words"), USUAL | {"distributed", "openpyxl", "pyarrow", "sklearn"}),
    "catalogue": (("bandits", "certified", "core", "methods", "metrics", "surfaces", "words"), set()),
    "audits": (("catalogue", "core", "formats", "metrics", "surfaces", "words"), USUAL),
    "reports": (("audits", "core", "metrics", "plots", "surfaces", "words"), USUAL | WEB | {"matplotlib", "openpyxl"}),
    "page": (("audits", "core", "metrics"), WEB | {"numpy"}),
    "commands": (
        ("audits", "catalogue", "core", "formats", "metrics", "page", "plots", "reports", "surfaces", "words"),
        USUAL | {"click", "matplotlib", "packaging", "rich"},
    ),
    "given": (("core", "formats", "metrics"), set()),
    "assessment": (("catalogue", "core", "given", "metrics", "surfaces", "words"), USUAL),
    "better": (("assessment", "core", "metrics", "words"), USUAL),
    "testing": (("core", "metrics"), USUAL),
    "demo": (
        ("assessment", "audits", "commands", "core", "metrics", "plots"),
        USUAL | {"click", "matplotlib", "rich", "sklearn"},
    ),
    "cli": (("commands", "core", "demo", "metrics", "words"), {"click"}),
    "__main__": (("cli",), set()),
}

AGAINST = {
    ("altmas/core/result.py", "plots"): "a result draws itself",
    ("altmas/core/result.py", "words"): "a result shows itself in notebooks",
    ("altmas/core/result.py", "reports"): "a result writes its report",
    ("altmas/core/pool.py", "words"): "a pool shows itself in notebooks",
    ("altmas/surfaces/surface.py", "formats"): "a surface writes its table",
    ("altmas/audits/audit.py", "reports"): "an audit writes its report",
}
"""Late imports against the direction: conveniences of what users hold in their hands, and no others."""

LATE = {"PIL", "distributed", "openpyxl", "sklearn", "matplotlib", "pyarrow", *WEB}
"""Packages that cost time to load: imported where they are needed, but for the rooms that are about them."""

FILES = sorted(
    path for room in ("altmas", "metrics", "surrogates", "experiments") for path in (ROOT / room).rglob("*.py")
)


def room_of(parts):
    """The room of a module, given as the parts of its name after `altmas`; modules at the root are rooms of one."""
    return parts[0] if parts else "root"


def here(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return room_of(parts[1:] if parts[0] == "altmas" else parts)


def imports(path):
    """(module, late, only for types) for every import of a file."""

    def walk(node, late, typing):
        for child in ast.iter_child_nodes(node):
            only_types = typing or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
            inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.Import):
                yield from ((alias.name, late, typing) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: imports are absolute"
                whole = child.module == "altmas"
                yield from ((f"altmas.{a.name}" if whole else child.module, late, typing) for a in child.names)
            yield from walk(child, inside, only_types)

    return list(walk(ast.parse(path.read_text()), False, False))


def edges(path):
    """(room, late) for every other room that a file imports when it runs."""
    for module, late, typing in imports(path):
        parts = module.split(".")
        if parts[0] == "altmas" and not typing and parts[1:] != ["__version__"]:
            there = room_of(parts[1:])
            if there != here(path):
                yield there, late


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_import_only_what_they_may(path):
    room, name = here(path), str(path.relative_to(ROOT))
    if room in ("experiments", "__init__"):  # experiments may import everything; the root only names what it offers
        return
    rooms, packages = TABLE[room]
    for there, late in edges(path):
        assert there in rooms or (late and (name, there) in AGAINST), f"{name} imports {there}"
        if there == "surrogates":
            assert late, f"{name} must import surrogates where they are needed, not at its top"
    for module, late, typing in imports(path):
        top = module.split(".")[0]
        if top != "altmas" and top not in sys.stdlib_module_names and not typing:
            assert top in packages, f"{name} imports {module}"
            if top in LATE and room not in ("page", "reports", "surrogates"):
                assert late, f"{name} must import {module} late"


def test_no_room_imports_one_below_it():
    """The table itself has no cycle: every room imports rows above it, late imports included."""
    order = list(TABLE)
    for room, (rooms, _) in TABLE.items():
        assert all(order.index(other) < order.index(room) for other in rooms), room
    assert all(order.index(here(ROOT / name)) < order.index(there) for name, there in AGAINST)


def test_every_room_is_in_the_table_and_every_exception_is_used():
    assert {here(path) for path in FILES} == {*TABLE, "experiments", "__init__"}
    used = {(str(path.relative_to(ROOT)), there) for path in FILES for there, _ in edges(path)}
    assert set(AGAINST) <= used


def test_nobody_imports_experiments():
    for path in FILES:
        assert here(path) == "experiments" or "experiments" not in {room for room, _ in edges(path)}, path


def table():
    """The table of docs/architecture.md, as markdown."""
    lines = ["| room | may import |", "|---|---|"]
    for room, (rooms, _) in TABLE.items():
        name = f"`{room}/`" if (ROOT / "altmas" / room).is_dir() or (ROOT / room).is_dir() else f"`{room}.py`"
        lines.append(f"| {name} | {', '.join(rooms) or 'numpy and scipy alone'} |")
    return "\n".join(lines)


def test_the_page_shows_the_table(capsys):
    page = (ROOT / "docs" / "architecture.md").read_text()
    with capsys.disabled():
        if not sys.stdout.isatty():
            print(f"\n{table()}\n")
    assert table() in page
    for name, why in ((name, why) for (name, _), why in AGAINST.items()):
        assert f"`{name}`" in page
        assert why in page


def test_the_page_names_files_and_functions_that_exist():
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"`((?:altmas|metrics|surrogates|experiments|tests)/[\w/]+\.py)`", page)
    assert len(set(named)) > 30
    for name in named:
        assert (ROOT / name).is_file(), name
    for name, function in re.findall(r"`((?:altmas|metrics|surrogates)/[\w/]+\.py)::(\w+)`", page):
        assert re.search(rf"^\s*(def|class) {function}\b", (ROOT / name).read_text(), re.MULTILINE), function


def test_every_room_says_what_lives_there():
    for room in {path.parent for path in FILES} - {ROOT / "altmas"}:
        assert ast.get_docstring(ast.parse((room / "__init__.py").read_text())), room


@pytest.mark.parametrize("path", [path for path in FILES if here(path) != "experiments"], ids=str)
def test_nothing_is_imported_that_windows_has_not(path):
    only_posix = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
    assert not only_posix & {module.split(".")[0] for module, late, _ in imports(path) if not late}


def test_tensorflow_is_imported_in_one_place():
    places = [
        path.name for path in FILES for module, *_ in imports(path) if module.split(".")[0] in {"tensorflow", "keras"}
    ]
    assert set(places) == {"backend.py"}


def test_public_names():
    assert sorted(altmas.__all__) == [
        "AltmasError", "Audit", "AuditsCompared", "Best", "Better", "CertifiedResult", "Compare", "EstimateGroups",
        "FirstPhase", "Identify", "InputError", "MethodError", "Noisy", "OracleError", "Pool", "Result", "Surface",
        "SurfaceRecipe", "TableOracle", "__version__", "assess", "compare_audits", "estimate_from_log", "is_better",
        "make_method", "membership_from_scores", "surface_from_log", "tune_network",
    ]  # fmt: skip
    assert {
        "AltmasError", "CounterfactualMeans", "InputError", "Metric", "counterfactuals", "expected_cost",
        "from_confusion", "from_labels", "metric", "metric_names", "metrics_named", "tally", "totals",
    } <= set(altmas.metrics.__all__)  # fmt: skip
    for name in (
        "DrawingEstimator", "EnsembleSurrogate", "MCDropoutLeNet", "MCDropoutMLP", "PseudoLabelled", "Tuned",
        "as_drawing", "check_tunable", "pseudo_label", "tune",
    ):  # fmt: skip
        assert getattr(altmas.surrogates, name) is not None
    assert all(getattr(altmas, name) is not None for name in altmas.__all__)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("altmas.displays", "ForestDisplay"),
        ("altmas.estimates", "on_answers"),
        ("altmas.lockstep", "simulate"),
        ("altmas.method", "Run"),
        ("altmas.method_random", "RandomRun"),
        ("altmas.plots", "save"),
        ("altmas.policies", "Choice"),
        ("altmas.streams", "stream"),
        ("altmas.surfaces.plots", "MarginalDisplay"),
        ("altmas.commands.keeping", "labels_table"),
        ("altmas.experiments.bench", "run_sweep"),
        ("altmas.experiments.bench_rows", "to_frame"),
        ("altmas.experiments.bench_spec", "parse_sweep"),
        ("altmas.experiments.bench_pools", "BenchPool"),
    ],
)
def test_paths_that_pages_once_showed_still_work(path, name):
    assert getattr(importlib.import_module(path), name) is not None


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_import_paths_of_pages_work(page):
    shown = re.findall(r"from (altmas[\w.]*) import ([\w, ]+)", page.read_text())
    shown += [(module, "") for module in re.findall(r"python -m (altmas[\w.]+)", page.read_text())]
    for module, names in shown:
        found = importlib.import_module(module)
        for name in filter(None, (one.strip() for one in names.split(","))):
            assert hasattr(found, name), f"{page.name}: from {module} import {name}"


@pytest.mark.parametrize(
    "program",
    [
        "import altmas",
        "import altmas; altmas.assess; altmas.Pool; altmas.make_method('altmas')",
        "import altmas.metrics, altmas.testing, altmas.catalogue",
        "import sys; sys.argv[1:] = ['--help']\nfrom altmas.cli import main\ntry: main()\nexcept SystemExit: pass",
        "import altmas; y = [0, 1] * 20; altmas.assess(y, oracle=y, method='random', budget=20, initial=10)",
    ],
)
def test_no_tensorflow_is_loaded(program):
    check = (
        program
        + "\nimport sys; bad = {'tensorflow', 'keras', 'sklearn', 'skopt'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", check], check=True, capture_output=True, cwd=Path("/"))
