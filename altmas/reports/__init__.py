"""Reports of an audit: one file as HTML, Markdown or JSON.

`facts*` gather everything a report says as plain data, which is the JSON report; `tables`, `figures` and `view` make of
it what is shown, `templates` lay it out, `writing` writes it. Nothing is estimated here: numbers come from an audit's
findings, sentences from `words`, pictures from `plots`.
"""
