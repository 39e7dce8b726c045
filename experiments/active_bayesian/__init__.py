"""The active Bayesian assessment papers: their tables (`tables`), curves and figures, beside ours.

A table is data and a few functions: networks, cases, the paper's numbers. Cases run in `bench`.
"""
