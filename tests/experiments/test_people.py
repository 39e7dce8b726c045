"""Experiments on people: they run, and their summary says what it should."""

import numpy as np
import pandas as pd
from click.testing import CliRunner

from altmas.experiments.people.people import main, summary


def test_the_small_form_runs():
    done = CliRunner().invoke(main, ["--smoke", "--worlds", "class-10"])
    assert done.exit_code == 0, done.output
    assert "of_experts" in done.output


def test_widths_are_shares_of_those_of_experts():
    row = {"model": "m", "metric": "accuracy", "world": "cifar10h", "seed": 0, "estimate": 0.8, "truth": 0.81}
    table = pd.DataFrame(
        [
            {**row, "labelling": "experts", "low": 0.7, "high": 0.9},
            {**row, "labelling": "readings", "low": 0.75, "high": 0.8},
        ]
    )
    found = summary(table).reset_index().set_index("labelling")
    assert np.allclose(found["of_experts"][["experts", "readings"]], [1.0, 0.25])
    assert found["held"].to_dict() == {"experts": 1.0, "readings": 0.0}
