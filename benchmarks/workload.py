"""A generated pool for benchmarks: classes that overlap, and a model under test that is right three times in four."""

from __future__ import annotations

import numpy as np


def confident(items: int, seed: int = 0):
    """Predictions, confidences that tell something about agreement, and labels `[N]`, of ten classes."""
    rng = np.random.default_rng(seed)
    said = rng.integers(10, size=items)
    confidence = 0.5 + 0.5 * rng.beta(4, 1, size=items)
    return said, confidence, np.where(rng.random(items) < confidence, said, rng.integers(10, size=items))


def make_pool(items: int, features: int, classes: int = 10, accuracy: float = 0.75, seed: int = 0):
    """Features `[N, D]` float32, labels `[N]`, predictions `[N]`."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, features)).astype(np.float32) * (3 / np.sqrt(features))
    labels = rng.integers(0, classes, items)
    x = rng.standard_normal((items, features), dtype=np.float32)
    x += centres[labels]
    wrong = rng.random(items) > accuracy
    predictions = np.where(wrong, (labels + rng.integers(1, classes, items)) % classes, labels)
    return x, labels, predictions
