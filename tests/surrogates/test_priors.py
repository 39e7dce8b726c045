"""The fixed priors of groups: one place for the informed one."""

import numpy as np

import altmas
from altmas.bandits.belief import belief_for
from altmas.bandits.tasks import arms_for
from altmas.experiments.active_bayesian.groups import GroupOutcomes
from altmas.experiments.active_bayesian.ranking import prior_of
from altmas.surrogates.groups.hierarchical import regressor
from altmas.surrogates.groups.priors import SURE, informed, uniform


def test_a_score_of_one_is_not_certain():
    got = informed(np.array([1.0, 0.0, 0.4]), 3.0)
    np.testing.assert_allclose(got, [[3 - 3 * SURE, 3 * SURE], [3 * SURE, 3 - 3 * SURE], [1.2, 1.8]])
    assert uniform(2, 4.0).tolist() == [[2, 2], [2, 2]]


def test_assess_experiments_and_the_learnt_prior_take_scores_alike(rng):
    said, sure = np.repeat([0, 1], 20), np.repeat([1.0, 0.6], 20)
    pool = altmas.Pool.build(said, scores=sure)
    belief = belief_for("informed", 2.0, pool, arms_for(altmas.EstimateGroups(), pool))
    belief.update(altmas.core.answers.Answers())
    ours = belief.alpha(rng)[0]
    studied = prior_of(
        "informed", GroupOutcomes(("0", "1"), np.ones((2, 2), int), np.ones(2) / 2, np.array([1.0, 0.6]))
    )
    np.testing.assert_allclose(ours, studied)
    np.testing.assert_allclose(ours, informed([1.0, 0.6]))
    np.testing.assert_allclose(np.diff(regressor([1.0, 0.6], 2)), np.log(1.5) - np.log((1 - SURE) / SURE))
