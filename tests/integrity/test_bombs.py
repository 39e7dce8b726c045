"""Files made to exhaust a machine are refused by a sentence, in a gigabyte of memory, each in a process of its own."""

import os

import numpy as np
import pytest

from worlds import bombs
from worlds.commands import fill, told

BOMBS = {
    bombs.repeated_text: "a.parquet must unpack to at most",
    bombs.repeated_text_in_lists: "a.parquet must unpack to at most",
    bombs.repeated_bytes: "a.parquet must unpack to at most",
    bombs.repeated_numbers: "a.parquet must unpack to at most 100 times its size",
    bombs.one_long_list: "a.parquet must unpack to at most 100 times its size",
    bombs.parquet_of_many_columns: "a.parquet must have at most 30,000 columns; got 100,000.",
    bombs.zeros_in_npz: "a.npz must unpack to at most 100 times its size; got 1,610,612,",
    bombs.npz_that_claims: "array 'id' of a.npz must hold what its header claims, shape (1000000000000,)",
    bombs.wide_npz: "a.npz must have at most 30,000 columns; got 1,000,001.",
    bombs.csv_of_many_columns: "a.csv must have at most 30,000 columns; got 50,002.",
    bombs.unclosed_quote: "row 2 of a.csv must have at most 16,777,216 characters in a cell",
    bombs.many_quotes: "row 2 of a.csv must have at most 16,777,216 characters in a cell",
    bombs.one_long_header: "row 1 of a.csv must have at most 16,777,216 characters in a cell",
    bombs.a_hole: "a.csv must be text; got a stretch of NUL characters.",
    bombs.deep_json: "a.json must be JSON; got RecursionError",
    bombs.digits: "line 1 of a.jsonl must be JSON; got ValueError",
    bombs.keys_of_their_own: "a.jsonl must unpack to at most 100 times its size",
    bombs.one_long_line: "line 1 of a.jsonl must have at most 16,777,216 characters; got 104,857,",
    bombs.classes_without_end: "classes must be at most 1,073; got 1,000,000 for 1,000,000 items. Is it the right column?",
}


def refusal(sentence, *arguments, cwd):
    """The command is refused by this sentence, in bounded memory."""
    spent = bombs.run(*arguments, cwd=cwd)
    print(f"{spent.seconds:.2f} s, {spent.bytes / bombs.MIB:.0f} MiB: {spent.said.strip()[:200]}")
    assert spent.code == 2, spent
    assert spent.said.startswith(f"Error: {sentence}"), spent
    assert spent.bytes < bombs.ROOM


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_of_predictions(tmp_path, bomb):
    path = bomb(tmp_path)
    print(f"{bomb.__name__}: {path.stat().st_blocks / 2048:.2f} MiB on disk", end="; ")
    refusal(BOMBS[bomb], "init", "audit", "--predictions", path, cwd=tmp_path)
    assert not (tmp_path / "audit").exists()
