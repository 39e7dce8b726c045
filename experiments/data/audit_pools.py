"""The pools a method is audited on: real predictions of real models, with every label known.

Six networks of the ALT-MAS paper, twenty commercial services, two CIFAR-100 networks, one newsgroups classifier, two
entity-resolution pools where one item in a thousand is a match, and three models whose items come as an embedding.
Nothing is trained here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from altmas.demo import vendor_digits
from altmas.experiments.data.bench_pool import BenchPool
from altmas.experiments.data.datasets import load_images, read_npz
from altmas.experiments.data.paper_outputs import outputs_of
from altmas.experiments.data.paper_recipes import RECIPES
from altmas.features.text import text_features
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

PUT_TO = {name: recipe.put_to for name, recipe in RECIPES.items()}
"""Model under test -> the images it was put to."""

SERVICES = {
    "ferplus": ("Google", "FacePP", "Microsoft", "GitHub(CNN)"),
    "expw": ("Google", "FacePP", "Microsoft", "GitHub(CNN)"),
    "audiomnist": ("Google", "Microsoft", "IBM", "GitHub(DeepSpeech)"),
    "yelp": ("Google", "Baidu", "Amazon", "GitHub(Vader)"),
    "waimai": ("Google", "Baidu", "Amazon", "GitHub(Bixin)"),
}
"""Data set -> the services that were asked about it."""

KINDS: dict[str, tuple[str, ...]] = {
    "paper": tuple(PUT_TO),
    "vendor": tuple(f"{one}/{service}" for one, services in SERVICES.items() for service in services),
    "cifar100": ("resnet110_cifar100", "resnet20_cifar100"),
    "news": ("news20_scores",),
    "er": ("er_abt_buy", "er_dblp_acm"),
    "embedding": tuple(f"fashion_embedding/{one}" for one in ("good", "average", "poor")),
}
"""Kind -> names of its pools."""

DIGITS = "digits"
"""The bundled pool, of no kind: for a smoke test."""

MOST_ITEMS = 10_000
RARE = 20
"""The class whose precision and recall are asked for is the least predicted with at least so many predictions."""


def audit_pool_names(kind: str = "all") -> tuple[str, ...]:
    """The pools of a kind.

    >>> audit_pool_names("cifar100")
    ('resnet110_cifar100', 'resnet20_cifar100')
    """
    if kind == "all":
        return tuple(name for names in KINDS.values() for name in names)
    if kind not in KINDS:
        raise InputError("kind of pool", f"be one of {', '.join([*KINDS, 'all'])}", repr(kind))
    return KINDS[kind]


def load_audit_pool(name: str, data: Path | None) -> BenchPool:
    """A pool by its name, from the data directory (`digits` needs none)."""
    if name == DIGITS:
        return _digits()
    kind = next((kind for kind, names in KINDS.items() if name in names), None)
    if kind is None:
        raise InputError("pool", f"be one of {', '.join(audit_pool_names())}", repr(name))
    if data is None:
        raise InputError("data", "be the folder that holds the stored pools", "none")
    return _LOADERS[kind](name, data)


def usual_metrics(predictions: IntArray, classes: Sequence[int]) -> tuple[str, ...]:
    """Accuracy, the macro averages, and precision and recall of a class that is seldom predicted.

    >>> usual_metrics(np.repeat([0, 1, 2], [50, 30, 5]), range(3))[-1]
    'recall:1'
    """
    counts = {one: int((predictions == one).sum()) for one in classes}
    often = [one for one in classes if counts[one] >= RARE]
    rare = min(often, key=lambda one: counts[one])
    return ("accuracy", "macro_precision", "macro_recall", f"precision:{rare}", f"recall:{rare}")


def _with_usual_metrics(name: str, predictions: Any, scores: Any, labels: Any, **more: Any) -> BenchPool:
    said, true = np.asarray(predictions, dtype=np.int64), np.asarray(labels, dtype=np.int64)
    given = np.asarray(scores, dtype=np.float64)
    classes = tuple(range(given.shape[1]) if given.ndim == 2 else np.unique(true).tolist())
    return BenchPool(name, said, true, given, classes=classes, metrics=usual_metrics(said, classes), **more)


def _paper(name: str, data: Path) -> BenchPool:
    images = load_images(PUT_TO[name], data, download=False)
    scores = _shares(outputs_of(name, data, images.labels))
    return _with_usual_metrics(name, scores.argmax(1), scores, images.labels, features=images.images)


def _vendor(name: str, data: Path) -> BenchPool:
    source, service = name.split("/")
    arrays = read_npz(data / f"vendor_{source}.npz")
    services = arrays["services"].tolist()
    items = len(arrays["labels"])
    # The same items for all the services, so that each can be another's opinion.
    rows = np.sort(np.random.default_rng(0).permutation(items)[:MOST_ITEMS])
    said, sure = arrays["predictions"][:, rows].astype(np.int64), arrays["confidence"][:, rows].astype(np.float64)
    me = services.index(service)
    opinions = MappingProxyType({other: (said[i], sure[i]) for i, other in enumerate(services) if i != me})
    return _with_usual_metrics(name, said[me], sure[me], arrays["labels"][rows], opinions=opinions)


def _network(name: str, data: Path) -> BenchPool:
    arrays = read_npz(data / f"{name}.npz")
    if "confidence" in arrays:
        return _with_usual_metrics(name, arrays["predictions"], arrays["confidence"], arrays["labels"])
    logits = arrays.get("logits")
    scores = _shares(arrays["scores"]) if logits is None else softmax(logits.astype(np.float64), axis=1)
    return _with_usual_metrics(name, scores.argmax(1), scores, arrays["labels"])


def _news(name: str, data: Path) -> BenchPool:
    """Newsgroups with features made of their texts, as `features="auto"` makes them; four posts have no text."""
    found, arrays = _network(name, data), read_npz(data / "news20_text.npz")
    posts, ends = arrays["text"].tobytes(), arrays["offsets"].tolist()
    texts = [""] * len(found.labels)
    for row, start, end in zip(arrays["score_row"].tolist(), ends[:-1], ends[1:], strict=True):
        texts[row] = posts[start:end].decode("utf-8", "replace")
    return replace(found, features=text_features(texts))


def _entity_resolution(name: str, data: Path) -> BenchPool:
    """Pairs of records, match or not.

    The probabilities are well calibrated: they sum to 49.0 and 18.6 where 50 and 20 pairs match. A prediction is
    score > 0, which is p > 0.5 for all of dblp_acm, and for all of abt_buy but 7 pairs with p between 0.5 and 0.9.
    """
    arrays = read_npz(data / f"{name}.npz")
    p = arrays["probs"].astype(np.float64)
    return BenchPool(
        name, (arrays["scores"] > 0).astype(np.int64), arrays["labels"].astype(np.int64), np.stack([1 - p, p], 1),
        classes=(0, 1), features=arrays["features"], metrics=("f1:1",), budgets=(1000,),
    )  # fmt: skip


def _embedding(name: str, data: Path) -> BenchPool:
    """Fashion-MNIST as 64 features of a network that learnt four coarse groups: what users have of their own items."""
    source, quality = name.split("/")
    arrays = read_npz(data / f"{source}.npz")
    scores = _shares(arrays[f"scores_{quality}"])
    return _with_usual_metrics(name, scores.argmax(1), scores, arrays["labels"], features=arrays["features"])


def _digits() -> BenchPool:
    vendor = vendor_digits()
    return _with_usual_metrics(DIGITS, vendor.predictions, vendor.scores, vendor.labels, features=vendor.images)


def _shares(scores: NDArray[Any]) -> FloatArray:
    """Rows that sum to 1, which those of half-precision numbers do only nearly."""
    values = scores.astype(np.float64)
    return np.asarray(values / values.sum(1, keepdims=True))


_LOADERS: dict[str, Callable[[str, Path], BenchPool]] = {
    "paper": _paper,
    "vendor": _vendor,
    "cifar100": _network,
    "news": _news,
    "er": _entity_resolution,
    "embedding": _embedding,
}
