"""Expected log likelihoods of an accuracy surface under normal f and g, by quadrature, in TensorFlow."""

from __future__ import annotations

from typing import Any

from altmas.surrogates.backend import tensorflow
from altmas.surrogates.beta_mixture import NEAR, OFFSET, SLOPE


def expected_log_likelihood(
    mean: Any, sd: Any, nodes: list[Any], right: Any, wrong: Any, target: Any, supervised: Any
) -> Any:
    """Sum over arms of the expected log likelihood; `mean` and `sd` are `[P, F]`, P = 1 (Bernoulli) or 2 (Beta).

    `nodes` are the points and weights for each of the P processes.
    """
    tf = tensorflow()
    x, u = (tf.constant(part[:, None]) for part in nodes[0])
    f = mean[0] + sd[0] * x
    if len(nodes) == 1:
        return tf.reduce_sum(u * bernoulli(f, right, wrong))
    y, v = (tf.constant(part[:, None]) for part in nodes[1])
    strength = tf.maximum(tf.nn.softplus(mean[1] + sd[1] * y), 100 * NEAR)
    each = beta_binomial(f[:, None], strength[None], right, wrong)
    by_scale = tf.reduce_sum(v * supervised * log_gamma_density(target, strength))
    return tf.reduce_sum(u[:, None] * v[None] * each) + by_scale


def bernoulli(f: Any, right: Any, wrong: Any) -> Any:
    """Log likelihood of counts at accuracy sigma(6 f - 3) (Eq. 3).

    >>> import numpy as np
    >>> float(np.round(bernoulli(np.array([0.5]), np.array([1.0]), np.array([1.0]))[0], 4))
    -1.3863
    """
    tf = tensorflow()
    z = SLOPE * f + OFFSET
    return -right * tf.nn.softplus(-z) - wrong * tf.nn.softplus(z)


def beta_binomial(f: Any, strength: Any, right: Any, wrong: Any) -> Any:
    """Log marginal likelihood of counts when rho ~ Beta(mean sigma(6 f - 3), scale `strength`) (Eq. 9).

    >>> import numpy as np
    >>> float(np.round(beta_binomial(np.array([0.5]), np.array([2.0]), np.array([1.0]), np.array([1.0]))[0], 4))
    -1.7918
    """
    tf = tensorflow()
    mean = tf.clip_by_value(tf.sigmoid(SLOPE * f + OFFSET), NEAR, 1 - NEAR)
    a, b, lgamma = mean * strength, (1 - mean) * strength, tf.math.lgamma
    before = lgamma(a) + lgamma(b) - lgamma(strength)
    return lgamma(a + right) + lgamma(b + wrong) - lgamma(strength + right + wrong) - before


def log_gamma_density(target: Any, shape: Any) -> Any:
    """Log density of an arm's number of observations under Gamma(shape = scale, rate 1): the SL of BetaGP-SL.

    >>> import numpy as np
    >>> float(log_gamma_density(np.array([1.0]), np.array([1.0]))[0])
    -1.0
    """
    tf = tensorflow()
    return (shape - 1) * tf.math.log(target) - target - tf.math.lgamma(shape)
