"""What opinions saved: the labels that the same width would have taken without them, from the same answers."""

from __future__ import annotations

from dataclasses import replace

from altmas.beliefs.cross_fit import cross_fit_on
from altmas.certified.estimator import labels_for
from altmas.certified.features_worth import share_of_error
from altmas.certified.setup import linearised
from altmas.certified.state import WEIGHTING, State
from altmas.core.findings import OpinionsWorth


def opinions_worth(state: State) -> OpinionsWorth | None:
    """Believe once more from the same answers as if nobody had had an opinion; None where nobody has.

    What is expected of the error with opinions and without tells the labels. That without them the questions would
    have been drawn less well is left out, so that it is rather said too low. It costs as much as a refit.
    """
    setup, answers = state.setup, state.labels
    pool = setup.job.pool
    if not pool.opinions or not len(answers) or len(answers) >= pool.size:
        return None
    earlier = pool.earlier
    if earlier is not None:
        earlier = replace(earlier, outputs=earlier.outputs[: len(pool.outputs)])
    without = replace(pool, opinions=(), earlier=earlier)
    weights = state.inclusion[answers.items] ** -WEIGHTING
    learnt = cross_fit_on(without, setup.job.seed, setup.recipe.learners).fit(answers, weights / weights.mean())
    now = replace(state.sample(), linearised={}, known=None, drawn_then=None)
    alone = replace(now, belief=learnt.belief, tallied=[])
    count = len(setup.targets)
    share = share_of_error(linearised(setup.targets, now)[:count], linearised(setup.targets, alone)[:count], now)
    labels = len(answers)
    needed = labels if share >= 1 else labels_for(1.0, labels, pool.size, share)
    return OpinionsWorth(share, tuple(one.name for one in pool.opinions), labels, needed)
