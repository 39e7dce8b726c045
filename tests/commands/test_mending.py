"""What a refusal says to type, typed as it is; and labels in other columns and spellings, at every door."""

import re
import shlex

import pytest

from worlds.commands import altmas, refused, told
from worlds.dirty import FAILED, IDS, OTHER, SAID, SIZE, SURE, TRUTH, labels_file, table, with_failures, write

PLAN = ("--method", "random", "--budget", SIZE, "--initial", SIZE)
MESSAGES = [
    ["ERROR"], ["HTTP 503", "HTTP 429: wait", "HTTP 500 - oops"], ["N/A", "?", "it's down, sorry"],
    ["<html>\n<body>502</body>\n</html>"], ['{"detail": "a \'quoted\' word"}', "[ERROR]", "*"],
]  # fmt: skip


@pytest.mark.parametrize("option", ["--not-a-class", "--is-a-class"])
@pytest.mark.parametrize("words", MESSAGES, ids=lambda words: words[0][:8])
def test_the_options_of_a_hint_are_typed_as_they_are(tmp_path, words, option):
    path = write(tmp_path, "vendor.csv", table(with_failures(SAID, words)))
    said = refused("init", tmp_path / "a", "--predictions", path, *PLAN)
    shown = re.search(rf"{option} .*? where they are", said, re.DOTALL)
    typed = shlex.split(shown[0].removesuffix(" where they are"))
    assert typed[0] == option
    done = altmas("init", tmp_path / "a", "--predictions", path, *PLAN, *typed, "--json")
    assert done.code == 0, done.err
    model = done.json["models"][0]
    assert model["no_answer"] == (len(FAILED) if option == "--not-a-class" else 0)
    assert len(done.json["classes"]) == (3 if option == "--not-a-class" else 3 + len(words))


def test_what_nobody_said_is_refused(tmp_path):
    path = write(tmp_path, "vendor.csv", table())
    said = refused("init", tmp_path / "a", "--predictions", path, "--not-a-class", "EROR")
    assert said.startswith("--not-a-class must be among the predictions; got 'EROR'")


def test_a_class_that_is_never_right_is_told_of_by_check_estimate_and_report(tmp_path):
    said = with_failures(SAID, "oops", range(0, SIZE, 5))
    path = write(tmp_path, "vendor.csv", table(said))
    told("init", tmp_path / "a", "--predictions", path, *PLAN)
    told("label", tmp_path / "a", "--from", labels_file(tmp_path))
    sentence = "Class 'oops' was predicted for 12 labelled items and is the label of none: is it a class?"
    assert sentence in told("check", tmp_path / "a")
    assert sentence in " ".join(altmas("estimate", tmp_path / "a", "--json").json["warnings"])
    told("report", tmp_path / "a", "--out", tmp_path / "report.md")
    assert "was predicted for 12 labelled items" in (tmp_path / "report.md").read_text()


def test_a_confidence_that_was_not_taken_is_offered_and_can_be_typed(tmp_path):
    path = write(tmp_path, "vendor.csv", table(model_conf=SURE))
    said = told("init", tmp_path / "a", "--predictions", path, *PLAN)
    typed = re.search(r"(--scores \S+) takes it as one", said)[1].split()
    model = altmas("init", tmp_path / "b", "--predictions", path, *PLAN, *typed, "--json").json["models"][0]
    assert model["scores"] == "one confidence per item"


@pytest.fixture
def audit(tmp_path):
    path = write(tmp_path, "vendor.csv", table())
    told("init", tmp_path / "a", "--predictions", path, *PLAN)
    return tmp_path / "a"


def accuracy(audit):
    return altmas("estimate", audit, "--json").json["estimates"][0]["estimate"]


WANTED = sum(a == b for a, b in zip(SAID, TRUTH, strict=True)) / SIZE
OTHERWISE = {"case": IDS, "answer": [f"{one.upper()} " for one in TRUTH]}


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet", "jsonl"])
def test_labels_in_other_columns_and_spelling(audit, tmp_path, kind):
    path = write(tmp_path, f"labels.{kind}", OTHERWISE)
    said = refused("label", audit, "--from", path)
    assert "Name them with --id and --label" in said
    said = refused("label", audit, "--from", path, "--id", "case")
    assert "Name another with --label" in said
    told("label", audit, "--from", path, "--id", "case", "--label", "answer")
    assert accuracy(audit) == pytest.approx(WANTED)


def test_imports_take_the_same(audit, tmp_path):
    told("next", audit, "-n", SIZE, "--to", tmp_path / "questions.csv")
    path = write(tmp_path, "labels.csv", OTHERWISE)
    told("import", audit, path, "--id", "case", "--label", "answer", "--annotator", "mk")
    assert accuracy(audit) == pytest.approx(WANTED)


@pytest.mark.parametrize("label", ["N/A", "emu", "ERROR", "0"])
def test_a_label_that_is_no_class_is_refused_by_its_row(audit, tmp_path, label):
    path = labels_file(tmp_path, with_failures(TRUTH, label))
    done = altmas("label", audit, "--from", path)
    assert done.code == 2
    assert f"row 5: label {label!r} is none of 'cat', 'cow', 'dog'" in done.err
    assert "altmas init --classes" in done.err


def test_labels_known_before_and_opinions_in_another_spelling(tmp_path):
    path = write(tmp_path, "vendor.csv", table())
    known = write(tmp_path, "known.csv", {"ID": IDS[:9], "LABEL": [one.title() for one in TRUTH[:9]]})
    other = write(tmp_path, "other.csv", table([one.upper() for one in OTHER]))
    done = altmas("init", tmp_path / "a", "--predictions", path, "--known", known, "--opinions", other, *PLAN)
    assert done.code == 0, done.err
    assert "'CAT' is read as the class 'cat'" in done.out
    summary = altmas("check", tmp_path / "a", "--json").json
    assert (summary["known"], summary["classes"]) == (9, ["cat", "cow", "dog"])
