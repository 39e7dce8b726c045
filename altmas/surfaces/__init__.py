"""Accuracy surfaces: how accurate the model under test is for every combination of attributes.

`combinations` and `membership` say what the arms are and which items belong to them, `counts` what the answers are
worth, `recipe` how a surface is fitted, `exploration` and `method` what is asked next, `surface` what was found. The
estimators themselves live in `surrogates.surface`, the sentences in `words.surfaces`, the pictures in `plots`.
"""
