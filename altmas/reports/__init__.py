"""Reports of an audit: one file as HTML, Markdown or JSON.

`facts*` gather everything a report says as plain data, which is the JSON report; `tables`, `figures` and `view` lay it
out, `html` and `markdown` write it. Nothing is estimated here: numbers come from an audit's findings, sentences from
`words`, pictures from `plots`.
"""
