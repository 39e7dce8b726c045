"""An audit of patients: its column is kept, withheld, warned of, and decides what intervals are about."""

import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.metrics.errors import InputError
from worlds.commands import altmas


@pytest.fixture
def files(tmp_path):
    rows = pd.DataFrame({"id": [f"x{i}" for i in range(240)], "said": ["a", "b", "b"] * 80, "region": ["n", "s"] * 120})
    rows["patient"] = [i // 8 if i % 40 else None for i in range(240)]  # floats, for some cells are blank
    rows.to_csv(tmp_path / "said.csv", index=False)
    truth = ["b" if (i // 8) % 4 == 0 else one for i, one in enumerate(rows["said"])]
    pd.DataFrame({"id": rows["id"], "label": truth}).to_csv(tmp_path / "truth.csv", index=False)
    return tmp_path


def _run(*words):
    done = altmas(*words)
    return done.code, done.out + done.err


def test_an_audit_of_patients_from_files_to_a_german_report(files):
    folder = files / "audit"
    made = ("init", folder, "--predictions", files / "said.csv", "--prediction", "said", "--cluster", "patient")
    code, said = _run(*made, "--group", "region", "--seed", 1, "--budget", 100)
    assert code == 0, said
    assert "clusters by patient: 36" in said
    assert "6 items have no value in the column 'patient'" in said
    assert altmas("check", folder, "--json").json["clusters"] == {
        "name": "patient",
        "count": 36,
        "largest": 8,
        "blank": 6,
    }
    assert _run("label", folder, "--from", files / "truth.csv", "-n", 100)[0] == 0
    with Audit.open(folder) as audit:
        assert "patient" not in audit.content(0)
        told, own = audit.estimate(), audit.estimate(this_pool=True)
        assert ((told["high"] - told["low"]) > (own["high"] - own["low"])).all()
        assert told["promise"].str.contains("clusters like these 36").all()
        with pytest.raises(InputError, match="without clusters"):
            audit.findings().surface("region")
    code, said = _run("estimate", folder)
    assert "on clusters like these 36, from 100 labels" in said
    assert "on these 240 items" in _run("estimate", folder, "--of-this-pool")[1]
    code, said = _run("estimate", folder, "--anytime")
    assert code != 0
    assert "--of-this-pool" in said
    assert _run("report", folder, "-o", files / "r.md", "--lang", "de")[0] == 0
    report = (files / "r.md").read_text("utf-8")
    assert "für Cluster wie diese 36" in report
    assert "nach der Spalte „patient“" in report
    assert _run("log", folder, "--verify")[0] == 0


def test_the_column_is_neither_a_models_output_nor_missing(files):
    base = ("init", files / "audit", "--predictions", files / "said.csv", "--prediction", "said")
    assert "which a model said" in _run(*base, "--cluster", "said")[1]
    assert "--cluster names another" in _run(*base, "--cluster", "patients")[1]
    assert "must be certified" in _run(*base, "--cluster", "patient", "--method", "random")[1]
    assert not (files / "audit").exists()
