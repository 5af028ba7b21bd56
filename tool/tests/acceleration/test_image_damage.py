# SPDX-License-Identifier: Apache-2.0
"""Disk images that are damaged, or not what their record says: refused, and left as they are."""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from image_workspaces import image_of, needs_image_tools, write_platform
from workspaces import call

from ligament.acceleration.images import record, table


@pytest.fixture(autouse=True)
def _tools():
    needs_image_tools()


def said(capsys):
    return capsys.readouterr().err


def edit(root, old, new):
    path = root / "acceleration/firmware/toy/platform.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def damage(image: Path, at: int) -> None:
    with image.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 0xFF]))


@pytest.mark.parametrize(
    ("at", "wanted"),
    [
        (510, "it has no partition table"),
        (512 + 40, "the checksum of its GPT's header is wrong"),
        (1024 + 33, "the checksum of its partitions' entries is wrong"),
    ],
)
def test_a_damaged_table_is_refused(with_image, capsys, at, wanted):
    root, _ = with_image
    damage(image_of(root), at)
    assert call(root, "package", "--grow", "root=16M") == 2
    assert wanted in said(capsys)


def test_a_table_that_was_changed_by_another_tool_is_refused(with_image, capsys):
    root, _ = with_image
    with image_of(root).open("r+b") as file:
        found = table.read(file, "image")
        first, *rest, last = found.parts
        moved = replace(found, parts=(first, *rest, replace(last, size=last.size - 512)))
        begin, end = table.written(moved)
        file.seek(0)
        file.write(begin)
        file.seek(-len(end), os.SEEK_END)
        file.write(end)
    assert call(root, "package", "--swap-kernel", "vanilla") == 2
    assert "are not where its ligament-image.json says" in said(capsys)


def test_a_table_whose_entries_lie_outside_is_refused(with_image, capsys):
    root, _ = with_image
    with image_of(root).open("r+b") as file:
        file.seek(512)
        header = bytearray(file.read(512))
        length = struct.unpack_from("<I", header, 12)[0]
        struct.pack_into("<Q", header, 72, 1 << 63)
        struct.pack_into("<I", header, 16, 0)
        struct.pack_into("<I", header, 16, zlib.crc32(header[:length]))
        file.seek(512)
        file.write(header)
    assert call(root, "package", "--grow", "root=16M") == 2
    assert "its partitions' entries lie outside of it" in said(capsys)


def test_a_folder_in_place_of_an_image_is_told(with_image, capsys):
    root, _ = with_image
    assert call(root, "mount", "root", str(root / "x"), "--image", str(root)) == 2
    assert str(root) in said(capsys)
    assert call(root, "package", "--swap-kernel", "vanilla", "--from", str(root)) == 2
    assert "cannot be read" in said(capsys)


def test_a_device_in_place_of_an_image_is_left_alone(root, capsys):
    os.mkfifo(root / "device")
    assert call(root, "linux", "--output", str(root / "device")) == 2
    assert "is no file" in said(capsys)


@pytest.mark.parametrize(("old", "new"), [(b'"uuid"', b'"UUID"'), (b'"digest"', b'"dige5t"')])
def test_a_record_that_lacks_a_digest_or_uuid_is_refused(with_image, capsys, monkeypatch, old, new):
    root, _ = with_image
    monkeypatch.setattr(record, "validate", lambda *_: [])  # the schema has both as optional
    image_of(root).write_bytes(image_of(root).read_bytes().replace(old, new))
    assert call(root, "package", "--grow", "root=16M") == 2
    assert "lacks digest or UUID" in said(capsys)


def test_a_journal_with_changes_is_not_written_over(with_image, capsys, tmp_path):
    root, before = with_image
    folder = tmp_path / "mounted"
    assert call(root, "mount", "root", folder) == 0
    (folder / "new").write_text("new")
    start = json.loads(image_record(root))["partitions"][1]["start"]
    with image_of(root).open("r+b") as file:  # needs_recovery, as after Ctrl-A X
        file.seek(start + 1024 + 0x60)
        features = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([features | 0x4]))
    unclean = image_of(root).read_bytes()
    assert unclean != before
    for words in (("umount", folder), ("mount", "root", tmp_path / "other"),
                  ("package", "--grow", "root=24M")):  # fmt: skip
        capsys.readouterr()
        assert call(root, *words) == 1
        assert "its journal holds changes" in said(capsys)
        assert image_of(root).read_bytes() == unclean


def image_record(root):
    """Return the image's record."""
    with image_of(root).open("rb") as file:
        found = table.read(file, "image")
    return record.boot_files(image_of(root), found)[record.NAME]


def test_an_image_that_is_cut_short_is_refused(with_image, capsys):
    root, before = with_image
    os.truncate(image_of(root), len(before) - (2 << 20))
    assert call(root, "package", "--grow", "root=16M") == 2
    assert "it is cut short" in said(capsys)


def test_an_image_of_another_platform_or_tool_is_refused(with_image, capsys):
    root, _ = with_image
    write_platform(root, table="mbr")
    edit(root, "name: workspace", "name: other")
    assert call(root, "package", "--swap-kernel", "vanilla") == 2
    assert "is an image of 'toy' with partitions boot, root, workspace" in said(capsys)
    image_of(root).write_bytes(bytes(4 << 20))
    assert call(root, "mount", "root", str(root / "x")) == 2
    assert "no partition table" in said(capsys)
