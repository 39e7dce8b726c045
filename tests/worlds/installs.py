"""Wheels of the project, and environments in which they are installed."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from worlds.places import ROOT


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_wheel(out):
    """Build the wheel into a folder."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", out, ROOT)
    return next(out.glob("altmas-*.whl"))


def environment(folder, *install):
    """A new environment that sees this one's packages, but not its altmas, and has altmas installed as told."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    purelib = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip())
    # A path in a .pth file is searched, but the .pth files in it (an editable altmas) are not read.
    packages = [sysconfig.get_paths()["purelib"], *(one for one in sys.path if one.endswith("site-packages"))]
    (purelib / "packages.pth").write_text("\n".join(dict.fromkeys(packages)) + "\n")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation",
        "--ignore-installed", "--disable-pip-version-check", *install)  # fmt: skip
    return python
