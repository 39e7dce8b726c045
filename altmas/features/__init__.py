"""Numbers made of the things people have: texts, images, and tables of mixed columns, by scikit-learn.

Everything here is a pure function of the items: the same items give the same numbers, in whatever order they come, and
what a model said is never among them. Which columns may be used at all is decided where they are read, in `formats`;
what is learnt from features is `beliefs`.
"""
