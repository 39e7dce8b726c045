"""Variational Gaussian processes f and g over arms, trained by one compiled loop that serves every fit and update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import logit

from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray
from altmas.surrogates.backend import tensorflow, tensorflow_probability
from altmas.surrogates.networks.network import BETA_1, BETA_2, EPSILON
from altmas.surrogates.surface.beta_mixture import OFFSET, SLOPE, gaussian_nodes
from altmas.surrogates.surface.likelihood import expected_log_likelihood, tensor_alpha_and_beta, tensor_mean_and_scale

JITTER = 1e-5
TOGETHER = 1024
"""Up to this many arms are drawn jointly: a covariance of that size is factored quickly."""

FARTHEST = float(logit(0.99))
"""The furthest from the middle of its curve that f may start, as a logit, where `centred` would lead further."""

Form = Literal["bernoulli", "mean-scale", "alpha-beta"]
"""What f, or f and g, are: the accuracy itself, mean and scale of its Beta, or the Beta's two shapes (Appendix B)."""

Layer = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class SurfaceSettings:
    """How a surface is trained; the defaults are Appendix C's, the rest the authors' program.

    `prior_weight` multiplies the Kullback-Leibler term of Eq. 15; `pseudo_count` observations at the overall accuracy
    are added to each arm (Algorithm 1, line 4). `deep` puts a learnt layer of that many outputs in front of the kernel.
    `own_answers` lets an arm's answers sharpen its own belief beyond the surface's; the paper's estimate does not.
    `centred` starts where the expected accuracy of an arm is the overall one; the authors' program starts where the
    accuracy of the expected arm is, and f is so wide at first that arms without answers are then drawn towards 50%.
    `level_sd` is the doubt about the constant of f, which all arms share: without it, as in the paper, few labels leave
    the mean of many arms far too sure. Beta-I doubts its level where it is above 0. `length_sd` gives each feature a
    kernel length of its own, whose logarithms scatter that much around the common one: attributes that do not matter
    are found out. With 0, as in the paper, all have one length.
    """

    inducing: int = 50
    learning_rate: float = 1e-3
    steps: int = 1000
    update_steps: int = 50
    pseudo_count: float = 0.1
    prior_weight: float = 1.0
    deep: int = 0
    own_answers: bool = True
    centred: bool = False
    level_sd: float = 0.0
    length_sd: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("inducing", 1), ("steps", 1), ("update_steps", 1), ("deep", 0)):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < least:
                raise InputError(name, f"be an int >= {least}", getattr(self, name))
        for name in ("learning_rate", "prior_weight"):
            if not getattr(self, name) > 0:
                raise InputError(name, "be a number above 0", getattr(self, name))
        for name in ("pseudo_count", "level_sd", "length_sd"):
            if not getattr(self, name) >= 0:
                raise InputError(name, "be a number of at least 0", getattr(self, name))


@dataclass(frozen=True, eq=False)
class Observations:
    """What the likelihood sees of the arms it is given, each `[F]`: counts, the scale's target, and who has one."""

    right: FloatArray
    wrong: FloatArray
    target: FloatArray
    supervised: FloatArray


