"""The labelling page: a small server on this machine for the people who answer, and nobody else.

`server` starts it, `opening` opens the browser, `connections` and `logs` bound what strangers can do to it, `doors`
lets people in, `guards` checks every request, `wire` reads what the page sends, `desk` hands out questions and takes
answers, `guidelines` sets the auditor's text, `refits` runs a refit beside it. `static` holds what the browser loads.
Nothing is decided here about what to ask: that is the audit's.
"""
