"""What several annotators' answers to one item make of its label. Nothing here knows a pool or a model under test."""
