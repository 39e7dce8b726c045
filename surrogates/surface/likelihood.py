"""Expected log likelihoods of an accuracy surface under normal f and g, by quadrature, in TensorFlow."""

from __future__ import annotations

from typing import Any

from altmas.surrogates.backend import tensorflow
from altmas.surrogates.surface.beta_mixture import NEAR, OFFSET, SLOPE


def expected_log_likelihood(
    mean: Any, sd: Any, nodes: list[Any], right: Any, wrong: Any, target: Any, supervised: Any, curve: Any
) -> Any:
    """Sum over arms of the expected log likelihood; `mean` and `sd` are `[P, F]`, P = 1 (Bernoulli) or 2 (Beta).

    `nodes` are the points and weights for each of the P processes, `curve` leads from f and g to the pseudo-counts of a
    Beta, and `supervised` is the weight of each arm's number of observations as a target for its scale.
    """
    tf = tensorflow()
    x, u = (tf.constant(part[:, None]) for part in nodes[0])
    f = mean[0] + sd[0] * x
    if len(nodes) == 1:
        return tf.reduce_sum(u * bernoulli(f, right, wrong))
    y, v = (tf.constant(part[:, None]) for part in nodes[1])
    g = mean[1] + sd[1] * y
    a, b = curve(f[:, None], g[None])
    each = beta_binomial(a, b, right, wrong)
    by_scale = tf.reduce_sum(v * supervised * log_gamma_density(target, tensor_scale(g)))
    return tf.reduce_sum(u[:, None] * v[None] * each) + by_scale


def tensor_scale(g: Any) -> Any:
    """The strength of a Beta at g, in observations; in NumPy it is `altmas.surrogates.surface.beta_mixture.scale`."""
    tf = tensorflow()
    return tf.maximum(tf.nn.softplus(g), 100 * NEAR)


def tensor_mean_and_scale(f: Any, g: Any) -> tuple[Any, Any]:
    """Pseudo-counts of Beta(mean sigma(6 f - 3), scale softplus(g))."""
    tf = tensorflow()
    mean, strength = tf.clip_by_value(tf.sigmoid(SLOPE * f + OFFSET), NEAR, 1 - NEAR), tensor_scale(g)
    return mean * strength, (1 - mean) * strength


def tensor_alpha_and_beta(f: Any, g: Any) -> tuple[Any, Any]:
    """Pseudo-counts that are curves of their own (Appendix B)."""
    return tensor_scale(f), tensor_scale(g)


def bernoulli(f: Any, right: Any, wrong: Any) -> Any:
    """Log likelihood of counts at accuracy sigma(6 f - 3) (Eq. 3).

    >>> import numpy as np
    >>> float(np.round(bernoulli(np.array([0.5]), np.array([1.0]), np.array([1.0]))[0], 4))
    -1.3863
    """
    tf = tensorflow()
    z = SLOPE * f + OFFSET
    return -right * tf.nn.softplus(-z) - wrong * tf.nn.softplus(z)


def beta_binomial(a: Any, b: Any, right: Any, wrong: Any) -> Any:
    """Log marginal likelihood of counts when rho ~ Beta(a, b) (Eq. 9).

    >>> import numpy as np
    >>> one = np.array([1.0])
    >>> float(np.round(beta_binomial(one, one, one, one)[0], 4))
    -1.7918
    """
    lgamma = tensorflow().math.lgamma
    before = lgamma(a) + lgamma(b) - lgamma(a + b)
    return lgamma(a + right) + lgamma(b + wrong) - lgamma(a + b + right + wrong) - before


def log_gamma_density(target: Any, shape: Any) -> Any:
    """Log density of an arm's number of observations under Gamma(shape = scale, rate 1): the SL of BetaGP-SL.

    >>> import numpy as np
    >>> float(log_gamma_density(np.array([1.0]), np.array([1.0]))[0])
    -1.0
    """
    tf = tensorflow()
    return (shape - 1) * tf.math.log(target) - target - tf.math.lgamma(shape)
