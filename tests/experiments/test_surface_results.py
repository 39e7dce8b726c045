"""docs/surface-results.md says what the stored rows say."""

import pandas as pd
import pytest

from altmas.experiments.surface.policies import summary as by_policy
from altmas.experiments.surface.tables import summary
from worlds.places import BENCHMARKS, DOCS

ROWS = BENCHMARKS / "results"
PAGE = (DOCS / "surface-results.md").read_text()

NAMES = {
    "constant": "constant", "beta-i": "Beta-I", "cpredictor": "cpredictor (regression)", "berngp": "BernGP",
    "betagp": "BetaGP", "betagp-sl": "BetaGP-SL", "betagp-slp": "BetaGP-SLP",
}  # fmt: skip
LINES = PAGE.replace("**", "").splitlines()


@pytest.mark.parametrize("name", ["celeba", "explored", "others"])
def test_every_error_of_the_stored_rows_is_on_the_page(name):
    rows = pd.read_csv(ROWS / f"surface-{name}.csv")
    for how, part in rows.groupby(["pool", "settings", "labels", "explore"]):
        for method, cells in summary(part).iterrows():
            found = [line for line in LINES if cells["macro"] in line]
            assert found, (how, method)
            if method in NAMES and part["labels"].iloc[0] in (500, 1000, 2000) and len(part["method"].unique()) > 2:
                assert any(line.startswith(f"| {NAMES[method]} | {cells['macro']} |") for line in found), (how, method)


def test_the_simple_setting_is_as_its_rows():
    rows = pd.read_csv(ROWS / "surface-simple.csv")
    for weight, own in rows.groupby("weight"):
        cells = []
        for one in own.itertuples():  # bias and variance as they are rounded, and the error itself
            parts = (f"{value:.3f}".removeprefix("0") for value in (one.bias2, one.variance, one.mse))
            cells.append("{} + {} = {}".format(*parts))
        assert any(line.endswith(f"| {' | '.join(cells)} |") for line in LINES), (weight, cells)
        lengths = " | ".join(f"{length:.2f}".removeprefix("0") for length in own["length"])
        assert f"| | kernel length | {lengths} |" in LINES, (weight, lengths)


def test_the_pools_are_as_their_rows():
    rows = pd.read_csv(ROWS / "surface-arms.csv").set_index(["pool", "measure", "place"])["value"]
    for pool in ("celeba", "adult", "compas", "imagenet"):
        said = next(line for line in LINES if line.startswith(f"| `{pool}`"))
        sizes = [f"{rows[pool, name, 0]:,.0f}" for name in ("items", "arms", "active arms")]
        shares = [f"{rows[pool, 'accuracy', 0]:.3f}".removeprefix("0")]
        least = [f"{rows[pool, 'quantile', q]:.2f}".removeprefix("0") for q in (0, 0.1, 0.5)]
        spread = ", ".join([f"{rows[pool, 'mean', 0]:.3f}".removeprefix("0"), *least])
        assert said.endswith(f"| {' | '.join([*sizes, *shares])} | {spread} |"), said


def test_policies_are_as_their_rows():
    for pool, part in pd.read_csv(ROWS / "surface-policies.csv").groupby("pool"):
        for policy, row in by_policy(part).iterrows():
            cells = f"{row['macro']:.2f} | {row['covered']:.1f} | {row['off']:.2f} | {row['held']:.0f}"
            assert f"| {pool} | {policy} | {cells} |" in LINES
