"""Label Studio: tasks out, exports in, as its documentation describes them."""

import json
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

from altmas.formats.label_studio import labelling_config, tasks, write_tasks
from altmas.formats.matching import match
from altmas.formats.returned import Returned, is_export, read_export, read_returned
from altmas.metrics.errors import InputError


def query(id, **content):
    return SimpleNamespace(id=id, content=content)


def region(*choices, control="altmas_label", kind="choices"):
    return {"id": "Dx_aB91ISN", "from_name": control, "to_name": "item", "type": kind, "origin": "manual",
            "value": {kind: list(choices)}}  # fmt: skip


def annotation(*regions, by=10, cancelled=False, **more):
    return {
        "id": 1001,
        "completed_by": by,
        "result": list(regions),
        "was_cancelled": cancelled,
        "ground_truth": False,
        "created_at": "2026-11-16T14:00:00.513742Z",
        "updated_at": "2026-11-16T14:02:11.746926Z",
        "lead_time": 4.288,
        "result_count": 1,
        "task": 1,
        **more,
    }


def task(id, *annotations, number=1, **more):
    return {
        "id": number,
        "data": {"altmas_id": id, "text": "Miaow."},
        "annotations": list(annotations),
        "predictions": [{"model_version": "m", "result": [region("dog")], "score": 0.9}],
        "drafts": [],
        "meta": {},
        "created_at": "2026-11-16T12:00:00Z",
        "project": 83,
        **more,
    }


# Tasks


def test_tasks_hold_the_item_and_nothing_a_model_said(tmp_path):
    made = tasks([query(2**62 + 1, text="a", region="north"), query("007")])
    assert made[0]["data"] == {
        "altmas_id": "4611686018427387905",
        "text": "a",
        "region": "north",
        "table": {"text": "a", "region": "north"},
    }
    assert made[1]["data"] == {"altmas_id": "007"}
    assert {key for one in made for key in one} == {"data", "meta"}
    write_tasks(tmp_path / "tasks.json", made)
    assert json.loads((tmp_path / "tasks.json").read_text()) == made


def test_columns_with_names_that_are_taken_are_shown_in_the_table():
    data = tasks([query("a", image="x.png", altmas_id="b", text="t")], media=lambda _: "/pictures/a.png")[0]["data"]
    assert (data["altmas_id"], data["image"], data["text"]) == ("a", "/pictures/a.png", "t")
    assert data["table"] == {"image": "x.png", "altmas_id": "b", "text": "t"}


def test_images_by_path_or_from_local_storage(tmp_path):
    path = tmp_path / "sub" / "ä #1.png"
    assert tasks([query("a")], media=lambda _: path)[0]["data"]["image"] == str(path)
    made = tasks([query("a")], media=lambda _: path, root=tmp_path)
    assert made[0]["data"]["image"] == "/data/local-files/?d=sub/%C3%A4%20%231.png"
    assert "image" not in tasks([query("a")], media=lambda _: None)[0]["data"]
    with pytest.raises(InputError, match="images for Label Studio must be inside its folder"):
        tasks([query("a")], media=lambda _: tmp_path / "a.png", root=tmp_path / "sub")


@pytest.mark.parametrize("kind", ["image", "text", "table"])
def test_the_labelling_config_is_sound_xml_with_the_classes(kind):
    classes = ['R&D <b> "x"', "it's", "two\nlines", "ünï", 3, True]
    root = ET.fromstring(labelling_config(classes, kind, text="review & more"))
    choices = root.find("Choices")
    assert [c.get("value") for c in choices.iter("Choice")] == [*map(str, classes), "unsure"]
    shown = root.find(kind.capitalize())
    assert choices.get("toName") == shown.get("name")
    assert shown.get("value") == {"image": "$image", "text": "$review & more", "table": "$table"}[kind]


def test_configs_that_cannot_be():
    with pytest.raises(InputError, match="kind must be one of image, text, table; got 'audio'"):
        labelling_config(["a", "b"], "audio")
    with pytest.raises(InputError, match=r"a class for Label Studio must be text that XML can hold; got 'a\\x07'"):
        labelling_config(["a\x07", "b"], "text")


# Exports


