"""`altmas doctor` sees what is missing, says how to get it, and never fails itself."""

import errno
import shutil
import subprocess
import sys
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from altmas.commands import doctoring, machine_checks, packages
from altmas.core import machine
from altmas.core.health import Check
from worlds.commands import altmas, told
from worlds.commands import program as run


def found(name, checks):
    return next(one for one in checks if one.name == name)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_needed_works_here_and_nothing_is_left_behind(here):
    said = told("doctor").splitlines()
    assert said[-1].startswith("Everything")
    assert {line.split()[0] for line in said[:-1]} <= {"ok", "missing"}
    for name in ("Python", "altmas", "numpy", "tensorflow", "store", "locks", "port of this machine"):
        assert any(line.startswith(f"ok       {name}: ") for line in said), name
    assert list(here.iterdir()) == []


def test_no_large_package_is_loaded(here):
    program = (
        "import sys; from pathlib import Path; from altmas.commands.doctoring import all_checks; all_checks(Path());"
        "print(sorted({'tensorflow', 'sklearn', 'pandas', 'matplotlib', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=here)
    assert done.stdout == "[]\n", done.stderr


def test_a_needed_package_that_is_missing_or_old_ends_with_code_3(here, monkeypatch):
    true = metadata.version

    def version(name):
        if name == "pandas":
            raise metadata.PackageNotFoundError(name)
        return "1.19.0" if name == "numpy" else true(name)

    monkeypatch.setattr(metadata, "version", version)
    done = altmas("doctor")
    assert done.code == 3
    assert 'missing  pandas: not installed. For altmas itself. python -m pip install "pandas>=2.2"' in done.out
    assert 'missing  numpy: 1.19.0; must be >=2.0. For altmas itself. python -m pip install --upgrade "numpy>=2.0"' in (
        done.out
    )
    assert done.err == ""
    checks = altmas("doctor", "--json").json
    assert not checks["ok"]
    assert [one["name"] for one in checks["checks"] if one["needed"] and not one["ok"]] == ["numpy", "pandas"]


def test_what_is_not_needed_may_be_missing(here, monkeypatch):
    monkeypatch.setattr(packages, "OPTIONAL", (Requirement("nothing-of-that-name"),))
    done = altmas("doctor")
    assert done.code == 0
    assert "missing  nothing-of-that-name: not installed." in done.out


def test_every_declared_requirement_is_looked_at():
    import tomllib

    from worlds.places import ROOT

    texts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted = {Requirement(one).name for one in texts} - {"packaging"}  # an environment may be older than the file
    assert wanted <= {one.name for one in packages.package_checks()}


def test_a_folder_where_nothing_can_be_written(here, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(machine_checks.tempfile, "mkdtemp", refuse)
    checks = machine_checks.machine_checks(here)
    one = found("folder", checks)
    assert not one.ok
    assert one.needed
    assert "Read-only file system" in one.found
    assert found("memory", checks).ok  # the rest was looked at all the same


@pytest.mark.parametrize(
    ("target", "name", "check"),
    [
        ("altmas.audits.connections.connect", "store", "database is locked"),
        ("altmas.core.files.locked", "locks", "no locks"),
        ("altmas.commands.machine_checks.memory_bytes", "memory", "no sysconf"),
        ("altmas.commands.machine_checks.socket.create_server", "port of this machine", "not permitted"),
        ("altmas.commands.machine_checks.printing_browser", "browser that prints", "no which"),
        ("altmas.audits.registry.ready", "record of audits", "no home"),
    ],
)
def test_whatever_raises_is_a_line(here, monkeypatch, target, name, check):
    def refuse(*_, **__):
        raise OSError(check)

    monkeypatch.setattr(target, refuse)
    one = found(name, machine_checks.machine_checks(here))
    assert not one.ok
    assert check in one.found
    assert one.hint


def test_little_memory_and_little_disk_are_told(here, monkeypatch):
    monkeypatch.setattr(machine_checks, "memory_bytes", lambda: 1 << 29)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: type("", (), {"free": 1 << 20}))
    checks = machine_checks.machine_checks(here)
    assert found("memory", checks).found == "0.5 GiB; 2.0 GiB are better"
    assert not found("free disk", checks).ok


def test_a_container_bounds_the_memory(tmp_path, monkeypatch):
    bound = tmp_path / "memory.max"
    bound.write_text("1048576\n")
    monkeypatch.setattr(machine, "_CGROUP", bound)
    assert machine.memory_bytes() == 1 << 20
    bound.write_text("max\n")
    assert machine.memory_bytes() > 1 << 20


def test_a_system_without_sysconf_and_affinity(monkeypatch):
    monkeypatch.delattr(machine.os, "sysconf")
    monkeypatch.delattr(machine.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(machine, "_CGROUP", machine.Path("/nowhere"))
    assert machine.memory_bytes() is None
    assert machine.cores() >= 1


def test_letters_that_cannot_be_shown(here):
    import os

    done = run("doctor", cwd=here, env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert "missing  letters: cp1252." in done.stdout


def test_a_package_that_does_not_load_is_told_by_deep_checks(monkeypatch):
    monkeypatch.setattr(doctoring, "_NETWORKS", "import os; os.abort()")
    monkeypatch.setattr(doctoring, "_ASSESS", "raise ImportError('no such symbol')")
    first, second = doctoring.deep_checks()
    assert not first.ok
    assert "ended with code" in first.found or "Abort" in first.found
    assert second.found == "ImportError: no such symbol"


def test_deep_checks_assess():
    one = found("a small assessment", doctoring.deep_checks())
    assert one.ok
    assert one.found.endswith("truth 0.75")


def test_a_line_of_what_is_missing_but_needed():
    line = doctoring.in_a_line(Check("x", False, "none", "y", "Get it."))
    assert line == "missing  x: none. For y. Get it."


BLOCKED = """
import sys
sys.modules[{name!r}] = None
sys.argv = ["altmas", {command}]
from altmas.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("name", "command"), [("numpy", '"doctor"'), ("click", '"doctor"'), ("pandas", '"status", "x"')]
)
def test_a_package_that_is_missing_is_named_in_one_sentence(here, name, command):
    program = BLOCKED.format(name=name, command=command)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=here)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: package {name} must be installed; got ")
    assert done.stderr.count("\n") == 1
