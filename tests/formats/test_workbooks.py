"""Workbooks as people and programs leave them."""

import datetime
import zipfile

import pytest
from openpyxl import Workbook

from altmas import InputError
from altmas.formats.tables import read_numbered
from altmas.formats.workbooks import read_workbook


def saved(folder, rows, change=lambda book: None):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    change(book)
    path = folder / "a.xlsx"
    book.save(path)
    return path


def columns(path):
    return read_numbered(path).frame.to_dict("list")


def test_text_numbers_and_truth_stay_what_they_are(tmp_path):
    path = saved(tmp_path, [["id", "n", "x", "ok", "code"], ["007", 7, 0.5, True, "1e5"], ["08", 8, 2, False, "N/A"]])
    assert columns(path) == {
        "id": ["007", "08"], "n": [7, 8], "x": [0.5, 2.0], "ok": [True, False], "code": ["1e5", "N/A"],
    }  # fmt: skip


def test_days_have_no_midnight_unless_some_time_is_another(tmp_path):
    day, noon = datetime.datetime(2026, 1, 5), datetime.datetime(2026, 1, 5, 12)
    assert columns(saved(tmp_path, [["on"], [day], [day]])) == {"on": ["2026-01-05", "2026-01-05"]}
    assert columns(saved(tmp_path, [["on"], [day], [noon]])) == {"on": ["2026-01-05 00:00:00", "2026-01-05 12:00:00"]}


def test_rows_have_the_numbers_a_spreadsheet_shows(tmp_path):
    path = saved(tmp_path, [[None], ["id"], ["a"], [" "], ["b"], [None]])
    frame, rows, notes = read_workbook(path)
    assert (frame["id"].tolist(), rows, notes) == (["a", "b"], [3, 5], ())


def test_a_column_without_a_name_is_called_by_its_letter(tmp_path):
    assert columns(saved(tmp_path, [["id", None, None], ["a", 1, None]])) == {"id": ["a"], "column B": [1]}


def test_an_error_is_the_text_it_shows(tmp_path):
    assert columns(saved(tmp_path, [["id", "said"], ["a", "#N/A"]])) == {"id": ["a"], "said": ["#N/A"]}


def test_the_first_sheet_shown_is_read_and_others_are_told_of(tmp_path):
    def change(book):
        for name, state in (("old", "hidden"), ("empty", "visible"), ("more", "visible")):
            book.create_sheet(name, 0 if state == "hidden" else None).sheet_state = state
        book["old"].append(["id"])
        book["more"].append(["id"])

    _, _, notes = read_workbook(saved(tmp_path, [["id"], ["a"]], change))
    assert notes == ("a.xlsx: the sheet 'Sheet' is read, and of its others none: 'more'",)


@pytest.mark.parametrize(("cell", "formula"), [("B3", '="cat"'), ("B4", "=A4&1"), ("B2", "=VLOOKUP(A2,Sheet!A:B,2)")])
def test_formulas_without_values_are_refused(tmp_path, cell, formula):
    def change(book):
        book.active[cell] = formula

    path = saved(tmp_path, [["id", "said"], ["a", "x"], ["b", "y"], ["c", "x"]], change)
    with pytest.raises(InputError, match=f"must have the values of its formulas; got a formula without one in {cell}"):
        read_workbook(path)


def test_empty_cells_are_no_formulas(tmp_path):
    assert columns(saved(tmp_path, [["id", "said"], ["a", None], ["b", "y"]]))["said"] == [None, "y"]


def test_merged_cells_are_refused_below_the_header_and_no_matter_above(tmp_path):
    rows = [["id", "said", None], ["a", "x", None], ["b", "y", None]]
    with pytest.raises(InputError, match="cells of a.xlsx must stand alone; got merged ones, B2:B3. Unmerge them"):
        read_workbook(saved(tmp_path, rows, lambda book: book.active.merge_cells("B2:B3")))
    assert columns(saved(tmp_path, rows, lambda book: book.active.merge_cells("B1:C1"))) == {
        "id": ["a", "b"], "said": ["x", "y"],
    }  # fmt: skip


def test_old_and_locked_workbooks_say_so(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600))
    with pytest.raises(InputError, match="the old kind, or one that a password locks. Save it as .xlsx"):
        read_workbook(path)


@pytest.mark.parametrize("content", [b"", b"id,prediction\n", b"PK\x03\x04 cut short"])
def test_what_is_no_workbook_says_so(tmp_path, content):
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match="a.xlsx must be a workbook that can be read"):
        read_workbook(path)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = saved(tmp_path, [["id"], ["a"]])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed, packed.open("xl/bomb.xml", "w") as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
    with pytest.raises(InputError, match="must unpack to at most 100 times its size"):
        read_workbook(path)


def test_nothing_in_it_is_no_table(tmp_path):
    with pytest.raises(InputError, match="a.xlsx must hold a table; got no sheet with anything in it"):
        read_workbook(saved(tmp_path, []))
