"""Experiments on clusters: they run, and their summary says what it should."""

import pandas as pd
from click.testing import CliRunner

from altmas.experiments.clusters.clusters import main, summary


def test_the_small_form_runs():
    done = CliRunner().invoke(main, ["--smoke", "--worlds", "few", "--labels", "200"])
    assert done.exit_code == 0, done.output
    assert "difference" in done.output


def test_intervals_are_told_apart():
    row = {"world": "w", "metric": "accuracy", "estimate": 0.8, "truth": 0.85}
    table = pd.DataFrame(
        [
            {**row, "interval": "clusters", "low": 0.7, "high": 0.9},
            {**row, "interval": "plain", "low": 0.78, "high": 0.82},
        ]
    )
    found = summary(table).reset_index().set_index("interval")
    assert found["held"].to_dict() == {"clusters": 1.0, "plain": 0.0}
