"""`altmas set`, and audits some of whose images are missing, as people meet them on the command line."""

import json

import pytest

from altmas.commands.changing import REFUSED
from worlds.commands import altmas, init, refused, told
from worlds.page import draw_image


@pytest.fixture(scope="module")
def audit(files):
    return init(files, files / "to-set", "--group", "region", "--budget", 30)


def test_a_change_says_what_was_and_is(audit, tmp_path):
    guidelines = tmp_path / "g.md"
    guidelines.write_text("# Look\n\n- twice")
    said = told("set", audit, "--budget", 40, "--guidelines", guidelines, "--title", "Spring", "--target", "mcc >= 0.5")
    for line in ("budget: 30 -> 40", "title: none -> Spring", "targets: none -> mcc >= 0.5"):
        assert line in said.splitlines()
    assert "Event 2 of the log" in said
    assert told("set", audit, "--budget", 40) == "Nothing changed: it is so already.\n"
    assert '"budget":40' in told("log", audit)
    assert "2 events" in told("log", audit, "--verify")
    assert "good enough is mcc >= 0.5" in told("check", audit)
    assert "targets: mcc >= 0.5 -> none" in told("set", audit, "--no-target")


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_not_change_says_what_to_do_instead(audit, name):
    given = [] if name == "anytime" else ["5"]
    said = refused("set", audit, f"--{name.replace('_', '-')}", *given)
    assert said.startswith("setting must be one that may change; got ")
    assert len(said.split("'. ")[1]) > 20


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Say what to change: --budget"),
        (["--target", "mcc >= 1", "--no-target"], "Say either --target or --no-target."),
        (["--show", "p_cat"], "columns to show must be kept with the audit, where there are 'text', 'region'"),
        (["--target", "accuracy"], "target must be a metric, >= or <=, and a number, such as 'accuracy >= 0.9'"),
        (["--target", "recall:emu >= 0.9"], "must be one of cat, cow, dog; got 'emu'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_one_sentence(audit, options, sentence):
    assert sentence in refused("set", audit, *options)


def test_a_plan_that_grows_when_it_was_done_warns_of_the_secret(files, tmp_path):
    audit = init(files, tmp_path / "a", "--budget", 20, "--method", "random")
    told("label", audit, "--from", files / "truth.csv")
    told("estimate", audit)
    notes = altmas("set", audit, "--budget", 30, "--json").json["notes"]
    assert "has revealed the secret" in notes[0]
    assert "looked at before the plan was changed" in notes[1]


def test_a_few_images_may_be_missing(tmp_path):
    (tmp_path / "images").mkdir()
    rows = [f"img{k},{'cat' if k % 2 else 'dog'}" for k in range(12)]
    (tmp_path / "v.csv").write_text("\n".join(["id,prediction", *rows]) + "\n")
    for k in range(10):
        draw_image(tmp_path / "images" / f"img{k}.png", k)
    (tmp_path / "images" / "img0.png").write_bytes(b"")
    made = told("init", tmp_path / "a", "--predictions", tmp_path / "v.csv", "--items", tmp_path / "images",
                "--features", "auto")  # fmt: skip
    sentence = "3 of 12 items have no image; annotators see only the id and columns: 'img0', 'img10', 'img11'"
    assert made.count(sentence) == 1
    assert "Note: 1 file is no image that can be shown, or empty: that of 'img0'" in made
    assert "from 9 images (32 x 32, PCA); 3 items have no image" in made
    assert sentence in told("check", tmp_path / "a")
    found = json.loads(told("check", tmp_path / "a", "--json"))
    assert found["without_image"] == {"items": 3, "ids": ["img0", "img10", "img11"]}
    asked = altmas("next", tmp_path / "a", "-n", 12, "--json").json["questions"]
    assert sorted(one["id"] for one in asked if one["file"] == "") == ["img0", "img10", "img11"]
