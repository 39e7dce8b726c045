"""What comes back from people and spreadsheets, matched to what was asked."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from altmas.formats.matching import Known, KnownClasses, NoMatchError, match
from altmas.formats.returned import Returned, read_returned
from altmas.formats.spreadsheets import neutralise, restore
from altmas.metrics.errors import InputError
from worlds.formats import save

CLASSES = ["cat", "dog"]


# Neutral cells


@given(st.text())
def test_every_text_comes_back_from_neutralising(text):
    assert restore(neutralise(text)) == text
    assert neutralise(text)[:1] not in ("=", "+", "-", "@", "\t", "\r") or not text


@given(st.integers(0, 4), st.sampled_from([*"=+-@\t\r", "", "x", "\n"]), st.text(max_size=3))
def test_texts_that_look_neutralised_already_come_back_too(quotes, first, rest):
    text = "'" * quotes + first + rest
    assert restore(neutralise(text)) == text


@given(st.text(), st.text())
def test_no_two_texts_are_neutralised_alike(one, other):
    assert (neutralise(one) == neutralise(other)) == (one == other)


# Returned tables


def test_columns_are_found_in_any_case_and_with_blanks(tmp_path):
    path = save(tmp_path, "todo.csv", "text, ID ,LABEL,Annotator,Time,Notes\nx,007,cat,mk,14:02,why\n")
    assert read_returned(path) == [Returned(2, "007", "cat", "mk", "14:02", "why")]


def test_rows_are_those_of_the_file_and_empty_ones_are_none(tmp_path):
    path = save(tmp_path, "todo.csv", 'id,text,label\n1,"a\nb",cat\n\n2,x,\n,,\n3,y,dog\n')
    assert [(one.row, one.id, one.label) for one in read_returned(path)] == [
        (2, "1", "cat"),
        (4, "2", ""),
        (6, "3", "dog"),
    ]


def test_csv_is_restored_and_typed_formats_are_as_they_are(tmp_path):
    assert read_returned(save(tmp_path, "a.csv", "id,label\n'=1,'-x\n")) == [Returned(2, "=1", "-x")]
    assert read_returned(save(tmp_path, "a.jsonl", '{"id": "\'=1", "label": 3}')) == [Returned(1, "'=1", "3")]
    assert read_returned(pd.DataFrame({"id": [2**62 + 1], "label": [True]})) == [Returned(1, str(2**62 + 1), "True")]


def test_what_excel_saves_in_western_countries_is_read(tmp_path):
    path = save(tmp_path, "todo.csv", "id;label\r\n1;Café\r\n".encode("cp1252"))
    assert read_returned(path) == [Returned(2, "1", "Café")]
    with pytest.raises(InputError, match="todo.csv must be UTF-8 text; got the byte 0x81 in line 2"):
        read_returned(save(tmp_path, "todo.csv", b"id,label\n1,\x81\xe9\n"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "id,answer\n1,cat\n",
            "todo.csv must have a column 'label'; got columns ['id', 'answer']. Name another with label=....",
        ),
        (
            "name,label\n1,cat\n",
            "todo.csv must have a column 'id'; got columns ['name', 'label']. Name another with id=....",
        ),
        ("id,ID,label\n1,2,cat\n", "columns of todo.csv must name 'id' once; got 'id' and 'ID'."),
    ],
)
def test_tables_without_the_columns(tmp_path, content, sentence):
    with pytest.raises(InputError) as error:
        read_returned(save(tmp_path, "todo.csv", content))
    assert str(error.value) == sentence


def test_a_json_table_is_no_label_studio_export(tmp_path):
    path = save(tmp_path, "a.json", '[{"id": 7, "label": "cat", "note": null}]')
    assert read_returned(path) == [Returned(1, "7", "cat")]


# Ids


BIG = "12345678901234567"
IDS = {"007": 0, "abc": 1, BIG: 2, "-5": 3, " pad ": 4, "=1+1": 5, "1.50": 6, "Ünï": 7, "1e5": 8, "2024-01-05": 9}


@pytest.mark.parametrize(
    ("text", "position"),
    [
        *IDS.items(),
        ("7", 0),
        ("7.0", 0),
        ("7,0", 0),
        ("  abc\u00a0", 1),
        ("1.23456789012346E+16", 2),
        ("1,23456789012346E+16", 2),
        ("1.23456789012346E+016", 2),
        ("1.23457E+16", 2),
        ("12345678901234600", 2),  # LibreOffice, as a whole number
        ("12345678901234500", 2),  # Excel cuts after 15 digits
        ("12,345,678,901,234,567", 2),
        ("12.345.678.901.234.567", 2),
        ("12 345 678 901 234 567", 2),
        ("12\u202f345\u202f678\u202f901\u202f234\u202f567", 2),
        ("'-5", 3),
        ("pad", 4),
        ("'=1+1", 5),
        ("1.5", 6),
        ("1,5", 6),
        ("100000", 8),
        ("1.00E+05", 8),
    ],
)
def test_ids_as_spreadsheets_leave_them(text, position):
    assert IDS[Known(IDS).one(text)] == position


@pytest.mark.parametrize("text", ["", "8", "ABC", "1.3E+16", "01/05/2024", "1.23456789012347E+16", "\u0667"])
def test_ids_that_are_none(text):
    with pytest.raises(NoMatchError, match="was not asked about"):
        IDS[Known(IDS).one(text)]


def test_ids_that_may_be_several_are_refused():
    known = {"007": 0, "07": 1, BIG: 2, "12345678901234569": 3, "a ": 4, " a": 5}
    assert known[Known(known).one("07")] == 1
    for text, fits in {
        "7": "'007' or '07'",
        "1.23456789012346E+16": f"'{BIG}' or '12345678901234569'",
        "a": "' a' or 'a '",
    }.items():
        with pytest.raises(NoMatchError) as error:
            known[Known(known).one(text)]
        assert str(error.value) == f"id {text!r} may stand for {fits}"


def test_ids_alike_but_for_an_apostrophe_are_told_apart(tmp_path):
    known = {"=a": 0, "'=a": 1, "''=a": 2}
    content = "id,label\n" + "".join(f"{neutralise(one)},cat\n" for one in known)
    back = read_returned(save(tmp_path, "a.csv", content))
    assert [Known(known).one(one.id) for one in back] == list(known)
    # Written by hand and not neutralised, it is still found where nothing else fits.
    assert Known(["'=a"]).one("=a") == "'=a"


@given(st.lists(st.text(min_size=1), unique=True, min_size=1, max_size=20))
def test_every_id_is_found_as_it_is(ids):
    known = {one: i for i, one in enumerate(ids)}
    assert [known[Known(known).one(one)] for one in ids] == list(range(len(ids)))


@given(st.lists(st.integers(0, 2**64), unique=True, min_size=1, max_size=5), st.integers(1, 15))
def test_a_number_shown_with_fewer_digits_is_found_or_refused_but_never_another(ids, digits):
    known = {str(one): i for i, one in enumerate(ids)}
    for i, one in enumerate(ids):
        try:
            found = known[Known(known).one(f"{one:.{digits - 1}E}")]
        except NoMatchError:
            continue
        assert (
            found == i
            or f"{ids[found]:.{digits - 1}E}" == f"{one:.{digits - 1}E}"
            or ids[found] == float(f"{one:.{digits - 1}E}")
        )


# Classes


@pytest.mark.parametrize(
    ("text", "classes", "label"),
    [
        ("cat", CLASSES, 0),
        (" Dog ", CLASSES, 1),
        ("UNSURE", CLASSES, "unsure"),
        (" skip", CLASSES, "skip"),
        ("3", [1, 3], 1),
        ("3.0", [1, 3], 1),
        ("7", ["007", "abc"], 0),
        ("TRUE", [False, True], 1),
        ("false", [False, True], 0),
        ("TRUE", ["true", "false"], 0),
        ("'-1", ["-1", "1"], 0),
        ("1", ["-1", "1"], 1),
        ("CAT", ["cat", "Cat", "CAT"], 2),
        ("STRASSE", ["straße", "weg"], 0),
    ],
)
def test_labels_as_people_and_spreadsheets_write_them(text, classes, label):
    assert KnownClasses(classes).find(text) == label


def test_labels_that_are_none_list_the_classes():
    with pytest.raises(NoMatchError) as error:
        KnownClasses(CLASSES).find("cow")
    assert str(error.value) == "label 'cow' is none of 'cat', 'dog', 'unsure', 'skip'"
    with pytest.raises(NoMatchError) as error:
        KnownClasses(range(100)).find("x")
    assert str(error.value).endswith("'10', '11', 'unsure', 'skip' and 88 more classes")
    with pytest.raises(NoMatchError, match="label 'CAT' may stand for 'Cat' or 'cat'"):
        KnownClasses(["cat", "Cat"]).find("CAT")


# Whole files


def test_rows_in_any_order_partial_and_repeated():
    returned = [
        Returned(2, "b", "dog", "mk", "14:02", "hm"),
        Returned(3, "a", ""),
        Returned(4, "a", "cat", "mk"),
        Returned(5, "b", "DOG", " mk "),
        Returned(6, "b", "cat", "jo"),
        Returned(7, "c", "unsure"),
    ]
    found = match(returned, {"a": 10, "b": 11, "c": 12}, {"a", "b", "c", "d"}, CLASSES)
    assert [(r.row, r.position, r.label, r.annotator, r.note) for r in found.rows] == [
        (2, 11, 1, "mk", "hm"),
        (4, 10, 0, "mk", ""),
        (6, 11, 0, "jo", ""),
        (7, 12, "unsure", "", ""),
    ]
    assert found.wrong == []
    assert found.notices == ["1 row repeats another and was taken once"]


def test_every_wrong_row_has_its_sentence():
    returned = [
        Returned(2, "a", "cat", "mk"),
        Returned(3, "zzz", "cat"),
        Returned(4, "d", "cat"),
        Returned(5, "b", "cow"),
        Returned(6, " ", "cat"),
        Returned(7, "a", "dog", "mk"),
        Returned(1234, "a", "cat", "mk"),
    ]
    found = match(returned, {"a": 0, "b": 1}, {"a", "b", "d"}, CLASSES)
    assert found.rows == []
    assert found.wrong == [
        "row 2: id 'a' is answered 'cat' here and 'dog' in row 7 by mk",
        "row 3: id 'zzz' is not in the pool",
        "row 4: id 'd' was not asked about",
        "row 5: label 'cow' is none of 'cat', 'dog', 'unsure', 'skip'",
        "row 6: id is empty",
        "row 7: id 'a' is answered 'dog' here and 'cat' in row 2 by mk",
        "row 1,234: id 'a' is answered 'cat' here and 'dog' in row 7 by mk",
    ]


def test_an_item_not_asked_about_is_never_taken_for_one_that_was():
    found = match([Returned(2, "7", "cat")], {"007": 0}, {"007", "7"}, CLASSES)
    assert (found.rows, found.wrong) == ([], ["row 2: id '7' was not asked about"])


def test_changed_ids_are_told():
    asked = {"007": 0, "008": 1}
    one = match([Returned(2, "7", "cat")], asked, asked, CLASSES)
    assert one.notices == ["row 2: id '7' was read as '007'"]
    two = match([Returned(2, "7", "cat"), Returned(3, "8", "dog")], asked, asked, CLASSES)
    assert two.notices == ["2 ids were read as a spreadsheet changed them, e.g. '7' as '007' in row 2"]
    assert [r.position for r in two.rows] == [0, 1]


def test_ten_thousand_changed_ids_are_matched_quickly():
    asked = {f"{10**16 + 37 * 10**4 * i:020d}": i for i in range(10_000)}
    returned = [Returned(i + 2, f"{int(one):.14E}", "cat") for i, one in enumerate(asked)]
    found = match(returned, asked, asked, CLASSES)
    assert [r.position for r in found.rows] == list(range(10_000))
