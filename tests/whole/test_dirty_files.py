"""Dirty files of vendors, through the whole command line: the right numbers, or a refusal that says what mends it.

Every item is labelled, so the estimates are the metrics themselves, and are compared with scikit-learn's on clean data.
"""

import datetime

import numpy as np
import pandas as pd
import pytest

from worlds.dirty import (
    CLASSES,
    IDS,
    OTHER,
    SAID,
    SCORES,
    SIZE,
    SURE,
    TRUTH,
    Dirty,
    by_hand,
    table,
    text_of,
    walked,
    with_failures,
    workbook,
    write,
)

NONE = with_failures(SAID, None)
"""What was said, where the vendor failed on some."""

PAGE = "<!DOCTYPE html>\n<html><body>\n<h1>502 Bad Gateway</h1>\n</body></html>"
TRACE = 'Traceback (most recent call last):\n  File "serve.py", line 7, in predict\nKeyError: 0'


def failing(name, words, *mends, **more):
    """A file in which words stand for failures."""
    return Dirty(lambda at: write(at, name, table(with_failures(SAID, words))), mends, NONE, **more)


def plain(name="vendor.csv", said=SAID, more=None, **how):
    """A writer of one table."""
    return lambda at: write(at, name, table(said, **(more or {})), **how)


def raw(name, text, encoding="utf-8"):
    """A writer of a text as it is."""

    def writer(at):
        (at / name).write_bytes(text.encode(encoding))
        return at / name

    return writer


def truth_in(name, **columns):
    """A writer of the labels in another file."""
    return lambda at: [write(at, name, columns)]


def by_class(order=CLASSES, values=SCORES, prefix="p_"):
    """Columns of scores."""
    return {f"{prefix}{name}": values[:, CLASSES.index(name)].tolist() for name in order}


def both(second, first=None):
    """Two vendors' files."""

    def writer(at):
        one = write(at, "ours.csv", first or table())
        return ["--predictions", one, "--predictions", write(at, "theirs.csv", second)]

    return writer


TWO = {"ours": SAID, "theirs": OTHER}
ORDER = np.random.default_rng(5).permutation(SIZE)
BIG = [str(2**53 + 1 + 2 * i) for i in range(SIZE)]
NUMBERS = dict(zip(CLASSES, ("0", "1", "2"), strict=True))
AS_NUMBERS = [int(NUMBERS[one]) for one in SAID]
GRADES = dict(zip(CLASSES, ("none", "mild", "severe"), strict=True))
CITIES = dict(zip(CLASSES, ("Köln", "Málaga", "Zürich"), strict=True))
DAYS = dict(zip(CLASSES, (datetime.date(2026, 1, day) for day in (5, 6, 7)), strict=True))


def renamed(values, names):
    return [None if one is None else names[one] for one in values]


