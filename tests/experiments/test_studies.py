"""The studies of the ALT-MAS paper: runs that are shared, the smoke profile, and a page made from stored rows."""

import gzip
import json
import re
import shutil

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas.catalogue import METHODS
from altmas.core.progress import Silent
from altmas.experiments.alt_mas import results
from altmas.experiments.alt_mas import studies as alt_mas_studies
from altmas.experiments.alt_mas.results import write_results
from altmas.experiments.alt_mas.results_rows import curves, panel_rows, random_needs, read_study, relative_errors
from altmas.experiments.alt_mas.studies import LITERALLY, METRIC_SETS, STUDIES, about_file, run_study, sweeps_of
from altmas.experiments.bench.methods import is_metric_blind
from altmas.experiments.bench.rows import same_rows, to_frame
from altmas.experiments.bench.spec import parse_sweep
from altmas.experiments.bench.sweep import Workers, finished_cells
from altmas.metrics.errors import InputError
from worlds.places import BENCHMARKS, DOCS

STORED = BENCHMARKS / "results"
BLIND = [name for name in METHODS if is_metric_blind(name, {})]


def small(method, metrics, **more):
    options = {"surrogate": {"kind": "mlp", "max_steps": 10}, "draws": 3} if method == "bald" else {}
    sees = ["features"] if method == "bald" else []
    pool = "digits" if method == "bald" else {"name": "made", "kind": "generated", "items": 200}
    table = {"pools": [pool], "methods": [{"name": method, "options": options, "sees": sees}], "metrics": metrics}
    return parse_sweep({**table, "initial": 30, "budgets": [50], "batch": 10} | more)


@pytest.mark.parametrize("method", BLIND)
def test_a_method_that_says_it_is_blind_to_the_metrics_is(method):
    sets = [["recall:1"], ["accuracy", "macro_recall"]]
    shared = small(method, sets)
    (both,) = finished_cells(shared.cells(), Workers(1))
    assert both.status == "ok", both.error
    for one in sets:
        (alone,) = finished_cells(small(method, [one]).cells(), Workers(1))
        shared_rows = pd.DataFrame([row for row in both.rows if row["metric"] in one])
        pd.testing.assert_frame_equal(pd.DataFrame(alone.rows), shared_rows, rtol=1e-9)  # sums in another order


def test_methods_that_look_at_the_metrics_run_for_each_set():
    assert set(METHODS) - set(BLIND) == {"altmas", "certified", "oasis", "surface", "coda", "model-selector"}
    assert not is_metric_blind("altmas", {"metric_aware": False})  # unknown is taken as aware
    sweep = small("certified", [["recall:1"], ["accuracy"]])
    assert [cell.metrics for cell in sweep.cells()] == [("recall:1",), ("accuracy",)]


def test_the_papers_grid():
    first, literally = sweeps_of("figure1", "quick")
    by_method = pd.Series([cell.method.label for cell in (*first.cells(), *literally.cells())]).value_counts()
    own = 3 * 5 * 5
    assert by_method.to_dict() == {"altmas": own, LITERALLY: 45, "bald": 15, "random": 15}  # shared by the five sets
    assert [method.given.get("literal", False) for method in first.methods] == [False] * 3
    assert literally.methods[0].given["literal"]
    assert min(first.seeds) > 200  # those below chose the guard
    second, _ = sweeps_of("figure2", "quick")
    assert {pool.label for pool in second.pools} == {"M-CIFAR10", "M-CIFAR10-ES", "M-SVHN"}
    assert second.initial == 500
    assert first.initial == 100
    assert all(method.given["surrogate"]["kind"] == "lenet" for method in second.methods if method.given)
    paper, _ = sweeps_of("figure1", "paper")
    assert paper.batch == 1
    assert paper.methods[0].given["tune"]
    for name in ("panel1", "panel2"):
        panel, _ = sweeps_of(name, "quick")
        assert panel.batch == 1
        assert panel.methods[0].given["tune"]


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for name in ("figure1", "panel1", "field1", "ablations"):
        done = run_study(name, "smoke", folder / f"{name}.smoke.jsonl", "", Workers(1), Silent())
        assert not done.failed
    # On bundled digits these are the same cells.
    for name, same in (("figure2", "figure1"), ("panel2", "panel1"), ("embedding", "figure1"), ("field2", "field1")):
        assert sweeps_of(name, "smoke")[0].cells() == sweeps_of(same, "smoke")[0].cells()
        for ending in (".jsonl", ".about.json"):
            shutil.copy(folder / f"{same}.smoke{ending}", folder / f"{name}.smoke{ending}")
    assert set(STUDIES) == {path.name.split(".")[0] for path in folder.iterdir() if path.suffix != ".lock"}
    return folder


@pytest.mark.slow
def test_networks_find_the_same_in_two_processes(smoke, tmp_path):
    rows = tmp_path / "figure1.smoke.jsonl"
    run_study("figure1", "smoke", rows, "", Workers(2), Silent())
    assert same_rows(to_frame(rows), to_frame(smoke / "figure1.smoke.jsonl"))


def test_a_study_that_is_there_is_not_run_again(smoke):
    rows = smoke / "figure1.smoke.jsonl"
    before = rows.read_bytes()
    done = run_study("figure1", "smoke", rows, "", Workers(1), Silent())
    assert done.skipped == done.cells
    assert rows.read_bytes() == before


