"""What people do with features: tables in another order, lists of vectors, learners that fail, logs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import altmas
from altmas.audits.audit import Audit
from altmas.core.pool import Pool

N = 200
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, N)
X = 4 * np.eye(3)[Y] + RNG.normal(size=(N, 3))
SAID = np.where(RNG.random(N) < 0.7, Y, (Y + 1) % 3)
IDS = [f"k{i}" for i in range(N)]


def found(**more):
    return altmas.assess(SAID, oracle=dict(zip(IDS, Y.tolist(), strict=True)), ids=IDS, classes=range(3),
                         metrics=["accuracy"], budget=60, progress=False, **more)  # fmt: skip


@pytest.mark.parametrize("how", ["column", "index"])
def test_a_table_in_another_order_is_joined_on_its_ids(how):
    table = pd.DataFrame(X, columns=list("abc")).assign(kind="one")
    table["kind"] = np.where(X[:, 0] > 0, "up", "down")
    right = found(features="auto", items=table)
    keyed = table.assign(id=IDS) if how == "column" else table.set_axis(pd.Index(IDS), axis=0)
    mixed = found(features="auto", items=keyed.sample(frac=1, random_state=1))
    np.testing.assert_allclose(mixed.pool.features, right.pool.features, atol=1e-5)


@pytest.mark.parametrize("kind", [list, pd.Series], ids=["a list", "a series"])
def test_vectors_come_as_a_list_as_well(kind):
    given = kind([*X])
    assert found(features=given).pool.features.shape == (N, 3)


def test_a_learner_that_fails_knows_nothing_and_is_named():
    with pytest.warns(UserWarning, match="learner KNeighborsClassifier cannot learn from"):
        result = found(features=X, learners=["kernel", KNeighborsClassifier(500)])
    assert "kernel" in result.features


def test_what_features_were_worth_is_told_by_whoever_knows():
    assert found(features=X).features.startswith("Features lowered the expected error")
    assert found(features=X, method="lure").features == ""


def test_a_log_is_read_with_the_features_of_its_pool():
    result = found(features=X)
    again, alone = (
        altmas.estimate_from_log(Pool.build(SAID, ids=IDS, classes=range(3), **more), result.answers, ["accuracy"])
        for more in ({"features": X}, {})
    )
    width = [float(one["high"][0] - one["low"][0]) for one in (again, alone)]
    assert width[0] < width[1]


def test_an_audit_tells_of_features_after_its_first_answers(tmp_path):
    pool = Pool.build(SAID, ids=IDS, classes=range(3), features=X)
    with Audit.create(tmp_path / "a", pool, metrics=["accuracy"]) as audit:
        for query in audit.ask(40):
            audit.tell(query.id, str(Y[IDS.index(query.id)]))
        assert audit.findings().features_verdict.startswith("Features lowered")


def test_the_method_of_an_audit_is_a_name(tmp_path):
    method = altmas.make_method("certified", learners=["kernel"])
    with pytest.raises(altmas.InputError, match="options=\\{'learners'"):
        Audit.create(tmp_path / "a", Pool.build(SAID, classes=range(3)), method=method)


@pytest.mark.parametrize(
    ("features", "rule"), [(np.zeros((N, 0)), "at least one number"), (np.full((N, 2), 1e200), "at most 1e\\+100")]
)
def test_features_that_cannot_be_used_are_refused_before_a_label_is_spent(features, rule):
    with pytest.raises(altmas.InputError, match=rule):
        found(features=features)
