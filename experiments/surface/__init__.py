"""The accuracy surface paper: its simple setting, simulated surfaces, noisy attributes, policies and tables.

Pools here have arms; those without are in `data`. Cases run in `bench`.
"""
