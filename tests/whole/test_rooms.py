"""Which room may import which, and what a light import must not load."""

import ast
import subprocess
import sys

import pytest

from worlds.places import ROOT

NUMERIC = {"numpy", "scipy"}
LEARNING = {"tensorflow", "tensorflow_probability", "keras", "sklearn", "skopt"}
ALLOWED = {
    "metrics": ({"metrics"}, {"numpy"}),
    "surrogates": ({"metrics", "surrogates"}, NUMERIC | LEARNING),
    "altmas": (
        {"metrics", "surrogates", "altmas"},
        {
            "numpy",
            "scipy",
            "pandas",
            "click",
            "filelock",
            "rich",
            "matplotlib",
            "sklearn",
            "pyarrow",
            "jinja2",
            "markupsafe",
            "starlette",
            "uvicorn",
        },
    ),
    "experiments": ({"metrics", "surrogates", "altmas", "experiments"}, None),
}
LATE = {"sklearn", "matplotlib", "pyarrow", "jinja2", "markupsafe", "starlette", "uvicorn"}
FILES = [(room, path) for room in ALLOWED for path in sorted((ROOT / room).rglob("*.py"))]


def imports(path):
    """(module, lazily) for every import of a file; under TYPE_CHECKING does not count."""
    tree = ast.parse(path.read_text())

    def walk(node, lazy):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            inside = lazy or isinstance(child, ast.FunctionDef)
            if isinstance(child, ast.Import):
                yield from ((alias.name, lazy) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: imports are absolute"
                yield child.module, lazy
            yield from walk(child, inside)

    return list(walk(tree, False))


def room_of(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ALLOWED else "altmas"


@pytest.mark.parametrize(("room", "path"), FILES, ids=[str(p.relative_to(ROOT)) for _, p in FILES])
def test_rooms_import_only_what_they_may(room, path):
    rooms, packages = ALLOWED[room]
    for module, lazy in imports(path):
        top = module.split(".")[0]
        if top == "altmas":
            assert room_of(module) in rooms, f"{path} imports {module}"
            if room == "altmas" and room_of(module) == "surrogates":
                assert lazy, f"{path} must import {module} where it is needed, not at its top"
        elif packages is not None and top not in sys.stdlib_module_names:
            assert top in packages, f"{path} imports {module}"
            if room == "altmas" and top in LATE and path.parent.name not in ("page", "reports"):
                assert lazy, f"{path} must import {module} late"


@pytest.mark.parametrize("path", [p for _, p in FILES], ids=[str(p.relative_to(ROOT)) for _, p in FILES])
def test_nothing_is_imported_that_windows_has_not(path):
    only_posix = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
    assert not only_posix & {module.split(".")[0] for module, lazy in imports(path) if not lazy}


def test_tensorflow_is_imported_in_one_place():
    places = [p.name for _, p in FILES for module, _ in imports(p) if module.split(".")[0] in {"tensorflow", "keras"}]
    assert set(places) == {"backend.py"}


@pytest.mark.parametrize(
    "program",
    [
        "import altmas",
        "import altmas; altmas.assess; altmas.Pool; altmas.make_method('altmas')",
        "import altmas.metrics, altmas.testing, altmas.methods",
        "import sys; sys.argv[1:] = ['--help']\nfrom altmas.cli import main\ntry: main()\nexcept SystemExit: pass",
        "import altmas; y = [0, 1] * 20; altmas.assess(y, oracle=y, method='random', budget=20, initial=10)",
    ],
)
def test_no_tensorflow_is_loaded(program):
    check = (
        program
        + "\nimport sys; bad = {'tensorflow', 'keras', 'sklearn', 'skopt'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", check], check=True, capture_output=True, cwd="/")
