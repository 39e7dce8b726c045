"""A pool of cats and dogs, for tests in which the data do not matter."""

import numpy as np

N = 40
SAID = ["cat", "dog"] * (N // 2)
SCORES = np.tile([0.7, 0.3], (N, 1))
