"""Broken files: every importer gives a table or refuses in a sentence; nothing else ever comes out of it."""

import io
import json
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from altmas.formats.arrays import read_array
from altmas.formats.ingest import ingest
from altmas.formats.matching import match
from altmas.formats.returned import read_export, read_returned
from altmas.formats.tables import read_table
from altmas.metrics.errors import AltmasError

ROWS = 12
IDS = [f"{i:03d}" for i in range(ROWS)]
SAID = ["cat", "dög", '=c"ow'] * 4
FRAME = pd.DataFrame(
    {
        "id": IDS,
        "prediction": SAID,
        "n": range(2**62, 2**62 + ROWS),
        "score": np.linspace(0.4, 1, ROWS),
        "label": ["cat", "unsure", ""] * 4,
    }
)
GIVEN = [{"type": "choices", "from_name": "altmas_label", "value": {"choices": [said]}} for said in SAID]
BY = {"completed_by": {"email": "a@b"}, "updated_at": "2026-11-16T14:02:11Z"}
EXPORT = [
    {"id": i, "data": {"altmas_id": one}, "annotations": [{**BY, "was_cancelled": i == 3, "result": [GIVEN[i]]}]}
    for i, one in enumerate(IDS)
]


def parquet(**options):
    sink = io.BytesIO()
    table = pa.table({**{str(k): v for k, v in FRAME.to_dict("list").items()}, "emb": [[1.0, 2.0]] * ROWS,
                      "kind": pa.array(SAID).dictionary_encode(), "gap": pa.array([1, None] * 6)})  # fmt: skip
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def polars_parquet():
    sink = io.BytesIO()
    pl.DataFrame(FRAME.to_dict("list")).write_parquet(sink)
    return sink.getvalue()


def npz(save):
    sink = io.BytesIO()
    save(sink, id=np.array(IDS), prediction=np.array(SAID), label=np.array(SAID), p=np.eye(ROWS, 3, dtype=np.float32))
    return sink.getvalue()


def npy():
    sink = io.BytesIO()
    np.save(sink, np.arange(24.0).reshape(ROWS, 2))
    return sink.getvalue()


CSV = FRAME.to_csv(index=False)
VALID = {
    "csv": ("csv", CSV.encode()),
    "utf-16": ("csv", CSV.encode("utf-16")),
    "semicolons": ("csv", FRAME.to_csv(index=False, sep=";", lineterminator="\r\n", quoting=1).encode()),
    "tsv": ("tsv", FRAME.to_csv(index=False, sep="\t").encode()),
    "jsonl": ("jsonl", FRAME.to_json(orient="records", lines=True).encode()),
    "json": ("json", FRAME.to_json(orient="records", force_ascii=False).encode()),
    "parquet": ("parquet", parquet()),
    "parquet, plain": ("parquet", parquet(compression="none", use_dictionary=False)),
    "parquet, polars": ("parquet", polars_parquet()),
    "npz": ("npz", npz(np.savez)),
    "npz, compressed": ("npz", npz(np.savez_compressed)),
    "npy": ("npy", npy()),
    "label studio": ("json", json.dumps(EXPORT).encode()),
}
PIECES = [b'"', b"\n", b"\r", b",", b";", b"\t", b"\x00", b"\xff", b"{", b"[", b"}", b"]",
          b"\\ud800", b"null", b"1e999", b"-1", b"\xef\xbb\xbf", b"\xff\xfe", b"PK\x01\x02", b"PAR1", b"'descr': '|O'",
          b"\x80\x80\x80\x80\x08", b"9" * 400]  # fmt: skip


def broken(data, rng):
    """A valid file with a few bytes changed, cut out, put in, doubled or swapped."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + rng.choice([1, 1, 2, 8, 64]))
        how = rng.randrange(7)
        if how == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif how == 1 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif how == 2:
            del data[at:to]
        elif how == 3:
            data[at:at] = data[at:to]
        elif how == 4:
            data[at:at] = rng.choice(PIECES)
        elif how == 5:
            data[at:to] = rng.randbytes(to - at)
        else:
            data[at:to] = rng.choice([b"\0", b"\xff"]) * (to - at)
        if not data:
            return b""
    return bytes(data) if rng.random() < 0.97 else bytes(data[: rng.randrange(len(data) + 1)])


def survives(path, outcomes):
    """Every importer that may meet this file gives something or refuses."""
    importers = [read_table, read_returned, read_array, lambda p: ingest(p, classes=["cat", "dög", '=c"ow'])]
    if path.suffix == ".json":
        importers.append(read_export)
    for importer in importers:
        try:
            found = importer(path)
            if importer is read_table:
                assert isinstance(found, pd.DataFrame)
                found.map(str)  # every cell can be seen
            elif importer is read_returned:
                match(found, {one: i for i, one in enumerate(IDS)}, IDS, ["cat", "dog"])
            elif importer is read_array:
                np.asarray(found).sum()
            outcomes["read"] += 1
        except (AltmasError, OSError):
            outcomes["refused"] += 1


def fuzz(folder, case, count, seed):
    suffix, data = VALID[case]
    rng = random.Random(f"{case} {seed}")
    path = folder / f"a.{suffix}"
    outcomes = {"read": 0, "refused": 0}
    for number in range(count):
        path.write_bytes(broken(data, rng))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("altmas.core.limits.MAX_BYTES", 50_000_000)
            try:
                survives(path, outcomes)
            except Exception as error:
                error.add_note(f"{case}, example {number}: {path.read_bytes()!r}")
                raise
    return outcomes


@pytest.mark.filterwarnings("ignore:scores are:UserWarning")
@pytest.mark.parametrize("case", VALID)
def test_broken_files(tmp_path, case):
    outcomes = fuzz(tmp_path, case, 300, 0)
    # Both happen, or the examples were too broken or not broken enough.
    assert min(outcomes.values()) > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:scores are:UserWarning")
@pytest.mark.parametrize("case", VALID)
def test_broken_files_at_length(tmp_path, case):
    outcomes = fuzz(tmp_path, case, 10_000, 1)
    print(f"{case}: {outcomes}")
    assert min(outcomes.values()) > 0


@pytest.mark.filterwarnings("ignore:scores are:UserWarning")
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "npz", "npy"])
def test_any_bytes_at_all(tmp_path_factory, suffix):
    folder = tmp_path_factory.mktemp("bytes")

    @given(st.binary(max_size=200))
    @settings(max_examples=100)
    def check(data):
        path = folder / f"a.{suffix}"
        path.write_bytes(data)
        survives(path, {"read": 0, "refused": 0})

    check()


KEYS = ["id", "label", "data", "annotations", "completions", "result", "type", "value", "choices", "altmas_id",
        "altmas_label", "completed_by", "prediction", "was_cancelled"]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=25,
)


@pytest.mark.filterwarnings("ignore:scores are:UserWarning")
def test_any_json_at_all(tmp_path_factory):
    path = tmp_path_factory.mktemp("json") / "a.json"

    @given(st.lists(JSON, max_size=4) | JSON)
    @settings(max_examples=150)
    def check(value):
        path.write_text(json.dumps(value))
        survives(path, {"read": 0, "refused": 0})

    check()
