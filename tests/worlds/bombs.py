"""Files that are small on disk and would exhaust a machine, and a process of its own to open each in."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from worlds.places import ROOT

MIB = 1 << 20
GIB = 1 << 30
MOST_SECONDS = 120
"""When a process is taken for one that hangs: no measure of speed, other work may slow it down."""

ROOM = 1 * GIB
"""Memory that a refusal may take beyond what the program takes to start."""

CHILD = """
import json, resource, sys, time
import altmas.cli, altmas.audits.audit, altmas.formats.ingest, pyarrow.parquet, pyarrow.compute

def at_most(what):
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith(what))

resource.setrlimit(resource.RLIMIT_AS, (at_most("VmSize:") + 4 * (1 << 30),) * 2)  # so that a bomb ends only this
before, start, code = at_most("VmHWM:"), time.perf_counter(), 0
sys.argv = ["altmas", *sys.argv[1:]]
try:
    altmas.cli.main()
except SystemExit as end:
    code = int(end.code or 0)
spent = {"code": code, "bytes": at_most("VmHWM:") - before, "seconds": time.perf_counter() - start}
print("\\n" + json.dumps(spent))
"""


@dataclass(frozen=True)
class Spent:
    """How a command ended, what it said, and what it took."""

    code: int
    said: str
    bytes: int
    seconds: float


def run(*arguments, cwd):
    """The command line in a process that may not take the machine with it."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, arguments)], capture_output=True, text=True, cwd=cwd,
        timeout=MOST_SECONDS, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return Spent(found["code"], done.stderr, found["bytes"], found["seconds"])


def repeated(text, count):
    """A text many times, as Parquet keeps it: once, and references."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([text]))


def parquet(path, columns, groups=1, **options):
    """The same rows again and again, each time as a group of their own; nothing tells of references."""
    table = pa.table(columns)
    with pq.ParquetWriter(path, table.schema, store_schema=False, compression="zstd", **options) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return path


def repeated_text(folder):
    count = 100_000
    return parquet(folder / "a.parquet", {"id": np.arange(count), "label": repeated("x" * MIB, count)})


def repeated_text_in_lists(folder):
    count = 100_000
    lists = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32)), repeated("x" * MIB, count))
    return parquet(folder / "a.parquet", {"id": np.arange(count), "label": ["a"] * count, "more": lists})


def repeated_bytes(folder):
    wide = pa.array([b"x" * MIB] * 64, pa.binary(MIB))
    return parquet(folder / "a.parquet", {"id": np.arange(64), "label": wide}, groups=8)


def repeated_numbers(folder):
    zeros = np.zeros(1_000_000)
    return parquet(folder / "a.parquet", {"id": zeros, **{f"p_{i}": zeros for i in range(20)}}, groups=8)


def one_long_list(folder):
    values = pa.ListArray.from_arrays(pa.array([0, 50_000_000], pa.int32()), pa.array(np.zeros(50_000_000, np.int8)))
    return parquet(folder / "a.parquet", {"id": ["a"], "label": ["b"], "more": values})


def parquet_of_many_columns(folder):
    one = pa.array([1])
    names = [f"c{i}" for i in range(40_000)]
    return parquet(folder / "a.parquet", dict.fromkeys(names, one), use_dictionary=False, write_statistics=False)


def zeros_in_npz(folder, member="id.npy"):
    """1.5 GiB of zeros."""
    path, count = folder / "a.npz", 3 * GIB // 16
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(member, "w") as file,
    ):
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
        for _ in range(8 * count // (64 * MIB)):
            file.write(bytes(64 * MIB))
    return path


def npz_that_claims(folder):
    path = folder / "a.npz"
    with zipfile.ZipFile(path, "w") as archive, archive.open("id.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
        file.write(bytes(8))
    return path


def wide_npz(folder):
    path = folder / "a.npz"
    np.savez_compressed(path, id=np.arange(2), p=np.zeros((2, 1_000_000)))
    return path


def csv_of_many_columns(folder):
    names = ",".join(f"c{i}" for i in range(50_000))
    return written(folder / "a.csv", f"id,label,{names}\n" + ("1,a" + ",0" * 50_000 + "\n") * 20)


def unclosed_quote(folder):
    return written(folder / "a.csv", 'id,label\n1,"' + "cat\n" * (25 * MIB))


def one_long_header(folder):
    return written(folder / "a.csv", "a" * (100 * MIB))


def many_quotes(folder):
    return written(folder / "a.csv", "id,label\n1," + '"' * (100 * MIB) + "\n")


def a_hole(folder, name="a.csv", start=b"id,label\n1,cat\n"):
    """A file that takes no room on disk: it says it is long, and holds nothing."""
    path = folder / name
    path.write_bytes(start)
    os.truncate(path, 2 * GIB - 1 if name.endswith("csv") else 512 * MIB)
    return path


def deep_json(folder, name="a.json"):
    return written(folder / name, "[" * 10 * MIB)


def digits(folder):
    return written(folder / "a.jsonl", '{"id": 1, "label": ' + "9" * (5 * MIB) + "}\n")


def keys_of_their_own(folder):
    lines = "".join(f'{{"id": {i}, "label": "a", "k{i}": 1}}\n' for i in range(29_000))
    return written(folder / "a.jsonl", lines)


def one_long_line(folder):
    return written(folder / "a.jsonl", '{"id": 1, "label": "' + "x" * (100 * MIB) + '"}\n')


def classes_without_end(folder):
    rows = "".join(f"{i},c{i}\n" for i in range(1_000_000))
    return written(folder / "a.csv", "id,label\n" + rows)


def written(path, text):
    path.write_text(text)
    return path
