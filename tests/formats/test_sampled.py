"""Logs in many files: counted and sampled in one pass, the same whoever reads them; and what is wrong with them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from altmas.formats import sampled
from altmas.formats.first_pass import Collector, draw, scanned
from altmas.formats.many_files import found_files, split
from altmas.formats.sampled import first_pass, ingest_sample, planned
from altmas.metrics.errors import InputError

NAMED = dict.fromkeys(("id", "prediction", "scores", "confidence"))


def write(folder, files=4, rows=3_000, **changes):
    """A log: `changes` are columns of file 1 that are otherwise."""
    folder.mkdir(exist_ok=True)
    for k in range(files):
        rng = np.random.default_rng(k)
        said = rng.choice(["cat", "dog", "emu"], rows, p=[0.7, 0.298, 0.002])
        table = pd.DataFrame({
            "id": np.arange(k * rows, (k + 1) * rows), "prediction": said, "score": rng.uniform(0.5, 1, rows),
            "region": rng.choice(["north", "south"], rows), "text": [f"row {i} of {k}" for i in range(rows)],
        })  # fmt: skip
        table = table.assign(**changes) if k == 1 else table
        pq.write_table(
            pa.Table.from_pandas(table, preserve_index=False), folder / f"part-{k}.parquet", row_group_size=700
        )
    return folder


def whole(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))], ignore_index=True)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return write(tmp_path_factory.mktemp("log") / "log")


def test_counts_are_those_of_all_rows(log):
    found, every = ingest_sample(log, sample=600, seed=1, groups=["region"]), whole(log)
    pool = found.pool
    assert (pool.size, pool.whole) == (600, 12_000)
    for k, name in enumerate(pool.classes):
        assert pool.rows(pool.predictions == k) == (every.prediction == name).sum()
        assert (
            pool.rows((pool.predictions == k) & (pool.groups["region"] == "north"))
            == ((every.prediction == name) & (every.region == "north")).sum()
        )
    for low in range(10):
        mine = (pool.confidence * 10).astype(int) == low
        assert pool.rows(mine) == ((every.score * 10).astype(int) == low).sum()
    assert (pool.first_phase.weights[pool.predictions == 2] == 1).all()  # a rare class is there whole
    assert found.items["text"][0] == every.text[pool.ids[0]]
    assert found.notes[0] == "600 of 12,000 rows in 4 files were drawn"


def test_the_sample_is_the_same_in_any_order_and_however_files_are_cut(log):
    pieces = found_files([log])
    plan = planned(pieces, NAMED, (), None, None, 500, 3)
    usual = draw(plan, scanned(plan, pieces))
    small = split(pieces, 100)
    assert len(small) == 20
    merged = Collector(plan)
    for one in reversed(small):
        merged.add(scanned(plan, [one], merged.known))
    for part in (merged.part(), scanned(plan, small[::-2] + small[-2::-2]), first_pass(plan, pieces)):
        other = draw(plan, part)
        assert other.table.equals(usual.table)
        assert other.strata == usual.strata
        assert other.files == usual.files
        for name in ("file", "row", "stratum", "rows"):
            assert (getattr(other, name) == getattr(usual, name)).all()
    again = replace(plan, seed=4)
    assert not draw(again, scanned(again, pieces)).table.equals(usual.table)


def test_what_is_likely_need_not_be(log, monkeypatch):
    pieces = found_files([log])
    plan = planned(pieces, NAMED, (), None, None, 500, 3)
    usual = draw(plan, first_pass(plan, pieces))
    monkeypatch.setattr(sampled, "most_likely", lambda sample, rows: 2**64 * (sample - 100) // rows)
    assert draw(plan, first_pass(plan, pieces)).table.equals(usual.table)


def test_files_folders_and_patterns_are_one_log(log):
    paths = [str(one) for one in sorted(log.glob("*.parquet"))]
    each = [ingest_sample(one, sample=300, seed=1).pool.ids for one in (log, str(log / "*.parquet"), paths)]
    assert each[0] == each[1] == each[2]
    assert ingest_sample(["ours=" + paths[0], "ours=" + paths[1]], sample=300, seed=1).pool.outputs[0].name == "ours"
    with pytest.raises(InputError, match="be one model's"):
        ingest_sample(["ours=" + paths[0], "theirs=" + paths[1]], sample=300)


def test_no_more_is_read_than_is_shown(log):
    found = ingest_sample(log, sample=300, seed=1, text="text")
    assert list(found.items.columns) == ["text"]
    assert "region" not in found.withheld


def test_a_sample_as_large_as_the_log_is_the_log(log):
    found = ingest_sample(log, sample=20_000, seed=1)
    assert found.pool.first_phase is None
    assert found.pool.ids == tuple(range(12_000))
    assert found.notes[0] == "all 12,000 rows in 4 files are in the pool: no sample was needed"


def test_csv_says_what_parquet_says(log, tmp_path):
    for path in log.glob("*.parquet"):
        pd.read_parquet(path).to_csv(tmp_path / f"{path.stem}.csv", index=False)
    one, other = (ingest_sample(some, sample=12_000 - 1, seed=1).pool for some in (log, tmp_path))
    assert one.whole == other.whole == 12_000
    assert one.first_phase.rows.tolist() == other.first_phase.rows.tolist()
    assert one.first_phase.names == other.first_phase.names


def test_blanks_errors_and_missing_scores_are_strata_of_their_own(tmp_path):
    rng = np.random.default_rng(0)
    said = np.where(rng.random(3_000) < 0.01, None, np.where(rng.random(3_000) < 0.01, "ERROR", "cat"))
    log = write(tmp_path / "log", prediction=said, score=np.where(np.arange(3_000) % 500, 0.8, np.nan))
    with pytest.raises(InputError, match="ERROR"):
        ingest_sample(log, sample=600, seed=1)
    pool = ingest_sample(log, sample=600, seed=1, not_a_class=["ERROR"]).pool
    every = whole(log)
    assert pool.unanswered() == (every.prediction.isna() | (every.prediction == "ERROR")).sum()
    assert pool.rows(~pool.scored) == every.score.isna().sum()
    assert any("(no class)" in name for name in pool.first_phase.names)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": ["high"] * 3_000}, r"column 'score' of part-1.parquet must hold numbers; got 'high' in row 1"),
        ({"id": [7] * 3_000}, r"ids of model must be unique; got '7' in rows [0-9]+ of part-[01].parquet"),
        ({"id": [None] * 3_000}, r"be there for every row; got none in rows [0-9]+ of part-1.parquet"),
        ({"prediction": [f"x{i}" for i in range(3_000)]}, "sample must have at least 4 rows for each predicted class"),
    ],
)
def test_dirty_rows_are_named_with_their_file(tmp_path, changes, said):
    with pytest.raises(InputError, match=said):
        ingest_sample(write(tmp_path / "log", **changes), sample=900, seed=1)


def _cut_short(path):
    path.write_bytes(path.read_bytes()[:-100])


def _damaged(path):
    data = bytearray(path.read_bytes())
    data[100:4_000] = bytes(3_900)
    path.write_bytes(data)


def _other_columns(path):
    pq.write_table(pq.read_table(path).rename_columns(["id", "said", "score", "region", "text"]), path)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_cut_short, r"part-2.parquet must be a Parquet file that can be read to its end"),
        (_damaged, r"part-2.parquet must be a Parquet file that can be read to its end"),
        (_other_columns, r"columns of part-2.parquet must be those of the first file; got none called 'prediction'"),
        (lambda path: path.write_bytes(b""), r"part-2.parquet must be a Parquet file that can be read to its end"),
        (lambda path: path.with_suffix(".csv").write_bytes(b""), r"part-2.csv must have the names of its columns"),
    ],
)
def test_broken_files_are_named(tmp_path, harm, said):
    log = write(tmp_path / "log", files=3, rows=300)
    harm(log / "part-2.parquet")
    with pytest.raises(InputError, match=said):
        ingest_sample(log, sample=200, seed=1)


def test_files_without_rows_are_passed_over(tmp_path):
    log = write(tmp_path / "log", files=3, rows=300)
    pq.write_table(pq.read_table(log / "part-1.parquet").slice(0, 0), log / "part-1.parquet")
    assert ingest_sample(log, sample=200, seed=1).pool.whole == 600


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("nowhere/*.parquet", {}, "predictions must match at least one file"),
        ("{}", {"sample": 20}, "sample must have at least 4 rows for each"),
        ("{}", {"clusters": "region"}, "clusters must be left out"),
        ("{}", {"sample": 0}, "sample must be"),
        pytest.param("{}", {"scheduler": "tcp://127.0.0.1:9"}, "scheduler must answer", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_is_refused(log, given, options, said):
    with pytest.raises(InputError, match=said):
        ingest_sample(given.format(log), **{"sample": 500, "seed": 1, **options})
