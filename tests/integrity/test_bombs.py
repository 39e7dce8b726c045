"""Files made to exhaust a machine are refused by a sentence, in a gigabyte of memory, each in a process of its own."""

import os

import numpy as np
import pytest

from worlds import bombs

BOMBS = {
    bombs.repeated_text: "a.parquet must unpack to at most",
    bombs.repeated_text_in_lists: "a.parquet must unpack to at most",
    bombs.repeated_bytes: "a.parquet must unpack to at most",
    bombs.repeated_numbers: "a.parquet must unpack to at most 100 times its size",
    bombs.one_long_list: "a.parquet must unpack to at most 100 times its size",
    bombs.parquet_of_many_columns: "a.parquet must have at most 30,000 columns; got 40,000.",
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
    bombs.classes_without_end: "classes must be at most 1,073; got 1,000,000 for 1,000,000 items. Is it the right",
}


def refusal(sentence, *arguments, cwd):
    """The command is refused by this sentence, in bounded memory."""
    spent = bombs.run(*arguments, cwd=cwd)
    print(f"{spent.seconds:.2f} s, {spent.bytes / bombs.MIB:.0f} MiB: {spent.said.strip()[:200]}")
    assert spent.code == 2, spent
    assert spent.said.startswith(f"Error: {sentence}"), spent
    assert spent.bytes < bombs.ROOM


@pytest.fixture
def sound(tmp_path):
    """A file of predictions with nothing wrong."""
    return bombs.written(tmp_path / "sound.csv", "id,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20)))


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_of_predictions(tmp_path, bomb):
    path = bomb(tmp_path)
    print(f"{bomb.__name__}: {path.stat().st_blocks / 2048:.2f} MiB on disk", end="; ")
    refusal(BOMBS[bomb], "init", "audit", "--predictions", path, cwd=tmp_path)
    assert not (tmp_path / "audit").exists()


@pytest.mark.parametrize(
    ("shape", "held", "sentence"),
    [
        ((20, 10**11), 80, "x.npy must be a numpy array; got ValueError: mmap length"),
        ((10**8, 4), 32 * 10**8, "{} must be one row per item; got 100,000,000 {} for 20 items."),
        ((-1, 4), 80, "x.npy must be a numpy array; got ValueError: negative dimensions"),
    ],
)
@pytest.mark.parametrize("option", ["features", "scores"])
def test_an_array_that_claims_more_than_it_holds_or_holds_a_hole(tmp_path, sound, option, shape, held, sentence):
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        os.truncate(file.fileno(), file.tell() + held)
    arguments = ("init", "audit", "--predictions", sound, f"--{option}", "x.npy")
    refusal(sentence.format(option, option), *arguments, cwd=tmp_path)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("deep.json", "deep.json must be JSON; got RecursionError"),
        ("hole.json", "hole.json must be text; got a stretch of NUL characters."),
        ("pipe.csv", "pipe.csv must be a file; got a pipe."),
    ],
)
def test_a_bomb_of_answers(tmp_path, sound, kind, sentence):
    bombs.run("init", "audit", "--predictions", sound, cwd=tmp_path)
    bombs.deep_json(tmp_path, "deep.json")
    bombs.a_hole(tmp_path, "hole.json", b'[{"data": {"altmas_id": 1')
    os.mkfifo(tmp_path / "pipe.csv")
    refusal(sentence, "import", "audit", kind, cwd=tmp_path)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("pipe.csv", "pipe.csv must be a file; got a pipe."),
        ("loop.csv", "loop.csv must be a file; got a link that leads nowhere."),
        ("broken.csv", "broken.csv must be a file; got a link that leads nowhere."),
        ("zero.csv", "zero.csv must be a file; got a device or a socket."),
        (".", ". must be a file; got a folder."),
    ],
)
@pytest.mark.parametrize("option", ["--predictions", "--opinions", "--guidelines", "--features", "--items"])
def test_what_is_no_file_is_not_waited_for(tmp_path, monkeypatch, sound, option, path, sentence):
    """Those doors that click guards too say it in its words."""
    from worlds.commands import refused

    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    os.symlink("loop.csv", "loop.csv")
    os.symlink("nowhere", "broken.csv")
    os.symlink("/dev/zero", "zero.csv")
    others = () if option == "--predictions" else ("--predictions", sound)
    said = refused("init", "audit", *others, option, path)
    ours = option in ("--predictions", "--opinions") or path in ("pipe.csv", "zero.csv")
    if (option, path) == ("--items", "."):
        sentence = "images in . must be there for most items"
    elif not ours:
        sentence = f"Invalid value for '{option}': " if (option, path) != ("--features", ".") else sentence
    assert said.startswith(sentence)


def _images(folder):
    folder.mkdir()
    os.symlink("..", folder / "round")
    for i in range(20):
        if i != 3:
            (folder / f"{i}.png").write_bytes(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        os.mkdir,
        lambda path: os.symlink("3.png", path),
        lambda path: os.symlink("/dev/zero", path),
    ],
)
def test_images_that_are_no_files_are_none_and_not_waited_for(tmp_path, monkeypatch, sound, make):
    from worlds.commands import told

    monkeypatch.chdir(tmp_path)
    _images(tmp_path / "images")
    make(tmp_path / "images" / "3.png")
    said = told("init", "audit", "--predictions", sound, "--items", "images")
    assert "1 of 20 items has no image; annotators see only the id and columns: '3'" in said


def test_an_image_outside_the_folder_is_refused(tmp_path, monkeypatch, sound):
    from worlds.commands import refused

    monkeypatch.chdir(tmp_path)
    _images(tmp_path / "images")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    os.symlink("../secret.png", tmp_path / "images" / "3.png")
    sentence = "images must be inside images; got '3.png', which leads outside."
    assert refused("init", "audit", "--predictions", sound, "--items", "images") == sentence
