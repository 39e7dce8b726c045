"""Pools that several models were put to: public models on four text tasks, commercial services, ImageNet's networks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from altmas.experiments.data.datasets import read_npz
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

FILES = {
    "rte": "many_rte",
    "qnli": "many_qnli",
    "mrpc": "many_mrpc",
    "emotion": "many_emotion",
    "ferplus": "vendor_ferplus",
    "expw": "vendor_expw",
    "audiomnist": "vendor_audiomnist",
    "yelp": "vendor_yelp",
    "waimai": "vendor_waimai",
    "imagenet": "imagenet_14nets",
}
"""Pool -> its file. Confidences are left out: these pools are about who said what."""

GENERATED = "generated"
MOST_ITEMS = {"imagenet": 10_000}


@dataclass(frozen=True, eq=False)
class ModelPool:
    """What models said `[H, N]`, and the labels `[N]`, of so many classes."""

    name: str
    said: IntArray
    labels: IntArray
    classes: int

    @property
    def accuracy(self) -> FloatArray:
        """Of each model `[H]`."""
        return np.asarray((self.said == self.labels).mean(1))

    @property
    def predictions(self) -> dict[str, IntArray]:
        """By the name of each model."""
        return {f"m{place}": one for place, one in enumerate(self.said)}


def load_model_pool(name: str, data: Path | None) -> ModelPool:
    """A pool by its name, from the data directory; `generated` needs none."""
    if name == GENERATED:
        return _generated()
    if name not in FILES:
        raise InputError("pool", f"be one of {', '.join([*FILES, GENERATED])}", repr(name))
    if data is None:
        raise InputError("data", "be the folder that holds the stored pools", "none")
    stored = read_npz(data / f"{FILES[name]}.npz")
    labels, said = stored["labels"].astype(np.int64), stored["predictions"].astype(np.int64)
    if name in MOST_ITEMS:
        some = np.random.default_rng(12345).permutation(len(labels))[: MOST_ITEMS[name]]
        labels, said = labels[some], said[:, some]
    names, places = np.unique(np.concatenate([labels, said.ravel()]), return_inverse=True)
    return ModelPool(name, places[len(labels) :].reshape(said.shape), places[: len(labels)], len(names))


def _generated(models: int = 6, items: int = 300, classes: int = 3) -> ModelPool:
    """Models of .5 to .8, which err independently."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, items)
    wrong = (labels + rng.integers(1, classes, (models, items))) % classes
    right = rng.random((models, items)) < np.linspace(0.5, 0.8, models)[:, None]
    return ModelPool(GENERATED, np.where(right, labels, wrong), labels, classes)
