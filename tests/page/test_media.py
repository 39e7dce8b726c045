"""Images: of their own type, found by a secret name alone, never outside their folder."""

import base64
import os

import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.page import media
from altmas.page.names import Names
from worlds.page import (
    ANIMALS,
    Served,
    draw_image,
    fails_until,
)


@pytest.fixture
def pictured(tmp_path):
    home = (tmp_path / "images").resolve()
    home.mkdir()
    kinds = {"a.png": "PNG", "a.jpg": "JPEG", "a.gif": "GIF", "a.webp": "WEBP", "a.bmp": "BMP"}
    for name in kinds:
        draw_image(home / name)
    (home / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    (home / "a.html").write_text("<script>alert(1)</script>")
    (home / "html.png").write_text("<html><script>alert(1)</script>")
    (home / "a.txt").write_text("BM is how this text begins, and yet it is no bitmap at all")
    (home / "polyglot.gif").write_bytes(b"GIF89a/*<script>alert(1)</script>*/=1")
    names = sorted(path.name for path in home.iterdir())
    pool = Pool.build(["cat"] * len(names), ids=names, classes=list(ANIMALS))
    folder = tmp_path / "audit"
    Audit.create(folder, pool, metrics=["accuracy"], method="random", media=[str(home / n) for n in names]).close()
    with Served(folder) as served, served.client() as client:
        secret = Names((folder / "page.key").read_bytes(), len(names))

        def get(name):
            return client.get("/media/" + secret.name(names.index(name)))

        yield home, get, client


def test_images_have_their_own_type(pictured):
    home, get, _ = pictured
    for name, kind in [("png", "png"), ("jpg", "jpeg"), ("gif", "gif"), ("webp", "webp"), ("bmp", "bmp")]:
        got = get(f"a.{name}")
        assert (got.status_code, got.headers["content-type"]) == (200, f"image/{kind}")
        assert got.content == (home / f"a.{name}").read_bytes()
    assert get("polyglot.gif").headers["content-type"] == "image/gif"
    assert get("polyglot.gif").headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["a.svg", "a.html", "html.png", "a.txt"])
def test_what_is_no_image_is_not_sent(pictured, monkeypatch, name):
    home, get, _ = pictured

    def attack():
        got = get(name)
        return got.status_code != 415 and (home / name).read_bytes() in got.content

    fails_until(monkeypatch, attack, media, "image_type", lambda head: "text/html")


@pytest.mark.parametrize(
    "name",
    [
        "0",
        "3",
        "a.png",
        "../page.key",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e%2fetc%2fpasswd",
        "/etc/passwd",
        "A" * 32,
        "%00",
        "%ff",
    ],
)
def test_images_are_found_by_name_alone(pictured, name):
    _, _, client = pictured
    got = client.get("/media/" + name)
    assert got.status_code == 404
    assert "root:" not in got.text


def test_names_cannot_be_made_up(pictured, monkeypatch):
    _, _, client = pictured

    def attack():
        return client.get("/media/3").status_code == 200

    fails_until(monkeypatch, attack, Names, "position", lambda self, name: int(name))


def test_names_of_one_audit_are_nothing_to_another():
    names, others = Names(b"a" * 32, 1000), Names(b"b" * 32, 1000)
    assert [names.position(names.name(k)) for k in range(1000)] == list(range(1000))
    assert all(others.position(names.name(k)) is None for k in range(1000))
    flipped = bytearray(base64.urlsafe_b64decode(names.name(7)))
    flipped[-1] ^= 1
    assert names.position(base64.urlsafe_b64encode(flipped).decode()) is None


def test_names_tell_nothing_of_the_place():
    names = Names(b"a" * 32, 1000)
    firsts = [base64.urlsafe_b64decode(names.name(k))[-8:] for k in range(256)]
    assert len({one[:2] for one in firsts}) > 200  # a plain number would begin with zeros


def test_links_that_lead_elsewhere_are_not_followed(tmp_path, monkeypatch):
    home, secret = tmp_path.resolve() / "images", tmp_path.resolve() / "private"
    for folder in (home, secret):
        folder.mkdir()
        draw_image(folder / "0.png", seed=len(folder.name))
    pool = Pool.build(["cat"], classes=list(ANIMALS))
    audit = tmp_path / "audit"
    Audit.create(audit, pool, metrics=["accuracy"], method="random", media=[str(home / "0.png")]).close()
    with Served(audit) as served, served.client() as client:
        address = "/media/" + Names((audit / "page.key").read_bytes(), 1).name(0)
        assert client.get(address).status_code == 200
        (home / "0.png").rename(home / "1.png")
        (home / "0.png").symlink_to(secret / "0.png")
        assert client.get(address).status_code == 404
        (home / "0.png").unlink()
        (home / "1.png").unlink()
        home.rmdir()
        home.symlink_to(secret)

        def attack():
            return client.get(address).content == (secret / "0.png").read_bytes()

        fails_until(monkeypatch, attack, media, "real_path", lambda registered: registered)


def test_only_plain_files_of_some_size_are_read(tmp_path, monkeypatch):
    home = tmp_path.resolve()
    os.mkfifo(home / "pipe")
    (home / "folder").mkdir()
    for name in ("pipe", "folder", "missing"):
        with pytest.raises(Exception, match="image of this item") as caught:
            media.read_image(home / name)
        assert caught.value.status == 404
    monkeypatch.setattr(media, "LARGEST_IMAGE", 10)
    draw_image(home / "a.png")
    with pytest.raises(Exception, match="larger than"):
        media.read_image(home / "a.png")
