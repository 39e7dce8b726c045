"""The report as a workbook: every table, numbers as numbers, text that stays text."""

import copy
import io

import pytest
from openpyxl import load_workbook

from altmas.reports import workbook as workbooks
from altmas.reports.facts import gather
from altmas.reports.workbook import sheet_name, workbook
from altmas.reports.writing import write_report
from worlds.reports import HOSTILE, made


def opened(facts):
    return load_workbook(io.BytesIO(workbook(facts)))


def rows_of(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_every_table_is_a_sheet_with_real_numbers(facts):
    book = opened(facts)
    [model] = facts["models"]
    assert {"Summary", "Estimates", "By predicted class", "By region", "Recall by true class", "Confusion",
            "Calibration", "Declared classes", "Annotators", "Settings", "Events"} <= set(book.sheetnames)  # fmt: skip
    estimates = rows_of(book["Estimates"])
    for name in ("estimate", "low", "high"):
        assert [row[name] for row in estimates] == pytest.approx([row[name] for row in model["estimates"]])
    assert [row["p worst"] for row in rows_of(book["By region"])] == pytest.approx(
        [row["p_worst"] for row in model["groups"][1]["rows"]]
    )
    assert len(rows_of(book["Events"])) == len(facts["trail"]["events"])
    assert all(sheet.freeze_panes == "A2" for sheet in book)
    assert book["Estimates"]["B2"].number_format == "0.0%"


def test_what_items_say_stays_out_unless_asked_for(audit, facts):
    assert "Items" not in opened(facts).sheetnames
    assert rows_of(opened(gather(audit, contents=True))["Items"])[0]["content: text"].startswith("what item")


def test_formulas_are_text(tmp_path):
    names = ["=1+1", "+2", "-3", "@SUM(A1)"]
    with made(tmp_path / "audit", names=names, title="=HYPERLINK(1)") as audit:
        book = opened(gather(audit))
    for sheet in book:
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
    assert {row["group"] for row in rows_of(book["By predicted class"])} == set(names)


def test_hostile_names_make_a_file_that_opens(tmp_path):
    with made(tmp_path / "audit", names=HOSTILE, models=2, title=HOSTILE[2]) as audit:
        facts = gather(audit, contents=True)
    facts["models"][0]["groups"][1]["by"] = "a/b:c[d]*?" * 9
    book = opened(facts)
    assert len(set(map(str.lower, book.sheetnames))) == len(book.sheetnames)
    assert all(len(name) <= 31 for name in book.sheetnames)


def test_names_of_sheets_are_told_apart():
    taken = set()
    for _ in range(12):
        taken.add(sheet_name("x" * 40, taken).lower())
    assert len(taken) == 12
    assert max(map(len, taken)) == 31


def test_what_is_cut_is_said(facts, monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_ROWS", 5)
    last = list(opened(copy.deepcopy(facts))["Events"].values)[-1]
    assert last[0] == f"{len(facts['trail']['events']) - 5} more rows are in the JSON report."


def test_written_by_name(audit, tmp_path):
    target = write_report(audit, tmp_path / "report.xlsx")
    assert load_workbook(target).sheetnames[0] == "Summary"
