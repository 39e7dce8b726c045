"""The sweep over audit pools and its report, on the bundled digits and on made-up rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.experiments import audit_pools, sweep_methods, sweep_report
from altmas.experiments.data.audit_pools import audit_pool_names, load_audit_pool
from altmas.experiments.certified.sweep_methods import Portions, Row, Variant, open_tasks, read_rows, rows_file, run


@pytest.fixture(scope="module")
def digits():
    return load_audit_pool("digits", None)


def sweep_in(folder, *more):
    return CliRunner().invoke(sweep_methods.main, ["--smoke", "--jobs", "1", "--rows", str(folder), *more])


def without_seconds(rows):
    return rows.drop(columns="seconds").sort_values(["seed", "labels", "metric"], ignore_index=True)


def test_smoke_goes_on_where_it_stopped(tmp_path):
    done = sweep_in(tmp_path)
    assert done.exit_code == 0, done.output
    assert "2 runs" in done.stdout
    path = rows_file(tmp_path, "digits", "random")
    whole, text = read_rows(path), path.read_text()
    assert len(whole) == 2 * 2 * 5  # seeds, checkpoints (50 and 60), metrics
    assert whole["truth"].between(0, 1).all()
    assert whole["plug_in"].isna().all()
    lines = text.splitlines(keepends=True)
    path.write_text("".join(lines[:14]) + lines[14][:9])  # killed while it wrote the second seed
    assert len(read_rows(path)) == 13
    again = sweep_in(tmp_path)
    assert "1 runs" in again.stdout, again.output
    pd.testing.assert_frame_equal(without_seconds(read_rows(path)), without_seconds(whole))
    assert len(path.read_text().splitlines()) == len(lines)  # neither doubled nor broken
    before = path.read_bytes()
    assert "0 runs" in sweep_in(tmp_path).stdout
    assert path.read_bytes() == before
    more = sweep_in(tmp_path, "--budget", "80")
    assert "2 runs" in more.stdout, more.output
    kept = read_rows(path)
    pd.testing.assert_frame_equal(without_seconds(kept[kept["labels"] <= 60]), without_seconds(whole))


def test_a_killed_first_line_is_written_anew(tmp_path):
    path = rows_file(tmp_path, "digits", "random")
    path.write_text("pool,meth")
    assert read_rows(path).empty
    row = Row("digits", "random", 0, 50, "accuracy", 0.9, 0.8, 1.0, np.nan, np.nan, 0.9, 0.1, 50, 10)
    sweep_methods.append_rows(path, [row])
    sweep_methods.append_rows(path, [row])
    assert read_rows(path)["estimate"].tolist() == [0.9]


def test_processes_share_the_runs(tmp_path):
    command = [
        sys.executable,
        "-m",
        "altmas.experiments.certified.sweep_methods",
        "--smoke",
        "--jobs",
        "2",
        "--rows",
        tmp_path,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(read_rows(rows_file(tmp_path, "digits", "random"))["seed"]) == {0, 1}


def test_no_tensorflow_without_networks(tmp_path):
    program = (
        "import sys\nfrom altmas.experiments import sweep_methods, sweep_report\n"
        f"sys.argv[1:] = ['--smoke', '--jobs', '1', '--rows', {str(tmp_path)!r}]\n"
        "try: sweep_methods.main()\nexcept SystemExit as end: assert not end.code\n"
        "assert not {'tensorflow', 'keras'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 1


def test_the_same_seed_gives_the_same_rows(tmp_path):
    tasks = list(open_tasks(["digits"], ["random"], 2, Portions(60, 30, 10), None, tmp_path))
    first, second = run(tasks[0]), run(tasks[0])
    assert [r.estimate for r in first] == [r.estimate for r in second]
    assert [r.estimate for r in first] != [r.estimate for r in run(tasks[1])]


def test_what_a_sweep_refuses(tmp_path, digits):
    assert "method must be one of" in sweep_in(tmp_path, "--methods", "oracle-of-delphi").output
    assert "tag of a method must be one of" in sweep_in(tmp_path, "--methods", "random+luck").output
    left = sweep_in(tmp_path, "--methods", "random+opinions")
    assert "digits has no opinions: random+opinions is left out" in left.output
    assert "Give --data, or --smoke" in CliRunner().invoke(sweep_methods.main, ["--rows", str(tmp_path)]).output
    with pytest.raises(InputError, match="initial and batch must meet the checkpoints"):
        sweep_methods.checkpoints(digits, Portions(None, 50, 30).plan(digits))
    sweep_in(tmp_path)
    portions = Portions(60, 50, 10)
    with pytest.raises(InputError, match="have 50 initial labels and batches of 10; got 30 and 10"):
        list(open_tasks(["digits"], ["random"], 2, portions, None, tmp_path))


def test_variants_say_what_a_method_sees(digits):
    variant = Variant.parse("altmas+features+draws=20+surrogate=mlp")
    assert (variant.name, variant.sees) == ("altmas", {"features"})
    assert variant.options == {"draws": 20, "surrogate": "mlp"}
    assert digits.build().features is None
    assert digits.build(features=True).features.shape == (1597, 8, 8)


def test_names_of_pools():
    assert len(audit_pool_names()) == 6 + 20 + 2 + 1 + 2
    with pytest.raises(InputError, match="kind of pool must be one of paper, vendor"):
        audit_pool_names("private")
    with pytest.raises(InputError, match="pool must be one of"):
        load_audit_pool("M-None", None)
    with pytest.raises(InputError, match="data must be the folder"):
        load_audit_pool("M-MNIST", None)


def test_vendor_pools_share_items_and_are_each_others_opinions(tmp_path):
    rng, services = np.random.default_rng(1), audit_pools.SERVICES["yelp"]
    labels = rng.integers(0, 2, 10_500)
    said = np.where(rng.random((4, 10_500)) < 0.8, labels, 2)
    sure = rng.random((4, 10_500)) * 0.3  # no probability of anything
    np.savez(tmp_path / "vendor_yelp.npz", labels=labels, predictions=said, confidence=sure, services=services)
    one, other = (load_audit_pool(f"yelp/{name}", tmp_path) for name in services[:2])
    assert len(one.labels) == 10_000
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.opinions[services[1]][0], other.predictions)
    assert set(one.opinions) == set(services[1:])
    assert (one.build().predictions == 2).any()  # no class
    assert one.classes == (0, 1)


def made_up(method, error, low, high, metric="accuracy", pool="M-MNIST", labels=100, runs=4):
    """Runs off by `error`, up and down, with intervals from `low` to `high` around the truth."""
    signs = [1, -1] * (runs // 2)
    return [
        Row(pool, method, seed, labels, metric, 0.5 + sign * error, 0.5 + low, 0.5 + high,
            np.nan, np.nan, 0.5, 0.1, 50, 10)
        for seed, sign in enumerate(signs)
    ]  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    """`new` halves accuracy's error on one pool, doubles it on another, and a tenth of a precision's remains."""
    cases = {
        ("random", "M-MNIST"): [
            *made_up("random", 0.04, -0.1, 0.1),
            *made_up("random", 0.08, -0.1, 0.1, "precision:1"),
        ],
        ("new", "M-MNIST"): [*made_up("new", 0.02, -0.1, 0.1), *made_up("new", 0.008, 0.05, 0.1, "precision:1")],
        ("random", "M-SVHN"): made_up("random", 0.01, -0.1, 0.1, pool="M-SVHN"),
        ("new", "M-SVHN"): [
            *made_up("new", 0.02, -0.1, 0.1, pool="M-SVHN", runs=2),
            *made_up("new", 0.02, 0.1, 0.3, pool="M-SVHN")[2:],
        ],
        ("random", "er_abt_buy"): made_up("random", 0.1, -0.2, 0.2, "f1:1", "er_abt_buy", 1000),
        ("new", "er_abt_buy"): made_up("new", 0.2, -0.2, 0.2, "f1:1", "er_abt_buy", 1000),
    }
    for (method, pool), some in cases.items():
        sweep_methods.append_rows(rows_file(tmp_path, pool, method), some)
    return tmp_path


def test_report_has_the_ratios_and_the_coverage(rows, tmp_path):
    known = sweep_report.read_all(rows)
    pools = sweep_report.by_pool(sweep_report.relative(sweep_report.rmse(known)))
    found = pools[pools["method"] == "new"].set_index("pool")["ratio"].to_dict()
    assert found == pytest.approx({"M-MNIST": np.sqrt(0.5 * 0.1), "M-SVHN": 2.0})
    covered = sweep_report.coverage(known).set_index(["method", "kind"])
    assert covered.loc[("random", "accuracy"), "inside"] == 1
    assert covered.loc[("new", "precision"), "inside"] == 0
    accuracy = covered.loc[("new", "accuracy")]
    assert accuracy["inside"] == pytest.approx(0.75)
    assert accuracy["width"] == pytest.approx(0.2)
    assert (accuracy["worst"], accuracy["worst_pool"]) == (0.5, "M-SVHN")

    (tmp_path / "limits.txt").write_text("pool,own,opinions\nM-MNIST,0.25,\nM-SVHN,1.0,\n")
    command = ["--rows", str(rows), "--out", str(tmp_path / "out"), "--limits", str(tmp_path / "limits.txt")]
    done = CliRunner().invoke(sweep_report.main, command)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "certified-results.md").read_text()
    overall = np.sqrt(np.sqrt(0.5 * 0.1) * 2)
    assert f"| new | {overall:.2f} | 2 | 0.10 |" in page
    assert "| new | 100 | 1.00 | 0.10 |" in page  # by metric: accuracy 0.5 and 2, precision 0.1
    assert "| new | 2.00 | 2 |" in page  # against the limit: 0.5 / 0.25 and 2 / 1
    assert "| er_abt_buy | 1000 | 4.00e-02 | 1.00e-02 |" in page
    assert "| new | accuracy | 0.750 (0.200) |" in page
    assert (tmp_path / "out" / "certified-results.svg").stat().st_size > 1000


def test_no_error_anywhere_is_left_out_and_told(tmp_path):
    for method, error in (("random", 0.04), ("new", 0.02)):
        some = [*made_up(method, error, -0.1, 0.1), *made_up(method, 0.0, 0.0, 0.0, "recall:3")]
        sweep_methods.append_rows(rows_file(tmp_path, "M-MNIST", method), some)
    known = sweep_report.read_all(tmp_path)
    page = sweep_report.report(known)
    assert "| new | 0.50 | 1 |" in page
    assert "No error in any run of the method nor of `random`, so no ratio: M-MNIST recall:3 at 100 (new)." in page
    assert sweep_report.coverage(known)["inside"].tolist() == [1.0] * 4


def test_report_needs_rows_and_a_baseline(tmp_path, rows):
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="rows must be a folder with rows"):
        sweep_report.read_all(tmp_path / "none")
    with pytest.raises(InputError, match="hold the baseline 'other'"):
        sweep_report.report(sweep_report.read_all(rows), baseline="other")
