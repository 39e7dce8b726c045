"""Imports hold in every kind of install. Each test runs in a virtual environment of its own."""

import subprocess
import sys

import pytest

from worlds.installs import environment, make_wheel, run
from worlds.places import ROOT

PROGRAM = """
import altmas, altmas.metrics, altmas.surrogates, altmas.experiments, pathlib
home = pathlib.Path(altmas.__file__).resolve()
print(home)
assert altmas.metrics.metric("accuracy", [0, 1]).name == "accuracy"
assert altmas.Pool.build([0, 1]).size == 2
import sysconfig
tops = {p.stem for p in pathlib.Path(sysconfig.get_paths()["purelib"]).iterdir()}
assert not {"metrics", "surrogates", "experiments", "tests"} & tops, tops
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def from_wheel(tmp_path_factory, wheel):
    return environment(tmp_path_factory.mktemp("env") / "wheel", wheel)


@pytest.fixture(scope="session")
def editable(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("env") / "editable", "--editable", ROOT)


@pytest.fixture
def crowded(tmp_path):
    """A user's project with rooms of the same names."""
    (tmp_path / "metrics.py").write_text("raise RuntimeError('the wrong metrics')")
    for name in ("surrogates", "experiments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise RuntimeError('the wrong {name}')")
    return tmp_path


def test_editable_from_the_root(editable):
    assert run(editable, "-c", PROGRAM, cwd=ROOT).startswith(str(ROOT))


def test_editable_from_elsewhere(editable, crowded):
    assert run(editable, "-c", PROGRAM, cwd=crowded).startswith(str(ROOT))


def test_wheel_from_the_root(from_wheel):
    # The checkout's own altmas/ is found first, with its rooms beside it.
    run(from_wheel, "-c", PROGRAM, cwd=ROOT)
    # A script elsewhere with the root as working directory sees the wheel.
    assert "site-packages" in run(from_wheel, "-P", "-c", PROGRAM, cwd=ROOT)


def test_wheel_from_a_crowded_directory(from_wheel, crowded):
    assert "site-packages" in run(from_wheel, "-c", PROGRAM, cwd=crowded)


def test_wheel_with_mypy_on_a_users_program(from_wheel, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import altmas\n"
        "result: altmas.Result = altmas.assess([0, 1], oracle=[0, 1], budget=2, initial=1)\n"
        "print(result.estimates.shape)\n"
    )
    out = run(sys.executable, "-m", "mypy", "--strict", "--python-executable", from_wheel, "mine.py", cwd=tmp_path)
    assert "Success" in out
    (tmp_path / "wrong.py").write_text("import altmas\naltmas.assess([0, 1], oracle=[0, 1], budget='many')\n")
    bad = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-executable", from_wheel, "wrong.py"],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert 'Argument "budget"' in bad.stdout


def test_the_whole_package_is_typed(from_wheel, tmp_path):
    """mypy --strict follows neither an editable finder nor package-dir, so it looks at the installed wheel."""
    command = (
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        ROOT / "pyproject.toml",
        "--python-executable",
        from_wheel,
    )
    assert "Success" in run(*command, "-p", "altmas", cwd=tmp_path)
