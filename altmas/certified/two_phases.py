"""The pool as a sample of a larger whole: what that first phase adds to the variance of an estimate.

Of the N_h rows of stratum h the pool has n_h, every subset alike, and item i stands for w_i = N_h / n_h of them. With
g_i the influence of all rows that item i stands for, w_i times that of one, and p_i its chance of having been asked
about, the estimate is

    D = const + sum_i z_i,      z_i = E g_i + 1[i answered] (g_i(y_i) - E g_i) / p_i,

and E z_i = g_i(y_i) over the draws in the pool, which are independent of each other. So D has the variance of the
design, sum_i (1 - p_i) r_i^2 / p_i, which `design.py` knows, and that of the first phase,

    sum_h N_h^2 (1 - n_h / N_h) S_h^2 / n_h,      S_h^2 the variance of one row's influence g_i(y_i) / w_i within h.

It has the estimate, without bias,

    B = sum_h (1 - n_h / N_h) ( n_h / (n_h - 1) sum_{i in h} (z_i - mean z)^2 - v_h ),

with v_h the variance of the design that the answers in h show: the squares have the design's part in them, which is
taken off and not counted twice. Strata that were taken whole add nothing. Of few answers B is rough, and may even be
negative: it is never taken for less than what the belief expects of it,

    sum_h (1 - n_h / N_h) ( n_h / (n_h - 1) sum_{i in h} (E g_i - mean E g)^2 + sum_{i in h} Var g_i ).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from altmas.certified.clustered import UNSEEN_DEGREES, Between
from altmas.core.first_phase import FirstPhase
from altmas.core.targets import Target
from altmas.metrics.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from altmas.certified.design import Linearised
    from altmas.certified.sample import Sample


def whole_sample(at: Linearised, sample: Sample, shown: FloatArray, labels: float, surprises: float) -> Between | None:
    """What it adds that the pool is a sample of a whole; None where it is none, or has all rows that take part.

    `shown [n]` is what each answer adds to the variance of the design; `labels` took part, in labels of an endless
    pool, and so many of them were `surprises`.
    """
    phase = at.first_phase
    if phase is None:
        return None
    items = sample.answers.items
    z = at.mean.copy()
    z[items] += at.counted(sample) / sample.inclusion[items]
    left = _left_out(phase)
    squares = left[phase.stratum] * _squares(phase, z)
    total, fourth = float(squares.sum()), float(np.square(squares).sum())
    found = total - float(left[phase.stratum[items]] @ shown)
    alone = float(left[phase.stratum] @ (_squares(phase, at.mean) + at.variance))
    if max(found, alone) <= 0:
        return None
    degrees = total**2 / fourth if fourth > 0 else 0.0
    if found < alone:  # the answers have not shown it yet
        degrees = max(degrees, UNSEEN_DEGREES)
    return Between(max(found, alone), degrees, labels, surprises)


def spread_of_cells(target: Target, sample: Sample, one_hot: FloatArray) -> FloatArray | None:
    """The same for every cell's count `[C, P]`; None where the pool is no sample of a whole."""
    phase = target.first_phase
    if phase is None:
        return None
    items, left = sample.answers.items, _left_out(phase)
    inclusion = sample.inclusion[items, None]
    belief = sample.belief
    inside = target.columns >= 0
    pairs, place = np.unique(phase.stratum[inside] * target.width + target.columns[inside], return_inverse=True)
    of = np.full(len(inside), -1)
    of[inside] = place
    stratum, column = np.divmod(pairs, target.width)
    cells = Target(target.name, target.metric, of, len(pairs), first_phase=phase)  # a column per stratum and column
    told = one_hot if sample.corrected is None else sample.corrected.counted(one_hot)
    believed = sample.of_answers
    surprise = (told - believed) / inclusion
    z = cells.believed(belief)
    mean, squares, doubt = z.copy(), np.zeros_like(z), np.zeros_like(z)
    for rows, p in belief.blocks():
        squares = squares + cells.tally(np.square(p), rows, 2)
        doubt = doubt + cells.tally(p * (1 - p), rows, 2)
    z = z + cells.tally(surprise, items)
    asked = squares + cells.tally(np.square(surprise + believed) - np.square(believed), items, 2)
    by_design = cells.tally((1 - inclusion) * np.square(surprise), items, 2)
    taken = np.maximum(phase.taken, 1)[stratum]
    more = taken / np.maximum(taken - 1, 1)
    found = more * (asked - np.square(z) / taken) - by_design
    alone = more * (squares - np.square(mean) / taken) + doubt
    # A stratum's squares are summed before the two are compared: of one alone they are rough.
    of_column = np.zeros((len(pairs), target.width))
    of_column[np.arange(len(pairs)), column] = left[stratum]
    return np.asarray(np.maximum(np.maximum(found @ of_column, alone @ of_column), 0.0))


def rows_alike(phase: FirstPhase, inclusion: FloatArray, items: IntArray) -> FloatArray:
    """The chance of one row of the whole to have been asked about, for each of these items `[n]`."""
    return np.asarray(inclusion / phase.weights[items])


def settled(phase: FirstPhase, member: BoolArray) -> bool:
    """Whether these items are all the rows of the whole that they stand for: with them labelled nothing is left.

    >>> settled(FirstPhase(np.array([0, 0, 1]), np.array([9, 1]), ("a", "b")), np.array([False, False, True]))
    True
    """
    return bool((phase.weights[member] == 1).all())


def _left_out(phase: FirstPhase) -> FloatArray:
    """The share of each stratum's rows that were not drawn `[H]`."""
    return np.asarray(1 - phase.taken / np.maximum(phase.rows, 1))


def _squares(phase: FirstPhase, values: FloatArray) -> FloatArray:
    """n / (n - 1) times each value's squared distance from the mean of its stratum `[N]`."""
    taken = np.maximum(phase.taken, 1)
    mean = np.bincount(phase.stratum, values, len(taken)) / taken
    return np.asarray(np.square(values - mean[phase.stratum]) * (taken / np.maximum(taken - 1, 1))[phase.stratum])
