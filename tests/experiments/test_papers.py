"""The front page of the four papers: no row missing, the bytes of the stored rows, verdicts that follow numbers."""

import gzip
import re
import shutil

import matplotlib as mpl
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas.experiments.active_bayesian.stored import CONTRADICTED, IMPOSSIBLE, PATTERN
from altmas.experiments.alt_mas.studies import LITERALLY, STUDIES
from altmas.experiments.papers import runs
from altmas.experiments.papers.alt_mas import Standing, standing
from altmas.experiments.papers.page import VERDICTS, Papers, counts, write_papers
from altmas.experiments.papers.surface import surface_rows
from worlds.places import BENCHMARKS, DOCS, ROOT

STORED = BENCHMARKS / "results"


@pytest.fixture(scope="module")
def papers():
    return Papers.read(STORED)


@pytest.fixture(scope="module")
def rows(papers):
    return papers.rows()


def test_no_table_and_no_figure_is_missing(rows):
    named = {(one.paper.split()[0], one.item.partition(":")[0]) for one in rows}
    wanted = {("Active", f"Table {n}") for n in range(1, 12)} | {("Active", f"Figure {n}") for n in range(1, 20)}
    wanted |= {("Bayesian", f"Figure {n}") for n in range(1, 11)} | {("ALT-MAS", f"Figure {n}") for n in range(1, 5)}
    wanted |= {("Accuracy", f"Table {n}") for n in range(7, 19) if n != 14} | {("Accuracy", "Figure 14")}
    assert named == wanted  # the appendix has no Table 14
    assert len({(one.paper, one.item) for one in rows}) == len(rows)


def test_every_row_has_a_verdict_and_says_why(rows):
    for one in rows:
        assert one.verdict in VERDICTS, one.item
        assert one.why, one.item
        assert one.verdict == IMPOSSIBLE or (one.theirs and one.ours), one.item
        said = f"{one.ours} {one.why}"
        assert "code only" not in said
        assert not re.search(r"\bnan\b", said), one
        assert "|" not in said


def test_the_counts_are_of_the_rows(rows):
    numbers = re.findall(r"\| (\d+)(?= \|)", counts(rows))
    assert sum(map(int, numbers)) == len(rows)


def test_the_page_comes_from_the_stored_rows(tmp_path):
    write_papers(STORED, tmp_path)
    assert (tmp_path / "papers.md").read_bytes() == (DOCS / "papers.md").read_bytes()
    drawn = re.search(r"Matplotlib v([\d.]+)", (DOCS / "papers-arms.svg").read_text()).group(1).rstrip(".")
    if mpl.__version__ != drawn:
        pytest.skip(f"the picture was drawn by matplotlib {drawn}, and this is {mpl.__version__}")
    assert (tmp_path / "papers-arms.svg").read_bytes() == (DOCS / "papers-arms.svg").read_bytes()


def test_a_verdict_follows_its_numbers(tmp_path):
    for path in STORED.glob("surface-*.csv"):
        shutil.copy(path, tmp_path)
    before = {one.item: one.verdict for one in surface_rows(tmp_path)}
    table = pd.read_csv(tmp_path / "surface-celeba.csv")
    table.loc[table["method"] == "betagp", "macro"] = 0.1  # better than with supervised scales, and than alpha and beta
    table.to_csv(tmp_path / "surface-celeba.csv", index=False)
    after = {one.item: one.verdict for one in surface_rows(tmp_path)}
    changed = {item: (before[item], after[item]) for item in before if before[item] != after[item]}
    assert changed == {"Table 7": (CONTRADICTED, PATTERN), "Table 15: MF-CelebA": (PATTERN, CONTRADICTED)}


def test_standings_are_against_bald(papers):
    study = papers.studies["figure1"]
    assert standing(study, "bald").ahead == 0
    assert standing(study, LITERALLY).panels == 15
    parts = [standing(study, LITERALLY, pool) for pool in study.pools]
    assert sum(one.ahead for one in parts) == standing(study, LITERALLY).ahead
    assert [Standing(10, ahead, 0).mostly for ahead in (6, 7)] == [False, True]


def test_rows_are_packed_as_they_are_stored(tmp_path):
    plain = tmp_path / "figure1.quick.jsonl"
    plain.write_bytes(b"{}\n")
    (tmp_path / ".surface-arms.csv.lock").touch()
    runs.pack(tmp_path)
    assert not list(tmp_path.glob(".*"))
    packed = tmp_path / "figure1.quick.jsonl.gz"
    first = packed.read_bytes()
    assert gzip.decompress(first) == b"{}\n"
    assert not plain.exists()
    plain.write_bytes(b"{}\n")
    packed.write_bytes(gzip.compress(b"{}\n", compresslevel=1, mtime=5))
    kept = packed.read_bytes()
    runs.pack(tmp_path)
    assert packed.read_bytes() == kept  # nothing new: left as it was


def test_every_study_is_among_the_steps(tmp_path):
    for smoke in (True, False):
        steps = runs.steps(tmp_path, 2, smoke)
        programs = [(command.callback.__module__.rpartition(".")[2], options[0]) for command, options in steps]
        assert {first for module, first in programs if module == "studies"} == set(STUDIES)
        assert {module for module, _ in programs} == {"arms", "simple", "tables", "papers", "studies"}


def test_data_or_smoke_is_needed(tmp_path):
    refused = CliRunner().invoke(runs.main, ["--rows", str(tmp_path)])
    assert refused.exit_code == 2
    assert "Give --data, or --smoke." in refused.output


@pytest.mark.slow
def test_every_run_of_the_papers_works_in_small(tmp_path):
    done = CliRunner().invoke(runs.main, ["--smoke", "--rows", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    made = {path.name for path in tmp_path.iterdir()}
    assert {f"{name}.smoke.jsonl" for name in STUDIES} <= made
    assert {"surface-arms.csv", "surface-simple.csv", "surface-celeba.csv", "papers"} <= made


def test_the_makefile_has_its_commands():
    makefile = (ROOT / "Makefile").read_text()
    for target in ("papers", "papers-smoke", "papers-page"):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
