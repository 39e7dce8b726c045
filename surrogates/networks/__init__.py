"""Learners on features that give draws: MC-dropout networks, ensembles, the agreement classifier, and tuning."""
