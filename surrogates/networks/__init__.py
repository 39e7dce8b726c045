"""Surrogates that learn labels from features and give draws, as ALT-MAS needs them.

`mc_dropout` has the two classifiers for users; `architectures` their layers as pure functions, `network` their compiled
training; `drawing` the protocol for anything that draws, and scikit-learn ensembles; `agreement` chooses pseudo-labels
and `tuning` searches settings. Beliefs without features are in `outputs`.
"""
