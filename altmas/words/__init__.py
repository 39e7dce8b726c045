"""Every sentence people read: verdicts, promises, warnings, and the wording of estimates, groups, models and surfaces.

A sentence is made here from numbers that others computed, so that the command line, the page, the report and Python
say the same thing in the same words. Nothing is estimated here. `wording` writes numbers and names, `language` says
all of it in another language; the other files are about one subject each.
"""
