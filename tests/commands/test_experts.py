"""Experts and known labels on the command line."""

import json

import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.commands.terminal import label_in_terminal
from worlds.commands import CLASSES, SIZE, altmas, fill, init, read, refused, told, truth_of, write


@pytest.fixture(scope="module")
def careless(files):
    """A table of an annotator who says cow where it is a dog, one time in two."""
    table = pd.read_csv(files / "truth.csv", dtype=str)
    dogs = table.index[table["label"] == "dog"][::2]
    table.loc[dogs, "label"] = "cow"
    write(table, files / "careless.csv")
    return files / "careless.csv"


@pytest.fixture
def audit(files, careless, tmp_path):
    """An audit in which Ada reads answers again, with forty answers."""
    made = init(files, tmp_path / "a", "--budget", 80, "--experts", "ada", "--metrics", "accuracy")
    told("label", made, "--from", careless, "-n", 40)
    return made


def status(audit):
    return altmas("status", audit, "--json").json


def test_init_says_who_reads_and_what_is_known(files, tmp_path):
    write(pd.DataFrame({"id": ["000", "001", "elsewhere"], "label": ["cat", "dog", "cat"]}), tmp_path / "known.csv")
    options = ["--experts", "ada,bob", "--second-readings", 12, "--budget", 60, "--known", tmp_path / "known.csv"]
    out = told("init", tmp_path / "a", "--predictions", files / "ours.csv", *options)
    assert "ada and bob read 12 answers again: what they say is the truth" in out
    assert "2 labels were known before: they taught what is believed" in out
    assert "Note: 1 known label of other items left aside" in out
    shown = altmas("check", tmp_path / "a", "--json").json
    assert (shown["experts"], shown["second_readings"], shown["known"]) == (["ada", "bob"], 12, 2)
    with Audit.open(tmp_path / "a") as audit:
        assert "known.csv" in audit.settings.inputs
        assert (audit.pool.known >= 0).sum() == 2


def test_init_with_money_for_both(files, tmp_path):
    out = told("init", tmp_path / "a", "--predictions", files / "ours.csv", "--experts", "ada", "--cost-expert", 4,
               "--budget", 200)  # fmt: skip
    assert "ada reads as many answers again as is best, where one reading costs 4" in out
    assert "money for 200 answers" in out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--experts", "ada", "--method", "random"], "experts must come with a method whose answers can be corrected"),
        (["--experts", "ada", "--anytime"], "experts must come with a method whose answers can be corrected"),
        (["--cost-expert", 3, "--budget", 50], "experts must be named for --cost-expert"),
        (["--experts", "ada", "--cost-expert", 3], "budget must be given with --cost-expert"),
        (["--experts", "ada", "--cost-expert", -1, "--budget", 50], "--cost-expert must"),
        (["--experts", "ada", "--second-readings", 99, "--budget", 50], "--second-readings must be at most 50"),
    ],
)
def test_what_makes_no_sense_is_refused(files, tmp_path, options, why):
    assert why in refused("init", tmp_path / "a", "--predictions", files / "ours.csv", *options)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ({"id": ["000"], "label": ["emu"]}, "emu"),
        ({"id": ["x", "y"], "label": ["cat", "dog"]}, "known labels must have labels for the pool's items; got none"),
        ({"item": ["000"], "label": ["cat"]}, "'id'"),
    ],
)
def test_known_labels_that_cannot_be_are_refused(files, tmp_path, rows, why):
    write(pd.DataFrame(rows), tmp_path / "known.csv")
    done = altmas("init", tmp_path / "a", "--predictions", files / "ours.csv", "--known", tmp_path / "known.csv")
    assert done.code == 2
    assert why in done.err
    assert not (tmp_path / "a").exists()


def test_next_and_import_of_second_readings(audit, files, tmp_path):
    todo = tmp_path / "todo.csv"
    out = told("next", audit, "-n", 6, "--second-reading", "--to", todo)
    assert f"altmas import {audit} {todo} --annotator ada --expert" in out
    table = read(todo)
    assert len(table) == 6
    assert (table["label"] == "").all()
    assert not set(table.columns) & {"answer", "prediction"}
    again = altmas("next", audit, "-n", 6, "--second-reading", "--json").json["questions"]
    assert [one["id"] for one in again] == table["id"].tolist()
    fill(todo, truth_of(files))
    told("import", audit, todo, "--annotator", "ada", "--expert")
    now = status(audit)
    assert (now["experts"], now["readings_open"]) == ({"ada": 6}, now["to_read"] - 6)
    assert now["answered"] == 40
    assert "ada, expert: 6 readings" in told("status", audit)
    told("log", audit, "--verify")


