"""P(a|x) from attribute predictors' scores: a temperature per attribute and a joint potential (Appendix E).

    log P(a|x) = sum_k exp(t_k) score_k(a_k) + N(a) + constant

Trained by the pseudo-likelihood of each attribute given the others, on labelled items and, with the predicted values
for true ones, on unlabelled items, both in equal parts; N is left out for half of the items of a batch, lest it leave
nothing for the temperatures to explain; held-out labelled items say when to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from altmas.metrics.errors import InputError
from altmas.metrics.types import BoolArray, FloatArray, IntArray
from altmas.surrogates.backend import repeated, tensorflow
from altmas.surrogates.networks.network import BETA_1, BETA_2, EPSILON
from altmas.surrogates.surface.affiliation import Affiliation, most_probable_arms

KEEP, LEAST = 10, 0.01
IMPOSSIBLE = -1e9

_ITEMS_AT_ONCE = 1024


@dataclass(frozen=True)
class CalibrationSettings:
    """How P(a|x) is trained; a check of the held-out items every `check` steps, `patience` checks without gain."""

    hidden: int = 32
    learning_rate: float = 1e-2
    batch: int = 128
    steps: int = 2000
    check: int = 50
    patience: int = 6
    held_out: float = 0.2


@dataclass(frozen=True, eq=False)
class AttributeCalibration:
    """Temperatures `t [K]` and the joint potential: one hidden layer over the one-hot values of all attributes."""

    temperatures: FloatArray
    weights: tuple[FloatArray, FloatArray, FloatArray]

    def potential(self, onehot: FloatArray) -> FloatArray:
        """N(a) of each row `[n, T]` of one-hot values."""
        hidden, bias, out = self.weights
        return np.asarray(np.maximum(onehot @ hidden + bias, 0.0) @ out)

    def affiliation(
        self, scores: Sequence[NDArray[Any]], codes: IntArray, *, keep: int = KEEP, least: float = LEAST
    ) -> Affiliation:
        """P(a|x) over the arms of `codes [A, K]`: an item's `keep` most probable above `least`."""
        tables, _ = score_tables(scores, codes)
        scaled = np.concatenate([np.exp(t) * s for t, s in zip(self.temperatures, tables, strict=True)], axis=1)
        onehot = one_hot(codes, [s.shape[1] for s in tables])
        joint = self.potential(onehot)
        parts = [
            most_probable_arms(scaled[start : start + _ITEMS_AT_ONCE] @ onehot.T + joint, keep, least)
            for start in range(0, len(scaled), _ITEMS_AT_ONCE)
        ]
        return Affiliation(np.concatenate([arms for arms, _ in parts]), np.concatenate([p for _, p in parts]))


def one_hot(codes: IntArray, sizes: Sequence[int]) -> FloatArray:
    """Values of all attributes side by side `[n, T]`.

    >>> one_hot(np.array([[1, 0]]), [2, 3]).tolist()
    [[0.0, 1.0, 1.0, 0.0, 0.0]]
    """
    out = np.zeros((len(codes), sum(sizes)))
    out[np.arange(len(codes))[:, None], codes + np.concatenate([[0], np.cumsum(sizes)[:-1]])] = 1.0
    return out


def score_tables(scores: Sequence[NDArray[Any]], codes: IntArray) -> tuple[list[FloatArray], BoolArray]:
    """Scores `[N, V_k]` per attribute, and which are known exactly: a column of codes `[N]` instead of scores.

    >>> tables, known = score_tables([np.array([1, 0]), np.zeros((2, 2))], np.array([[0, 0], [1, 1]]))
    >>> known.tolist(), bool(tables[0][0, 0] < -1e8)
    ([True, False], True)
    """
    if len(scores) != codes.shape[1]:
        raise InputError("scores", f"be one array per attribute, {codes.shape[1]}", len(scores))
    tables, known = [], []
    for k, given in enumerate(scores):
        array, values = np.asarray(given), int(codes[:, k].max()) + 1
        known.append(array.ndim == 1)
        if array.ndim == 1:
            if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= values:
                raise InputError(f"known attribute {k}", f"be codes 0 to {values - 1}", f"dtype {array.dtype}")
            table = np.full((len(array), values), IMPOSSIBLE)
            table[np.arange(len(array)), array] = 0.0
        else:
            table = np.asarray(array, dtype=np.float64)
            if table.ndim != 2 or table.shape[1] < values or not np.isfinite(table).all():
                raise InputError(f"scores of attribute {k}", f"be finite, [N, {values}]", f"shape {table.shape}")
        tables.append(table)
    if len({len(table) for table in tables}) > 1:
        raise InputError("scores", "be one row per item for every attribute", [len(table) for table in tables])
    return tables, np.array(known)


