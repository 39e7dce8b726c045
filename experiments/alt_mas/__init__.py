"""The ALT-MAS paper: training its six models under test, its figures as sweeps, and the page of results.

What those models said about their images, once stored, is read in `data`; sweeps run in `bench`.
"""
