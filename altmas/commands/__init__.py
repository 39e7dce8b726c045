"""The commands of `altmas`: each reads its options, asks an audit, and prints a table, a sentence or JSON.

A file holds the commands of one occasion: setting an audit up, labelling, exchanging files, looking at results,
surfaces, keeping the record, saving it for a bad day. `shared` has what they have in common. Nothing is computed here;
`altmas.cli` puts the commands together. They import what they need when they run, so that `altmas --help` is instant.
"""
