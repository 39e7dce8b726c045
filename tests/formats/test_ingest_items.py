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
    assert found.items.to_dict("list") == {"text": ["A", "B"], "region": ["north", "south"]}
    assert found.pool.groups["region"].tolist() == ["north", "south"]
    assert found.notes[-2:] == ["annotators see 'text', 'region'", "withheld from annotators: 'true_label'"]
    assert str(items) in found.inputs
    assert ingest(base, items=items, show=["hint", "text"]).items.columns.tolist() == ["hint", "text"]
    assert ingest(base, items=items, text="text").items.columns.tolist() == ["text"]
    assert ingest(base, items=items, text="text", show=["region"]).items.columns.tolist() == ["text", "region"]


def test_what_a_model_said_is_not_shown(tmp_path):
    names = "id,label,Pred_2,p_x,p_y,logit,raw_score,max_prob,conf,text,truth"
    base = save(tmp_path, "v.csv", f"{names}\na,x,x,1,0,3,4,5,6,A,x\nb,y,x,0,1,3,4,5,6,B,y\n")
    found = ingest(base)
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


def test_images_that_are_missing_or_double(tmp_path):
    base = save(tmp_path, "v.csv", "id,prediction\na,x\nb,y\nc,x\n")
    folder = tmp_path / "images"
    save(tmp_path, "images/a.png", PNG)
    refused(f"images in {folder} must be there for every item; got none for 2 of 3, e.g. 'b', 'c'.", base, items=folder)
    for name in ("b.png", "b.jpg", "c.png"):
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
    with pytest.raises(InputError, match="images must be files ending in .bmp, .gif"):
        ingest(base, items=tmp_path / "images", image="file")
    long = save(tmp_path, "w.csv", f"id,prediction,file\na,x,{'x' * 5000}\nb,y,a\n")
    with pytest.raises(InputError, match="must be there for every item; got none for 2 of 2"):
        ingest(long, items=tmp_path / "images", image="file")


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
