"""A pool whose labels are all known: what a method is tried on."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.pool import Pool
from altmas.metrics.errors import InputError


@dataclass(frozen=True, eq=False)
class BenchPool:
    """A model's outputs with every label known. Predictions outside `classes` count as wrong.

    `scores` are the confidence `[N]` as the model gave it, or its probabilities `[N, C]`; `opinions` are what other
    models said about the same items. `metrics` and `budgets` are what is usually asked of it, and no part of it.
    """

    name: str
    predictions: NDArray[Any]
    labels: NDArray[Any]
    scores: NDArray[Any] | None = None
    features: NDArray[Any] | None = None
    groups: Mapping[str, Any] | None = None
    classes: tuple[Any, ...] | None = None
    opinions: Mapping[str, Any] | None = None
    metrics: tuple[str, ...] = ("accuracy",)
    budgets: tuple[int, ...] = (100, 200, 400)

    def build(self, sees: frozenset[str] = frozenset()) -> Pool:
        """The pool as a method sees it: features and opinions only where they are named."""
        for one in sorted(sees):
            if getattr(self, one) is None:
                raise InputError(f"pool {self.name!r}", f"have {one} for a method that sees them", "none")
        with warnings.catch_warnings():
            # Confidences of services may be of any scale below 1; for stored pools that is meant.
            warnings.filterwarnings("ignore", message="scores are below")
            return Pool.build(
                self.predictions,
                scores=self.scores,
                groups=self.groups,
                classes=self.classes,
                labels_seen=() if self.classes is not None else tuple(np.unique(self.labels).tolist()),
                features=self.features if "features" in sees else None,
                opinions=self.opinions if "opinions" in sees else None,
            )

    @property
    def checksum(self) -> str:
        """SHA-256 over all that can change a result.

        >>> BenchPool("three", np.arange(3), np.arange(3)).checksum[:8]
        '1fc3d7f7'
        """
        digest = hashlib.sha256()
        columns = {"predictions": self.predictions, "labels": self.labels, "classes": self.classes}
        columns |= {"scores": self.scores, "features": self.features}
        columns |= {f"group {name}": column for name, column in sorted((self.groups or {}).items())}
        for name, opinion in sorted((self.opinions or {}).items()):
            parts = opinion if isinstance(opinion, tuple) else (opinion,)
            columns |= {f"opinion {name} {number}": part for number, part in enumerate(parts)}
        for name, column in columns.items():
            if column is not None:
                array = np.asarray(column)
                content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
                digest.update(f"{name} {array.dtype} {array.shape} ".encode() + content)
        return digest.hexdigest()
