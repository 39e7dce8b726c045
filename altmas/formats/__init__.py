"""Files in and out: tables, arrays, images, Label Studio, and what comes back from the people who label.

Reading finds out which columns are ids, predictions and scores, matches files by id, and refuses what does not fit with
row numbers; writing goes by the ending of the file's name. What the columns mean for an assessment is decided in
`core.pool`, and events of an audit are kept by `audits.store`, not here.
"""
