"""Real pools: the images of a test set, and what the ALT-MAS paper's models under test say about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from altmas.experiments.datasets import Images, load_images, read_npz
from altmas.metrics.errors import InputError

__all__ = ["Images", "load_images", "model_outputs", "read_npz"]


def model_outputs(name: str, data: Path) -> NDArray[np.float32]:
    """Stored softmax outputs `[N, C]` of one of the paper's models under test."""
    arrays = read_npz(data / "paper_models.npz")
    if name not in arrays:
        raise InputError("model under test", f"be one of {', '.join(arrays['names'].tolist())}", repr(name))
    return arrays[name].astype(np.float32)
