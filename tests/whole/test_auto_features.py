"""Features of the items themselves, through `assess`, audits and the command line."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import altmas
from altmas.formats.auto_features import given_features
from worlds.commands import altmas as command
from worlds.commands import told
from worlds.formats import refusal

N = 60
ITEMS = pd.DataFrame({"review": ["a fine film", "a dull film", "so-so"] * (N // 3), "minutes": np.arange(N) % 7})
SAID, TRUTH = ["good", "bad", "bad"] * (N // 3), ["good", "bad", "good"] * (N // 3)
WIDTH = given_features("auto", ITEMS, N)[0].shape[1]


def assess(oracle=TRUTH, **options):
    return altmas.assess(SAID, oracle=oracle, metrics=["accuracy"], budget=30, progress=False, **options)


@pytest.mark.parametrize("features", [ITEMS, ITEMS["review"], ITEMS["review"].tolist(), np.eye(N)])
def test_assess_takes_the_things_people_have(features):
    pool = assess(features=features).findings.job.pool
    assert pool.features.shape[0] == N
    assert bool(pool.features_from) != isinstance(features, np.ndarray)


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Images, some of them missing."""
    folder, rng = tmp_path_factory.mktemp("images"), np.random.default_rng(0)
    for i in range(N - 2):
        Image.fromarray(rng.integers(0, 255, (9, 9, 3), dtype=np.uint8)).save(folder / f"{i}.png")
    return [folder / f"{i}.png" for i in range(N - 1)] + [None]


def test_assess_opens_images(paths):
    pool = assess(features=paths).findings.job.pool
    assert (
        pool.features_from
        == "64 numbers per item from 58 images (32 x 32, PCA); 1 image could not be read; 1 item has no image"
    )
    texts = ["" if one is None else str(one) for one in paths]
    assert np.array_equal(assess(features="auto", items=texts).findings.job.pool.features, pool.features)


@pytest.mark.parametrize("oracle", [TRUTH, dict(enumerate(TRUTH)), altmas.TableOracle(dict(enumerate(TRUTH)))])
def test_assess_makes_them_of_items_and_never_of_predictions_or_labels(oracle):
    found = assess(oracle, features="auto", items=ITEMS.assign(prediction=SAID, really=TRUTH)).findings.job.pool
    assert found.features.shape == (N, WIDTH)
    assert "'prediction' (a model's" in found.features_from
    assert "'really' (says what" in found.features_from
    assert "Give items=" in refusal(assess, features="auto")
    assert refusal(assess, items=ITEMS).startswith("items must come with features='auto'")


def test_an_audit_makes_them_of_images_and_columns(tmp_path, paths):
    media = [one and str(one) for one in paths]
    pool = altmas.Pool.build(SAID)
    with altmas.Audit.create(tmp_path / "a", pool, features="auto", items=ITEMS, media=media) as audit:
        assert audit.pool.features.shape == (N, WIDTH + 64)


def test_an_audit_keeps_what_they_were_made_of(tmp_path):
    pool = altmas.Pool.build(SAID)
    with altmas.Audit.create(tmp_path / "a", pool, features="auto", items=ITEMS, method="random") as audit:
        made = audit.pool.features_from
        assert audit.pool.features.shape == (N, WIDTH)
        report = audit.report(tmp_path / "r.json")
        assert json.loads(report.read_text())["pool"]["features_from"] == made
        assert "Features were made of the items: " in audit.report(tmp_path / "r.html").read_text()
        assert "Features were made of the items: " in audit.report(tmp_path / "r.md").read_text()
    with altmas.Audit.open(tmp_path / "a") as audit:
        assert audit.pool.features_from == made
        assert audit.verify().ok
    with altmas.Audit.create(tmp_path / "b", pool, items=ITEMS, method="random") as audit:
        assert (audit.pool.features, audit.pool.features_from) == (None, "")
        assert "features_from" not in (tmp_path / "b" / "pool" / "names.json").read_text()


def test_init_makes_features_and_check_repeats_of_what(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ITEMS.assign(id=range(N), prediction=SAID).to_csv("v.csv", index=False)
    (tmp_path / "auto").write_text("a file of this name is ./auto")
    out = told("init", "a", "--predictions", "v.csv", "--features", "auto")
    line = f"features: {WIDTH} numbers per item from the columns 'review', 'minutes'"
    assert f"Note: {line}" in out
    assert line in told("check", "a")
    assert json.loads(command("check", "a", "--json").out)["features_from"] == line.removeprefix("features: ")
    ITEMS.assign(id=range(N), prediction=SAID)[["id", "prediction"]].to_csv("bare.csv", index=False)
    refused = command("init", "b", "--predictions", "bare.csv", "--features", "auto")
    assert refused.code == 2
    assert "Give --items" in refused.err
    assert "Traceback" not in refused.err
    assert not (tmp_path / "b").exists()
    assert command("init", "c", "--predictions", "v.csv", "--features", "nowhere.npy").code == 2


def test_nothing_is_loaded_for_audits_without_features(tmp_path):
    ITEMS.assign(id=range(N), prediction=SAID).to_csv(tmp_path / "v.csv", index=False)
    program = (
        "import sys; sys.argv[1:] = ['init', 'a', '--predictions', 'v.csv']\nfrom altmas.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "bad = {'sklearn', 'PIL', 'tensorflow'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, cwd=tmp_path)
