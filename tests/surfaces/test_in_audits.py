"""Surfaces of audits: explored, weighted, and of one of several models."""

import numpy as np
import pytest

import altmas
from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from worlds.surfaces import world


def test_an_audit_explores_and_has_a_surface(tmp_path):
    said, scores, groups, truth = world(120)
    pool = Pool.build(said, scores=scores, groups=groups, classes=[0, 1])
    options = {"estimator": "beta-i", "by": "sex,race"}
    with pytest.raises(altmas.InputError, match="metrics must be accuracy or error_rate"):
        Audit.create(tmp_path / "no", pool, metrics=["mcc"], method="surface", options=options)
    with Audit.create(tmp_path / "a", pool, method="surface", options=options, initial=20, batch=10) as audit:
        assert audit.settings.metrics == ("accuracy",)  # the method knows no other
        for _ in range(4):
            for query in audit.ask(10):
                audit.tell(query.id, int(truth[query.position]))
        row = audit.estimate().iloc[0]
        assert row["low"] <= row["estimate"] <= row["high"]
        surface = audit.surface("sex,race", estimator="beta-i")
    assert surface.table["labels"].sum() == 40
    assert surface.promise == "95% credible under the surface's prior"


def test_an_audits_questions_are_weighted_by_their_chances(tmp_path):
    said, scores, groups, truth = world(200)
    pool = Pool.build(said, scores=scores, groups=groups, classes=[0, 1])
    with Audit.create(tmp_path / "a", pool, metrics=["accuracy"], initial=20, batch=20) as audit:
        for _ in range(4):
            for query in audit.ask(20):
                audit.tell(query.id, "unsure" if query.position == 3 else int(truth[query.position]))
            audit.refit()
        surface = audit.surface("sex", estimator="beta-i")
    effective = surface.counts.right + surface.counts.wrong
    assert np.abs(effective - surface.counts.labels).max() > 0.1


def test_an_audits_surface_of_one_of_several_models(tmp_path):
    said, _, groups, truth = world(120)
    pool = Pool.build({"ours": said, "perfect": truth}, groups=groups, classes=[0, 1])
    with Audit.create(tmp_path / "a", pool, metrics=["accuracy"], initial=60) as audit:
        for query in audit.ask(60):
            audit.tell(query.id, int(truth[query.position]))
        first, second = (audit.surface("sex", estimator="beta-i", model=name) for name in (None, "perfect"))
        with pytest.raises(altmas.InputError, match="model must be one of ours, perfect; got 'hers'"):
            audit.surface("sex", estimator="beta-i", model="hers")
    assert first.counts.wrong.sum() > 1
    assert second.counts.wrong.sum() == 0
