"""The certified method against the field: a sweep over all audit pools, its report, and studies of its intervals.

The method itself lives in `altmas.certified`, the pools in `data`; sweeps and cases run in `bench`.
"""