FAILURES = {
    "ERROR": failing("vendor.csv", "ERROR", ["--not-a-class", "ERROR"]),
    "many words": failing("vendor.csv", ["N/A", "timeout", "#REF!"], ["--not-a-class", "N/A", "--not-a-class",
                          "timeout", "--not-a-class", "#REF!"]),
    "NaN as text": failing("vendor.csv", "NaN", ["--not-a-class", "NaN"]),
    "None as text": failing("vendor.tsv", "None", ["--not-a-class", "None"]),
    "blank cells": failing("vendor.csv", "", notes=("no answer on 3 of 60",)),
    "cells of blanks": failing("vendor.csv", "  ", notes=("no answer on 3 of 60",)),
    "JSON null": failing("vendor.jsonl", None, notes=("no answer on 3 of 60",)),
    "JSON 'null'": failing("vendor.jsonl", "null", ["--not-a-class", "null"]),
    "Parquet null": failing("vendor.parquet", None, notes=("no answer on 3 of 60",)),
    "HTTP messages": failing("vendor.csv", ["HTTP 503: retry", "HTTP 429 Too Many Requests", "HTTP 500"],
                             ["--not-a-class", "HTTP*"]),
    "bare status": failing("vendor.csv", "503", ["--not-a-class", "503"]),
    "an HTML page": failing("vendor.csv", PAGE, ["--not-a-class", PAGE]),
    "a stack trace": failing("vendor.csv", TRACE, ["--not-a-class", "Traceback*"]),
    "a JSON message": failing("vendor.csv", '{"detail": "overloaded"}', ["--not-a-class", '{"detail": "overloaded"}']),
    "a chat model declines": failing("vendor.csv", "I'm sorry, but I can't help with that.",
                                     ["--not-a-class", "I'm sorry, but I can't help with that."]),
    "a question mark": failing("vendor.csv", "?", ["--not-a-class", "?"]),
    "-1 for none": Dirty(plain(said=with_failures(AS_NUMBERS, -1)), (["--not-a-class", -1],),
                         renamed(NONE, NUMBERS), renamed(TRUTH, NUMBERS)),
    "an error cell": failing("vendor.xlsx", "#N/A", ["--not-a-class", "#N/A"]),
    "a class named none": Dirty(plain(said=renamed(SAID, GRADES)), (["--is-a-class", "none"],),
                                renamed(SAID, GRADES), renamed(TRUTH, GRADES)),
    "classes declared": Dirty(
        lambda at: ["--predictions", plain(said=renamed(SAID, GRADES))(at), "--classes", "none,mild,severe"],
        (), renamed(SAID, GRADES), renamed(TRUTH, GRADES)),
    "a vendor of two fails": Dirty(both(table(with_failures(OTHER, "timeout"))), (["--not-a-class", "timeout"],),
                                   {"ours": SAID, "theirs": with_failures(OTHER, None)}),
    "an opinion fails": Dirty(
        lambda at: ["--predictions", plain()(at), "--opinions", write(at, "theirs.csv", table(["ERROR", *OTHER[1:]]))],
        notes=("'ERROR' 1",)),
}  # fmt: skip

NUMBERS_OF_SCORES = {
    "missing confidence": Dirty(plain(more={"confidence": with_failures(SURE, "")}), notes=("no score on 3 of 60",)),
    "nan confidence": Dirty(plain(more={"confidence": with_failures(SURE, "nan")}), notes=("no score on 3 of 60",)),
    "no confidence at all": Dirty(plain(more={"confidence": [""] * SIZE}), notes=("scores of vendor.csv are empty",)),
    "0 where it failed": Dirty(
        plain(said=with_failures(SAID, ""), more={"confidence": with_failures(SURE, 0)}), (), NONE,
        notes=("no score on 3 of 60",)),
    "percent": Dirty(plain(more={"confidence": [f"{100 * one:.0f}%" for one in SURE]}), notes=("percent",)),
    "decimal commas": Dirty(
        plain(more={"confidence": [f"{one:.2f}".replace(".", ",") for one in SURE]}, delimiter=";"),
        notes=("decimal commas",)),
    "percent of each class": Dirty(plain(more=by_class(values=100 * SCORES)), notes=("percent",)),
    "other order": Dirty(plain(more=by_class(order=("dog", "cat", "cow")))),
    "sum to 0.99": Dirty(plain(more=by_class(values=np.round(np.where(SCORES > 0.5, 0.79, 0.1), 2)))),
    "logits": Dirty(plain(more=by_class(values=np.log(SCORES) - 1)), (["--logits"],)),
    "scores alone": Dirty(lambda at: write(at, "vendor.parquet", {"id": IDS, **by_class()})),
    "scores alone, gaps": Dirty(
        lambda at: write(at, "vendor.csv", {"id": IDS, **{
            name: with_failures(column, "") for name, column in by_class().items()}}), (), NONE),
    "numbers beside names": Dirty(
        plain(said=AS_NUMBERS, more=by_class()), notes=("places of the scores, 0 being 'cat'",)),
    "words for scores": Dirty(plain(more={"confidence": ["high"] * SIZE})),
    "an error for a score": Dirty(
        plain(more={"confidence": with_failures(SURE, "ERROR")}), notes=("no score on 3 of 60",)),
}  # fmt: skip

