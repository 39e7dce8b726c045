"""Pools with every label known, and what they are made of: images, stored outputs of networks and services.

Reads files and bundled data sets, checks what they are, and trains nothing. It imports no other room of experiments.
"""
