"""Refusals: a status and a sentence, for whoever asked."""

from __future__ import annotations


class RefusedError(Exception):
    """A request that is not answered as asked.

    >>> RefusedError(404, "There is nothing here.").status
    404
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
