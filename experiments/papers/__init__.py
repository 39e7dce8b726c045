"""The four papers on one page: every table and figure as a row beside ours, and the runs behind all of them.

The only part of this room that imports several studies; each study's numbers are worked out by itself.
"""