def test_smoke_makes_a_page_with_every_panel(smoke, tmp_path):
    write_results(smoke, tmp_path, "smoke")
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert page.count("\n| digits |") == 1 + 3 * 5 + 2 + 5 * 3 + 10  # models, panels, networks, every method
    for change in ("no pseudo-labels", "a mask per item", "tuned", "refit every 10"):
        assert f"| {change} |" in page
    study = read_study(smoke, "figure1", "smoke")
    for pool, metrics, rows in study.panels():
        assert set(rows["method"]) == {"altmas", LITERALLY, "bald", "random"}, (pool, metrics)
        networks = rows[rows["method"] != "random"]["surrogate"]
        assert networks.between(0, 1).all()
    for figure in ("figure1", "figure2", "figure3", "figure4", "embedding", "field"):
        assert (tmp_path / f"results-{figure}.svg").stat().st_size > 5000


def test_rows_may_be_gzipped_and_must_be_whole(smoke, tmp_path):
    plain = smoke / "field1.smoke.jsonl"
    packed = tmp_path / "field1.smoke.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    shutil.copy(about_file(plain), tmp_path)
    assert read_study(tmp_path, "field1", "smoke").rows.equals(read_study(smoke, "field1", "smoke").rows)
    lines = plain.read_bytes().splitlines(keepends=True)
    packed.write_bytes(gzip.compress(b"".join(lines[1:])))
    with pytest.raises(InputError, match="rows of field1 must hold its 27 cells; got 1 missing"):
        read_study(tmp_path, "field1", "smoke")


def test_the_page_of_results_comes_from_the_stored_rows(tmp_path):
    write_results(STORED, tmp_path)
    assert (tmp_path / "results.md").read_bytes() == (DOCS / "results.md").read_bytes()
    drawn = re.search(r"Matplotlib v([\d.]+)", (DOCS / "results-field.svg").read_text()).group(1).rstrip(".")
    if mpl.__version__ != drawn:
        pytest.skip(f"the figures were drawn by matplotlib {drawn}, and this is {mpl.__version__}")
    made = sorted(tmp_path.glob("*.svg"))
    assert len(made) == 11
    for path in made:
        assert path.read_bytes() == (DOCS / path.name).read_bytes(), path.name


def test_errors_on_other_pools_are_not_compared(smoke, tmp_path):
    for path in (path for path in smoke.iterdir() if path.suffix != ".lock"):
        shutil.copy(path, tmp_path)
    rows = tmp_path / "field1.smoke.jsonl"
    found = [json.loads(line) for line in rows.read_bytes().splitlines()]
    rows.write_text("".join(json.dumps({**one, "checksum": "f" * 64}) + "\n" for one in found))
    with pytest.raises(InputError, match="pool 'digits' must be the same in figure1 and field1; got checksums"):
        write_results(tmp_path, tmp_path / "docs", "smoke")


def test_packed_rows_are_gone_on_with(smoke, tmp_path):
    rows = tmp_path / "field1.smoke.jsonl"
    content = (smoke / rows.name).read_bytes()
    rows.with_suffix(".jsonl.gz").write_bytes(gzip.compress(content))
    done = run_study("field1", "smoke", rows, "", Workers(1), Silent())
    assert done.skipped == done.cells
    assert rows.read_bytes() == content


def test_a_failed_cell_of_a_study_is_its_exit_code(tmp_path, monkeypatch):
    monkeypatch.setattr("altmas.experiments.bench.run.run_cell", lambda cell: 1 / 0)
    done = CliRunner().invoke(alt_mas_studies.main, ["field1", "--smoke", "--rows", str(tmp_path), "--jobs", "1"])
    assert done.exit_code == 3, done.output
    assert "ZeroDivisionError" in done.stderr
    refused = CliRunner().invoke(alt_mas_studies.main, ["field1", "--data", str(tmp_path), "--rows", str(tmp_path)])
    assert refused.exit_code == 1
    assert "must be there" in refused.stderr or "must exist" in refused.stderr, refused.stderr


def test_results_without_rows_are_refused_by_a_sentence(tmp_path):
    done = CliRunner().invoke(results.main, ["--rows", str(tmp_path), "--docs", str(tmp_path / "docs")])
    assert done.exit_code == 1
    assert "rows of figure1 must hold its 150 cells; got 150 missing" in done.stderr


def test_panels_share_what_was_run_once():
    sweep = small("random", [["recall:1"], ["accuracy"]])
    rows = pd.DataFrame(
        {"pool": "made", "method": "random", "metrics": "recall:1 accuracy", "metric": ["recall:1", "accuracy"]}
    )
    assert panel_rows(rows, sweep, "made", ("accuracy",))["metric"].tolist() == ["accuracy"]


def test_curves_are_means_over_metrics_then_seeds():
    rows = pd.DataFrame(
        {
            "method": "m",
            "seed": [0, 0, 1, 1],
            "labels": 10,
            "estimate": [0.5, 0.9, 0.6, 1.0],
            "truth": [1.0, 1.0, 1.0, 1.0],
        }
    )
    (one,) = curves(relative_errors(rows)).to_dict("records")
    assert one["mean"] == pytest.approx((0.3 + 0.2) / 2)
    assert one["se"] == pytest.approx(np.std([0.3, 0.2], ddof=1) / np.sqrt(2))


def test_random_needs_no_more_than_the_pool():
    random = pd.DataFrame({"labels": [100], "error": [0.1]})
    assert random_needs(random, 1e-9, 100, 5000) == 50
    assert random_needs(random, 0.0, 100, 5000) == 50
    assert random_needs(random, 0.1, 100, 5000) == pytest.approx(1)
    assert len(METRIC_SETS) == 5