TEXT = {
    "tabs in .csv": Dirty(plain(delimiter="\t")),
    "commas in .tsv": Dirty(plain("vendor.tsv", delimiter=",")),
    "bars": Dirty(plain(delimiter="|"), (("Part its cells by commas", plain()),)),
    "a byte order mark": Dirty(plain(encoding="utf-8-sig")),
    "UTF-16": Dirty(plain(said=renamed(SAID, CITIES), encoding="utf-16"), (), renamed(SAID, CITIES),
                    renamed(TRUTH, CITIES)),
    "latin-1": Dirty(plain(said=renamed(SAID, CITIES), encoding="latin-1"),
                     (("CSV UTF-8", plain(said=renamed(SAID, CITIES))),), renamed(SAID, CITIES),
                     renamed(TRUTH, CITIES)),
    "CRLF": Dirty(plain(end="\r\n")),
    "CR": Dirty(plain(end="\r")),
    "quoted newlines": Dirty(plain(more={"text": ['a "quoted"\nline, and more'] * SIZE})),
    "trailing delimiters": Dirty(raw("vendor.csv", text_of(table()).replace("\n", ",,\n"))),
    "blanks around names": Dirty(raw("vendor.csv", text_of({" id ": IDS, " prediction": SAID}))),
    "names in capitals": Dirty(raw("vendor.csv", text_of({"ID": IDS, "Prediction": SAID}))),
    "a name twice": Dirty(
        raw("vendor.csv", text_of(table(note=SURE)).replace("note", "prediction")),
        (("'prediction' twice", plain()),)),
    "comments on top": Dirty(raw("vendor.csv", "# exported by ACME, 3 May\n# v2\n" + text_of(table()))),
    "the header again": Dirty(
        raw("vendor.csv", text_of(table()) + "id,prediction\n"), (("the header again", plain()),)),
    "a row of totals": Dirty(raw("vendor.csv", text_of(table()) + "Total,60\n"), (("Total", plain()),)),
    "a row of totals, no number": Dirty(raw("vendor.csv", text_of(table()) + "Total,\n"), (("Total", plain()),)),
    "the truth beside": Dirty(
        lambda at: write(at, "vendor.csv", {"id": IDS, "label": TRUTH, "y_pred": SAID}), (["--prediction", "y_pred"],)),
    "an empty file": Dirty(raw("vendor.csv", ""), (("an empty file", plain()),)),
    "a header only": Dirty(raw("vendor.csv", "id,prediction\n"), (("at least one item", plain()),)),
    "other names": Dirty(
        lambda at: write(at, "vendor.csv", {"case": IDS, "output": SAID}),
        (["--id", "case"], ["--prediction", "output"])),
    "a nested prediction": Dirty(
        lambda at: write(at, "vendor.jsonl", table([{"label": one} for one in SAID])), (("prediction", plain()),)),
}  # fmt: skip

