"""Experiments on audits over time: they run, and differences cover, renewal saves labels and stays right."""

import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from altmas.experiments.over_time.over_time import main, one_run, summary


def test_the_small_form_runs():
    done = CliRunner().invoke(main, ["--smoke"])
    assert done.exit_code == 0, done.output
    assert "design_bias" in done.output


@pytest.mark.slow
def test_differences_cover_and_renewal_saves():
    """60 seeds, three metrics of the same runs. A fair 95% interval fails each of six tests with a chance of 1e-4."""
    ways = [("alike", "anew"), ("changed", "anew"), ("same", "half"), ("drifted", "evidence")]
    rows = pd.concat([one_run(*way, seed).assign(world=way[0], way=way[1]) for way in ways for seed in range(60)])
    found = summary(rows)
    for world in ("alike", "changed"):
        for held in found.loc[world, "anew"]["held"]:
            assert binomtest(round(held * 60), 60, 0.95, "less").pvalue > 1e-4
    assert found.loc["same", "half"].loc["accuracy", "needed"] <= 150  # of 200 without the earlier audit
    drifted = found.loc["drifted", "evidence"]
    assert (drifted["design_bias"].abs() < 4 * drifted["design_se"]).all()
