"""A sweep compared: by hand on made-up rows, and refused or told where stored rows are dirty."""

import gzip
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from altmas import InputError
from altmas.cli import commands
from altmas.experiments.bench.errors import pulls, standard_errors
from altmas.experiments.bench.page import Told
from altmas.experiments.bench.ranking import ranking
from altmas.experiments.bench.rows import Finished
from altmas.experiments.bench.spec import parse_sweep, read_sweep
from altmas.experiments.bench.standings import compare
from altmas.experiments.bench.stored import read_stored
from altmas.experiments.bench.sweep import Workers, run_sweep, working
from worlds.sweeps import SMOKE

TRUTH = 0.8


def cell(method, errors, *, seed=0, pool="p", metric="accuracy", version="1", checksum="c", **more):
    """A run: its error at 50, 100, ... labels. `more` are columns of the cell."""
    rows = [
        {"labels": 50 * (k + 1), "metric": metric, "estimate": None if e is None else TRUTH + e, "truth": TRUTH,
         "low": TRUTH - 0.05, "high": TRUTH + (0.05 if seed else -0.01), "covered": bool(seed)}
        for k, e in enumerate(errors)
    ]  # fmt: skip
    about = {"pool": pool, "model": "own", "metrics": metric, "method": method, "budget": 50 * len(errors),
             "seed": seed, "initial": 50, "batch": 50, "level": 0.95} | more  # fmt: skip
    key = json.dumps([about[name] for name in ("pool", "model", "metrics", "method", "budget", "seed")])
    return Finished(key, "ok", about, rows, checksum=f"{checksum} of {pool}", version=version, seconds=2.0)


