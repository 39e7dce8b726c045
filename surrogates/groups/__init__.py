"""Posteriors of groups from counts of right and wrong answers.

`beta_posterior` holds accuracies, `dirichlet_posterior` confusion columns, and `hierarchical` learns the prior that
groups share. Which group is asked about next is decided in `altmas.bandits`, not here.
"""
