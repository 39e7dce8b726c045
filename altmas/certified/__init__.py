"""The certified method: known chances, a belief out of fold, and surprises that correct it. Unbiased by design.

`state.advance` is the only way its state changes; the loop, an audit's replay and a log all go through it. The
mathematics of estimates is in `design` and `wald`, that of intervals for all looks in `betting`, `stakes` and `macro`;
what can be asked of the labels is in `findings`.
"""
