"""Groups as arms of a bandit: active Bayesian assessment, and its hierarchical prior.

`tasks` says what may be asked about groups, `rewards` what a pull is worth, `rules` which arm comes next, `belief` what
is known of the arms; `lockstep` runs many replicates at once. Posteriors themselves live in `surrogates.groups`.
"""
