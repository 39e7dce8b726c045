"""Reports of an audit, or of a result: one file as HTML, Markdown, JSON, a workbook or PDF.

`facts*` gather everything a report says as plain data, which is the JSON report; `tables`, `figures` and `view` make of
it what is shown, `templates` lay it out, `sheets` and `workbook` make a workbook of it, `printing` has a browser print
the page, `writing` writes it. Nothing is estimated here: numbers come from an audit's
findings, or a result's, sentences from `words`, pictures from `plots`.
"""