def written(path, cells):
    content = b"".join(one.line() for one in cells)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def two_methods(seeds=4):
    """`new` has half of random's error on p, and twice on q; random's error halves from 50 to 100 labels."""
    signs = [1, -1] * (seeds // 2) + [1] * (seeds % 2)
    for k, sign in enumerate(signs):
        yield cell("random", [0.08 * sign, 0.04 * sign], seed=k)
        yield cell("new", [0.05 * sign, 0.02 * sign], seed=k)
        yield cell("random", [0.02 * sign, 0.01 * sign], seed=k, pool="q")
        yield cell("new", [0.02 * sign, 0.02 * sign], seed=k, pool="q")


def report(*arguments):
    return CliRunner().invoke(commands, ["bench", "--report", *map(str, arguments)])


@pytest.fixture
def rows(tmp_path):
    return written(tmp_path / "rows.jsonl", two_methods())


def test_the_table_is_what_it_is_by_hand(rows):
    found = compare(read_stored([rows]).rows)
    assert found.baseline == "random"
    assert found.by_pool.set_index(["pool", "method"])["error"].to_dict() == pytest.approx(
        {("p", "random"): 1, ("p", "new"): 0.5, ("q", "random"): 1, ("q", "new"): 2}
    )
    new, base = (next(one for one in found.standings if one.method == name) for name in ("new", "random"))
    assert new.error == pytest.approx(1.0)
    assert new.error_se == pytest.approx(0.0)  # every seed errs as much
    assert (new.wins, new.compared) == (0.5, 8)
    # On p random needs 4 times as many labels, beyond its curve; on q 50 of 100, on it.
    assert new.needs == pytest.approx(np.sqrt(4 * 0.5))
    assert new.beyond == 0.5
    assert (new.covered, new.width) == (pytest.approx(0.75), pytest.approx(0.085))
    assert (new.seconds, new.pools, new.runs) == (2.0, 2, 8)
    assert (base.error, base.wins, base.needs) == (pytest.approx(1), None, None)
    assert [one.mean for one in found.ranking] == [1.5, 1.5]
    assert sum(one.p_best for one in found.ranking) == pytest.approx(1)
    other = compare(read_stored([rows]).rows, "new")
    assert [one.error for one in other.standings if one.method == "random"] == [pytest.approx(1)]


def test_standard_errors_are_the_jackknifes():
    """Of a paired ratio: leave one seed out of both methods, and look how far the logarithm moves."""
    rng = np.random.default_rng(3)
    errors = {"random": rng.normal(0, 0.04, 7), "new": rng.normal(0, 0.02, 7)}
    about = {"pool": "p", "source": "p", "labels": 100, "metric": "accuracy", "truth": 0.0}
    rows = pd.DataFrame(
        [about | {"method": name, "seed": k, "estimate": e} for name, own in errors.items() for k, e in enumerate(own)]
    )
    found = pulls(rows).assign(weight=rows["method"].map({"new": 1.0, "random": -1.0}), ratio="new")

    def log_ratio(kept):
        return 0.5 * np.log(np.mean(errors["new"][kept] ** 2) / np.mean(errors["random"][kept] ** 2))

    without = np.array([log_ratio(np.arange(7) != k) for k in range(7)])
    expected = np.sqrt(6 / 7 * ((without - without.mean()) ** 2).sum())
    assert standard_errors(found, ["ratio"]).item() == pytest.approx(expected)
    # Other seeds, other runs: nothing is paired, and variances add.
    apart = found.assign(seed=found["seed"] + 100 * (found["method"] == "new"))
    each = [standard_errors(apart[apart["method"] == name], ["ratio"]).item() for name in errors]
    assert standard_errors(apart, ["ratio"]).item() == pytest.approx(np.hypot(*each))


def test_the_standard_error_is_about_right():
    """Seeds fixed: 400 comparisons with 8 seeds each, the spread of their logarithms beside the mean standard error."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(400, 8))
    errors = {"random": shared, "new": 0.6 * shared + 0.8 * rng.normal(size=(400, 8))}
    table = {"method": np.repeat(list(errors), 3200), "estimate": np.concatenate([*map(np.ravel, errors.values())])}
    table |= {"pool": np.tile(np.repeat(np.arange(400), 8), 2), "seed": np.tile(np.arange(8), 800)}
    rows = pd.DataFrame(table).assign(truth=0.0, labels=100, metric="accuracy")
    rows = rows.assign(source=rows["pool"])
    found = pulls(rows).assign(weight=rows["method"].map({"new": 1.0, "random": -1.0}))
    logs = 0.5 * np.log((errors["new"] ** 2).mean(1) / (errors["random"] ** 2).mean(1))
    # The spread of 400 is known to 3.5%, and the mean of the standard errors to 2%: four of these together are 16%.
    assert standard_errors(found, ["pool"]).mean() == pytest.approx(logs.std(), rel=0.16)


def test_a_method_that_ran_once_for_all_sets_stands_in_each(whole, tmp_path):
    rows = tmp_path / "rows.jsonl"
    run_sweep(read_sweep(SMOKE), rows, Workers())
    stored = read_stored([rows], read_sweep(SMOKE).cells())
    assert len(stored.rows) == len(whole)
    found = compare(stored.rows)
    assert set(found.curves) == {(pool, panel) for pool in ("easy", "hard") for panel in ("accuracy", "alt_mas_3")}
    for curve in found.curves.values():
        assert set(curve["method"]) == {"random", "stratified", "certified"}
    assert {one.compared for one in found.standings} == {0, 2 * 4 * 2}  # pools, metrics of both sets, seeds


def test_terminal_json_and_page_say_the_same(rows, tmp_path):
    done = report(rows)
    assert done.exit_code == 0, done.output
    assert re.search(r"new .* 1\.00 ± 0\.00 .* 50% .* 1\.4x", done.stdout)
    page = (tmp_path / "rows.report.html").read_text()
    assert "1.00 ± 0.00" in page
    assert "<svg" in page
    assert not re.search(r"<script|src=|https?://(?!www\.w3\.org)", page)
    assert "not known" not in page
    told = json.loads(report(rows, "--json", "-o", tmp_path / "other.html").stdout)
    assert (told["schema"], told["baseline"], told["cells"]) == ("altmas-bench/1", "random", 16)
    assert {one["method"]: one["wins"] for one in told["methods"]} == {"new": 0.5, "random": None}
    assert told["report"] == str(tmp_path / "other.html")


def test_a_sweep_ends_with_table_and_page(tmp_path):
    sweep = tmp_path / "s.toml"
    sweep.write_text(
        'title = "Two <methods>"\npools = [{name = "made", kind = "generated", items = 120}]\nmetrics = ["accuracy"]\n'
        'methods = ["random", "stratified"]\nbaseline = "stratified"\nbudgets = [40]\ninitial = 20\nseeds = 3\n'
    )
    rows = tmp_path / "new" / "s.rows.jsonl"
    done = CliRunner().invoke(commands, ["bench", str(sweep), "--jobs", "1", "--rows", str(rows)])
    assert done.exit_code == 0, done.output
    assert "stratified needs" in done.stdout
    page = (tmp_path / "new" / "s.report.html").read_text()
    assert "Two &lt;methods&gt;" in page
    assert "baseline = &#34;stratified&#34;" in page
    assert done.stdout.count(str(tmp_path / "new" / "s.report.html")) == 1
    assert "baseline must be the label of one of the methods, random, stratified; got 'bald'" in str(
        CliRunner().invoke(commands, ["bench", str(sweep), "--baseline", "bald", "--resume", "--jobs", "1"]).exception
    )


def test_a_process_that_loaded_much_is_no_news():
    """Joblib takes a process with TensorFlow for a leak, starts another, and says so; here warnings are errors."""
    with working(Workers(2)):
        warnings.warn("A worker stopped while some jobs were given to the executor. This can be ...", stacklevel=1)
        with pytest.warns(UserWarning, match="something else"):
            warnings.warn("something else", stacklevel=1)


def test_names_cannot_command_the_page_or_the_terminal(tmp_path):
    odd = "<b>\x1b[2J|x"
    cells = [cell(odd, [0.1 * s], seed=k, pool="<i>$x") for k, s in enumerate((1, -1))]
    cells += [cell("random", [0.1 * s], seed=k, pool="<i>$x") for k, s in enumerate((1, -1))]
    done = report(written(tmp_path / "rows.jsonl", cells))
    assert done.exit_code == 0, done.output
    assert "\x1b[2J" not in done.stdout
    page = (tmp_path / "rows.report.html").read_text()
    assert "<b>\x1b" not in page
    assert "<i>$x" not in page


def test_rows_of_several_people_are_merged(tmp_path):
    cells = list(two_methods())
    one = written(tmp_path / "one.jsonl", [c for c in cells if c.cell["method"] == "random"])
    other = written(tmp_path / "other.jsonl.gz", cells)
    stored = read_stored([one, other, one])
    assert len(stored.rows) == 2 * len(cells)
    assert stored.notes == ("8 cells are in two files, with the same rows; each counts once.",)
    assert [file.cells for file in stored.files] == [8, 16]
    newer = written(tmp_path / "newer.jsonl", [cell("newer", [0.1, 0.1], version="2")])
    assert "different versions of the code: 1 (16 cells) and 2 (1 cell)" in read_stored([other, newer]).notes[0]


@pytest.mark.parametrize(
    ("again", "sentence"),
    [
        (cell("new", [0.05, 0.03], version="2"), "rows files must agree on the cells .* rows for new on p, seed 0"),
        (cell("newer", [0.1], checksum="d"), r"pool 'p' must be the same in all rows; got checksums c of p and d of p"),
        (cell("new", [0.1, 0.1], initial=30), None),
    ],
)  # fmt: skip
def test_rows_that_contradict_each_other_are_refused(rows, tmp_path, again, sentence):
    if sentence is None:
        again = Finished("another key", "ok", again.cell, again.rows, checksum=again.checksum)
        sentence = r"rows of method 'new' must be of one method with one setting; got several runs on p with 100 labels"
    other = written(tmp_path / "other.jsonl", [again])
    with pytest.raises(InputError, match=sentence):
        read_stored([rows, other])


def test_another_truth_for_the_same_pool_is_refused(rows, tmp_path):
    lied = cell("newer", [0.1])
    lied.rows[0]["truth"] = 0.7
    with pytest.raises(InputError, match=r"pool 'p' must be the same in all rows; got accuracy 0\.7 and 0\.8"):
        read_stored([rows, written(tmp_path / "other.jsonl", [lied])])


def broken(change):
    one = json.loads(cell("new", [0.1]).line())
    change(one)
    return json.dumps(one).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "rows file x.jsonl must hold the lines of a sweep; got none"),
        (b"half a line", "must hold the lines of a sweep; got none"),
        (b"pool,method\np,new\n", "must hold the lines of a sweep; got line 1"),
        (b'{"rows": []}\n', "must hold the lines of a sweep; got line 1"),
        (b"\xff\xfe\x00\n", "must hold the lines of a sweep; got line 1"),
        (b"[" * 5000 + b"\n", "must hold the lines of a sweep; got line 1"),
        (broken(lambda one: one["rows"][0].pop("truth")), "each with truth; got nothing in cell"),
        (broken(lambda one: one["rows"][0].update(estimate="0.8")), "each with estimate; got '0.8' in cell"),
        (broken(lambda one: one["cell"].update(seed="0")), "each with seed; got '0' in cell"),
        (broken(lambda one: one.update(cell=[])), "each with pool; got nothing"),
        (broken(lambda one: one.update(rows=3)), "each with labels; got nothing"),
        (broken(lambda one: one.update(key=[])), "must hold the lines of a sweep; got line 1"),
        (broken(lambda one: one.update(status="failed", rows=[], error="x")), "rows must hold a cell that worked"),
    ],
)
def test_files_that_hold_no_rows_are_refused_by_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(sentence)):
        read_stored([path])


def test_files_that_are_not_there_or_not_whole_are_refused(rows, tmp_path):
    with pytest.raises(InputError, match="rows file must exist"):
        read_stored([tmp_path / "none.jsonl"])
    packed = tmp_path / "rows.jsonl.gz"
    for content in (rows.read_bytes(), gzip.compress(rows.read_bytes())[:-20]):
        packed.write_bytes(content)
        with pytest.raises(InputError, match=r"rows file rows\.jsonl\.gz must be gzipped, and whole"):
            read_stored([packed])
    with pytest.raises(InputError, match=r"sweep must be a TOML file; got rows\.jsonl\. Rows are .* --report"):
        read_sweep(rows)


def test_what_is_missing_is_told(rows, tmp_path):
    with rows.open("ab") as file:
        file.write(cell("late", [0.1]).line()[:40])
    failed = Finished("f", "failed", cell("new", [], seed=9).cell, error="RuntimeError: no luck")
    more = written(tmp_path / "more.jsonl", [failed, cell("new", [None, None], seed=5), cell("short", [0.1])])
    done = report(rows, more, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [one["error"] for one in told["failed"]] == ["RuntimeError: no luck"]
    notes = "\n".join(told["notes"])
    for said in (
        "The last line of rows.jsonl is not whole, and is left out.",
        "Left out, 1 cell that failed: 1 of new.",
        "Left out, no numbers: 1 of 17 estimates at the last label, 1 of new.",
        "On p: not compared, for want of rows at 100 labels: short.",
        "On q: no rows of short.",
        "On p: seeds differ in number: new 5 and random 4.",
    ):
        assert said in notes, notes


def test_one_method_or_one_seed_or_no_baseline_is_told(tmp_path):
    alone = Told(compare((stored := read_stored([written(tmp_path / "a.jsonl", [cell("new", [0.1])])])).rows), stored)
    assert "One method alone: errors are compared with nothing." in alone.notes
    assert "One seed: without more of them no standard errors are known." in alone.notes
    assert list(alone.table().columns) == ["method", "covered", "width", "seconds"]
    assert alone.plain()["baseline"] is None
    alone.write(tmp_path / "a.html")
    others = [cell(name, [e]) for name, e in (("new", 0.1), ("old", 0.2))]
    stored = read_stored([written(tmp_path / "b.jsonl", others)])
    told = Told(compare(stored.rows), stored)
    assert "No method is called 'random', and no baseline is named: errors are compared with nothing." in told.notes
    assert [one.p_best for one in told.compared.ranking] == [None, None]
    told.write(tmp_path / "b.html")
    told = Told(compare(stored.rows, "old"), stored)
    assert told.table().set_index("method").loc["new", "error"] == "0.50"  # no ± of one seed
    with pytest.raises(InputError, match="baseline must be one of the methods, new and old; got 'random'"):
        compare(stored.rows, "random")


def test_no_errors_and_no_intervals_at_all(tmp_path):
    cells = [cell(name, [0.0], seed=k) for name in ("random", "new") for k in range(2)]
    for one in cells:
        one.rows[0].update(low=None, high=None)
    stored = read_stored([written(tmp_path / "a.jsonl", cells)])
    told = Told(compare(stored.rows), stored)
    assert "1 time neither a method nor the baseline had any error in a metric: no ratio." in told.notes
    assert told.compared.standings[0].covered is None
    told.write(tmp_path / "a.html")
    lucky = [cell("random", [0.1], seed=k) for k in range(2)] + [cell("new", [0.0], seed=k) for k in range(2)]
    found = compare(read_stored([written(tmp_path / "b.jsonl", lucky)]).rows)
    assert found.standings[0].error == pytest.approx(0.01)
    assert "1 ratio of errors beyond 0.01 or 100 taken as that much." in found.notes
    unknown = [cell(name, [None], seed=k) for name in ("random", "new") for k in range(2)]
    stored = read_stored([written(tmp_path / "c.jsonl", unknown)])
    told = Told(compare(stored.rows), stored)
    assert {one.error for one in told.compared.standings} == {None}
    told.write(tmp_path / "c.html")


def test_the_ranking_is_of_pools_and_seeds_that_all_have(tmp_path):
    cells = [cell("random", [0.1], seed=k) for k in range(3)] + [cell("new", [0.2], seed=k) for k in range(1, 4)]
    cells += [cell("random", [0.1], pool="q")]
    rows = read_stored([written(tmp_path / "a.jsonl", cells)]).rows.assign(panel="accuracy")
    ranks, notes = ranking(rows, ["new", "random"])
    assert [(one.method, one.mean, one.p_best) for one in ranks] == [("random", 1, 1), ("new", 2, 0)]
    assert notes == ["The ranking leaves out 1 pool without rows of all methods for the same seeds."]
    apart = rows[(rows["seed"] == 0) | (rows["seed"] == 3)]
    assert ranking(apart, ["new", "random"])[0] == ()


def test_a_baseline_that_is_no_method_is_refused_before_anything_runs():
    small = {"pools": ["generated"], "metrics": ["accuracy"], "methods": ["random"], "baseline": "bald"}
    with pytest.raises(InputError, match="baseline must be the label of one of the methods, random; got 'bald'"):
        parse_sweep(small)
    assert parse_sweep(small | {"baseline": "random"}).baseline == "random"
