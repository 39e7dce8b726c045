"""Images are known by their contents; of very many, a part that nobody can choose."""

import json

import pytest

from altmas.audits import media_files
from altmas.audits.audit import Audit
from altmas.audits.verification import verify_folder
from altmas.core.pool import Pool


@pytest.fixture
def images(tmp_path):
    (tmp_path / "images").mkdir()
    paths = [tmp_path / "images" / f"{k}.png" for k in range(60)]
    for k, path in enumerate(paths):
        path.write_bytes(b"image %d" % k)
    return paths


def make(folder, paths):
    with Audit.create(folder, Pool.build(["cat", "dog"] * 30), metrics="accuracy", media=paths) as audit:
        return audit.created.body


def test_every_image_is_hashed_when_the_audit_is_made(tmp_path, images):
    body = make(tmp_path / "audit", [str(one) for one in images])
    assert body["media"] == {"files": 60, "hashed": 60}
    assert verify_folder(tmp_path / "audit").ok
    images[7].write_bytes(b"image 8")
    assert verify_folder(tmp_path / "audit").problems == (
        "images were changed after the audit was made, those of 1 item, such as '7'",
    )
    images[7].unlink()
    assert verify_folder(tmp_path / "audit").problems == ("images are missing for 1 item, such as '7'",)


def test_the_list_of_hashes_is_watched_itself(tmp_path, images):
    make(tmp_path / "audit", [str(one) for one in images])
    path = tmp_path / "audit" / "pool" / media_files.MEDIA_FILE
    held = json.loads(path.read_text())
    path.write_text(json.dumps(dict.fromkeys(held, None)))
    assert verify_folder(tmp_path / "audit").problems == ("file pool/media.json was changed after the audit was made",)


def test_items_may_share_images_or_have_none(tmp_path, images):
    paths = [None if k % 3 == 0 else str(images[k // 2]) for k in range(60)]
    body = make(tmp_path / "audit", paths)
    assert body["media"]["files"] == body["media"]["hashed"] == len({one for one in paths if one})
    assert verify_folder(tmp_path / "audit").ok
    assert make(tmp_path / "without", None)["media"] == {"files": 0, "hashed": 0}
    assert not (tmp_path / "without" / "pool" / media_files.MEDIA_FILE).exists()


@pytest.mark.parametrize(("bound", "value", "least"), [("MOST_FILES", 12, 12), ("MOST_BYTES", 80, 9)])
def test_of_too_many_a_part_is_hashed_and_the_event_says_so(tmp_path, images, monkeypatch, bound, value, least):
    monkeypatch.setattr(media_files, bound, value)
    paths = [str(one) for one in images]
    body = make(tmp_path / "audit", paths)
    hashed = body["media"]["hashed"]
    assert body["media"]["files"] == 60
    assert least <= hashed < 20
    assert list(media_files.hash_media(paths)) == list(media_files.hash_media(paths[::-1]))
    for one in images:  # whatever was hashed is seen to have changed; the rest is only seen to be there
        one.write_bytes(b"other " + one.read_bytes())
    assert f"those of {hashed} items" in verify_folder(tmp_path / "audit").problems[0]


def test_an_image_that_could_not_be_read_at_first_is_no_problem_later(tmp_path, images):
    images[3].unlink()
    make(tmp_path / "audit", [str(one) for one in images])
    assert verify_folder(tmp_path / "audit").problems == ("images are missing for 1 item, such as '3'",)
    images[3].write_bytes(b"here it is")
    assert verify_folder(tmp_path / "audit").ok
