"""Image files as numbers: opened one at a time, and what cannot be read is counted, never waited for."""

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from altmas.core import image_files
from altmas.features import pictures
from altmas.features.pictures import picture_features, thumbnail


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Ten light and ten dark images, of several kinds and sizes."""
    home, rng = tmp_path_factory.mktemp("drawn"), np.random.default_rng(0)
    paths = []
    for i in range(20):
        values = rng.integers(0, 60, (40 + i, 50, 3)) + (180 if i % 2 else 0)
        paths.append(str(home / f"{i}.{('png', 'jpg', 'bmp', 'gif', 'webp')[i % 5]}"))
        Image.fromarray(values.astype(np.uint8)).save(paths[-1])
    return paths


def test_images_that_look_alike_are_near_each_other(drawn):
    found = picture_features(drawn)
    assert (found.read, found.unreadable, found.side) == (20, 0, 32)
    assert found.array.shape[1] <= 64
    distance = np.linalg.norm(found.array[:, None] - found.array[None], axis=2)
    assert distance[0, 1::2].min() > distance[0, 2::2].max()


def test_the_order_of_images_changes_nothing(drawn, rng):
    found, order = picture_features(drawn).array, rng.permutation(20)
    assert np.array_equal(picture_features([drawn[i] for i in order]).array, found[order])


def test_missing_and_broken_images_are_the_mean_and_counted(drawn, tmp_path):
    whole = Path(drawn[0]).read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.png").write_text("no image at all")
    (tmp_path / "empty.png").write_bytes(b"")
    strange = [str(tmp_path / name) for name in ("cut.png", "text.png", "empty.png", "missing.png", "a\0.png", ".")]
    found = picture_features([*drawn, *strange, None, ""])
    assert (found.read, found.unreadable) == (20, 6)
    assert np.allclose(found.array[20:], found.array[:20].mean(0), atol=1e-5)
    nothing = picture_features(strange)
    assert (nothing.array, nothing.read, nothing.unreadable) == (None, 0, 6)


def png_of(width, height):
    """A small file that claims to be a large image."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    )


def test_bombs_pipes_links_and_large_files_are_not_opened(drawn, tmp_path, monkeypatch):
    for name, size in (("wide", 60_000), ("huge", 2**31 - 1)):
        (tmp_path / f"{name}.png").write_bytes(png_of(size, size))
        assert thumbnail(str(tmp_path / f"{name}.png"), 32) is None
    (tmp_path / "link.png").symlink_to(drawn[0])
    assert thumbnail(str(tmp_path / "link.png"), 32) is None
    assert thumbnail("/dev/zero", 32) is None
    os.mkfifo(tmp_path / "pipe.png")
    assert thumbnail(str(tmp_path / "pipe.png"), 32) is None
    assert thumbnail(drawn[0], 32).shape == (32, 32, 3)
    monkeypatch.setattr(image_files, "LARGEST_IMAGE", 100)
    assert thumbnail(drawn[0], 32) is None


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "CMYK"])
def test_every_kind_of_colours(mode, tmp_path):
    light = Image.new("L", (20, 30), 255)
    image = Image.fromarray(np.full((30, 20), 65535, np.uint16)) if mode == "I;16" else light.convert(mode)
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    image.save(path)
    assert thumbnail(str(path), 8).min() >= 250


def test_what_is_transparent_is_white_and_what_lies_on_its_side_is_put_upright(tmp_path):
    Image.new("RGBA", (9, 9), (0, 0, 0, 0)).save(tmp_path / "a.png")
    assert (thumbnail(str(tmp_path / "a.png"), 4) == 255).all()
    half = np.zeros((16, 16, 3), np.uint8)
    half[:8] = 255
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.fromarray(half).save(tmp_path / "b.png", exif=turned)
    assert (thumbnail(str(tmp_path / "b.png"), 4)[:, 2:] == 255).all()


def test_of_very_many_images_smaller_ones_are_held(drawn, monkeypatch):
    monkeypatch.setattr(pictures, "MANY", 5)
    assert picture_features(drawn).side == 16


def test_images_that_are_all_alike_have_none(drawn):
    assert picture_features([drawn[0]] * 4).array is None
