"""Methods, metrics and pools of another package join by name; the contract third parties can run."""

import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import altmas
from altmas import InputError, make_method
from altmas.catalogue import METHODS
from altmas.core.plugins import plugin, plugin_names
from altmas.experiments.bench.pools import BenchPool, generated, load_pool
from altmas.methods.random import RandomSampling
from altmas.testing import check_method, check_pool

CODE = '''
from dataclasses import dataclass

import numpy as np

from altmas.experiments.bench.pools import BenchPool
from altmas.methods.random import RandomSampling
from altmas.metrics import from_confusion


@dataclass(frozen=True)
class Coin(RandomSampling):
    """Random sampling under another name."""

    name: str = "coin"
    sides: int = 2


def hits(classes):
    return from_confusion("hits", lambda c: float(np.trace(c) / np.maximum(c.sum(), 1)), (0, 1))


def rolls(items=120):
    rng = np.random.default_rng(1)
    labels = rng.integers(2, size=items)
    return BenchPool("rolls", np.where(rng.random(items) < 0.8, labels, 1 - labels), labels, classes=(0, 1))


number = 3
'''
SETUP = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "coin-method"
version = "1.0"
[project.entry-points."altmas.methods"]
coin = "coin_method:Coin"
broken = "coin_method:nowhere"
number = "coin_method:number"
[project.entry-points."altmas.metrics"]
hits = "coin_method:hits"
[project.entry-points."altmas.pools"]
rolls = "coin_method:rolls"
[tool.setuptools]
py-modules = ["coin_method"]
"""
SWEEP = """
pools = ["rolls"]
metrics = ["hits", "accuracy"]
methods = ["coin", "random"]
budgets = [60]
seeds = 2
initial = 30
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A third party's package, installed into a folder of its own."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "coin_method.py").write_text(CODE)
    (source / "pyproject.toml").write_text(SETUP)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps")
    done = subprocess.run(
        [*pip, "--no-build-isolation", "--target", target, source], capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def installed(package, monkeypatch):
    monkeypatch.syspath_prepend(str(package))
    return package


def test_a_method_a_metric_and_a_pool_join_by_name(installed):
    assert "coin" in plugin_names("altmas.methods")
    method = make_method("coin", sides=6)
    assert (method.name, method.sides) == ("coin", 6)
    check_method(method)
    pool = load_pool("rolls", "own", {"items": 80})
    assert pool.build().size == 80
    check_pool(pool)
    labels = pool.labels.tolist()
    result = altmas.assess(
        pool.predictions, oracle=labels, metrics=["hits", "accuracy"], method="coin", budget=80, progress=False
    )
    assert result.estimates["metric"].tolist() == ["hits", "accuracy"]
    assert result.estimates["estimate"].nunique() == 1


def test_plug_ins_that_fail_say_so(installed):
    with pytest.raises(InputError, match="plug-in 'broken' of package 'coin-method' must load; got AttributeError"):
        make_method("broken")
    with pytest.raises(InputError, match="plug-in 'number' of altmas.methods must be callable; got 3"):
        make_method("number")
    with pytest.raises(InputError, match="plug-in 'coin' of altmas.methods must work with what it is given; got Type"):
        make_method("coin", colour="red")
    with pytest.raises(InputError, match="method must be one of .*hierarchical-thompson, .*coin.*; got 'dice'"):
        make_method("dice")
    assert plugin("altmas.methods", "dice") is None


def test_a_third_partys_method_joins_a_sweep_in_every_process(package, tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP)
    paths = [str(package), os.environ.get("PYTHONPATH", ""), str(Path(altmas.__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, "-m", "altmas", "bench", "sweep.toml", "--jobs", "2"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    from altmas.experiments.bench.rows import to_frame

    frame = to_frame(tmp_path / "sweep.rows.jsonl")
    assert set(frame["method"]) == {"coin", "random"}
    columns = ["seed", "labels", "metric", "estimate", "low", "high", "truth"]
    coin, other = (frame[frame["method"] == name][columns].reset_index(drop=True) for name in ("coin", "random"))
    assert coin.equals(other)  # the same draws under another name


@pytest.mark.parametrize("name", ["random", "certified", "stratified", "lure", "ppi", "asi", "oasis"])
def test_our_methods_keep_the_contract(name):
    assert name in METHODS
    check_method(make_method(name), exact=name in ("random", "certified", "stratified", "lure"))


def test_methods_that_break_the_contract_are_refused():
    from dataclasses import replace

    from altmas.methods.random import RandomRun, RandomSampling

    class Moody(RandomRun):
        def estimate(self, level):
            return [replace(e, estimate=e.estimate - 1e-5, low=0.0) for e in super().estimate(level)]

    class Moved(RandomSampling):
        def begin(self, job):
            return Moody(job)

    with pytest.raises(InputError, match="method 'random' must give the true accuracy, .* when every label is known"):
        check_method(Moved())
    check_method(Moved(), exact=False)
    with pytest.raises(InputError, match="must have a name and begin"):
        check_method(object())


def test_pools_that_break_the_contract_are_refused():
    with pytest.raises(InputError, match="labels of pool 'odd' must be among its classes; got row 2"):
        check_pool(BenchPool("odd", np.array([0, 1, 0]), np.array([0, 1, 7]), classes=(0, 1)))
    with pytest.raises(InputError, match="pool 'short' must have a label per item; got 2 for 3 items"):
        check_pool(BenchPool("short", np.array([0, 1, 0]), np.array([0, 1]), classes=(0, 1)))
    count = iter(range(10))
    with pytest.raises(InputError, match="must be the same whenever it is made"):
        check_pool(lambda: generated(items=50, seed=next(count)))


def test_commands_of_other_packages(tmp_path, monkeypatch):
    (tmp_path / "greeting.py").write_text(
        textwrap.dedent("""
        import click

        @click.command()
        def hello():
            "Say hello."
            click.echo("hello")
        """)
    )
    info = tmp_path / "greeting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[altmas.commands]\nhello = greeting:hello\nlost = greeting:lost\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from click.testing import CliRunner

    from altmas.cli import commands

    assert CliRunner().invoke(commands, ["hello"]).output == "hello\n"
    helped = CliRunner().invoke(commands, ["--help"])
    assert helped.exit_code == 0
    assert "Say hello" in helped.output
    assert CliRunner().invoke(commands, ["lost"]).exit_code == 2


class Peeking(RandomSampling):
    """Inherits the promise not to look at the metrics, and looks."""

    def begin(self, job):
        return super().begin(replace(job, seed=len(job.metrics)))


def test_a_method_that_says_it_does_not_look_at_the_metrics_must_not():
    with pytest.raises(InputError, match="method 'random' must not look at the metrics, as its metric_blind says"):
        check_method(Peeking(), exact=False)
