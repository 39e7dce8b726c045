"""Experiments on clusters: pools that are samples of patients, whose items are right or wrong together."""
