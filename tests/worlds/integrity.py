"""What the tests of integrity share: answers in the WAL alone, harm of every kind, other users, full disks."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager

import pytest

from altmas.audits.store import STORE_FILE
from altmas.audits.witness import WITNESS_FILE
from worlds.attacks import forge
from worlds.audits import answer, make_audit, make_world
from worlds.commands import Done
from worlds.places import ROOT

WAL, SHM = f"{STORE_FILE}-wal", f"{STORE_FILE}-shm"
NOBODY = 65534


def copy_live(folder, target):
    """A copy of a folder as a kill of whoever has it open would leave it."""
    return shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*-shm", "*.lock"))


def left_by_a_kill(folder, world=None, asked=40, more=6, **options):
    """An audit whose last answers are in the WAL alone, and its world; a refit is due where `more` made it so."""
    world = world or make_world()
    with make_audit(folder.with_name(f"{folder.name}-made"), world, **options) as audit:
        answer(audit, world, asked)
        audit.store.checkpoint()
        for query in audit.ask(more):
            audit.tell(query.id, world.label(query.position), annotator="mk")
        copy_live(audit.folder, folder)
    assert (folder / WAL).stat().st_size > 0
    return world


def without_wal(folder, target):
    """What somebody has who copies the database, and nothing that lies beside it."""
    return shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*-wal", "*-shm", "*.lock"))


def made_without_witness(folder):
    """Make an audit look as one of an earlier version: without a witness, and never promised one."""
    forge(
        folder, lambda told: [(at, kind, _unpromised(body), client) for at, kind, body, client in told], witness=False
    )
    (folder / WITNESS_FILE).unlink()


def _unpromised(body):
    return {key: value for key, value in body.items() if key != "witness"}


COMMANDS = """
import json, sys
from worlds.commands import altmas
done = [altmas(*one) for one in json.loads(sys.argv[1])]
print(json.dumps([[one.code, one.out, one.err] for one in done]))
"""


def run_by_others(commands, cwd):
    """Run commands in a process that may not write; how each ended. Root first becomes somebody who owns nothing."""
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "HOME": "/nonexistent"}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": tempfile.gettempdir()}
    texts = json.dumps([list(map(str, one)) for one in commands])
    done = subprocess.run(
        [*become, sys.executable, "-c", COMMANDS, texts], capture_output=True, text=True, cwd=cwd, env=environment
    )
    assert done.returncode == 0, done.stderr
    return [Done(*one) for one in json.loads(done.stdout.splitlines()[-1])]


def for_reading_only(folder):
    """Let everybody look into a folder and its files, and nobody change anything."""
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


@contextmanager
def small_disk(place, kilobytes):
    """A file system of its own, mounted at a new folder."""
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", place], capture_output=True)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill_up(disk):
    """Leave no room on a disk."""
    with (disk / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 1024)
        except OSError:
            pass


def flip(path, chance, bits=1):
    """Flip bits of a file."""
    content = bytearray(path.read_bytes())
    for _ in range(bits):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def cut(path, chance):
    """Leave only the beginning of a file."""
    os.truncate(path, chance.randrange(max(path.stat().st_size, 1)))


def overwrite(path, chance, fill=None):
    """Write a block of zeros, or of anything, over a part of a file, as a bad disk does."""
    content = bytearray(path.read_bytes())
    size = min(chance.choice([16, 512, 4096]), len(content))
    start = chance.randrange(len(content) - size + 1) // size * size
    content[start : start + size] = bytes(size) if fill is None else chance.randbytes(size)
    path.write_bytes(content)