def calibrate(
    scores: Sequence[NDArray[Any]],
    labelled: IntArray,
    truth: IntArray,
    codes: IntArray,
    *,
    rng: np.random.Generator,
    joint: bool = True,
    settings: CalibrationSettings | None = None,
) -> AttributeCalibration:
    """Learn P(a|x) from scores of all items and the true values `truth [n, K]` of the labelled ones.

    Without `joint` only the temperatures are learnt. With every attribute known there is nothing to learn.
    """
    use = settings or CalibrationSettings()
    tables, known = score_tables(scores, codes)
    truth = np.asarray(truth, dtype=np.int64)
    if truth.shape != (len(labelled), len(tables)):
        raise InputError("truth", f"be [{len(labelled)}, {len(tables)}], the values of labelled items", truth.shape)
    sizes = [table.shape[1] for table in tables]
    if known.all():
        return AttributeCalibration(np.zeros(len(sizes)), (np.zeros((sum(sizes), 1)), np.zeros(1), np.zeros(1)))
    if len(labelled) < 2:
        raise InputError("labelled items", "be at least 2 with known attributes, to calibrate by", len(labelled))
    said = np.column_stack([table.argmax(1) for table in tables])
    order = rng.permutation(len(labelled))
    held = order[: max(1, round(use.held_out * len(order)))]
    train = order[len(held) :]
    unlabelled = np.setdiff1d(np.arange(len(said)), labelled)
    if not unlabelled.size:
        unlabelled, said[labelled] = labelled[train], truth
    flat = np.concatenate(tables, axis=1)
    learner = _Trainee(sizes, ~known, joint, use, rng)

    def batches() -> tuple[FloatArray, IntArray, Any]:
        mine = rng.choice(train, (use.check, use.batch))
        others = rng.choice(unlabelled, (use.check, use.batch))
        x = np.concatenate([flat[labelled[mine]], flat[others]], axis=1)
        y = np.concatenate([truth[mine], said[others]], axis=1)
        return x, y, (rng.random(x.shape[:2]) < 0.5) & joint

    best = _until_no_gain(learner, batches, (flat[labelled[held]], truth[held]), use)
    return AttributeCalibration(np.where(known, 0.0, best[0]), (best[1], best[2], best[3]))


def joint_potential(
    values: IntArray, sizes: Sequence[int], *, rng: np.random.Generator, settings: CalibrationSettings | None = None
) -> AttributeCalibration:
    """N(a) alone, from attributes `values [N, K]` that are known: which values occur together.

    Its hidden layer is where a deep kernel over these attributes starts (Appendix C).

    >>> hats = np.array([[0, 0], [1, 1]] * 200)
    >>> found = joint_potential(hats, [2, 2], rng=np.random.default_rng(0))
    >>> alike, apart = found.potential(one_hot(np.array([[0, 0], [0, 1]]), [2, 2]))
    >>> bool(alike > apart)
    True
    """
    use = settings or CalibrationSettings()
    codes = np.asarray(values, dtype=np.int64)
    if codes.ndim != 2 or codes.shape[1] != len(sizes) or len(codes) < 2:
        raise InputError("values", f"be [N, {len(sizes)}], of at least 2 items", f"shape {codes.shape}")
    order = rng.permutation(len(codes))
    held = codes[order[: min(max(1, round(use.held_out * len(order))), _ITEMS_AT_ONCE)]]
    train = codes[order[len(held) :]]
    learner = _Trainee(list(sizes), np.ones(len(sizes), bool), True, use, rng)

    def batches() -> tuple[FloatArray, IntArray, Any]:
        y = train[rng.integers(len(train), size=(use.check, use.batch))]
        return np.zeros((*y.shape[:2], sum(sizes))), y, np.ones(y.shape[:2])

    best = _until_no_gain(learner, batches, (np.zeros((len(held), sum(sizes))), held), use)
    return AttributeCalibration(np.zeros(len(sizes)), (best[1], best[2], best[3]))


