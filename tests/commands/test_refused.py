"""What the commands refuse, and what they find wrong: one sentence, an exit code, and nothing changed."""

import os
import re
import shutil

import pytest

from worlds.audits import meddle
from worlds.commands import altmas, head, init, refused, told


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--predictions", "nowhere.csv"], "nowhere.csv must be a file; got no file at that path."),
        (["--predictions", "ours.csv", "--id", "key"], "must have a column 'key' of ids; got columns ['id',"),
        (["--predictions", "ours.csv", "--prediction", "said"], "must have a column 'said'; got columns ['id',"),
        (["--predictions", "ours.csv", "--scores", "q_*"], "scores 'q_*' must match a column for each class"),
        (
            ["--predictions", "ours.csv", "--scores", "text"],
            "column 'text' of ours.csv must be numbers; got '=1+1' in rows",
        ),
        (
            ["--predictions", "ours.csv", "--group", "land"],
            "must name columns of the predictions or the items; got 'land'",
        ),
        (["--predictions", "ours.csv", "--features", "truth.csv"], "column 'label' of truth.csv must be numbers"),
        (["--predictions", "ours.csv", "--metrics", "greatness"], "; got 'greatness'."),
        (["--predictions", "ours.csv", "--metrics", "recall:emu"], "must be one of cat, cow, dog; got 'emu'."),
        (["--predictions", "ours.csv", "--metrics", ","], "must be names, at least one"),
        (["--predictions", "ours.csv", "--method", "magic"], "method of an audit must be one of certified, random, "),
        (["--predictions", "ours.csv", "--method", "lure"], "method of an audit must be one of certified, random, "),
        (
            ["--predictions", "ours.csv", "--method", "random", "--anytime"],
            "be certified for anytime intervals; got 'random'",
        ),
        (["--predictions", "ours.csv", "--option", "worth"], "'worth' is not NAME=VALUE"),
        (
            ["--predictions", "ours.csv", "--option", "worth=3"],
            "option 'worth' of method 'certified' must be text; got 3.",
        ),
        (["--predictions", "ours.csv", "--option", "size=3"], "'size'"),
        (["--predictions", "ours.csv", "--level", "2"], "level must be a number between 0 and 1, both excluded; got 2"),
        (["--predictions", "ours.csv", "--seed", "-1"], "seed must be an int >= 0; got -1."),
        (["--predictions", "ours.csv", "--budget", "121"], "budget must be at most the pool's size, 120; got 121."),
        (["--predictions", "ours.csv", "--guidelines", "ours.parquet"], "ours.parquet must be "),
        (["--predictions", "ours.csv", "--items", "."], "must be there for most items; got none for 120 of 120"),
        (
            ["--predictions", "ours.csv", "--predictions", "ours.csv"],
            "must be distinct; got ['ours', 'ours']. Write name=path.",
        ),
        (
            ["--predictions", "theirs.csv", "--predictions", "ours.csv", "--method", "bald"],
            "be certified or random for several models",
        ),
        (["--predictions", "theirs.csv", "--classes", "cat,dog,unsure"], "'unsure'"),
        (["--predictions", "theirs.csv", "--classes", "cat,dog,cat"], "cat"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_init_refuses_in_one_sentence_and_leaves_nothing_behind(files, monkeypatch, tmp_path, options, sentence):
    monkeypatch.chdir(files)
    said = refused("init", tmp_path / "new" / "audit", *options)
    assert sentence in said
    assert "\n" not in said
    assert list(tmp_path.glob("*/*")) == []


def test_a_folder_that_holds_something_is_left_alone(files, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("42")
    assert "must be new or empty" in refused("init", tmp_path / "mine", "--predictions", files / "ours.csv")
    (tmp_path / "out").mkdir()
    shutil.copytree(tmp_path / "mine", tmp_path / "out" / "audit")
    assert "must be new" in refused("demo", "--out", tmp_path / "out", "--no-compare", "--budget", 5)
    for folder in ("mine", "out/audit"):
        assert (tmp_path / folder / "thesis.txt").read_text() == "42"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("worst -m 3", "m must be below the number of groups that have items, 3; got 3."),
        ("worst --by land", "region"),
        ("worst --model theirs", "model must be one of ours; got 'theirs'."),
        ("worst --metric greatness", "'greatness'"),
        ("compare --group region --a north --b west", "must be one of ['north', 'south']; got 'west'."),
        ("compare --group land --a north --b south", "region"),
        ("compare --group class --a cat --b cat", "'cat'"),
        ("compare --group class --a cat --b dog --rope 0", "rope must be a number between 0 and 1"),
        ("vendors", "audit must have several models under test; got one, 'ours'."),
        ("estimate --metrics greatness", "'greatness'"),
        ("estimate --to table.txt", "'.txt'"),
        ("estimate --to nowhere/table.csv", "nowhere"),
        ("next --to todo.doc", "todo.doc"),
        ("next -n 0", "0"),
        ("report -o report.doc", "report must be named *.html, *.htm, *.md, *.json, *.xlsx, *.pdf; got 'report.doc'."),
        ("report -o nowhere/report.html", "folder that exists; got nowhere"),
        ("report --lang xx", "'xx' is not one of 'en', 'de'"),
        ("report --compare region:north", "'region:north' is not GROUP:A:B"),
        ("label", "--annotator"),
        ("label --annotator mk --host 0.0.0.0", "host must be 127.0.0.1 or localhost; got '0.0.0.0'."),
        ("label --annotator mk --port 99999", "port must be at most 65535; got 99999."),
        ("log --head 4", "'4'"),
    ],
)
def test_refusals_change_nothing(labelled, monkeypatch, tmp_path, command, sentence):
    monkeypatch.chdir(tmp_path)
    told("estimate", labelled)  # which is a look, and logged once
    before = head(labelled)
    name, *options = command.split()
    said = refused(name, labelled, *options)
    assert sentence in said
    assert "\n" not in said
    assert head(labelled) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[2J", "x" * 65])
@pytest.mark.parametrize("command", ["label --tty", "label --from truth.csv -n 1", "next", "import truth.csv", "undo"])
def test_annotators_have_names_that_can_be_shown(files, labelled, monkeypatch, command, name):
    monkeypatch.chdir(files)
    before = head(labelled)
    first, *options = command.split()
    said = refused(first, labelled, *options, "--annotator", name)
    assert "64 printable characters" in said
    assert said.isprintable()
    assert head(labelled) == before


def test_group_methods_answer_for_accuracy_alone(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "hierarchical", "--group", "region", "--metrics", "accuracy")
    told("label", audit, "--from", files / "truth.csv", "-n", 20)
    pair = ["--group", "region", "--a", "north", "--b", "south"]
    told("worst", audit, "--by", "region")
    assert told("compare", audit, *pair).startswith("not settled; likeliest: ")
    for command in (["worst", "--by", "region"], ["compare", *pair]):
        said = refused(command[0], audit, *command[1:], "--metric", "recall:cat")
        assert "accuracy" in said
        assert "'recall:cat'" in said


def test_estimates_need_a_label(files, tmp_path):
    audit = init(files, tmp_path / "a")
    told("next", audit, "-n", 3)
    for command in ("estimate", "worst", "export"):
        target = [tmp_path / "out"] if command == "export" else []
        assert "must have at least one label; got none; 3 questions asked." in refused(command, audit, *target)
    assert not (tmp_path / "out").exists()


DAMAGE = {
    "an answer is another": lambda audit: meddle(
        audit, 'UPDATE events SET body = replace(body, \'"label":"\', \'"label":"c\') WHERE seq = 9'
    ),
    "an event is gone": lambda audit: meddle(audit, "DELETE FROM events WHERE seq = 9"),
    "a file is gone": lambda audit: (audit / "pool" / "ids.json").unlink(),
    "a file is another": lambda audit: (audit / "pool" / "ids.json").write_text("["),
    "a ranking is gone": lambda audit: (audit / "fits" / "0000.npz").unlink(),
    "the store is half": lambda audit: os.truncate(audit / "audit.db", 20_000),
    "the store is empty": lambda audit: os.truncate(audit / "audit.db", 0),
    "the store is no store": lambda audit: (audit / "audit.db").write_text("Dear diary, today I was a database."),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found(audit, tmp_path, damage):
    (tmp_path / "events.jsonl").write_text("kept")
    DAMAGE[damage](audit)
    for command in (["log", "--verify"], ["log", "--verify", "--to", str(tmp_path / "events.jsonl")], ["check"]):
        done = altmas(command[0], audit, *command[1:])
        assert done.code == 3, done
        assert done.err.startswith("Problem: ")
    found = altmas("log", audit, "--verify", "--json")
    assert found.code == 3
    assert not found.json["ok"]
    assert (tmp_path / "events.jsonl").read_text() == "kept"


@pytest.mark.parametrize("damage", [one for one in DAMAGE if "answer" not in one and "event" not in one])
def test_damage_is_refused_in_a_sentence(audit, damage):
    DAMAGE[damage](audit)
    said = refused("estimate", audit)
    assert not re.search("Errno|Decode|Traceback|line 1", said), said
    assert "\n" not in said