def test_who_is_named_an_expert_gets_readings_without_saying(audit):
    ids = {one["id"] for one in altmas("next", audit, "-n", 3, "--annotator", "ada", "--json").json["questions"]}
    with Audit.open(audit) as held:
        assert ids <= {held.pool.ids[position] for position in held.state.to_read}
        assert held.state.assigned == {}


def test_an_import_of_answers_nobody_drew_is_refused(audit, files, tmp_path):
    todo = tmp_path / "todo.csv"
    told("next", audit, "-n", 2, "--second-reading", "--to", todo)
    with Audit.open(audit) as held:
        other = next(held.pool.ids[p] for p in held.state.order if p not in held.state.to_read)
    table = read(todo)
    table.loc[0, "id"] = other
    table["label"] = "cat"
    write(table, todo)
    done = altmas("import", audit, todo, "--annotator", "ada", "--expert")
    assert done.code == 2
    assert "drawn for a second reading" in done.err
    assert status(audit)["experts"] == {}


def test_a_table_of_an_expert_reads_as_many_as_are_planned(audit, files):
    out = told("label", audit, "--from", files / "truth.csv", "--annotator", "ada")
    assert "20 labels taken" in out
    assert status(audit)["experts"] == {"ada": 20}
    assert "no second reading is planned" in told("label", audit, "--from", files / "truth.csv", "--annotator", "ada")
    found = altmas("estimate", audit, "--json").json
    assert found["people"]["readings"] == 20
    assert any(one.startswith("Experts read 20 of 40 answers again") for one in found["people"]["sentences"])


def test_a_table_of_an_expert_needs_no_name_where_there_is_one(audit, files):
    """Under the name of the annotators' table it would read nothing: nobody reads their own answers."""
    told("label", audit, "--from", files / "truth.csv", "--expert", "-n", 5)
    assert status(audit)["experts"] == {"ada": 5}


def test_without_named_experts_a_table_is_one_by_saying_so(files, careless, tmp_path):
    audit = init(files, tmp_path / "a", "--metrics", "accuracy")
    told("label", audit, "--from", careless, "-n", 30)
    told("label", audit, "--from", files / "truth.csv", "--expert", "-n", 5)
    assert status(audit)["experts"] == {"expert": 5}


def test_estimates_say_whether_an_expert_has_read(audit, files):
    assert "No expert has read the answers again" in told("estimate", audit)
    told("label", audit, "--from", files / "truth.csv", "--annotator", "ada")
    out = told("estimate", audit)
    assert "Experts read 20 of 40 answers again and changed" in out
    assert "of the experts' truth" in out
    assert "where no expert has read; got 20 readings" in altmas("estimate", audit, "--anytime").err


def test_nothing_to_read_is_said(files, tmp_path):
    audit = init(files, tmp_path / "a", "--experts", "ada")
    assert "Nothing to read again" in told("next", audit, "--second-reading")


def test_an_expert_reads_in_a_terminal(audit, files, monkeypatch, capsys):
    labels = truth_of(files)
    with Audit.open(audit) as held:

        def typed(_):
            (query,) = held.ask(1, annotator="ada", second_reading=True, wait=False)
            return "q" if held.status().experts.get("ada") == 3 else labels[query.id]

        monkeypatch.setattr("builtins.input", typed)
        label_in_terminal(held, "ada", expert=True)
        assert held.status().experts == {"ada": 3}
    shown = capsys.readouterr().out
    assert "second reading: 2 of 10 read" in shown
    assert not any(f"  answer: {one}" in shown for one in CLASSES)


def test_the_report_and_the_export_of_an_audit_with_experts(audit, files, tmp_path):
    told("label", audit, "--from", files / "truth.csv", "--annotator", "ada")
    told("report", audit, "-o", tmp_path / "report.json")
    told("report", audit, "-o", tmp_path / "report.html")
    facts = json.loads((tmp_path / "report.json").read_text())
    assert facts["people"]["readings"] == 20
    told("export", audit, tmp_path / "out")
    assert len(pd.read_csv(tmp_path / "out" / "labels.csv")) == 40


def test_known_labels_do_not_answer(files, tmp_path):
    audit = init(files, tmp_path / "a", "--known", files / "truth.csv", "--metrics", "accuracy")
    told("label", audit, "--from", files / "truth.csv", "-n", 30)
    assert status(audit)["answered"] == 30
    assert f"{SIZE} labels were known before" in told("estimate", audit)
    told("log", audit, "--verify")
