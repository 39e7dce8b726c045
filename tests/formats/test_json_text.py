"""JSON and JSON lines: every kind of value, and text made to break parsers."""

import json

import pytest

from altmas.formats.tables import read_table
from altmas.metrics.errors import InputError
from worlds.formats import BIG, refused, save


def test_json_lines_and_lists_of_objects(tmp_path):
    records = [{"id": BIG, "said": "a\u2028b", "p": 0.5}, {"id": None, "said": None, "more": [1, {"x": "é"}]}]
    for name, content in {
        "a.jsonl": "\n".join(json.dumps(r, ensure_ascii=False) for r in records),
        "b.ndjson": "\ufeff" + "\r\n".join(json.dumps(r) for r in records),
        "a.json": json.dumps(records),
    }.items():
        frame = read_table(save(tmp_path, name, content))
        assert frame["id"].tolist()[0] == BIG
        assert frame["id"].isna().tolist() == [False, True]
        assert frame["said"].tolist() == ["a\u2028b", None]
        assert frame["more"].tolist() == [None, '[1, {"x": "é"}]']


def test_numbers_beyond_64_bits_and_mixed_columns_stay_what_they_are(tmp_path):
    frame = read_table(save(tmp_path, "a.json", json.dumps([{"a": 2**70, "b": 1, "c": True}, {"a": 1, "b": "1"}])))
    assert frame["a"].tolist() == [2**70, 1]
    assert frame["b"].tolist() == [1, "1"]
    assert frame["c"].isna().tolist() == [False, True]
    mixed = read_table(save(tmp_path, "a.json", json.dumps([{"a": 2**53 + 1}, {"a": 0.5}])))
    assert mixed["a"].tolist() == [2**53 + 1, 0.5]


WRONG_JSON = {
    "no JSON": (
        "a.json",
        "[1,",
        "a.json must be JSON; got JSONDecodeError: Expecting value: line 1 column 4 (char 3).",
    ),
    "an object": ("a.json", "{}", "a.json must be a list of objects; got dict."),
    "a list of lists": ("a.json", "[[]]", "entry 1 of a.json must be an object; got list."),
    "nothing": ("a.json", "[]", "a.json must hold at least one object; got none."),
    "no lines": ("a.jsonl", "\n", "a.jsonl must hold at least one object; got none."),
    "a key twice": (
        "a.jsonl",
        '{"id": 1}\n{"id": 1, "id": 2}',
        "objects of line 2 of a.jsonl must name each key once; got 'id' twice.",
    ),
    "half a surrogate pair": (
        "a.json",
        r'[{"id": "\ud800"}]',
        r"column 'id' of a.json must be text; got half of a surrogate pair in '\ud800'.",
    ),
    "NUL": ("a.json", r'[{"id": "\u0000"}]', r"column 'id' of a.json must be text; got a NUL character in '\x00'."),
}


@pytest.mark.parametrize("case", WRONG_JSON)
def test_wrong_json(tmp_path, case):
    name, content, sentence = WRONG_JSON[case]
    refused(save(tmp_path, name, content), sentence)


@pytest.mark.parametrize("content", ["[" * 100_000, "[" + "9" * 10_000 + "]", '[{"a":' * 50_000])
def test_json_made_to_break_parsers(tmp_path, content):
    with pytest.raises(InputError, match="a.json must be JSON; got "):
        read_table(save(tmp_path, "a.json", content))
