"""Learners on what models said: evidence from scores and opinions, agreement by regression, how wrong labels split."""
