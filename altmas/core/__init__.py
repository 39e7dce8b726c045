"""What every room speaks in: the pool and its items, answers, groups, oracles, targets, estimates, and the one loop.

Nothing here knows a particular method. A method is what `method.py` says: it updates, chooses and estimates; a run's
`findings` answer further questions. Checks of users' input, named random streams, safe files and plug-ins live here
too, because every room needs them.
"""
