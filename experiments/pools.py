"""Real pools: the images of a test set, and what the ALT-MAS paper's models under test say about them."""

from __future__ import annotations

from altmas.experiments.datasets import Images, load_images, read_npz
from altmas.experiments.paper_models import outputs_of as model_outputs

__all__ = ["Images", "load_images", "model_outputs", "read_npz"]
