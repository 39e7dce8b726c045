"""Where a deep kernel over attributes starts: the hidden layer of a network that knows which values occur together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from altmas.core.streams import stream
from altmas.metrics.types import FloatArray
from altmas.surfaces.arms import Arms

if TYPE_CHECKING:
    from altmas.surrogates.surface.gp import Layer


def deep_start(arms: Arms, layer: Layer | None = None, seed: int = 0) -> tuple[FloatArray, Layer]:
    """One-hot features of the arms `[A, T]`, and a layer over them.

    The paper starts its deep kernel from the network that calibrates predicted attributes (Appendix C): `layer`. Where
    attributes are known there is nothing to calibrate, and the network's other half, the joint potential, is trained on
    the items' attributes as they are.

    >>> arms = Arms.build({"hat": ["no", "yes"] * 20, "hair": ["fair", "dark"] * 20})
    >>> features, (weights, biases) = deep_start(arms)
    >>> features.shape, weights.shape, biases.shape
    ((4, 4), (4, 32), (32,))
    """
    from altmas.surrogates.surface.attribute_calibration import joint_potential, one_hot

    sizes = [len(one.values) for one in arms.attributes]
    if layer is None:
        rng = stream(seed, "surface", "deep start")
        layer = joint_potential(arms.codes[arms.index], sizes, rng=rng).weights[:2]
    return one_hot(arms.codes, sizes), layer
