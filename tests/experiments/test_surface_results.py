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


def test_policies_are_as_their_rows():
    for pool, part in pd.read_csv(ROWS / "surface-policies.csv").groupby("pool"):
        for policy, row in by_policy(part).iterrows():
            cells = f"{row['macro']:.2f} | {row['covered']:.1f} | {row['off']:.2f} | {row['held']:.0f}"
            assert f"| {pool} | {policy} | {cells} |" in LINES