class SurfaceGP:
    """P processes (f, or f and g) as TensorFlow variables: inducing points, whitened posterior, kernel, constant mean.

    f = constant + VGP(RBF kernel), by `tfd.VariationalGaussianProcess` with a batch of P kernels. `layer`, weights and
    biases of a trained network's hidden units, is where a deep kernel starts (Appendix C).
    """

    def __init__(self, features: FloatArray, form: Form, settings: SurfaceSettings, layer: Layer | None = None) -> None:
        tf = tensorflow()

        self.features, self.form, self.settings, self.layer = features, form, settings, layer
        self.processes = 1 if form == "bernoulli" else 2
        self._level_variance = np.array([settings.level_sd**2, 0.0])[: self.processes]
        made = self._first_values(0.5, 1.0, np.arange(len(features)), np.random.default_rng(0))  # for their shapes
        self._variables = {name: tf.Variable(np.zeros(value.shape)) for name, value in made.items()}
        self._moments = [[tf.Variable(np.zeros(value.shape)) for value in made.values()] for _ in range(2)]
        self._taken, self._start = tf.Variable(0, dtype=tf.int64), tf.Variable(0.0, dtype=tf.float64)
        self._train = _compiled_training(self)
        self._marginals = tf.function(
            lambda x: _marginals(self, x), input_signature=[tf.TensorSpec([None, features.shape[1]], tf.float64)]
        )

    def start(self, level: float, strength: float, candidates: Any, rng: np.random.Generator) -> None:
        """New variables: mean accuracy `level` and scale `strength` everywhere, inducing points at random arms."""
        values = self._first_values(level, strength, candidates, rng)
        for name, value in values.items():
            self._variables[name].assign(value)
        self._start.assign(values["constant"][0])
        for moments in self._moments:
            for moment in moments:
                moment.assign(np.zeros(moment.shape))
        self._taken.assign(0)

    def _first_values(
        self, level: float, strength: float, candidates: Any, rng: np.random.Generator
    ) -> dict[str, FloatArray]:
        count = min(self.settings.inducing, len(self.features))
        rest = np.setdiff1d(np.arange(len(self.features)), candidates)
        order = np.concatenate([rng.permutation(candidates), rng.permutation(rest)])[:count]
        # f starts with sd softplus(0) = log 2. E sigma(N(m, s^2)) ~ sigma(m / sqrt(1 + pi s^2 / 8)) (MacKay 1992).
        spread = SLOPE * np.hypot(np.log(2.0), self.settings.level_sd) if self.settings.centred else 0.0
        # Beyond FARTHEST the curve is flat, and no answer could bring f back.
        wide = np.sqrt(1 + np.pi * spread**2 / 8)
        start = logit(level) * wide if wide == 1 else np.clip(logit(level) * wide, -FARTHEST, FARTHEST)
        constants = np.array([(start - OFFSET) / SLOPE, _raw(strength)])
        if self.form == "alpha-beta":
            constants = np.array([_raw(level * strength), _raw((1 - level) * strength)])
        width = self.features.shape[1]
        values = {
            # Equal inducing points make a singular kernel; a little noise parts them.
            "inducing": self.features[order] + 1e-3 * rng.standard_normal((self.processes, count, width)),
            "location": np.zeros((self.processes, count)),
            "spread": np.tile(np.eye(count), (self.processes, 1, 1)),
            "amplitude": np.zeros(self.processes),
            "length": np.zeros(self.processes),
            "constant": constants[: self.processes],
        }
        if self.settings.length_sd:
            values |= {"stretch": np.zeros((self.processes, self.settings.deep or width))}
        if self.settings.deep:
            units = self.settings.deep if self.layer is None else len(self.layer[1])
            hidden, out = _glorot((width, units), rng), _glorot((units, self.settings.deep), rng)
            start = (hidden, np.zeros(units)) if self.layer is None else self.layer
            values |= {"hidden": start[0], "bias": start[1], "out": out}
        return values

    def train(self, arms: Any, seen: Observations, steps: int) -> float:
        """Take Adam steps on the evidence bound (Eq. 15) of these arms; the last loss."""
        tf = tensorflow()
        as64 = [tf.constant(x, tf.float64) for x in (self.features[arms], seen.right, seen.wrong, seen.target)]
        loss = self._train(*as64, tf.constant(seen.supervised, tf.float64), tf.constant(steps, tf.int32))
        if not np.isfinite(float(loss)):
            raise FloatingPointError("the surface's training diverged; a lower learning_rate may help")
        return float(loss)

    def marginals(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of the processes at every arm `[P, A]`."""
        mean, variance = self._marginals(self.features)
        return mean.numpy(), np.sqrt(np.maximum(variance.numpy(), 1e-12))

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Joint draws `[P, M, A]`: inducing values from their posterior, and what they leave open.

        That is drawn jointly for up to `TOGETHER` arms. For more of them it is added arm by arm: each arm is as
        uncertain as it should be, means of a few rare arms by a tenth or so too sure.
        """
        v, kernel, x = self._variables, _kernel(self), self.embedded()
        z = _embed(self, v["inducing"])
        kzz, kzx = kernel.matrix(z, z).numpy(), kernel.matrix(z, x).numpy()
        root = np.linalg.cholesky(kzz + JITTER * np.eye(kzz.shape[-1]))
        onto = np.linalg.solve(root, kzx)  # [P, m, A]
        noise = rng.standard_normal((self.processes, draws, kzz.shape[-1]))
        white = v["location"].numpy()[:, None] + noise @ np.tril(v["spread"].numpy()).transpose(0, 2, 1)
        free = rng.standard_normal((self.processes, draws, len(x)))
        if len(x) <= TOGETHER:
            left = kernel.matrix(x, x).numpy() - onto.transpose(0, 2, 1) @ onto
            free = free @ np.linalg.cholesky(left + JITTER * np.eye(len(x))).transpose(0, 2, 1)
        else:
            prior = _positive(v["amplitude"].numpy()) ** 2 + self._level_variance
            free *= np.sqrt(np.maximum(prior[:, None] - np.square(onto).sum(1), 0.0))[:, None]
        return np.asarray(v["constant"].numpy()[:, None, None] + white @ onto + free)

    @property
    def length(self) -> FloatArray:
        """Kernel length of each process `[P]`."""
        return _positive(self._variables["length"].numpy())

    def embedded(self) -> FloatArray:
        """The arms as the kernel sees them: the features, or the learnt layer's outputs."""
        return np.asarray(_embed(self, self.features).numpy())


def _positive(raw: FloatArray) -> FloatArray:
    return np.asarray(np.logaddexp(0.0, raw))


def _raw(positive: float) -> float:
    return float(np.log(np.expm1(positive)))


def _glorot(shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    return np.asarray(rng.uniform(-1, 1, shape) * np.sqrt(6 / sum(shape)))


def _embed(gp: SurfaceGP, x: Any) -> Any:
    """Points as the kernel sees them: themselves, or a learnt layer's outputs (the deep kernel)."""
    tf, v = tensorflow(), gp._variables
    return tf.nn.relu(x @ v["hidden"] + v["bias"]) @ v["out"] if gp.settings.deep else tf.convert_to_tensor(x)


def _kernel(gp: SurfaceGP) -> Any:
    tf, kernels, v = tensorflow(), tensorflow_probability().math.psd_kernels, gp._variables
    smooth = kernels.ExponentiatedQuadratic(tf.nn.softplus(v["amplitude"]), tf.nn.softplus(v["length"]))
    if gp.settings.length_sd:
        smooth = kernels.FeatureScaled(smooth, scale_diag=tf.exp(v["stretch"]))
    # The level that all arms share is uncertain too: a constant kernel integrates over it.
    return smooth + kernels.Constant(tf.constant(gp._level_variance)) if gp.settings.level_sd else smooth


def _process(gp: SurfaceGP, x: Any) -> Any:
    tf, v = tensorflow(), gp._variables
    return tensorflow_probability().distributions.VariationalGaussianProcess(
        _kernel(gp),
        index_points=_embed(gp, x),
        inducing_index_points=_embed(gp, v["inducing"]),
        variational_inducing_observations_loc=tf.convert_to_tensor(v["location"]),
        variational_inducing_observations_scale=tf.linalg.band_part(v["spread"], -1, 0),
        observation_noise_variance=tf.constant(0.0, tf.float64),
        use_whitening_transform=True,
        jitter=JITTER,
    )


def _marginals(gp: SurfaceGP, x: Any) -> Any:
    process = _process(gp, x)
    return gp._variables["constant"][:, None] + process.mean(), process.variance()


def _departure(gp: SurfaceGP) -> Any:
    """Minus log prior of the parameters that are fitted and not integrated over; nothing in the paper's settings."""
    tf, v, use = tensorflow(), gp._variables, gp.settings
    far = tf.constant(0.0, tf.float64)
    if use.level_sd:  # answers that are all right would pull f up without end
        far += tf.square(v["constant"][0] - gp._start) / (2 * use.level_sd**2)
    if use.length_sd:
        far += tf.reduce_sum(tf.square(v["stretch"])) / (2 * use.length_sd**2)
    return far


def _compiled_training(gp: SurfaceGP) -> Any:
    tf = tensorflow()
    variables, (first, second) = list(gp._variables.values()), gp._moments
    nodes = [gaussian_nodes(7), gaussian_nodes(7 if gp.form == "alpha-beta" else 3)][: gp.processes]
    curve = tensor_alpha_and_beta if gp.form == "alpha-beta" else tensor_mean_and_scale

    def loss_of(x: Any, right: Any, wrong: Any, target: Any, supervised: Any) -> Any:
        process = _process(gp, x)
        mean = gp._variables["constant"][:, None] + process.mean()
        sd = tf.sqrt(tf.maximum(process.variance(), 1e-12))
        fit = expected_log_likelihood(mean, sd, nodes, right, wrong, target, supervised, curve)
        divergence = tf.reduce_sum(process.surrogate_posterior_kl_divergence_prior())
        return gp.settings.prior_weight * divergence + _departure(gp) - fit

    def train(x: Any, right: Any, wrong: Any, target: Any, supervised: Any, steps: Any) -> Any:
        loss = tf.constant(0.0, tf.float64)
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = loss_of(x, right, wrong, target, supervised)
            slopes = tape.gradient(loss, variables)
            gp._taken.assign_add(1)
            taken = tf.cast(gp._taken, tf.float64)
            for w, m, v, slope in zip(variables, first, second, slopes, strict=True):
                tf.raw_ops.ResourceApplyAdam(
                    var=w.handle, m=m.handle, v=v.handle, beta1_power=BETA_1**taken, beta2_power=BETA_2**taken,
                    lr=tf.constant(gp.settings.learning_rate, tf.float64), beta1=tf.constant(BETA_1, tf.float64),
                    beta2=tf.constant(BETA_2, tf.float64), epsilon=tf.constant(EPSILON, tf.float64), grad=slope,
                )  # fmt: skip
        return loss

    # Open in the number of arms that are fitted and of steps, so that one trace serves every fit and update.
    spec, width = tf.TensorSpec, gp.features.shape[1]
    column = spec([None], tf.float64)
    signature = [spec([None, width], tf.float64), column, column, column, column, spec([], tf.int32)]
    return tf.function(train, input_signature=signature)
