# SPDX-License-Identifier: Apache-2.0
"""Disk images that cannot be made: what is said, and that nothing was changed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import signal
import subprocess
import sys
import time

import pytest
from full_disk import run_without_room
from image_workspaces import image_of, needs_image_tools
from workspaces import call


@pytest.fixture(autouse=True)
def _tools():
    needs_image_tools()


def said(capsys):
    return capsys.readouterr().err


def left(root):
    """Return what lies in the folder of images, without logs."""
    return sorted(p.name for p in image_of(root).parent.iterdir())


def edit(root, old, new):
    path = root / "acceleration/firmware/toy/platform.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("linux", "vanila"), "did you mean 'vanilla'?"),
        (("linux", "--install-dir", "nowhere"), "no install tree nowhere"),
        (("linux", "--output", "nowhere/x.img"), "no folder nowhere"),
        (("package",), "nothing is to be exchanged"),
        (("package", "--grow", "rooot=1G"), "did you mean 'root'?"),
        (("package", "--grow", "root=1T"), "is no size"),
        (("package", "--grow", "root=4M"), "it can only grow"),
        (("package", "--swap-kernel", "rt"), "has no kernel 'rt'"),
        (("mount", "rooot", "folder"), "has no partition 'rooot'"),
        (("netboot", "tftp", "--board", "a=52:54:00:12:34"), "names no board"),
        (("netboot", "tftp", "--board", "a=52:54:00:12:34:56", "--board", "b=52-54-00-12-34-56"),
         "are one board"),
    ],
)  # fmt: skip
def test_a_mistake_ends_with_2_and_changes_nothing(with_image, capsys, words, wanted, monkeypatch):
    root, before = with_image
    monkeypatch.chdir(root)
    assert call(root, *words) == 2
    assert wanted in said(capsys)
    assert image_of(root).read_bytes() == before
    assert left(root) == ["toy.img"]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("path: boot/vmlinuz}", "path: boot/none}", "no file of 'kernel_b' is called 'boot/none'"),
        ("[disk-driver]", "[disc-driver]", "did you mean 'disk_driver'?"),
        ("{from: install}", "{from: instal}", "there is no source 'instal'"),
        ("kind: fat, bytes: 0x300000", "kind: ext4, bytes: 0x300000", "boot loaders read FAT"),
        ("root={root}", "root={rooot}", "boot.arguments cannot be filled in"),
        ("kind: tar, path: base.tar", "kind: tar, path: none.tar", "has no file 'none.tar'"),
        ("at: /vendor/", "at: /ligament-image.json/", "is a folder in one part"),
        ("name: workspace", "name: root", "two partitions have one name"),
    ],
)  # fmt: skip
def test_a_platform_that_cannot_be_is_refused(with_image, capsys, old, new, wanted):
    root, before = with_image
    edit(root, old, new)
    code = call(root, "linux", "preempt_rt" if "kernel_b" in wanted else "vanilla")
    assert wanted in said(capsys)
    assert code == 2
    assert image_of(root).read_bytes() == before
    assert left(root) == ["toy.img"]


def test_a_partition_that_is_too_small_says_how_much_is_needed(with_image, capsys):
    root, before = with_image
    (root / "install/large").write_bytes(os.urandom(2 << 20))
    edit(root, "kind: ext4, content", "kind: ext4, bytes: 0x100000, content")
    assert call(root, "linux") == 2
    told = said(capsys)
    assert "partition 'workspace' of 1 MiB is too small" in told and "about 15 MiB" in told
    edit(root, "bytes: 0x300000", "bytes: 0x100000")
    (root / "acceleration/firmware/toy/kernel_a/boot/vmlinuz-1").write_bytes(os.urandom(1 << 20))
    assert call(root, "linux") == 2
    assert "partition 'boot' of 1 MiB is too small" in said(capsys)
    assert image_of(root).read_bytes() == before
    assert left(root) == ["toy.img"]


def test_a_damaged_download_is_refused_by_its_checksum(with_image, capsys):
    root, before = with_image
    (root / "acceleration/firmware/toy/blob.bin").write_bytes(b"firmwar")
    assert call(root, "linux") == 2
    told = said(capsys)
    assert "is damaged" in told and "platform.yaml:" in told
    assert image_of(root).read_bytes() == before


@pytest.mark.parametrize("compressed", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_that_is_cut_short_is_refused_and_not_kept(root, capsys, compressed):
    path = root / "acceleration/firmware/toy/base.tar"
    whole = compressed(path.read_bytes())
    path.write_bytes(whole[: len(whole) // 3])
    assert call(root, "linux") == 1
    assert "cannot be unpacked" in said(capsys)
    assert not image_of(root).exists()
    path.write_bytes(whole)
    assert call(root, "linux") == 0


def test_a_missing_program_is_named_with_its_package_before_anything_is_made(
    root, tmp_path, capsys, monkeypatch
):
    def which(name, path=None):
        return None if name == "mcopy" else f"/usr/sbin/{name}"

    monkeypatch.setattr("ligament.acceleration.images.tools.shutil.which", which)
    assert call(root, "linux") == 1
    told = said(capsys)
    assert "the program mcopy is not on this machine" in told and "mtools" in told
    assert not image_of(root).parent.exists()


def test_links_to_this_machine_are_refused(root, capsys):
    (root / "install/lib/built.so").symlink_to(root / "build/built.so")
    assert call(root, "linux") == 2
    assert "--symlink-install" in said(capsys)


def test_an_image_that_is_killed_while_it_is_made_leaves_the_old_one(with_image):
    root, before = with_image
    folder = root / "slow"
    folder.mkdir()
    slow = folder / "mkfs.ext4"
    slow.write_text("#!/bin/sh\nsleep 60\n")
    slow.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "ligament.cli.main", "acceleration", "linux", "preempt_rt",
         "--workspace", str(root)],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, start_new_session=True,
    )  # fmt: skip
    while not any(name.endswith(".partial") for name in left(root)):
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert image_of(root).read_bytes() == before
    assert len(left(root)) > 1  # nobody could remove them
    assert call(root, "linux", "preempt_rt") == 0
    assert left(root) == ["toy.img"]


def test_a_full_disk_leaves_nothing_behind(root, tmp_path):
    disk = tmp_path / "disk"
    ended = run_without_room(
        disk, "acceleration", "linux", "--workspace", str(root), "--output", str(disk / "x.img"),
        free=200_000,
    )  # fmt: skip
    assert ended.code == 1, ended.err
    assert "no room left on the disk" in ended.err
    assert ended.left == {}


def test_a_file_size_limit_is_told_and_nothing_is_left(root, tmp_path):
    disk = tmp_path / "disk"
    ended = run_without_room(
        disk, "acceleration", "linux", "--workspace", str(root), "--output", str(disk / "x.img"),
        limit=1_000_000,
    )  # fmt: skip
    assert ended.code == 1, ended.err
    assert "ulimit -f" in ended.err
    assert ended.left == {}


def test_a_folder_that_may_not_be_written_is_told(root, tmp_path, capsys, monkeypatch):
    def refuse(*_args, **_fields):
        raise PermissionError(13, "Permission denied", str(tmp_path / "x.img"))

    monkeypatch.setattr("ligament.acceleration.images.build.scratch_beside", refuse)  # as root, too
    assert call(root, "linux", "--output", str(tmp_path / "x.img")) == 1
    told = said(capsys)
    assert "Permission denied; nothing was changed" in told
    assert not list(tmp_path.glob("*.img")) and not list(tmp_path.glob(".x.img*"))


def test_an_install_tree_that_cannot_be_read_is_told(root, capsys, monkeypatch):
    def scandir(path):
        if str(path).endswith("install/lib"):
            raise PermissionError(13, "Permission denied", str(path))
        return found(path)

    found = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)  # root reads all
    assert call(root, "linux") == 2
    assert "install/lib' cannot be read: Permission denied" in said(capsys)


def test_a_platform_that_boots_nothing_is_told(root, capsys):
    for verb in (["linux"], ["emulation"], ["package", "--swap-kernel", "a"]):
        assert call(root, *verb, "--platform", "kv260") == 2
        assert "does not say what it boots" in said(capsys)
