"""A study's own runs: each once, in order, kept as it is done, and the rooms of experiments apart from each other."""

import ast
from functools import partial
from pathlib import Path

import click
import pandas as pd
import pytest

import altmas.experiments
from altmas import InputError
from altmas.experiments import bench
from altmas.experiments.bench.cases import Case, run_cases
from altmas.experiments.bench.options import need_data
from altmas.experiments.bench.rows import appending
from worlds.sweeps import square

ROOM = Path(altmas.experiments.__file__).parent


def cases(count, ran=None):
    return (Case({"name": f"case {one}", "number": one}, partial(square, one, ran)) for one in range(count))


def test_what_is_in_the_file_is_not_run_again(tmp_path, capsys):
    path, ran = tmp_path / "rows.csv", []
    whole = run_cases(cases(3, ran), path)
    assert whole.to_dict("list") == {"square": [0, 1, 4], "name": ["case 0", "case 1", "case 2"], "number": [0, 1, 2]}
    assert capsys.readouterr().err.count("done") == 3
    pd.testing.assert_frame_equal(run_cases(cases(4, ran), path).iloc[:3], whole)
    assert ran == [0, 1, 2, 3]


def test_half_a_line_is_cut_and_its_case_run_again(tmp_path):
    path, ran = tmp_path / "rows.csv", []
    run_cases(cases(3), path)
    content = path.read_bytes()
    path.write_bytes(content[:-4])
    run_cases(cases(3, ran), path)
    assert ran == [2]
    assert path.read_bytes() == content


def test_processes_find_the_same_in_the_same_order(tmp_path):
    path = tmp_path / "rows.csv"
    pd.testing.assert_frame_equal(run_cases(cases(6), path, jobs=2), run_cases(cases(6)))
    assert len(pd.read_csv(path)) == 6


def test_a_case_that_fails_says_so_and_those_before_it_are_kept(tmp_path):
    path = tmp_path / "rows.csv"
    broken = [*cases(2), Case({"name": "broken", "number": 9}, lambda: 1 / 0)]
    with pytest.raises(ZeroDivisionError):
        run_cases(broken, path)
    assert pd.read_csv(path)["number"].tolist() == [0, 1]


def test_one_file_has_one_writer(tmp_path):
    path = tmp_path / "rows.csv"
    with appending(path), pytest.raises(InputError, match="one sweep at a time"):
        run_cases(cases(1), path)


def test_no_data_is_refused_unless_it_is_a_smoke_test(tmp_path):
    need_data(None, smoke=True)
    need_data(tmp_path, smoke=False)
    with pytest.raises(click.UsageError, match="Give --data, or --smoke"):
        need_data(None, smoke=False)


def test_the_engine_offers_its_names_from_one_place():
    for name in bench.__all__:
        assert getattr(bench, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bench.nothing  # noqa: B018


# `papers` puts the rows of all studies together; none of them imports it.
STUDIES = sorted(path for path in ROOM.rglob("*.py") if "papers" not in path.relative_to(ROOM).parts)


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: str(path.relative_to(ROOM)))
def test_no_study_imports_another_and_the_engine_imports_none(path):
    room = path.relative_to(ROOM).parts[0]
    may = {"data": {"data"}, "bench": {"data", "bench"}}.get(room, {"data", "bench", room})
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[:2] == ["altmas", "experiments"]:
                found = {parts[2]} if len(parts) > 2 else {one.name for one in node.names}
                assert found <= may, f"{path} imports {name}"
