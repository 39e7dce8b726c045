"""Items beside the vendors' files: tables that are joined, images that are found, and what annotators see."""

import os

import numpy as np
import pandas as pd
import pytest

from altmas.formats.ingest import ingest
from altmas.metrics.errors import InputError
from worlds.formats import save
from worlds.ingest import refused


def test_an_items_table_is_joined_and_shown(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction,hint\na,x,1\nb,y,2\n")
    items = save(tmp_path, "items.csv", "id,text,region,true_label\nz,?,?,?\nb,B,south,y\na,A,north,x\n")
    found = ingest(base, items=items, groups=["region"])
    assert found.items.to_dict("list") == {"text": ["A", "B"]}
    assert found.pool.groups["region"].tolist() == ["north", "south"]
    assert found.notes[-3:] == [
        "annotators see 'text'",
        "withheld from annotators: 'true_label'",
        "withheld from annotators, whom groups may sway: 'region'; --show names what they see",
    ]
    # Kept for later: never what a model said, or what may be the truth.
    assert found.withheld.to_dict("list") == {"region": ["north", "south"], "hint": ["1", "2"]}
    assert str(items) in found.inputs
    assert ingest(base, items=items, show=["hint", "text"]).items.columns.tolist() == ["hint", "text"]
    assert ingest(base, items=items, text="text").items.columns.tolist() == ["text"]
    assert ingest(base, items=items, text="text", show=["region"]).items.columns.tolist() == ["text", "region"]
    assert ingest(base, items=items, show=["id"]).items.columns.tolist() == []
    assert ingest(base, items=items, show=["region", "id"], groups=["region"]).notes[-1] == "annotators see 'region'"


def test_id_stands_for_the_id_whatever_its_column_is_called():
    table = pd.DataFrame({"ticket": ["a", "b"], "prediction": ["x", "y"], "text": ["A", "B"]})
    for show in (["id", "text"], ["ticket", "text"]):
        assert ingest(table, id="ticket", show=show).items.columns.tolist() == ["text"]


def test_columns_too_large_to_keep_are_named(monkeypatch):
    monkeypatch.setattr("altmas.formats.described.KEPT_CHARACTERS", 20)
    table = pd.DataFrame({"id": [1, 2], "prediction": ["x", "y"], "text": ["A", "B"], "long": ["z" * 9] * 2, "n": "s"})
    found = ingest(table, text="text")
    assert found.withheld.columns.tolist() == ["long"]  # nothing is left for the next
    assert found.notes[-1] == "too large to keep, so never to be shown unless --show names them now: 'n'"


def test_what_a_model_said_is_not_shown(tmp_path):
    names = "id,label,Pred_2,p_x,p_y,logit,raw_score,max_prob,conf,text,truth"
    base = save(tmp_path, "v.csv", f"{names}\na,x,x,1,0,3,4,5,6,A,x\nb,y,x,0,1,3,4,5,6,B,y\n")
    found = ingest(base, prediction="label")
    assert found.items.columns.tolist() == ["text"]
    shown = found.notes[-1]
    assert shown.startswith("withheld from annotators: ")
    for name in names.split(",")[1:]:
        assert (repr(name) in shown) == (name != "text")


def test_every_shown_cell_is_text():
    table = pd.DataFrame({"id": [1, 2], "prediction": ["a", "b"], "age": [41, None], "ok": [True, False]})
    assert ingest(table).items.to_dict("list") == {"age": ["41.0", ""], "ok": ["True", "False"]}


PNG = b"\x89PNG\r\n\x1a\n"


def test_images_by_id_with_and_without_their_ending(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\n001,x\nb.jpg,y\nsub/c,x\n")
    for name in ("001.PNG", "b.jpg", "d.png", "notes.txt", "001.svg"):
        save(tmp_path, f"images/{name}", PNG)
    (tmp_path / "images" / "sub").mkdir()
    save(tmp_path, "images/sub/c.webp", PNG)
    found = ingest(base, items=tmp_path / "images")
    assert found.media == [str(tmp_path.resolve() / "images" / name) for name in ("001.PNG", "b.jpg", "sub/c.webp")]
    assert f"{tmp_path / 'images'}/" in found.inputs
    assert found.items.shape == (3, 0)
    assert "annotators see no columns" in found.notes


BY_ID = "--items names the folder; where images are not named by id, --image names the column with their names."


def test_some_images_may_be_missing_and_most_may_not(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\nc,x\nd,y\n")
    folder = tmp_path / "images"
    save(tmp_path, "images/a.png", PNG)
    said = f"images in {folder} must be there for most items; got none for 3 of 4, e.g. 'b', 'c', 'd'."
    refused(f"{said} {BY_ID}", base, items=folder)
    save(tmp_path, "images/b.png", PNG)
    found = ingest(base, items=folder)
    assert [bool(one) for one in found.media] == [True, True, False, False]
    lacking = "2 of 4 items have no image; annotators see only the id and columns: 'c', 'd'"
    assert found.notes[-1] == lacking
    for name, content in (("c.png", b""), ("d.png", b"%PDF-1.7")):
        save(tmp_path, f"images/{name}", content)
    found = ingest(base, items=folder)
    assert [bool(one) for one in found.media] == [True, True, False, False]
    assert found.notes[-2:] == [lacking, "2 files are no images that can be shown, or empty: those of 'c', 'd'"]


def test_images_that_are_double(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\nc,x\n")
    folder = tmp_path / "images"
    for name in ("a.png", "b.png", "b.jpg", "c.png"):
        save(tmp_path, f"images/{name}", PNG)
    refused(f"images in {folder} must be one per id; got b.jpg, b.png for 'b'.", base, items=folder)


def test_images_by_a_column(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction,file,text\na,x,one.png,A\nb,y,sub/two.gif,B\nc,x,,C\n")
    save(tmp_path, "images/one.png", PNG)
    (tmp_path / "images" / "sub").mkdir()
    save(tmp_path, "images/sub/two.gif", PNG)
    found = ingest(base, items=tmp_path / "images", image="file")
    assert [one and os.path.basename(one) for one in found.media] == ["one.png", "two.gif", None]
    assert found.items.columns.tolist() == ["text"]
    items = save(tmp_path, "images/items.csv", "id,file\na,one.png\nb,sub/two.gif\nc,one.png\n")
    assert [os.path.basename(one) for one in ingest(base, items=items, image="file").media] == [
        "one.png", "two.gif", "one.png"]  # fmt: skip


@pytest.mark.parametrize("name", ["../secret.png", "sub/../../secret.png", "link.png", "linked/secret.png"])
def test_images_stay_inside_their_folder(tmp_path, name):
    save(tmp_path, "secret.png", PNG)
    save(tmp_path, "images/ok.png", PNG)
    (tmp_path / "images" / "sub").mkdir()
    (tmp_path / "images" / "link.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "images" / "linked").symlink_to(tmp_path)
    base = save(tmp_path, "v.csv", f"id,prediction,file\na,x,ok.png\nb,y,{name}\n")
    with pytest.raises(InputError, match="images must be inside .*, which leads outside"):
        ingest(base, items=tmp_path / "images", image="file")


def test_absolute_names_and_links_to_outside_by_id(tmp_path):
    save(tmp_path, "secret.png", PNG)
    save(tmp_path, "images/a.png", PNG)
    (tmp_path / "images" / "b.png").symlink_to(tmp_path / "secret.png")
    by_id = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\n")
    with pytest.raises(InputError, match="images must be inside .* got 'b.png', which leads outside"):
        ingest(by_id, items=tmp_path / "images")
    absolute = save(tmp_path, "w.csv", f"id,prediction,file\na,x,a.png\nb,y,{tmp_path / 'secret.png'}\n")
    with pytest.raises(InputError, match="which leads outside"):
        ingest(absolute, items=tmp_path / "images", image="file")
    (tmp_path / "images" / "b.png").unlink()
    (tmp_path / "images" / "b.png").symlink_to(tmp_path / "images" / "a.png")  # inside: fine
    assert [os.path.basename(one) for one in ingest(by_id, items=tmp_path / "images").media] == ["a.png", "a.png"]


def test_only_pictures_are_images(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction,file\na,x,a.svg\nb,y,a.svg\n")
    save(tmp_path, "images/a.svg", "<svg/>")
    with pytest.raises(InputError, match="must be PNG, .* files for most items; got 2 of 2 that are not, e.g. 'a.svg'"):
        ingest(base, items=tmp_path / "images", image="file")
    long = save(tmp_path, "w.csv", f"id,prediction,file\na,x,{'x' * 5000}\nb,y,a\n")
    with pytest.raises(InputError, match="must be there for most items; got none for 2 of 2, .* --image names the col"):
        ingest(long, items=tmp_path / "images", image="file")
    empty = save(tmp_path, "e.csv", "id,prediction,file\na,x,\nb,y,\n")
    with pytest.raises(InputError, match="image must be a column with the names of image files; got nothing in any"):
        ingest(empty, items=tmp_path / "images", image="file")


def test_tables_from_memory_have_a_digest_of_their_cells():
    table = pd.DataFrame({"id": ["a", "b"], "prediction": ["x", "y"]})
    one, same = ingest(table).inputs, ingest(table.copy()).inputs
    other = ingest(table.assign(prediction=["x", "z"])).inputs
    assert one == same != other
    assert list(one) == ["model"]


def test_a_large_file_is_read_in_seconds(tmp_path):
    count = 100_000
    path = tmp_path / "v.parquet"
    pd.DataFrame({"id": np.arange(count), "prediction": ["a", "b"] * (count // 2), "score": 0.9}).to_parquet(path)
    assert ingest(path).pool.size == count
