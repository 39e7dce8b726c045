"""Experiments on people who answer: wrong annotators with second readings, and questions that are skipped."""
