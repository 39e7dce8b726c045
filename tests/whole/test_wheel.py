"""The wheel: every file that is not Python is in it, and what it installs does the whole job."""

import subprocess
import zipfile

import pytest
from packaging.requirements import Requirement

from worlds.commands import write_files
from worlds.installs import environment, make_wheel
from worlds.places import ROOT

HOMES = {"altmas": "altmas", "metrics": "altmas/metrics", "surrogates": "altmas/surrogates",
         "experiments": "altmas/experiments"}  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return make_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(tmp_path_factory, wheel):
    return environment(tmp_path_factory.mktemp("env") / "wheel", wheel)


def test_every_file_of_the_rooms_is_in_it(wheel):
    """Templates, the page's own files, catalogues of languages: whatever lies beside the code."""
    tracked = subprocess.run(["git", "ls-files", *HOMES], capture_output=True, text=True, cwd=ROOT)
    if tracked.returncode != 0:
        pytest.skip("not a clone: git does not say which files there are")
    held = set(zipfile.ZipFile(wheel).namelist())
    for name in tracked.stdout.splitlines():
        top, _, rest = name.partition("/")
        assert f"{HOMES[top]}/{rest}" in held, name


def test_it_says_what_it_needs_and_where_it_runs(wheel):
    from email import message_from_bytes

    with zipfile.ZipFile(wheel) as held:
        [about] = [name for name in held.namelist() if name.endswith("/METADATA")]
        told = message_from_bytes(held.read(about))
    needed = {Requirement(one).name for one in told.get_all("Requires-Dist") if "extra" not in one}
    assert {"click", "numpy", "tensorflow"} <= needed
    assert not {"pytest", "ruff", "mypy", "dask"} & needed  # nobody who only runs it gets what tests it
    assert told["Requires-Python"] == ">=3.11"


def test_the_installed_program_audits_a_model(python, tmp_path):
    write_files(tmp_path)
    program = python.parent / "altmas"

    def run(*given):
        done = subprocess.run([program, *map(str, given)], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    where = run("doctor")
    assert "site-packages/altmas" in next(line for line in where.splitlines() if line.startswith("ok       altmas: "))
    run("init", "audit", "--predictions", "ours.csv", "--group", "region", "--initial", 20, "--budget", 40)
    run("label", "audit", "--from", "truth.csv")
    run("report", "audit", "-o", "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")
    program_of_words = "from altmas.words.language import languages; print(*languages())"
    said = subprocess.run([python, "-c", program_of_words], capture_output=True, text=True, cwd=tmp_path).stdout
    assert "de" in said.split()
