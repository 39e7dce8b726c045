"""Estimators of accuracy surfaces: the accuracy of every combination of attributes, an arm each.

`estimators` makes them by name: `beta_independent`, `correctness_predictor`, and Gaussian processes (`gp`,
`likelihood`, `beta_mixture`, `pooling`). For attributes that are only guessed there are `attribute_calibration`,
`affiliation` and `imputed_surface`. What the arms are, and which to explore, `altmas.surfaces` decides.
"""
