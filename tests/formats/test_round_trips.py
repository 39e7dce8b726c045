"""What goes out comes back: any text through every format, and through a spreadsheet."""

import shutil
import string
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from altmas.formats.matching import match
from altmas.formats.returned import read_returned
from altmas.formats.spreadsheets import restore
from altmas.formats.tables import read_table
from altmas.formats.writing import write_table

# Any text but NUL and halves of surrogate pairs; those are refused. Spreadsheets' own characters come often.
TELLING = st.text(st.sampled_from("=+-@\t\r\n'\",; 0.1eE\u2028\ufeff\u00a0ü☃𝄞"), max_size=8)
TEXT = TELLING | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NAMES = st.lists(TEXT.filter(bool), unique=True, min_size=1, max_size=4)
FORMATS = ["csv", "tsv", "parquet", "jsonl", "ndjson", "json", "npz"]


@st.composite
def frames(draw):
    names = draw(NAMES)
    rows = draw(st.integers(1, 5))
    columns = {name: draw(st.lists(TEXT, min_size=rows, max_size=rows)) for name in names}
    return pd.DataFrame(
        {n: pd.Series(c, dtype=object) for n, c in columns.items()}, columns=pd.Index(names, dtype=object)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trips")


@pytest.mark.parametrize("suffix", FORMATS)
@given(frame=frames())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_comes_back(folder, suffix, frame):
    path = folder / f"a.{suffix}"
    write_table(frame, path)
    back = read_table(path)
    undo = restore if suffix in ("csv", "tsv") else str
    assert [undo(name) for name in back.columns] == list(frame.columns)
    assert [[undo(cell) for cell in back.iloc[:, i]] for i in range(back.shape[1])] == [
        frame.iloc[:, i].tolist() for i in range(frame.shape[1])
    ]


NUMBERS = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "json", "npz"])
@given(
    whole=st.lists(NUMBERS, min_size=3, max_size=3),
    real=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    gaps=st.lists(st.none() | NUMBERS, min_size=3, max_size=3),
)
@settings(max_examples=50)
def test_numbers_come_back_exactly(folder, suffix, whole, real, gaps):
    path = folder / f"n.{suffix}"
    frame = pd.DataFrame({"whole": whole, "real": real, "gaps": pd.array(gaps, dtype="Int64")})
    write_table(frame, path)
    back = read_table(path)
    assert back["whole"].tolist() == whole
    assert back["real"].tolist() == real
    seen = [None if pd.isna(v) or v == "" else int(v) for v in back["gaps"]]
    assert seen == gaps


ROWS = st.tuples(TEXT.filter(str.strip), TEXT, st.sampled_from(["cat", "dog", "unsure"]))


@given(
    rows=st.lists(ROWS, min_size=1, max_size=6, unique_by=lambda row: row[0]),
    suffix=st.sampled_from(FORMATS),
)
@settings(max_examples=200)
def test_any_id_with_any_content_is_matched_again(folder, rows, suffix):
    path = folder / f"todo.{suffix}"
    ids, contents, labels = zip(*rows, strict=True)
    columns = {"id": ids, "what it says": contents, "label": labels, "annotator": ["mk"] * len(ids)}
    write_table(pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in columns.items()}), path)
    asked = {one: i for i, one in enumerate(ids)}
    found = match(read_returned(path), asked, asked, ["cat", "dog"])
    assert not found.wrong
    assert [row.position for row in found.rows] == list(range(len(ids)))
    assert [["cat", "dog"][row.label] if isinstance(row.label, int) else row.label for row in found.rows] == list(
        labels
    )


def test_polars_reads_and_writes_the_same_parquet(folder):
    frame = pd.DataFrame({"id": ["007", "=1", "ü"], "n": [2**63 - 1, -1, 0]})
    write_table(frame, folder / "ours.parquet")
    theirs = pl.read_parquet(folder / "ours.parquet")
    assert theirs["id"].to_list() == ["007", "=1", "ü"]
    assert theirs["n"].to_list() == [2**63 - 1, -1, 0]
    theirs.write_parquet(folder / "theirs.parquet")
    pd.testing.assert_frame_equal(read_table(folder / "theirs.parquet"), read_table(folder / "ours.parquet"))


def test_pandas_reads_the_csv_we_write(folder):
    frame = pd.DataFrame({"id": ["007", "a;b", 'q"x'], "text": ["two\nlines", "ü", ""]})
    write_table(frame, folder / "p.csv")
    back = pd.read_csv(folder / "p.csv", dtype=str, keep_default_na=False)
    assert back.to_numpy().tolist() == frame.to_numpy().tolist()


# A spreadsheet


TODO = {  # id: (content, label)
    "007": ("two\nlines", "cat"),
    "0123": ('a "quoted" word, and; more', "007"),
    "12345678901234567": ("=HYPERLINK(1)", "dog"),
    "9223372036854775807": ("+1", "TRUE"),
    "9007199254740993": ("\ttabbed", "unsure"),
    "ünï ☃ 𝄞": ("日本語", "cat"),
    "=1+1": ("@SUM(1)", "skip"),
    "-5": ("-", "dog"),
    "'=x": ("'", "cat"),
    "'quoted": ("''", "dog"),
    "1e5": ("1e5", "cat"),
    "1.50": ("1.50", "dog"),
    "TRUE": ("NA", "cat"),
    "a;b,c": ("nan", "dog"),
    " blanks ": ("  ", "cat"),
    "two\nlines": ("", "dog"),
}
CLASSES = ["cat", "dog", "007", "true"]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_through_libreoffice_and_back(tmp_path):
    """CSV to a spreadsheet and back, as a person's "open, save as" does it: numbers lose zeros and digits."""
    contents, labels = zip(*TODO.values(), strict=True)
    write_table(pd.DataFrame({"id": [*TODO], "text": contents, "label": labels}), tmp_path / "todo.csv")
    (tmp_path / "back").mkdir()
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    for source, kind, out in (("todo.csv", "ods", "."), ("todo.ods", "csv", "back")):
        command = ["soffice", "--headless", profile, "--convert-to", kind, "--outdir", str(tmp_path / out)]
        subprocess.run([*command, str(tmp_path / source)], check=True, capture_output=True, timeout=120)
    returned = read_returned(tmp_path / "back" / "todo.csv")
    changed = {one.id for one in returned} - set(TODO)
    assert {"7", "123", "100000", "1.5"} <= changed  # the spreadsheet did change them
    assert {"9007199254740990"} <= changed
    assert sum("E+" in one for one in changed) == 2
    asked = {one: i for i, one in enumerate(TODO)}
    found = match(returned, asked, asked, CLASSES)
    assert found.wrong == []
    assert [row.position for row in found.rows] == list(range(len(TODO)))
    expected = [CLASSES.index(label.lower()) if label.lower() in CLASSES else label for label in labels]
    assert [row.label for row in found.rows] == expected


def test_columns_of_a_wide_table_of_numbers_are_exact(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((20, 26)), columns=list(string.ascii_lowercase))
    write_table(frame, folder / "wide.csv")
    np.testing.assert_array_equal(read_table(folder / "wide.csv", text=False).to_numpy(), frame.to_numpy())
