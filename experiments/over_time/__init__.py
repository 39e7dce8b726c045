"""Experiments on audits over time: two of them compared, and one renewed from another."""
