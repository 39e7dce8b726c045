"""Questions out in a file, answers back in: `altmas next` and `altmas import`, as annotators elsewhere use them."""

import json
import shutil

import pandas as pd
import pytest

from worlds.commands import CLASSES, SECRETS, altmas, fill, head, init, mode, read, told, truth_of, write

KINDS = ("csv", "tsv", "jsonl", "parquet")


@pytest.fixture(scope="module")
def asked(files):
    """An audit that has asked 20 questions."""
    audit = init(files, files / "asked", "--budget", 60)
    told("next", audit, "-n", 20)
    return audit


@pytest.fixture
def audit(asked, tmp_path):
    return shutil.copytree(asked, tmp_path / "audit")


@pytest.fixture
def labels(files):
    return truth_of(files)


def status(audit):
    return altmas("status", audit, "--json").json


# Questions out


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_questions_hold_ids_own_columns_and_an_empty_label(audit, tmp_path, kind):
    told("next", audit, "-n", 20, "--to", tmp_path / f"todo.{kind}")
    table = read(tmp_path / f"todo.{kind}")
    assert list(table.columns) == ["id", "text", "region", "label"]  # in the order of the file
    assert set(table["label"]) == {""}
    assert table["id"].is_unique
    assert len(table) == 20


@pytest.mark.parametrize("kind", [*KINDS, "json"])
def test_what_a_model_said_is_in_no_file_of_questions(audit, tmp_path, kind):
    before = set(tmp_path.iterdir())
    told("next", audit, "--to", tmp_path / f"todo.{kind}")
    written = set(tmp_path.iterdir()) - before
    assert {path.suffix for path in written} == ({".json", ".xml"} if kind == "json" else {f".{kind}"})
    for path in written:
        content = path.read_bytes().decode(errors="replace")
        assert not [name for name in (*SECRETS, "predicted") if name in content]
        assert mode(path) == 0o600


def test_what_a_model_said_is_withheld_even_where_it_is_asked_for(files, tmp_path):
    for column in ("prediction", "p_cat"):
        done = altmas("init", tmp_path / "a", "--predictions", files / "ours.csv", "--show", f"text,{column}")
        assert done.code == 2
        assert column in done.err
    assert not (tmp_path / "a").exists()


def test_the_same_questions_until_they_are_answered(audit, tmp_path, labels):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    told("next", audit, "-n", 7, "--to", first)
    told("next", audit, "-n", 7, "--to", second)
    assert first.read_bytes() == second.read_bytes()
    table = fill(first, labels)
    told("import", audit, first)
    told("next", audit, "-n", 7, "--to", second)
    assert not set(read(second)["id"]) & set(table["id"])


def test_cells_that_a_spreadsheet_would_run_are_neutralised_and_come_back(audit, tmp_path, labels):
    todo = tmp_path / "todo.csv"
    told("next", audit, "-n", 20, "--to", todo)
    cells = set(read(todo)["text"])
    assert {"'=1+1", "'-2", "'@now"} & cells
    assert not {"=1+1", "-2", "@now"} & cells
    fill(todo, labels)
    assert "20 answers taken" in told("import", audit, todo)


def test_ids_that_look_like_formulas_come_back(tmp_path):
    ids = ["=A1", "+1", "-1", "@x", "'=A1", "007", "1e5", "ü"] * 5
    ids = [f"{one}{k}" for k, one in enumerate(ids)]
    pd.DataFrame({"id": ids, "prediction": ["cat", "dog"] * 20}).to_csv(tmp_path / "ours.csv", index=False)
    audit = init(tmp_path, tmp_path / "a", initial=5)
    told("next", audit, "-n", 40, "--to", tmp_path / "todo.csv")
    table = read(tmp_path / "todo.csv")
    assert not table["id"].str.match(r"[=+\-@]").any()
    write(table.assign(label="cat"), tmp_path / "todo.csv")
    assert "40 answers taken" in told("import", audit, tmp_path / "todo.csv")


def test_no_questions_left_is_said(files, tmp_path):
    audit = init(files, tmp_path / "a", "--method", "random")
    told("label", audit, "--from", files / "truth.csv", "-n", 120)
    assert told("next", audit).startswith("No questions left")
    assert altmas("next", audit, "--json").json["questions"] == []


# Answers back


