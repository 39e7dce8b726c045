"""What is never opened, or is too large; what reading loads."""

import io
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from altmas.core import limits
from altmas.formats.arrays import read_array
from altmas.formats.tables import read_table
from altmas.metrics.errors import AltmasError, InputError
from worlds.formats import refused, save


@pytest.mark.parametrize("name", ["m.pkl", "m.pickle", "m.joblib", "m.PT", "m.pth"])
def test_pickles_are_refused_by_name(tmp_path, name):
    refused(
        save(tmp_path, name, b"anything"),
        f"{name} must be CSV, TSV, xlsx, Parquet, JSONL, JSON or npz; got a pickle. "
        "Opening it would run whatever program is in it: ask for another format.",
    )


def test_other_endings_and_paths_that_are_no_files(tmp_path):
    kinds = "CSV, TSV, xlsx, Parquet, JSONL, JSON or npz"
    hint = "Save it as .xlsx, or as 'CSV UTF-8'."
    refused(save(tmp_path, "a.ods", b""), f"a.ods must be {kinds}; got the ending '.ods'. {hint}")
    refused(save(tmp_path, "a", b""), f"a must be {kinds}; got no ending. The name's ending tells the format.")
    refused(tmp_path, f"{tmp_path} must be a file; got a folder.")
    refused("no\0where.csv", "no\0where.csv must be a file; got no file at that path.")


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/altmas-was-here",)


def test_nothing_is_ever_unpickled(tmp_path):
    objects = np.array([Evil()], dtype=object)
    np.save(tmp_path / "a.npy", objects)
    np.savez(tmp_path / "a.npz", x=objects)
    save(tmp_path, "b.npy", pickle.dumps(Evil()))
    save(tmp_path, "b.npz", pickle.dumps(Evil()))
    for name in ("a.npy", "b.npy", "a.npz", "b.npz"):
        with pytest.raises(InputError):
            read_array(tmp_path / name)
    with pytest.raises(InputError, match="array 'x' of a.npz must be an array of numbers or text; got pickled Python"):
        read_table(tmp_path / "a.npz")
    with pytest.raises(InputError, match="a.npy must be an array of numbers or text; got pickled Python objects"):
        read_array(tmp_path / "a.npy")
    assert not os.path.exists("/tmp/altmas-was-here")


def test_bombs_are_measured_before_they_go_off(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(1_000_000))
    pq.write_table(pa.table({"x": pa.array(np.zeros(1_000_000))}), tmp_path / "a.parquet")
    save(tmp_path, "a.csv", "x\n" + "0\n" * 1000)
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    assert (tmp_path / "a.npz").stat().st_size < 20_000
    for name in ("a.npz", "a.parquet"):
        with pytest.raises(InputError, match=f"{name} must unpack to at most 1,000 bytes; got "):
            read_table(tmp_path / name)
    monkeypatch.setattr(limits, "MAX_TEXT_BYTES", 1000)
    refused(tmp_path / "a.csv", "a.csv must be at most 1,000 bytes of text; got 2,002. Parquet holds more.")


def test_an_array_that_claims_more_than_it_holds(tmp_path):
    """The claim alone would be allocated."""
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", member.getvalue() + b"12345678")
    with pytest.raises(InputError, match=r"array 'x' of a.npz must hold what its header claims, shape \(10000"):
        read_table(tmp_path / "a.npz")


def test_the_process_survives_a_file_that_lies_about_its_zip(tmp_path):
    good = io.BytesIO()
    np.savez_compressed(good, x=np.arange(1000))
    lying = bytearray(good.getvalue())
    at = lying.index(b"PK\x01\x02")
    lying[at + 24 : at + 28] = (136 + 8).to_bytes(4, "little")  # the size it says it unpacks to
    with pytest.raises(InputError):
        read_table(save(tmp_path, "a.npz", bytes(lying)))


def test_errors_are_in_the_one_tree():
    assert issubclass(InputError, AltmasError)


def test_reading_formats_loads_nothing_heavy():
    program = (
        "import altmas.formats.ingest, altmas.formats.matching, altmas.formats.writing, altmas.formats.label_studio\n"
        "import sys; bad = {'tensorflow', 'sklearn', 'matplotlib', 'polars', 'starlette'} & set(sys.modules)\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, capture_output=True, cwd="/")
