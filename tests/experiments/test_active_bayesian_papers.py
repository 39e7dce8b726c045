"""Every table and figure of active Bayesian assessment: runs in small, rows that repeat, the page they make."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas.experiments.active_bayesian import page, papers, passages, setting_rows
from altmas.experiments.active_bayesian.front import front_rows, front_table
from altmas.experiments.active_bayesian.groups import Asked
from altmas.experiments.active_bayesian.stored import CONTRADICTED, IMPOSSIBLE, PATTERN, REPRODUCED
from worlds.places import BENCHMARKS, DOCS

ROWS = BENCHMARKS / "results" / "papers"


def run(out, *more):
    done = CliRunner().invoke(papers.main, ["--smoke", "--out", str(out), *more])
    assert done.exit_code == 0, done.output
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.csv")) if path.name != papers.TIMES}


def test_every_item_in_small_repeats_byte_for_byte_and_is_left_alone_once_it_is_there(tmp_path):
    first = run(tmp_path / "a")
    assert set(first) == {f"{name}.csv" for name in papers.ITEMS}
    drawn = ("aba-table5", "aba-table7", "aba-table9", "aba-figure4", "aba-figure6", "aba-figure9", "aba-figure11")
    again = run(tmp_path / "b", *(part for name in drawn for part in ("--item", name)))
    assert again == {name: first[name] for name in again}
    assert len(again) == len(drawn)
    assert not list((tmp_path / "a").glob("*.part"))
    changed = tmp_path / "a" / "aba-table2.csv"
    changed.write_text("mine\n")
    assert run(tmp_path / "a")["aba-table2.csv"] == b"mine\n"
    assert run(tmp_path / "a", "--again", "--item", "aba-table2") == first


def test_an_item_that_was_cut_short_goes_on(tmp_path):
    whole = run(tmp_path / "a", "--item", "aba-table8")["aba-table8.csv"]
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "aba-table8.part").write_bytes(b"".join(whole.splitlines(keepends=True)[:7]))
    assert run(tmp_path / "b", "--item", "aba-table8")["aba-table8.csv"] == whole


@pytest.mark.parametrize("name", ["aba-figure14", "workshop-figure4"])
def test_rows_that_need_no_data_are_the_stored_ones(name):
    asked = Asked(None, False, None, 0, None, ())
    found = pd.concat([case.rows() for case in papers.ITEMS[name].all_cases(asked)], ignore_index=True)
    stored = pd.read_csv(ROWS / f"{name}.csv")
    pd.testing.assert_frame_equal(found[list(stored)], stored, check_dtype=False)


def test_the_rewards_are_their_definitions():
    found = next(iter(setting_rows.reward_cases("", Asked(None, True, None, 0, None, ())))).rows().set_index("task")
    assert (found["difference"].drop("comparison") < 1e-12).all()
    assert found.loc["comparison", "difference"] < 0.05  # 2,000 draws, five standard errors


def test_passages_by_hand():
    """Two runs, one above from the second look on, one never."""
    mrr = np.array([[0.5, 0.5], [1.0, 0.5], [0.5, 0.5], [1.0, 0.5]])
    found = passages.passages([1, 2, 3, 4], mrr).set_index("measure")["mean"]
    assert np.isnan(found["crossed"])
    assert found["first"] == (50 + 100) / 2
    assert found["held"] == 100
    certain = passages.passages([1, 2], np.ones((2, 3)))
    assert certain["mean"].tolist() == [50, 50, 50]
    assert certain["se"].tolist() == [0, 0, 0]


# What is stored


def test_every_table_and_figure_has_a_row_with_a_verdict():
    rows = front_rows(ROWS)
    named = [(one.paper.split()[0], one.item) for one in rows]
    wanted = [("Active", f"Table {n}") for n in range(1, 12)] + [("Active", f"Figure {n}") for n in range(1, 20)]
    wanted += [("Bayesian", f"Figure {n}") for n in range(1, 11)]
    assert named == wanted
    for one in rows:
        assert one.verdict in (REPRODUCED, PATTERN, CONTRADICTED, IMPOSSIBLE)
        assert one.ours
        assert one.why
        assert "nan" not in one.ours
    assert list(front_table(ROWS)["item"]) == [item for _, item in wanted]


def test_the_page_says_what_the_stored_rows_say(tmp_path):
    page.write_page(ROWS, tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made[f"{page.NAME}.md"].decode() == (DOCS / f"{page.NAME}.md").read_text()
    for name, content in made.items():
        assert (DOCS / name).exists(), name
        if name.endswith(".svg"):
            assert len(content) == pytest.approx((DOCS / name).stat().st_size, rel=0.05)  # fonts may differ


def test_stored_rows_are_whole():
    for name in papers.ITEMS:
        assert len(pd.read_csv(ROWS / f"{name}.csv")), name
