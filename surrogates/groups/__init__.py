"""Posteriors of groups from counts of right and wrong answers.

`priors` holds the fixed priors, `beta_posterior` accuracies, `dirichlet_posterior` confusion columns, `hierarchical`
the prior that groups share, learnt. Which group is asked about next is decided in `altmas.bandits`, not here.
"""
