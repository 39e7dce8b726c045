"""Pools of a sweep by name: bundled, generated, from a file, from the data directory, or from another package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from altmas.core.checks import fraction, whole_number
from altmas.core.plugins import POOL_PLUGINS, called, plugin_names
from altmas.experiments.data.audit_pools import DIGITS, audit_pool_names, load_audit_pool
from altmas.experiments.data.bench_pool import BenchPool
from altmas.experiments.data.datasets import read_npz
from altmas.metrics.errors import InputError

MODELS = ("logistic", "tree", "bayes", "forest")
"""Classifiers that the pools of `TRAINED` are put to."""

TRAINED = ("breast_cancer", "wine")
"""Data sets of scikit-learn; a model is trained on a part of each, and the rest is the pool."""

OWN = "own"
"""The model of a pool that comes with its predictions."""


def pool_names() -> tuple[str, ...]:
    """Every name that needs no file.

    >>> pool_names()[:4]
    ('digits', 'generated', 'breast_cancer', 'wine')
    """
    return tuple(dict.fromkeys((DIGITS, "generated", *TRAINED, *audit_pool_names(), *plugin_names(POOL_PLUGINS))))


USUAL = "usual"
"""Stands for the metrics that are usually asked of a pool."""


def metrics_asked(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The metrics of a cell, with those usually asked of its pool in the place of `usual`.

    >>> metrics_asked(["usual", "mcc"], ["accuracy", "mcc"])
    ['accuracy', 'mcc']
    """
    found = [one for name in names for one in (usual if name == USUAL else (name,))]
    return list(dict.fromkeys(found))


def load_pool(name: str, model: str, options: Mapping[str, Any], home: str = "", data: str = "") -> BenchPool:
    """A pool by its name, or the one of `options["file"]`, which is looked for beside the sweep."""
    if "file" in options:
        return from_file(name, Path(home) / options["file"])
    kind = options.get("kind", name)
    rest = {key: value for key, value in options.items() if key != "kind"}
    if kind in ("generated", *TRAINED):
        return _made(kind, model, rest)
    if kind in (DIGITS, *audit_pool_names()):
        if rest:
            raise InputError(f"pool {kind!r}", "have no options", ", ".join(rest))
        return load_audit_pool(kind, Path(home) / data if data else None)
    found = called(POOL_PLUGINS, kind, **rest)
    if found is None:
        raise InputError("pool", f"be one of {', '.join(pool_names())}, or have a file", repr(kind))
    if not isinstance(found, BenchPool):
        raise InputError(f"plug-in {kind!r} of {POOL_PLUGINS}", "make a BenchPool", repr(found)[:60])
    return found


def generated(
    items: int = 300, classes: int = 3, accuracy: float = 0.8, seed: int = 0, features: int = 0, groups: int = 0
) -> BenchPool:
    """Made-up outputs whose scores tell something about the labels, as do its features, if any.

    A class has its centre among the features, with as much noise around it; groups are drawn at random.

    >>> generated(items=50, classes=2).scores.shape
    (50, 2)
    """
    for name, value, least in (
        ("items", items, 1),
        ("classes", classes, 2),
        ("features", features, 0),
        ("groups", groups, 0),
    ):
        whole_number(name, value, least)
    if not 0 <= accuracy <= 1:
        raise InputError("accuracy", "be between 0 and 1", accuracy)
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    labels = rng.integers(classes, size=items)
    wrong = rng.random(items) > accuracy
    predictions = np.where(wrong, (labels + rng.integers(1, classes, size=items)) % classes, labels)
    sure = np.where(wrong, rng.beta(3, 2, items), rng.beta(6, 1.5, items)) * (1 - 1 / classes) + 1 / classes
    scores = np.repeat(((1 - sure) / (classes - 1))[:, None], classes, 1)
    scores[np.arange(items), predictions] = sure
    more = np.random.default_rng([seed, 1])  # of its own: with features and without, a pool is otherwise the same
    seen = more.normal(size=(classes, features))[labels] + more.normal(size=(items, features)) if features else None
    of_groups = {"group": more.integers(groups, size=items)} if groups else None
    return BenchPool("generated", predictions, labels, scores, seen, of_groups, tuple(range(classes)))


def trained(kind: str, model: str, share: float = 0.2, seed: int = 0) -> BenchPool:
    """A data set of scikit-learn whose `share` trained the model under test; the rest is the pool."""
    from sklearn import datasets

    fraction("share", share)
    found: Any = getattr(datasets, f"load_{kind}")()
    order = np.random.default_rng(whole_number("seed", seed, 0)).permutation(len(found.target))
    theirs, ours = np.split(order, [max(int(share * len(order)), 20)])
    vendor = classifier(model, seed).fit(found.data[theirs], found.target[theirs])
    scores = np.zeros((len(ours), len(found.target_names)))
    scores[:, vendor.classes_] = vendor.predict_proba(found.data[ours])  # its part may lack a class
    names = tuple(range(scores.shape[1]))
    labels, features = found.target[ours].astype(np.int64), found.data[ours]
    return BenchPool(kind, scores.argmax(1), labels, scores, features, classes=names)


def from_file(name: str, path: Path) -> BenchPool:
    """An npz with arrays, or a Parquet file with columns `labels`, `predictions`, and perhaps `scores`, `features`.

    In a Parquet file `scores` may be one column, or several called `scores_...`, in the order of the classes.
    """
    if not path.is_file():
        raise InputError(f"file of pool {name!r}", "exist", str(path))
    if path.suffix == ".npz":
        arrays: dict[str, Any] = read_npz(path)
    elif path.suffix == ".parquet":
        arrays = _parquet(path)
    else:
        raise InputError(f"file of pool {name!r}", "be .npz or .parquet", path.name)
    for needed in ("labels", "predictions"):
        if needed not in arrays:
            raise InputError(f"file of pool {name!r}", f"have {needed}", ", ".join(arrays) or "nothing")
    classes = tuple(arrays["classes"].tolist()) if "classes" in arrays else None
    return BenchPool(
        name, arrays["predictions"], arrays["labels"], arrays.get("scores"), arrays.get("features"), classes=classes
    )


def _parquet(path: Path) -> dict[str, Any]:
    import pandas as pd

    table = pd.read_parquet(path)
    arrays: dict[str, Any] = {key: table[key].to_numpy() for key in ("labels", "predictions", "scores") if key in table}
    for key in ("scores", "features"):
        columns = [one for one in table.columns if str(one).startswith(f"{key}_")]
        if columns:
            arrays[key] = table[columns].to_numpy(dtype=np.float64)
    return arrays


def _made(kind: str, model: str, options: dict[str, Any]) -> BenchPool:
    try:
        return trained(kind, model, **options) if kind in TRAINED else generated(**options)
    except TypeError as error:
        said = str(error).split("() ")[-1].removeprefix("got ")
        raise InputError(f"options of pool {kind!r}", "be known", said) from None


def classifier(model: str, seed: int = 0) -> Any:
    """One of `MODELS`, untrained."""
    from sklearn import ensemble, linear_model, naive_bayes, pipeline, preprocessing, tree

    made = {
        "logistic": pipeline.make_pipeline(
            preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=1000)
        ),
        "tree": tree.DecisionTreeClassifier(max_depth=4, min_samples_leaf=3, random_state=seed),
        "bayes": naive_bayes.GaussianNB(),
        "forest": ensemble.RandomForestClassifier(50, random_state=seed),
    }
    return made[model]
