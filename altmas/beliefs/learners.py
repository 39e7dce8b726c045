"""Which learners on features take part, by name or brought by the user, bound to a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from altmas.beliefs.on_features import view_of
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError

if TYPE_CHECKING:
    from altmas.surrogates.learners.blend import Blend
    from altmas.surrogates.learners.protocol import Learner

Learners = str | Sequence[Any]
"""`"auto"`, or names and instances."""

AUTO = "auto"
QUICK = ("kernel", "linear", "neighbours")
NAMES = (*QUICK, "network")


def learners_on(pool: Pool, chosen: Learners = AUTO) -> Blend | None:
    """The learners bound to a pool's features, weighted as one; None where there are no features, or no learners.

    `chosen` is `"auto"`, all of ours, of which the network is tried now and then and takes part while it pays; or names
    and instances: learners, or any classifier of scikit-learn.

    >>> import numpy as np
    >>> pool = Pool.build([0, 1, 1], features=np.eye(3))
    >>> learners_on(pool, ["kernel", "neighbours"]).names
    ['kernel', 'neighbours']
    """
    members = [as_learner(one) for one in _listed(chosen)]
    names = [one.name for one in members]
    if len(set(names)) < len(names):
        raise InputError("learners", "have different names", ", ".join(names))
    if pool.features is None or not members:
        return None
    from altmas.surrogates.learners.blend import Blend
    from altmas.surrogates.learners.space import Space

    on_trial = frozenset(one.name for one in members if not one.quick) if chosen == AUTO else frozenset()
    by_name = all(isinstance(one, str) for one in _listed(chosen))
    bound = _BOUND.setdefault(pool, {})
    key = (tuple(names), on_trial)
    if key in bound and by_name:
        return bound[key]
    space = Space(view_of(pool), pool.size)
    made = Blend(names, [one.bind(space) for one in members], on_trial)
    if by_name:
        bound[key] = made
    return made


_BOUND: WeakKeyDictionary[Pool, dict[Any, Blend]] = WeakKeyDictionary()
"""Ours are made once for a pool: components and graphs take seconds, and depend on nothing else."""


def _listed(chosen: Learners) -> Sequence[Any]:
    if isinstance(chosen, str) and chosen == AUTO:
        return NAMES
    if isinstance(chosen, str) or not isinstance(chosen, Sequence):
        hint = f"Write learners=[{chosen!r}]." if chosen in NAMES else ""
        raise InputError("learners", f"be {AUTO!r}, or a list of names and classifiers", repr(chosen), hint)
    return chosen


def as_learner(one: Any) -> Learner:
    """A learner by name, an instance of one, or any classifier of scikit-learn.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> as_learner("linear").name, as_learner(GaussianNB()).name
    ('linear', 'GaussianNB')
    """
    if isinstance(one, str):
        if one not in NAMES:
            raise InputError("learner", f"be one of {', '.join(NAMES)}, or a classifier of scikit-learn", repr(one))
        return _makers()[one]()
    if hasattr(one, "bind") and hasattr(one, "name"):
        learner: Learner = one
        return learner
    from altmas.surrogates.learners.classifier import Classifier

    return Classifier(one)


def _makers() -> dict[str, Callable[[], Learner]]:
    from altmas.surrogates.learners.kernel import Kernel, linear_probe
    from altmas.surrogates.learners.neighbours import Neighbours
    from altmas.surrogates.learners.network import FoldNetwork

    return {"kernel": Kernel, "linear": linear_probe, "neighbours": Neighbours, "network": FoldNetwork}