def _until_no_gain(
    learner: _Trainee, batches: Callable[[], tuple[FloatArray, IntArray, Any]], held: tuple[FloatArray, IntArray],
    use: CalibrationSettings,
) -> list[FloatArray]:  # fmt: skip
    """Train until the held-out items' loss has not fallen for `use.patience` checks; the best values."""
    best, best_loss, strikes = learner.values(), np.inf, 0
    for _ in range(use.steps // use.check):
        learner.train(*batches())
        loss = learner.loss(*held)
        if loss < best_loss - 1e-4:
            best, best_loss, strikes = learner.values(), loss, 0
        elif (strikes := strikes + 1) >= use.patience:
            break
    return best


class _Trainee:
    """The variables and their compiled training loop."""

    def __init__(
        self, sizes: list[int], free: Any, joint: bool, use: CalibrationSettings, rng: np.random.Generator
    ) -> None:
        tf = tensorflow()
        total, hidden = sum(sizes), use.hidden
        start = [
            np.zeros(len(sizes)),
            rng.standard_normal((total, hidden)) * np.sqrt(2 / len(sizes)),
            np.zeros(hidden),
            np.zeros(hidden),
        ]
        self._variables = [tf.Variable(value) for value in start]
        owner = np.repeat(np.arange(len(sizes)), sizes)
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        widest = max(sizes)
        slots = np.minimum(firsts[:, None] + np.arange(widest), total - 1)  # [K, V], clipped where there is no value
        missing = np.where(np.arange(widest) < np.array(sizes)[:, None], 0.0, IMPOSSIBLE)
        weight = free / free.sum()

        def losses(x: Any, y: Any, kept: Any) -> Any:
            """Mean over free attributes of -log P(a_k | the others, x) `[n]`; N only where `kept`."""
            t, into, bias, out = self._variables
            here = tf.gather(into, y + firsts)  # [n, K, H]: each attribute's own value
            base = tf.reduce_sum(here, 1) + bias
            swapped = base[:, None] - tf.gather(here, owner, axis=1) + into  # one value replaced by another [n, T, H]
            joint_part = tf.linalg.matvec(tf.nn.relu(swapped), out) * kept[:, None]
            logits = tf.gather(tf.exp(t), owner) * x + joint_part
            log_p = tf.nn.log_softmax(tf.gather(logits, slots, axis=1) + missing, axis=-1)
            return -tf.reduce_sum(tf.gather(log_p, y, batch_dims=2) * weight, -1)

        moments = [[tf.Variable(np.zeros(v.shape)) for v in start] for _ in range(2)]
        taken = tf.Variable(0.0, dtype=tf.float64)
        adam = [tf.constant(c, tf.float64) for c in (use.learning_rate, BETA_1, BETA_2, EPSILON)]

        def train(x: Any, y: Any, kept: Any) -> Any:
            def one_step(step: Any) -> Sequence[Any]:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(losses(x[step], y[step], kept[step]))
                taken.assign_add(1.0)
                for w, m, v, slope in zip(self._variables, *moments, tape.gradient(loss, self._variables), strict=True):
                    tf.raw_ops.ResourceApplyAdam(
                        var=w.handle, m=m.handle, v=v.handle, beta1_power=BETA_1**taken, beta2_power=BETA_2**taken,
                        lr=adam[0], beta1=adam[1], beta2=adam[2], epsilon=adam[3], grad=slope,
                    )  # fmt: skip
                return ()

            repeated(tf.shape(x)[0], one_step)

        spec, values = tf.TensorSpec, len(sizes)
        blocks = [spec([None, None, total], tf.float64), spec([None, None, values], tf.int64)]
        self._train = tf.function(train, input_signature=[*blocks, spec([None, None], tf.float64)], autograph=False)
        self._losses, self._joint = losses, joint

    def train(self, x: FloatArray, y: IntArray, kept: Any) -> None:
        tf = tensorflow()
        self._train(tf.constant(x), tf.constant(y, tf.int64), tf.constant(kept, tf.float64))

    def loss(self, x: FloatArray, y: IntArray) -> float:
        kept = np.full(len(x), float(self._joint))
        return float(np.mean(self._losses(x, y, kept)))

    def values(self) -> list[FloatArray]:
        return [v.numpy() for v in self._variables]
