"""The active Bayesian assessment papers: their tables and figures."""
