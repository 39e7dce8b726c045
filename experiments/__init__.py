"""The papers' experiments, rerun, and every method on real pools.

`data` has what others published or stored, `bench` the sweep engine; `alt_mas`, `active_bayesian`, `surface` and
`certified` are studies. A study imports `data` and `bench`, never another study, but for `papers`, which puts them on
one page; nothing outside imports this room.
"""