ROWS = {
    "an id twice": Dirty(
        lambda at: write(at, "vendor.csv", table(ids=["002", *IDS[1:]])),
        (("ids of vendor.csv must be unique; got '002'", plain()),)),
    "an id missing": Dirty(
        lambda at: write(at, "vendor.csv", table(ids=["", *IDS[1:]])), (("none in row 2", plain()),)),
    "zeros lost in labels": Dirty(plain(), labels=truth_in("truth.csv", id=range(1, SIZE + 1), label=TRUTH)),
    "zeros lost in Excel": Dirty(
        plain("vendor.xlsx"), labels=truth_in("truth.xlsx", id=range(1, SIZE + 1), label=TRUTH)),
    "ids 1.0": Dirty(
        lambda at: write(at, "vendor.parquet", table(ids=[float(i) for i in range(SIZE)])),
        labels=truth_in("truth.csv", id=range(SIZE), label=TRUTH)),
    "ids 1.0 as text": Dirty(
        lambda at: write(at, "vendor.csv", table(ids=[f"{i}.0" for i in range(SIZE)])),
        labels=truth_in("truth.csv", id=range(SIZE), label=TRUTH)),
    **{f"large ids in {name}": Dirty(
        lambda at, name=name: write(at, name, table(ids=BIG if name.endswith("csv") else map(int, BIG))),
        labels=truth_in("truth.csv", id=BIG, label=TRUTH))
       for name in ("vendor.csv", "vendor.parquet", "vendor.jsonl")},
    "large ids that Excel makes one": Dirty(
        lambda at: write(at, "vendor.xlsx", table(ids=map(int, BIG))),
        (("ids of vendor.xlsx must be unique", lambda at: write(at, "vendor.xlsx", table(ids=BIG))),),
        labels=truth_in("truth.csv", id=BIG, label=TRUTH)),
    "large ids as text in Excel": Dirty(
        lambda at: write(at, "vendor.xlsx", table(ids=BIG)), labels=truth_in("truth.xlsx", id=BIG, label=TRUTH)),
    "large ids rounded by Excel": Dirty(
        lambda at: write(at, "vendor.csv", table(ids=[str(10**17 + 1000 * i) for i in range(SIZE)])),
        labels=truth_in("truth.csv", id=[f"{10**17 + 1000 * i:.14E}" for i in range(SIZE)], label=TRUTH)),
    "thousands parted": Dirty(
        lambda at: write(at, "vendor.csv", table(ids=[1000 + i for i in range(SIZE)])),
        labels=truth_in("truth.csv", id=[f"{1000 + i:,}" for i in range(SIZE)], label=TRUTH)),
    "another order": Dirty(both(table([OTHER[i] for i in ORDER], [IDS[i] for i in ORDER])), (), TWO),
    "rows missing in the second": Dirty(
        both(table(OTHER[:-2], IDS[:-2])), (("2 missing", both(table(OTHER))),), TWO),
    "more rows in the second": Dirty(
        both(table([*OTHER, "cat"], [*IDS, "999"])), (("1 more", both(table(OTHER))),), TWO),
    "zeros lost in the second": Dirty(both(table(OTHER, range(1, SIZE + 1))), (), TWO),
}  # fmt: skip

UPPER = [one.upper() for one in SAID]
SPELLINGS = {
    "within one file": Dirty(plain(said=[one.title() if i % 9 == 0 else f"{one} " if i % 7 == 0 else one
                                         for i, one in enumerate(SAID)]), notes=("is read as the class",)),
    "between vendors": Dirty(both(table([one.upper() for one in OTHER])), (), {"ours": SAID, "theirs": OTHER}),
    "labels in capitals": Dirty(plain(), labels=truth_in("truth.csv", ID=IDS, Label=[f" {t.upper()}" for t in TRUTH])),
    "composed and not": Dirty(
        plain(said=renamed(SAID, CITIES)), (), renamed(SAID, CITIES), renamed(TRUTH, CITIES),
        labels=truth_in("truth.csv", id=IDS, label=renamed(TRUTH, dict(zip(CLASSES, ("Ko\u0308ln", "Ma\u0301laga",
                        "Zu\u0308rich"), strict=True))))),
    "numbers as text": Dirty(
        plain("vendor.parquet", AS_NUMBERS), (), AS_NUMBERS, renamed(TRUTH, NUMBERS)),
    "numbers as floats": Dirty(
        plain("vendor.csv", [f"{one}.0" for one in AS_NUMBERS]), (), [f"{one}.0" for one in AS_NUMBERS],
        [f"{NUMBERS[one]}.0" for one in TRUTH], labels=truth_in("truth.csv", id=IDS, label=renamed(TRUTH, NUMBERS))),
    "floats and whole numbers": Dirty(
        both(table([float(NUMBERS[one]) for one in OTHER]), table(AS_NUMBERS)), (),
        {"ours": AS_NUMBERS, "theirs": [int(NUMBERS[one]) for one in OTHER]}, renamed(TRUTH, NUMBERS)),
    "a mixed column": Dirty(
        plain("vendor.xlsx", [str(one) if i % 2 else one for i, one in enumerate(AS_NUMBERS)]), (), AS_NUMBERS,
        renamed(TRUTH, NUMBERS)),
    "TRUE in CSV": Dirty(plain(said=[str(one == "cat").upper() for one in SAID]), (),
                         [str(one == "cat") for one in SAID], [str(one == "cat") for one in TRUTH]),
    "true in Excel": Dirty(plain("vendor.xlsx", [one == "cat" for one in SAID]), (), [one == "cat" for one in SAID],
                           [one == "cat" for one in TRUTH],
                           labels=truth_in("truth.csv", id=IDS, label=[str(one == "cat").upper() for one in TRUTH])),
    "dates in Excel": Dirty(plain("vendor.xlsx", renamed(SAID, DAYS)), (), renamed(SAID, DAYS), renamed(TRUTH, DAYS)),
    "dates in Parquet": Dirty(plain("vendor.parquet", renamed(SAID, DAYS)), (), renamed(SAID, DAYS),
                              renamed(TRUTH, DAYS)),
    "one class": Dirty(plain(said=["cat"] * SIZE), (["--classes", "cat,cow,dog"],), ["cat"] * SIZE),
    "a class never said": Dirty(
        lambda at: ["--predictions", plain(said=[one.replace("cow", "cat") for one in SAID])(at), "--classes",
                    "cat,cow,dog"], (), [one.replace("cow", "cat") for one in SAID]),
    "a category in Parquet": Dirty(
        lambda at: write(at, "vendor.parquet", {"id": IDS, "prediction": pd.Categorical(
            with_failures(SAID, None), categories=["dog", "cat", "emu", "cow"])}), (), NONE),
    "nested columns": Dirty(
        lambda at: write(at, "vendor.parquet", table(item=[{"text": "a", "at": [1, 2]}] * SIZE))),
}  # fmt: skip