def test_a_full_export():
    export = [
        task("007", annotation(region("cat"), by={"id": 3, "email": "mk@home", "first_name": "M"})),
        task("b", annotation(region("dog")), annotation(region("Unsure"), by=11)),
        task("c", annotation(cancelled=True)),
        task("d", annotation()),
        task("e"),
        task(12345678901234567, annotation(region("cat"), region("blurred", control="quality"))),
    ]
    at = "2026-11-16T14:02:11.746926Z"
    assert is_export(export)
    assert read_export(export) == [
        Returned(1, "007", "cat", "mk@home", at),
        Returned(2, "b", "dog", "10", at),
        Returned(2, "b", "unsure", "11", at),
        Returned(3, "c", "skip", "10", at),
        Returned(6, "12345678901234567", "cat", "10", at),
    ]


def test_predictions_and_drafts_in_an_export_are_no_answers():
    assert read_export([task("a", drafts=[annotation(region("cat"))])]) == []


def test_an_older_export_with_completions():
    old = task("a")
    del old["annotations"]
    old["completions"] = [{"created_at": 1570000000, "id": 1, "lead_time": 3, "result": [region("cat")]}]
    assert read_export([old]) == [Returned(1, "a", "cat", "", "1570000000")]


def test_other_interfaces_with_one_control_and_notes():
    typed = {"type": "textarea", "from_name": "why", "to_name": "item", "value": {"text": ["blurred", "dark"]}}
    export = [task("a", annotation(region("cat", control="choice"), typed))]
    assert read_export(export)[0].label == "cat"
    assert read_export(export)[0].note == "blurred\ndark"


def test_json_min(tmp_path):
    common = {"text": "x", "annotator": 1, "annotation_id": 5, "created_at": "a", "updated_at": "b", "lead_time": 2.0}
    export = [
        {"altmas_id": "007", "id": 1, "altmas_label": "cat", **common},
        {"altmas_id": "b", "id": 2, **common},
        {"altmas_id": "c", "id": 3, "choice": "dog", **common, "annotator": {"email": "mk@home"}},
    ]
    expected = [Returned(1, "007", "cat", "1", "b"), Returned(3, "c", "dog", "mk@home", "b")]
    assert read_export(export) == expected
    path = tmp_path / "project-1.json"
    path.write_text(json.dumps(export))
    assert read_returned(path) == expected
    assert read_export(path) == expected


def test_a_csv_export_of_label_studio_is_a_table_like_others(tmp_path):
    (tmp_path / "a.csv").write_text(
        "altmas_id,altmas_label,annotation_id,annotator,created_at,id,lead_time,text,updated_at\n"
        "007,cat,5,1,2026-11-16T14:00:00Z,1,2.0,x,2026-11-16T14:02:11Z\n"
    )
    assert read_returned(tmp_path / "a.csv") == [Returned(2, "007", "cat", "1", "2026-11-16T14:02:11Z")]


@pytest.mark.parametrize(
    ("export", "sentence"),
    [
        ([task("a"), task("b", annotation(region("cat", "dog")))],
         "task 2 of the export must have one choice; got ['cat', 'dog']."),
        ([task("b", annotation(region("cat"), region("dog")))],
         "task 1 of the export must have one choice; got ['cat', 'dog']."),
        ([{"altmas_id": "b", "altmas_label": {"choices": ["cat", "dog"]}}],
         "task 1 of the export must have one choice; got ['cat', 'dog']."),
        ([task("b", annotation(region(["animal", "cat"])))],
         "task 1 of the export must have one choice, as text; got ['animal', 'cat']."),
        ([{"id": 1, "data": {"text": "x"}, "annotations": []}],
         "task 1 of the export must hold its item's id as 'altmas_id'; got ['text']."),
        ([task("b", 3)], "annotations of task 1 of the export must be objects; got int."),
        ([3], "entry 1 of the export must be an object; got int."),
        ([task("a\ud800", annotation(region("cat")))],
         "text in the export must be text; got half of a surrogate pair in 'a\\ud800'."),
    ],
)  # fmt: skip
def test_exports_that_are_refused(export, sentence):
    with pytest.raises(InputError) as error:
        read_export(export)
    assert str(error.value) == sentence


def test_there_and_back():
    asked = [query("007", text="a"), query("=1", text="b"), query("ü", text="c")]
    made = tasks(asked)
    labels = ["cat", "unsure", "dog"]
    export = [{"id": i, **one, "annotations": [annotation(region(label))]} for i, (one, label) in
              enumerate(zip(made, labels, strict=True), 70)]  # fmt: skip
    ids = {str(one.id): i for i, one in enumerate(asked)}
    found = match(read_export(json.loads(json.dumps(export))), ids, ids, ["cat", "dog"])
    assert [(row.position, row.label) for row in found.rows] == [(0, 0), (1, "unsure"), (2, 1)]
    assert not found.wrong
