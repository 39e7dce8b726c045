"""Reading and writing files: tables, arrays, Label Studio, and what comes back from the people who label.

`ingest` leads from the files people have to a pool, `returned` and `matching` from returned labels to answers, and
`writing` from a table to a file. Audits and methods are unknown here; what an audit keeps on disk is in `audits`.
"""