ROWS_OF_SHEET = [["id", "prediction"], *([i, one] for i, one in zip(IDS, SAID, strict=True))]


def sheet(change, rows=ROWS_OF_SHEET):
    """A writer of a workbook that was changed."""
    return lambda at: workbook(rows, at / "vendor.xlsx", change)


def _formulas(book):
    book.active["B5"] = '="cat"'


def _merged(book):
    book.active.merge_cells("B5:B7")


def _hidden(book):
    book.create_sheet("old", 0).append(["id", "prediction"])
    book["old"].append(["001", "dog"])
    book["old"].sheet_state = "hidden"


def _several(book):
    book.create_sheet("second").append(["id", "prediction"])
    book["second"].append(["001", "dog"])


def _titled(book):
    book.active.insert_rows(1, 2)
    book.active["A1"] = "ACME results, May"


BOOKS = {
    "formulas without values": Dirty(sheet(_formulas), (("B5", sheet(lambda book: None)),)),
    "merged cells": Dirty(sheet(_merged), (("B5:B7", sheet(lambda book: None)),)),
    "a hidden sheet": Dirty(sheet(_hidden)),
    "several sheets": Dirty(sheet(_several), notes=("second",)),
    "a title on top": Dirty(sheet(_titled), (("'id'", sheet(lambda book: None)),)),
    "blank rows at the end": Dirty(sheet(lambda book: [book.active.append([" ", None]) for _ in range(3)])),
    "text for numbers": Dirty(
        lambda at: write(at, "vendor.xlsx", table(confidence=list(map(str, SURE)))), notes=("confidence",)
    ),
    "no workbook": Dirty(raw("vendor.xlsx", "id,prediction\n"), (("workbook", plain()),)),
}

TABLES = {
    "failures": FAILURES, "scores": NUMBERS_OF_SCORES, "text": TEXT, "rows": ROWS, "spelling": SPELLINGS,
    "workbooks": BOOKS,
}  # fmt: skip
CASES = {f"{kind}: {name}": case for kind, cases in TABLES.items() for name, case in cases.items()}


@pytest.mark.parametrize("name", CASES)
def test_no_number_is_silently_wrong(name, tmp_path):
    case = CASES[name]
    found = walked(tmp_path, case)
    said = case.said if isinstance(case.said, dict) else {"": case.said}
    assert list(found) == list(said)
    for model, predictions in said.items():
        assert found[model] == pytest.approx(by_hand(predictions, case.truth), abs=1e-9)