@pytest.mark.parametrize("kind", KINDS)
def test_a_filled_file_is_taken_once(audit, tmp_path, labels, kind):
    todo = tmp_path / f"todo.{kind}"
    told("next", audit, "-n", 20, "--to", todo)
    fill(todo, labels)
    assert told("import", audit, todo, "--annotator", "mk") == (
        "20 answers taken, 0 known already, 0 rows without a label.\n"
    )
    before = head(audit)
    assert told("import", audit, todo, "--annotator", "mk").startswith("0 answers taken, 20 known already")
    assert head(audit) == before
    assert status(audit)["annotators"] == {"mk": 20}


def test_rows_may_be_partial_reordered_repeated_and_changed_by_a_spreadsheet(audit, tmp_path, labels):
    todo = tmp_path / "todo.csv"
    told("next", audit, "-n", 20, "--to", todo)
    table = fill(todo, labels)
    table.loc[:4, "label"] = ""
    table["id"] = table["id"].str.lstrip("0").replace("", "0")
    table = pd.concat([table.iloc[::-1], table.iloc[10:12]])
    write(table, todo)
    done = altmas("import", audit, todo)
    assert done.code == 0
    assert done.out == "15 answers taken, 0 known already, 5 rows without a label.\n"
    assert "as a spreadsheet changed them" in done.err
    assert status(audit)["open"] == 5


@pytest.fixture
def mixed(audit, tmp_path, labels):
    """A file with wrong rows of every kind, in known places; the first data row is row 2, as a spreadsheet counts."""
    todo = tmp_path / "mixed.csv"
    told("next", audit, "-n", 20, "--to", todo)
    table = fill(todo, labels)
    unasked = next(one for one in labels if one not in set(table["id"]))
    table.loc[1, "label"] = "emu"
    table.loc[3, "id"] = "nowhere"
    table.loc[5, "id"] = unasked
    table.loc[7, "id"] = table.loc[6, "id"]
    table.loc[[6, 7], "label"] = ["cat", "dog"]
    table.loc[8, "label"] = "Unsure"
    table.loc[9, "label"] = "skip"
    write(table, todo)
    return todo, table


def test_wrong_rows_are_refused_by_number_and_nothing_changes(audit, mixed):
    before = head(audit)
    done = altmas("import", audit, mixed[0])
    assert (done.code, done.out) == (2, "")
    for row, why in {3: "'emu'", 5: "'nowhere'", 7: "was not asked about", 8: "in row 9", 9: "in row 8"}.items():
        assert any(f"row {row}:" in line and why in line for line in done.err.splitlines()), (row, why)
    assert done.err.count("row ") == 7  # those five, and the two that name each other
    assert head(audit) == before


def test_partial_takes_the_good_rows_of_a_file_with_wrong_ones(audit, mixed):
    done = altmas("import", audit, mixed[0], "--partial", "--json")
    assert done.code == 0
    assert (done.json["new"], len(done.json["refused"])) == (15, 5)
    now = status(audit)
    assert (now["labels"], now["unsure"], now["skipped"], now["open"]) == (13, 1, 1, 5)


def test_other_answers_are_refused_unless_replaced(audit, tmp_path, labels):
    todo = tmp_path / "todo.csv"
    told("next", audit, "-n", 20, "--to", todo)
    table = fill(todo, labels)
    told("import", audit, todo)
    table.loc[0, "label"] = CLASSES[(CLASSES.index(table.loc[0, "label"]) + 1) % 3]
    write(table, todo)
    before = head(audit)
    done = altmas("import", audit, todo)
    assert done.code == 2
    assert "row 2:" in done.err
    assert "--replace" in done.err
    assert head(audit) == before
    done = altmas("import", audit, todo, "--replace", "--json").json
    assert (done["new"], done["known"]) == (1, 19)


def test_two_annotators_answer_the_same_questions_where_they_overlap(files, tmp_path, labels):
    audit = init(files, tmp_path / "a", "--overlap", 2)
    for who in ("mk", "jo"):
        todo = tmp_path / f"{who}.csv"
        told("next", audit, "-n", 20, "--to", todo, "--annotator", who)
        table = fill(todo, labels)
        if who == "jo":
            table.loc[0, "label"] = CLASSES[(CLASSES.index(table.loc[0, "label"]) + 1) % 3]
            table.loc[1, "label"] = "unsure"
            write(table, todo)
        told("import", audit, todo, "--annotator", who)
    assert set(read(tmp_path / "mk.csv")["id"]) == set(read(tmp_path / "jo.csv")["id"])
    now = status(audit)
    assert (now["labels"], now["disputed"], now["open"], now["asked"]) == (19, 1, 0, 20)
    assert now["annotators"] == {"mk": 20, "jo": 20}
    again = altmas("next", audit, "--again", "--json").json["questions"]
    assert [one["id"] for one in again] == [read(tmp_path / "jo.csv")["id"][0]]


