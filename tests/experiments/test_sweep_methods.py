"""The sweep over audit pools and its report, on the bundled digits and on made-up rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.experiments.bench.rows import Finished, same_rows, to_frame
from altmas.experiments.certified import sweep_methods, sweep_report
from altmas.experiments.certified.sweep_methods import check_portions, method_table, sweeps_of
from altmas.experiments.data import audit_pools
from altmas.experiments.data.audit_pools import audit_pool_names, load_audit_pool


@pytest.fixture(scope="module")
def digits():
    return load_audit_pool("digits", None)


def sweep_in(rows, *more):
    return CliRunner().invoke(sweep_methods.main, ["--smoke", "--jobs", "1", "--rows", str(rows), *more])


def test_smoke_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "rows.jsonl"
    done = sweep_in(path)
    assert done.exit_code == 0, done.output
    assert "2 runs" in done.stdout
    whole, lines = to_frame(path), path.read_bytes().splitlines(keepends=True)
    assert len(whole) == 2 * 2 * 5  # seeds, checkpoints (50 and 60), metrics
    assert whole["truth"].between(0, 1).all()
    assert whole["plug_in"].isna().all()
    path.write_bytes(lines[0] + lines[1][:9])  # killed while it wrote the second seed
    again = sweep_in(path)
    assert "1 runs" in again.stdout, again.output
    assert same_rows(to_frame(path), whole)
    before = path.read_bytes()
    assert len(before.splitlines()) == len(lines)  # neither doubled nor broken
    assert "0 runs" in sweep_in(path).stdout
    assert path.read_bytes() == before


def test_more_labels_later_count_every_run_once(tmp_path):
    path = tmp_path / "rows.jsonl"
    sweep_in(path)
    whole = sweep_report.read_all(path)
    more = sweep_in(path, "--budget", "80")
    assert "2 runs" in more.stdout, more.output
    kept = sweep_report.read_all(path)
    assert kept["labels"].max() == 80
    columns = ["seed", "labels", "metric", "estimate", "low", "high"]
    few = kept[kept["labels"] <= 60][columns].sort_values(columns[:3], ignore_index=True)
    pd.testing.assert_frame_equal(few, whole[columns].sort_values(columns[:3], ignore_index=True))


def test_processes_share_the_runs(tmp_path):
    rows = tmp_path / "rows.jsonl"
    module = "altmas.experiments.certified.sweep_methods"
    command = [sys.executable, "-m", module, "--smoke", "--jobs", "2", "--rows", rows]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(to_frame(rows)["seed"]) == {0, 1}


def test_no_tensorflow_without_networks(tmp_path):
    rows = tmp_path / "rows.jsonl"
    program = (
        "import sys\nfrom altmas.experiments.certified import sweep_methods, sweep_report\n"
        f"sys.argv[1:] = ['--smoke', '--jobs', '1', '--rows', {str(rows)!r}]\n"
        "try: sweep_methods.main()\nexcept SystemExit as end: assert not end.code\n"
        "assert not {'tensorflow', 'keras'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(to_frame(rows)) == 20


def test_the_same_seed_gives_the_same_rows(tmp_path):
    for name in ("one", "other"):
        sweep_in(tmp_path / name)
    one, other = (to_frame(tmp_path / name) for name in ("one", "other"))
    assert same_rows(one, other)
    first, second = (one.loc[one["seed"] == seed, "estimate"].tolist() for seed in (0, 1))
    assert first != second


def test_what_a_sweep_refuses(tmp_path):
    rows = tmp_path / "rows.jsonl"
    assert "method must be one of" in sweep_in(rows, "--methods", "oracle-of-delphi").output
    assert "tag of a method must be one of" in sweep_in(rows, "--methods", "random+luck").output
    left = sweep_in(rows, "--methods", "random+opinions")
    assert "digits has no opinions: random+opinions is left out" in left.output
    assert "Give --data, or --smoke" in CliRunner().invoke(sweep_methods.main, ["--rows", str(rows)]).output
    with pytest.raises(InputError, match="each of checkpoints must be reached: 50 initial labels, then 30 at a time"):
        list(sweeps_of(["digits"], ["random"], None, None, initial=50, batch=30))
    sweep_in(rows)
    with pytest.raises(InputError, match="have 50 initial labels and batches of 10; got 30 and 10"):
        check_portions(rows, list(sweeps_of(["digits"], ["random"], None, 60, initial=50, batch=10)))


def test_tags_say_what_a_method_sees(digits):
    found = method_table("altmas+features+draws=20+surrogate=mlp")
    assert (found["name"], found["sees"]) == ("altmas", ["features"])
    assert found["options"] == {"draws": 20, "surrogate": "mlp"}
    assert digits.build().features is None
    assert digits.build(frozenset({"features"})).features.shape == (1597, 8, 8)


def test_names_of_pools():
    assert len(audit_pool_names()) == 6 + 20 + 2 + 1 + 2 + 3
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
    looks = [
        {"labels": labels, "metric": metric, "estimate": 0.5 + sign * error, "low": 0.5 + low, "high": 0.5 + high,
         "truth": 0.5}
        for sign in signs
    ]  # fmt: skip
    return [
        Finished(f"{pool} {method} {metric} {seed}", "ok", {"pool": pool, "method": method, "seed": seed}, [look],
                 seconds=0.1)
        for seed, look in enumerate(looks)
    ]  # fmt: skip


def written(path, runs):
    path.write_bytes(b"".join(one.line() for one in runs))
    return path


@pytest.fixture
def rows(tmp_path):
    """`new` halves accuracy's error on one pool, doubles it on another, and a tenth of a precision's remains."""
    runs = [
        *made_up("random", 0.04, -0.1, 0.1),
        *made_up("random", 0.08, -0.1, 0.1, "precision:1"),
        *made_up("new", 0.02, -0.1, 0.1),
        *made_up("new", 0.008, 0.05, 0.1, "precision:1"),
        *made_up("random", 0.01, -0.1, 0.1, pool="M-SVHN"),
        *made_up("new", 0.02, -0.1, 0.1, pool="M-SVHN", runs=2),
        *made_up("new", 0.02, 0.1, 0.3, pool="M-SVHN")[2:],
        *made_up("random", 0.1, -0.2, 0.2, "f1:1", "er_abt_buy", 1000),
        *made_up("new", 0.2, -0.2, 0.2, "f1:1", "er_abt_buy", 1000),
    ]
    return written(tmp_path / "rows.jsonl", runs)


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
    runs = []
    for method, error in (("random", 0.04), ("new", 0.02)):
        runs += [*made_up(method, error, -0.1, 0.1), *made_up(method, 0.0, 0.0, 0.0, "recall:3")]
    known = sweep_report.read_all(written(tmp_path / "rows.jsonl", runs))
    page = sweep_report.report(known)
    assert "| new | 0.50 | 1 |" in page
    assert "No error in any run of the method nor of `random`, so no ratio: M-MNIST recall:3 at 100 (new)." in page
    assert sweep_report.coverage(known)["inside"].tolist() == [1.0] * 4


def test_report_needs_rows_and_a_baseline(tmp_path, rows):
    with pytest.raises(InputError, match="rows must be files with rows"):
        sweep_report.read_all(tmp_path / "none")
    with pytest.raises(InputError, match="hold the baseline 'other'"):
        sweep_report.report(sweep_report.read_all(rows), baseline="other")
