"""The array types of every room, named once; the axes are said where an array is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Probabilities = NDArray[np.float32]
"""Class probabilities `[M, n, C]`: M draws of n items."""