def test_questions_kept_for_one_annotator_are_not_given_to_another(files, tmp_path):
    audit = init(files, tmp_path / "a")
    ids = [
        {one["id"] for one in altmas("next", audit, "-n", 6, "--annotator", who, "--json").json["questions"]}
        for who in ("mk", "jo", "mk")
    ]
    assert ids[0] == ids[2]
    assert not ids[0] & ids[1]


def test_unsure_and_skipped_questions_are_asked_again_on_demand(audit, tmp_path, labels):
    todo = tmp_path / "todo.csv"
    assert told("next", audit, "--again").startswith("Nothing to ask again")
    told("next", audit, "-n", 4, "--to", todo)
    table = fill(todo, labels)
    table.loc[:1, "label"] = ["unsure", "skip"]
    write(table, todo)
    told("import", audit, todo)
    again = tmp_path / "again.csv"
    told("next", audit, "--again", "--to", again)
    assert set(read(again)["id"]) == set(table["id"][:2])
    fill(again, labels)
    told("import", audit, again, "--replace")
    assert status(audit)["answered"] == 4
    assert told("next", audit, "--again").startswith("Nothing to ask again")


def test_files_that_are_no_answers_are_refused(audit, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\nx,cat\n")
    (tmp_path / "b.csv").write_text("id,answer\n001,cat\n")
    (tmp_path / "c.parquet").write_text("id,label\n001,cat\n")
    (tmp_path / "d.json").write_text("[{")
    (tmp_path / "e.doc").write_text("id,label\n001,cat\n")
    (tmp_path / "f.csv").write_bytes(b"id,label\n\x00\x81\xff,cat\n")
    (tmp_path / "g.csv").write_text("")
    before = head(audit)
    for name, why in {"a.csv": "'id'", "b.csv": "'label'", "e.doc": "'.doc'", "missing.csv": "missing.csv"}.items():
        assert why in refused_file(audit, tmp_path / name)
    for name in ("c.parquet", "d.json", "f.csv", "g.csv"):
        refused_file(audit, tmp_path / name)
    assert head(audit) == before


def refused_file(audit, path):
    done = altmas("import", audit, path)
    assert (done.code, done.out) == (2, ""), path
    assert "Traceback" not in done.err
    return done.err


def test_label_studio_there_and_back(audit, tmp_path, labels):
    tasks = tmp_path / "tasks.json"
    told("next", audit, "-n", 5, "--to", tasks)
    config = (tmp_path / "tasks.xml").read_text()
    assert all(f'value="{one}"' in config for one in (*CLASSES, "unsure"))
    export = json.loads(tasks.read_text())
    for k, task in enumerate(export):
        label = labels[task["data"]["altmas_id"]]
        choice = {"from_name": "altmas_label", "type": "choices", "value": {"choices": [label]}}
        task["id"] = 1000 + k
        task["annotations"] = [{"completed_by": {"email": "mk@home"}, "was_cancelled": k == 4, "result": [choice]}]
    (tmp_path / "export.json").write_text(json.dumps(export))
    told("import", audit, tmp_path / "export.json")
    now = status(audit)
    assert (now["labels"], now["skipped"], now["annotators"]) == (4, 1, {"mk@home": 5})
    assert told("import", audit, tmp_path / "export.json").startswith("0 answers taken, 5 known already")


def test_label_studio_finds_images_below_its_root(files, tmp_path, labels):
    (tmp_path / "store" / "my images").mkdir(parents=True)
    for name in labels:
        (tmp_path / "store" / "my images" / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    audit = init(files, tmp_path / "a", "--items", tmp_path / "store" / "my images")
    tasks = tmp_path / "tasks.json"
    told("next", audit, "-n", 2, "--to", tasks, "--root", tmp_path / "store")
    for task in json.loads(tasks.read_text()):
        name = task["data"]["altmas_id"]
        assert task["data"]["image"] == f"/data/local-files/?d=my%20images/{name}.png"
    (tmp_path / "elsewhere").mkdir()
    assert altmas("next", audit, "-n", 2, "--to", tasks, "--root", tmp_path / "elsewhere").code == 2
