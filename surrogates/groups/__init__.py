"""Posteriors of groups: Beta accuracies, Dirichlet confusion columns, and the prior that groups share."""
