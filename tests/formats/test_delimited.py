"""CSV and TSV: cells stay the text they were."""

import pytest

from altmas.formats.tables import read_numbered, read_table
from worlds.formats import BIG, refused, save


def test_cells_of_csv_stay_the_text_they_were(tmp_path):
    cells = ["007", "9223372036854775807", "NA", "None", "nan", "1e5", "", "True", " x ", "1,5"]
    path = save(tmp_path, "a.csv", "id,other\n" + "".join(f'"{cell}",y\n' for cell in cells))
    frame = read_table(path)
    assert frame["id"].tolist() == cells
    assert all(type(cell) is str for cell in frame["id"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_endings(tmp_path, delimiter, ending):
    rows = [["id", "text"], ["1", "a"], ["2", "b"]]
    path = save(tmp_path, "a.csv", ending.join(delimiter.join(row) for row in rows))
    assert read_table(path).to_numpy().tolist() == rows[1:]


def test_a_tsv_is_parted_by_tabs_alone(tmp_path):
    assert read_table(save(tmp_path, "a.tsv", "id;x\tb\n1\t2\n")).columns.tolist() == ["id;x", "b"]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with a mark", "utf-16 little", "utf-16 big"],
)
def test_encodings(tmp_path, encode):
    frame = read_table(save(tmp_path, "a.csv", encode("id,said\nü☃𝄞,é\n")))
    assert frame.columns.tolist() == ["id", "said"]
    assert frame.iloc[0].tolist() == ["ü☃𝄞", "é"]


def test_rows_are_numbered_as_a_spreadsheet_shows_them(tmp_path):
    path = save(tmp_path, "a.csv", 'id,text\n1,"two\nlines"\n\n2,x\n')
    assert list(read_numbered(path).rows) == [2, 4]
    path = save(tmp_path, "a.jsonl", '{"id": 1}\n\n{"id": 2}\n')
    assert list(read_numbered(path).rows) == [1, 3]


WRONG_CSV = {
    "empty": (b"", "a.csv must have a header row; got an empty file."),
    "only newlines": (b"\n\n", "a.csv must have a header row; got an empty file."),
    "too few cells": (b"a,b\n1,2\n3\n", "row 3 of a.csv must have 2 cells, as its header has; got 1."),
    "too many cells": (b'a,b\n"1\n",2\n3,4,5\n', "row 3 of a.csv must have 2 cells, as its header has; got 3."),
    "a name twice": (b"a,b,a\n", "columns of a.csv must have distinct names; got 'a' twice in row 1."),
    "NUL": (b"a,b\n1,\x00\n", "a.csv must be text; got a NUL character in line 2. Save it as 'CSV UTF-8'."),
    "Windows-1252": (
        b"a,b\n1,2\n3,caf\xe9\n",
        "a.csv must be UTF-8 text; got the byte 0xE9 in line 3. Save it as 'CSV UTF-8'.",
    ),
    "a mark, then not UTF-8": (
        b"\xef\xbb\xbfa\n\xff\n",
        "a.csv must be UTF-8 text; got the byte 0xFF in line 2. Save it as 'CSV UTF-8'.",
    ),
    "half of UTF-16": (b"\xff\xfea\x00b", "a.csv must be UTF-16 text; got truncated data at byte 4."),
    "a stray quote": (
        b'a,b\n"x"y,2\n',
        "row 2 of a.csv must be well quoted; got ',' expected after '\"'. "
        "A quotation mark within quotes is written twice.",
    ),
    "no end of quotes": (
        b'a,b\n"x,2\n',
        "row 2 of a.csv must be well quoted; got unexpected end of data. "
        "A quotation mark within quotes is written twice.",
    ),
}


@pytest.mark.parametrize("case", WRONG_CSV)
def test_wrong_csv(tmp_path, case):
    content, sentence = WRONG_CSV[case]
    refused(save(tmp_path, "a.csv", content), sentence)


def test_columns_a_spreadsheet_left_behind_are_dropped_and_others_are_not(tmp_path):
    assert read_table(save(tmp_path, "a.csv", "a,b,,\n1,2,,\n")).columns.tolist() == ["a", "b"]
    assert read_table(save(tmp_path, "a.csv", ",a\n0,x\n")).columns.tolist() == ["", "a"]  # pandas' index
    refused(
        save(tmp_path, "a.csv", "a,,\n1,2,3\n"), "columns of a.csv must have distinct names; got '' twice in row 1."
    )


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    frame = read_table(save(tmp_path, "a.csv", "a,b\n"))
    assert frame.shape == (0, 2)


def test_a_long_document_in_a_cell(tmp_path):
    assert read_table(save(tmp_path, "a.csv", "id,text\n1," + "x" * 300_000 + "\n"))["text"].str.len().tolist() == [
        300_000
    ]


def test_numbers_from_text_only_if_asked(tmp_path):
    path = save(tmp_path, "a.csv", "i,f,t\n1,0.5,x\n9223372036854775807,1e3,1\n")
    frame = read_table(path, text=False)
    assert frame["i"].tolist() == [1, BIG]
    assert frame["f"].tolist() == [0.5, 1000.0]
    assert frame["t"].tolist() == ["x", "1"]
