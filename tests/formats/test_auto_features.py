"""Features of the things people have, through every door; never of what a model or a label says."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from PIL import Image

from altmas.formats.auto_features import given_features
from altmas.formats.ingest import ingest
from worlds.formats import refusal
from worlds.ingest import refused

N = 24
TEXTS = ["a fine film", "a dull long film", "fine acting, and a good end", "bad"] * (N // 4)
MIXED = pd.DataFrame({"minutes": np.arange(N) % 7, "genre": ["drama", "crime", "war"] * (N // 3)})


@pytest.mark.parametrize(
    "features",
    [
        np.eye(N),
        pd.DataFrame(np.eye(N)),
        pd.DataFrame({"a": range(N), "b": [True, False] * (N // 2)}),
        [[float(i)] for i in range(N)],
        [str(i) for i in range(N)],
        pd.Series(range(N)),
        None,
        "nothing",
        pd.DataFrame({"a": [1.0, np.nan] * (N // 2)}),
    ],
)
def test_numbers_pass_as_they_are(features):
    if isinstance(features, str):
        assert "must be numbers, texts, paths of image files, or a table" in refusal(given_features, features, None, N)
    else:
        assert given_features(features, None, N) == (features, "") or given_features(features, None, N)[0] is features


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, iter, pl.Series, pa.array])
def test_texts_of_any_kind(kind):
    array, used = given_features(kind(TEXTS), None, N)
    assert used == f"{array.shape[1]} numbers per item from texts (TF-IDF, SVD)"
    assert np.array_equal(given_features("auto", TEXTS, N)[0], array)


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas, lambda t: pl.from_pandas(t).lazy()]
)
def test_tables_of_any_kind(kind):
    array, used = given_features(kind(MIXED), None, N)
    assert used == "4 numbers per item from the columns 'minutes', 'genre'"
    assert np.array_equal(given_features("auto", kind(MIXED), N)[0], array)
    numbers = kind(MIXED[["minutes"]])
    assert given_features(numbers, None, N)[1] == ""


def test_a_column_of_lists_is_taken_as_it_is():
    lists = [[float(i), 2.0 * i, 0.5] for i in range(N)]
    for table in (pd.DataFrame({"e": lists}), pl.DataFrame({"e": lists}), pa.table({"e": lists})):
        array, used = given_features(table, None, N)
        assert (np.asarray(array).tolist(), used) == ([[i, 2 * i, 0.5] for i in range(N)], "")


def test_what_models_and_labels_say_is_never_used():
    said, scores = ["a", "b", "b"] * (N // 3), np.random.default_rng(0).random(N)
    table = MIXED.assign(
        prediction=said, verdict=np.where(np.array(said) == "a", "yes", "no"), certainty=scores, p_a=scores, id=range(N)
    )
    array, used = given_features("auto", table, N, said=[said, scores, None])
    named, told = "(a model's or a label, by its name)", "(says what a model or a label says)"
    assert np.array_equal(array, given_features("auto", MIXED, N)[0])
    assert used.endswith(
        f"left out: 'prediction' {named}, 'verdict' {told}, 'certainty' {told}, 'p_a' {named}, 'id' (an id)"
    )


def test_refusals():
    assert refusal(given_features, "auto", None, N) == (
        "features must have items to be made of where they are 'auto'; got none. "
        "Give items=: texts, paths of image files, or a table."
    )
    assert refusal(given_features, "auto", 7, N) == "items must be texts, paths of image files, or a table; got int."
    assert refusal(given_features, "auto", TEXTS[1:], N) == "items must be one row per item; got 23 rows for 24 items."
    alike = "features must be made of something that tells items apart; got "
    assert refusal(given_features, "auto", [""] * N, N) == alike + "texts or images that are all alike."
    assert refusal(given_features, "auto", MIXED[[]].assign(x=1), N) == alike + "only 'x' (constant)."
    assert refusal(given_features, "auto", ["a.png"] * N, N) == alike + "24 images could not be read."


def write_images(folder, names):
    rng = np.random.default_rng(0)
    for name in names:
        Image.fromarray(rng.integers(0, 255, (9, 9), dtype=np.uint8)).save(folder / name)


def test_ingest_makes_features_of_texts_images_and_columns(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    write_images(folder, [f"{i:02d}.png" for i in range(N)])
    table = MIXED.assign(id=[f"{i:02d}" for i in range(N)], label=["a", "b"] * (N // 2), review=TEXTS, p_a=0.5, p_b=0.5)
    table.to_csv(tmp_path / "v.csv", index=False)
    found = ingest(tmp_path / "v.csv", text="review", items=folder, features="auto")
    width = found.pool.features.shape[1]
    assert found.pool.features_from in str(found.notes)
    assert f"features: {found.pool.features_from}" in found.notes
    assert "from the text column 'review' (TF-IDF, SVD); 4 from the columns 'minutes', 'genre'; " in found.notes[-2]
    assert "from 24 images (32 x 32, PCA)" in found.notes[-2]
    assert width > 10
    shuffled = table.sample(frac=1, random_state=0)
    again = ingest(shuffled, text="review", items=folder, features="auto").pool
    assert np.allclose(again.features, found.pool.features[shuffled.index], atol=1e-5)
    (folder / "07.png").write_bytes(b"broken")
    found = ingest(tmp_path / "v.csv", items=folder, features="auto")
    assert found.pool.features_from.endswith("from 23 images (32 x 32, PCA); 1 item has no image")
    assert np.isfinite(found.pool.features).all()


def test_ingest_joins_a_table_of_items_and_uses_no_models_file():
    base = pd.DataFrame({"id": range(N), "prediction": ["a", "b"] * (N // 2), "minutes": np.arange(N) % 7})
    other = base.assign(prediction=["b", "a", "a", "a"] * (N // 4), secret=range(100, N + 100))
    items = pd.DataFrame({"id": range(N), "genre": MIXED["genre"], "other": other["prediction"]})[::-1]
    found = ingest([base, other], items=items, features="auto", show=[])
    assert found.pool.features_from == (
        "4 numbers per item from the columns 'genre', 'minutes'; left out: 'other' (says what a model or a label says)"
    )
    assert found.items.shape[1] == 0
    assert np.array_equal(found.pool.features[:, 3], given_features("auto", MIXED, N)[0][:, 0])
    refused(
        "features must have items to be made of where they are 'auto'; got neither columns of their own nor images. "
        "Give items=..., a table or a folder of images.",
        base[["id", "prediction"]],
        features="auto",
    )


def test_a_column_named_as_the_items_own_is_used_whatever_its_name_sounds_like():
    table = pd.DataFrame(
        {"id": range(N), "prediction": ["a", "b"] * (N // 2), "problem": TEXTS, "class": MIXED["genre"]}
    )
    assert "from the text column 'problem'" in ingest(table, text="problem", features="auto").pool.features_from
    assert "'class'; left out: 'problem'" in ingest(table, show=["class"], features="auto").pool.features_from
    refused(
        "features must be made of something that tells items apart; got only 'problem' (a model's or a label, by its "
        "name), 'class' (a model's or a label, by its name).",
        table,
        features="auto",
    )


@pytest.mark.parametrize("write", ["parquet", "jsonl", "csv", "npz", "pandas", "polars", "index"])
def test_embeddings_in_one_column_are_joined_on_ids(write, tmp_path):
    base = pd.DataFrame({"id": ["x", "007", "b"], "prediction": ["a", "b", "a"]})
    table = pd.DataFrame({"id": ["b", "x", "extra", "007"], "embedding": [[3, 0.5], [1, 0.5], [9, 9], [2, 0.5]]})
    path = tmp_path / f"e.{write}"
    if write == "parquet":
        table.to_parquet(path)
    elif write == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif write == "csv":
        table.assign(embedding=table["embedding"].map(str)).to_csv(path, index=False)
    elif write == "npz":
        np.savez(path, ids=np.array(table["id"].tolist()), embedding=np.array(table["embedding"].tolist()))
    given = {"pandas": table, "polars": pl.from_pandas(table), "index": table.set_index("id")}.get(write, path)
    found = ingest(base, features=given).pool
    assert (found.features.tolist(), found.features_from) == ([[1, 0.5], [2, 0.5], [3, 0.5]], "")


def test_annotators_are_not_shown_a_prediction_under_another_name():
    said = ["yes", "no", "no"] * 20
    table = pd.DataFrame({"id": range(60), "prediction": said, "age": np.arange(60) % 7})
    table["decision"] = np.where(table["prediction"] == "yes", "approve", "deny")
    found = ingest(table)
    assert found.items.columns.tolist() == ["age"]
    assert any("'decision'" in note and "withheld" in note for note in found.notes)
    assert "decision" in refusal(ingest, table, show=["age", "decision"])
