"""Experiments on metrics of scores: how much better than random sampling, and whether their intervals hold."""
