"""What the six models under test of the ALT-MAS paper said about their test images, as it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from altmas.core.files import write_whole
from altmas.experiments.data.datasets import read_npz
from altmas.experiments.data.paper_recipes import RECIPES
from altmas.metrics.errors import InputError

OUTPUTS_FILE = "paper_models.npz"
COMMAND = "python -m altmas.experiments.alt_mas.paper_models"


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a model under test said about all the test images: probabilities `[N, C]`, and how many were right."""

    scores: NDArray[np.float32]
    accuracy: float

    @property
    def checksum(self) -> str:
        """SHA-256 of the probabilities.

        >>> Outputs(np.eye(2, dtype=np.float32), 1.0).checksum[:8]
        'a666c95f'
        """
        return hashlib.sha256(self.scores.tobytes()).hexdigest()


def outputs_of(name: str, data: Path, labels: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """Stored probabilities `[N, C]` of a model under test, from `paper_models.npz` in the data directory.

    With `labels`, outputs whose accuracy is not the stored one are refused: they belong to images in another order.
    """
    path = data / OUTPUTS_FILE
    if not path.is_file():
        raise InputError("outputs of models under test", "exist", str(path), _hint(data))
    arrays = read_npz(path)
    known = [str(one) for one in arrays.get("names", np.array(list(arrays)))]
    if name not in known or name not in arrays:
        hint = _hint(data, f" --models {name}") if name in RECIPES else ""
        raise InputError("model under test", f"be one of {', '.join(known)}", repr(name), hint)
    if labels is not None and "accuracy" in arrays:
        stored = float(arrays["accuracy"][known.index(name)])
        here = accuracy(arrays[name], labels)
        if abs(here - stored) > 1e-3:
            hint = "The images are others than those it was put to, or in another order."
            raise InputError(f"outputs of {name}", f"be right on {stored:.2%} of the images", f"{here:.2%}", hint)
    return arrays[name].astype(np.float32)


def accuracy(scores: NDArray[Any], labels: NDArray[np.int64]) -> float:
    """Share of the labels that have the highest score.

    >>> accuracy(np.eye(4), np.array([0, 1, 2, 0]))
    0.75
    """
    return float((scores.argmax(1) == labels).mean())


def read_outputs(path: Path) -> dict[str, Outputs]:
    """Everything in a file of outputs; nothing where there is no file yet."""
    if not path.is_file():
        return {}
    arrays = read_npz(path)
    if not {"names", "accuracy"} <= set(arrays):
        raise InputError("file of outputs", "have names and accuracy", f"{', '.join(arrays)} in {path}")
    pairs = zip(arrays["names"].tolist(), arrays["accuracy"].tolist(), strict=True)
    return {name: Outputs(arrays[name], right) for name, right in pairs}


def write_outputs(path: Path, outputs: Mapping[str, Outputs]) -> Path:
    """Write a file of outputs: an array by the name of each model, `names` and `accuracy`; the paper's models first."""
    outputs = {name: outputs[name] for name in RECIPES if name in outputs} | dict(outputs)
    arrays: dict[str, Any] = {
        "names": np.array(list(outputs)),
        "accuracy": np.array([one.accuracy for one in outputs.values()], np.float32),
    }
    arrays |= {name: one.scores for name, one in outputs.items()}

    def write(file: IO[bytes]) -> None:
        np.savez_compressed(file, **arrays)

    return write_whole(path, write)


def _hint(data: Path, more: str = "") -> str:
    return f"Train with {COMMAND} --data {data} --out {data / OUTPUTS_FILE}{more}"
