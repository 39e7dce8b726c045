"""From vendors' files to a pool: columns, joins, images, and what annotators may see."""

import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pytest

from altmas.formats.ingest import ingest
from worlds.formats import save
from worlds.ingest import CSV, refused

# One file


def test_a_file_with_common_names(tmp_path):
    path = save(tmp_path, "vendor.csv", CSV)
    found = ingest(path, groups=["region"])
    assert found.pool.ids == ("007", "08", "x")
    assert found.pool.classes == ("cat", "dog")
    assert found.pool.outputs[0].name == "vendor"
    np.testing.assert_allclose(found.pool.scores, [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    assert found.pool.groups["region"].tolist() == ["north", "(missing)", "south"]
    assert found.items.to_dict("list") == {"text": ["Miaow.", "Woof.", "Hm."]}
    assert found.withheld.to_dict("list") == {"region": ["north", "", "south"]}
    assert found.media == [None] * 3
    assert found.inputs == {str(path): hashlib.sha256(CSV.encode()).hexdigest()}
    assert found.notes == [
        "vendor.csv: id from 'id', predictions from 'label', scores of 2 classes "
        "(guessed by name: 'id', 'label', 'p_*')",
        "annotators see 'text'",
        "withheld from annotators: 'label', 'p_cat', 'p_dog'",
        "withheld from annotators, whom groups may sway: 'region'; --show names what they see",
    ]


def test_one_name_may_stand_alone(tmp_path):
    found = ingest(save(tmp_path, "vendor.csv", CSV), groups="region", show="text")
    assert list(found.pool.groups) == ["region"]
    assert found.items.columns.tolist() == ["text"]


def test_columns_by_name(tmp_path):
    path = save(tmp_path, "v.csv", "key;said;sure;id\na;cat;0.9;1\nb;dog;0.8;1\n")
    found = ingest(path, id="key", prediction="said", scores="sure")
    assert found.pool.ids == ("a", "b")
    assert found.pool.scores.tolist() == [0.9, 0.8]
    same = ingest(path, id="key", prediction="said", confidence="sure")
    assert same.pool.scores.tolist() == [0.9, 0.8]
    assert found.notes[0] == "v.csv: id from 'key', predictions from 'said', confidence from 'sure'"


def test_patterns_find_the_class_in_the_middle_of_a_name():
    table = pd.DataFrame({"id": ["a", "b"], "prediction": ["x", "y"], "p[y]!": [0.1, 0.9], "p[x]!": [0.9, 0.1]})
    assert ingest(table, scores="p[*]!").pool.scores.tolist() == [[0.9, 0.1], [0.1, 0.9]]


def test_scores_alone_say_the_class_of_the_highest(tmp_path):
    path = save(tmp_path, "v.csv", "id,p_b,p_a\n1,0.3,0.7\n2,0.6,0.4\n")
    found = ingest(path)
    assert [found.pool.classes[i] for i in found.pool.predictions] == ["a", "b"]
    assert "predictions from the highest score" in found.notes[0]


def test_logits(tmp_path):
    path = save(tmp_path, "v.csv", "id,prediction,z_a,z_b\n1,a,5,1\n2,b,-3,2\n")
    scores = ingest(path, scores="z_*", logits=True).pool.scores
    np.testing.assert_allclose(scores.sum(1), 1)
    np.testing.assert_allclose(scores[0, 0], 1 / (1 + np.exp(-4)))


def test_scores_in_an_array_beside(tmp_path):
    path = save(tmp_path, "v.csv", "id,prediction\n1,a\n2,b\n")
    np.save(tmp_path / "s.npy", [[0.9, 0.1], [0.2, 0.8]])
    found = ingest(path, scores=tmp_path / "s.npy")
    assert found.pool.scores.tolist() == [[0.9, 0.1], [0.2, 0.8]]
    assert set(found.inputs) == {str(path), str(tmp_path / "s.npy")}
    assert "scores are taken row by row from s.npy, in the order of v.csv" in found.notes


def test_columns_that_only_look_like_scores_are_none():
    table = pd.DataFrame({"id": ["a", "b"], "prediction": ["x", "y"], "p_value": [1, 2], "p_type": ["k", "l"]})
    assert ingest(table).pool.scores is None


def test_typed_tables_keep_their_ids_and_classes():
    big = 2**62 + 1
    table = pl.DataFrame({"id": [big, 7], "prediction": [3, 1], "p_1": [0.1, 0.9], "p_3": [0.9, 0.1]})
    pool = ingest(table).pool
    assert pool.ids == (big, 7)
    assert pool.classes == (1, 3)
    assert pool.predictions.tolist() == [1, 0]
    assert ingest(pd.DataFrame({"id": [1, 2], "prediction": [True, False]})).pool.classes == (False, True)
    # A gap makes pandas hold whole numbers as floats; they are classes all the same.
    gap = pd.DataFrame({"id": [1, 2, 3], "prediction": [0, 1, None]})
    assert ingest(gap, classes=["0", "1", "2"]).pool.classes == (0, 1, 2)


def test_abstentions_and_answers_that_are_no_class(tmp_path):
    path = save(tmp_path, "v.csv", "id,prediction\n1,cat\n2,\n3,error\n4,dog\n")
    found = ingest(path, classes=["cat", "dog", "bird"])
    assert found.pool.predictions.tolist() == [0, 3, 3, 1]
    said = "v gave no answer on 2 of 4 items (50.0%): they count as wrong, and belong to no class"
    assert found.notes[-1] == f"{said} (it said nothing 1, 'error' 1)"
    refused(
        "predictions must be classes; got what looks like no answer: 'error' (1 prediction). "
        "Give not_a_class=['error'] where they are no answer, is_a_class=['error'] where they are classes.",
        path,
    )
    found = ingest(path, not_a_class=["ERROR"])
    assert found.pool.classes == ("cat", "dog")
    assert found.pool.predictions.tolist() == [0, 2, 2, 1]
    found = ingest(path, is_a_class=["error"])
    assert found.pool.classes == ("cat", "dog", "error")
    assert found.pool.unanswered() == 1


def test_a_declared_class_the_model_does_not_know_has_probability_0(tmp_path):
    found = ingest(save(tmp_path, "vendor.csv", CSV), classes=["dog", "cat", "bird"])
    np.testing.assert_allclose(found.pool.scores[0], [0.1, 0.9, 0])
    assert "vendor.csv has no scores of 'bird': taken as 0" in found.notes


NAMED = "An option given once names the column of every file; given once for each file, that of each in turn."
OTHER = "id=... names another column."

WRONG = {
    "no id": (
        "x,label\n1,a\n",
        {},
        "v.csv must have a column 'id' of ids; got columns ['x', 'label']. Name it with id=....",
    ),
    "no such id": (
        "id,label\n1,a\n",
        {"id": "key"},
        "v.csv must have a column 'key' of ids; got columns ['id', 'label']. Name it with id=....",
    ),
    "ids twice": ("id,label\na,x\n\nb,y\na,x\n", {}, f"ids of v.csv must be unique; got 'a' in rows 2, 5. {OTHER}"),
    "an empty id": (
        "id,label\na,x\n,y\n",
        {},
        f"ids of v.csv must be there for every row; got none in row 3. {OTHER}",
    ),
    "no predictions": (
        "id,text\na,x\n",
        {},
        "v.csv must have a column of predictions, or scores for each class; got neither by name. "
        "Name them with prediction=... or scores=.... Columns: id, text.",
    ),
    "no such prediction": (
        "id,text\na,x\n",
        {"prediction": "said"},
        f"v.csv must have a column 'said'; got columns ['id', 'text']. {NAMED}",
    ),
    "no such scores": (
        "id,label\na,x\n",
        {"scores": "p_*"},
        "scores 'p_*' must match a column for each class of v.csv; got 0. "
        "scores='p_*' takes p_cat, p_dog and so on. Columns: id, label.",
    ),
    "two stars": ("id,label\na,x\n", {"scores": "p_*_*"}, "scores must have one * for the class's name; got 'p_*_*'."),
    "no such confidence": (
        "id,label\na,x\n",
        {"scores": "sure"},
        f"v.csv must have a column 'sure'; got columns ['id', 'label']. {NAMED}",
    ),
    "scores twice": (
        "id,label\na,x\n",
        {"scores": "p_*", "confidence": "c"},
        "scores must be given once; got scores 'p_*' and confidence 'c'.",
    ),
    "scores that are no numbers": (
        "id,label,p_a,p_b\n1,a,0.9,0.1\n2,b,low,0.9\n",
        {},
        "column 'p_a' of v.csv must be numbers; got 'low' in row 3.",
    ),
    "scores of more classes than declared": (
        "id,label,p_a,p_b,p_c\n1,a,0.9,0.1,0\n",
        {"classes": ["a", "b"]},
        "scores of v.csv must be of the classes ['a', 'b']; got also of ['c']. "
        "Declare them with classes=[...], or name other columns with scores=....",
    ),
    "logits of too few classes": (
        "id,label,p_a,p_b\n1,a,0.9,0.1\n",
        {"classes": ["a", "b", "c"], "logits": True},
        "logits of v.csv must be there for every class; got none of ['c']. "
        "Leave them out of classes=[...], or name other columns with scores=....",
    ),
    "scores that are no probabilities": (
        "id,label,p_a,p_b\n1,a,9,1\n",
        {},
        "each row of scores must sum to 1; got 10 in row 0. Pass logits=True if these are logits.",
    ),
    "a class named unsure": (
        "id,label\n1,a\n2,Unsure\n",
        {},
        "classes must not be named 'unsure' or 'skip', which are answers; got 'Unsure'. "
        "not_a_class=... takes it as no answer; a class must be renamed in the files.",
    ),
    "a declared class named skip": (
        "id,label\n1,a\n",
        {"classes": ["a", " SKIP"]},
        "classes must not be named 'unsure' or 'skip', which are answers; got ' SKIP'. "
        "not_a_class=... takes it as no answer; a class must be renamed in the files.",
    ),
    "no such group": (
        "id,label\n1,a\n2,b\n",
        {"groups": ["region"]},
        "groups must name columns of the predictions or the items; got 'region'; there are ['id', 'label']. "
        "groups=... names another.",
    ),
    "an outcome shown": (
        "id,label\n1,a\n2,b\n",
        {"show": ["label"]},
        "columns to show must be the item's own; got 'label', which the model under test said. "
        "Leave it out of show=..., or name others.",
    ),
    "one class": (
        "id,label\n1,a\n2,a\n",
        {},
        "classes must be at least two; got only 'a' in predictions. "
        "Declare classes=[...] when the model under test only ever says one class.",
    ),
    "no rows": ("id,label\n", {}, "predictions must hold at least one item; got 0 items."),
    "classes as one text": ("id,label\n1,a\n", {"classes": "ab"}, "classes must be a list of classes; got 'ab'."),
    "an image column and no folder": (
        "id,label,file\n1,a,x.png\n2,b,y.png\n",
        {"image": "file"},
        "image must be given with items, a folder of images or a table file; got 'file'. Give items=....",
    ),
    "names": ("id,label\n1,a\n2,b\n", {"names": ["a", "b"]}, "names must be one for each of 1 files; got 2."),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files(tmp_path, case):
    content, options, sentence = WRONG[case]
    refused(sentence, save(tmp_path, "v.csv", content), **options)


def test_no_files():
    refused("predictions must be at least one file; got none.", [])


# Several files


def test_each_file_may_call_its_columns_otherwise(tmp_path):
    ours = save(tmp_path, "ours.csv", "case,said\na,x\nb,y\n")
    theirs = save(tmp_path, "theirs.csv", "case,guess\nb,x\na,y\n")
    other = save(tmp_path, "other.csv", "case,prediction\na,x\nb,x\n")
    found = ingest([ours, theirs], id="case", prediction=["said", "guess"], opinions=[other])
    assert [one.predictions.tolist() for one in found.pool.outputs] == [[0, 1], [1, 0]]
    assert found.pool.opinions[0].predictions.tolist() == [0, 0]
    refused(
        "prediction must name one column for all files, or one for each in turn; got 3 for 2 files.",
        [ours, theirs], id="case", prediction=["said", "guess", "x"],
    )  # fmt: skip


def test_a_title_above_the_header_is_told_of(tmp_path):
    titled = save(tmp_path, "v.csv", "Results of May,\nid,label\n1,x\n2,y\n")
    refused(
        "v.csv must have the names of its columns on top; got 'Results of May' there, and 'id' in row 2. "
        "Delete what is above row 2.",
        titled,
    )


def test_several_models_in_any_order(tmp_path):
    ours = save(tmp_path, "ours.csv", "id,label,score\nb,x,0.9\na,y,0.8\nc,x,0.7\n")
    theirs = pd.DataFrame({"id": ["a", "b", "c"], "prediction": ["x", "y", "z"]})
    theirs.to_parquet(tmp_path / "theirs.parquet")
    found = ingest([ours, f"other={tmp_path / 'theirs.parquet'}"])
    assert found.pool.ids == ("b", "a", "c")
    assert [one.name for one in found.pool.outputs] == ["ours", "other"]
    assert found.pool.classes == ("x", "y", "z")
    assert found.pool.outputs[1].predictions.tolist() == [1, 0, 2]
    assert found.pool.outputs[0].scores.tolist() == [0.9, 0.8, 0.7]
    assert found.pool.outputs[1].scores is None
    assert set(found.inputs) == {str(ours), str(tmp_path / "theirs.parquet")}
    named = ingest([ours, tmp_path / "theirs.parquet"], names=["A", "B"])
    assert [one.name for one in named.pool.outputs] == ["A", "B"]


def test_numbers_and_text_of_two_files_are_the_same_ids_and_classes(tmp_path):
    typed = pd.DataFrame({"id": [1, 2], "prediction": [3, 4]})
    text = save(tmp_path, "t.csv", "id,prediction\n2,3\n1,4\n")
    found = ingest([typed, text])
    assert found.pool.ids == (1, 2)
    assert found.pool.classes == (3, 4)
    assert found.pool.outputs[1].predictions.tolist() == [1, 0]


def test_files_that_do_not_fit_together(tmp_path):
    one = save(tmp_path, "a.csv", "id,label\n1,x\n2,y\n3,x\n")
    other = save(tmp_path, "b.csv", "id,label\n1,x\n4,y\n")
    missing = "ids of b.csv must be those of a.csv; got 2 missing, e.g. '2', '3'; 1 more, e.g. '4'."
    refused(f"{missing} {OTHER}", [one, other])
    refused("names of predictions must be distinct; got ['a', 'a']. Write name=path.", [one, one])
    np.save(tmp_path / "s.npy", np.full((3, 2), 0.5))
    third = save(tmp_path, "c.csv", "id,label\n1,x\n2,y\n3,x\n")
    refused(
        f"scores must be columns where there are several models; got the file {tmp_path / 's.npy'}. "
        "Name columns, such as scores='p_*'.",
        [one, third],
        scores=tmp_path / "s.npy",
    )


def test_opinions_with_scores_confidence_or_neither(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\nc,x\n")
    second = save(tmp_path, "second.csv", "id,prediction,confidence\na,x,0.7\nb,y,0.6\nc,?,0.5\n")
    opinions = [
        save(tmp_path, "one.csv", "id,prediction,p_y,p_x\nc,y,0.9,0.1\na,x,0.2,0.8\nb,x,0.4,0.6\n"),
        f"two={second}",
        pd.DataFrame({"id": ["b", "a", "c"], "label": ["y", "x", "x"]}),
    ]
    pool = ingest(base, opinions=opinions).pool
    assert [one.name for one in pool.opinions] == ["one", "two", "opinion 3"]
    assert pool.opinions[0].predictions.tolist() == [0, 0, 1]
    np.testing.assert_allclose(pool.opinions[0].scores[2], [0.1, 0.9])
    assert pool.opinions[1].predictions.tolist() == [0, 1, 2]
    assert pool.opinions[1].scores.tolist() == [0.7, 0.6, 0.5]
    assert pool.opinions[2].predictions.tolist() == [0, 1, 0]
    assert len(pool.outputs) == 1


def test_opinions_of_logits():
    base = pd.DataFrame({"id": [1, 2], "z_a": [5.0, -5], "z_b": [0.0, 0]})
    found = ingest(base, scores="z_*", logits=True, opinions=[base])
    np.testing.assert_allclose(found.pool.opinions[0].scores, found.pool.scores)
    assert list(found.inputs) == ["model", "opinion"]


# Features


def test_features_by_row_or_by_id(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\n")
    np.save(tmp_path / "f.npy", np.arange(4.0).reshape(2, 2))
    found = ingest(base, features=tmp_path / "f.npy")
    assert isinstance(found.pool.features, np.memmap)
    assert "features are taken row by row, in the order of v.csv" in found.notes
    pd.DataFrame({"id": ["b", "a", "z"], "x": [1, 2, 3], "y": [4, 5, 6]}).to_parquet(tmp_path / "f.parquet")
    assert ingest(base, features=tmp_path / "f.parquet").pool.features.tolist() == [[2, 5], [1, 4]]
    pl.DataFrame({"id": ["b", "a"], "emb": [[1.0, 2.0], [3.0, 4.0]]}).write_parquet(tmp_path / "e.parquet")
    assert ingest(base, features=tmp_path / "e.parquet").pool.features.tolist() == [[3, 4], [1, 2]]
    save(tmp_path, "f.csv", "x\n1.5\n2\n")
    assert ingest(base, features=tmp_path / "f.csv").pool.features.tolist() == [[1.5], [2]]
    assert ingest(base, features=np.eye(2)).pool.features.tolist() == [[1, 0], [0, 1]]
    np.save(tmp_path / "f.npy", np.zeros((3, 2)))
    refused("features must be one row per item; got 3 features for 2 items.", base, features=tmp_path / "f.npy")
    pd.DataFrame({"id": ["b"], "x": [1]}).to_parquet(tmp_path / "f.parquet")
    missing = f"ids of the features must be those of v.csv; got 1 missing, e.g. 'a'. {OTHER}"
    refused(missing, base, features=tmp_path / "f.parquet")
