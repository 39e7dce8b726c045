"""Which of several models is best: regret of the methods that look for it, on public predictions.

It may import everything, and nobody imports it.
"""
