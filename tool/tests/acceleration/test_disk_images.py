# SPDX-License-Identifier: Apache-2.0
"""Disk images: what other tools read in them, the same bytes each time, parts exchanged."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys

import pytest
from image_workspaces import FOLDERS, cut_out, image_of, make, needs_image_tools, parts_of, run
from workspaces import call


@pytest.fixture(autouse=True)
def _tools():
    needs_image_tools()


@pytest.fixture
def root(tmp_path):
    """A workspace with a space and letters beyond ASCII in its path."""
    return make(tmp_path / "wörk späce")


def built(root, *words):
    assert call(root, *words) == 0
    return image_of(root).read_bytes()


def test_an_image_without_an_install_tree_says_so(root, capsys):
    shutil.rmtree(root / "install")
    assert call(root, "linux", "--dry-run") == 0
    assert "warning: no install tree" in capsys.readouterr().err
    (root / "install").mkdir()
    assert call(root, "linux", "--dry-run") == 0
    assert "install tree" not in capsys.readouterr().err


@pytest.mark.parametrize("table", ["gpt", "mbr"])
def test_other_tools_read_the_partitions_and_find_no_fault(tmp_path, table):
    root = make(tmp_path / "ws", table=table)
    assert call(root, "linux") == 0
    image = image_of(root)
    parts = parts_of(image)
    assert [p["start"] for p in parts[:2]] == [2048, 2048 + 0x300000 // 512]
    assert [p["size"] for p in parts[:2]] == [0x300000 // 512, 0xA00000 // 512]
    if table == "gpt":
        assert [p["name"] for p in parts] == ["boot", "root", "workspace"]
        assert parts[0]["attrs"] == "LegacyBIOSBootable"
    else:
        assert [p["type"] for p in parts] == ["c", "83", "83"]
        assert parts[0]["bootable"]
    run("sfdisk", "--verify", str(image))
    run("fsck.fat", "-n", str(cut_out(image, 0, tmp_path / "boot")))
    for number in (1, 2):
        run("e2fsck", "-f", "-n", str(cut_out(image, number, tmp_path / "part")))


def test_the_root_file_system_has_owners_modes_links_and_devices(root, tmp_path):
    assert call(root, "linux") == 0
    part = str(cut_out(image_of(root), 1, tmp_path / "root"))

    def listed(folder):
        lines = run("debugfs", "-R", f"ls -p {folder}", part).split()
        return {f[5]: f for f in (line.split("/") for line in lines) if len(f) > 6}

    # inode/mode/uid/gid/name/size: where `bin` is a link, files are behind it
    assert listed("/usr/bin")["sh"][2:5] == ["100755", "0", "0"]
    assert listed("/usr/bin")["su"][2] == "104755"
    assert listed("/")["bin"][2] == "120777"
    assert listed("/home/user")["notes"][2:5] == ["100600", "1000", "100000"]
    assert listed("/dev")["null"][2] == "020666"
    assert "doc" not in listed("/usr/share")
    assert run("debugfs", "-R", "cat /usr/bin/other", part) == "shell"
    assert run("debugfs", "-R", "cat /var/big", part).endswith("end")


def test_the_boot_partition_names_the_root_and_loads_modules_in_order(root, tmp_path):
    assert call(root, "linux") == 0
    boot = cut_out(image_of(root), 0, tmp_path / "boot")
    (tmp_path / "files").mkdir()
    subprocess.run(["mcopy", "-s", "-i", boot, "::/*", tmp_path / "files"], check=True)
    files = tmp_path / "files"
    record = json.loads((files / "ligament-image.json").read_text())
    told = (files / "extlinux/extlinux.conf").read_text()
    assert f"append console=ttyS0 root=UUID={record['partitions'][1]['uuid']} ro" in told
    superblock = cut_out(image_of(root), 1, tmp_path / "root").read_bytes()[1024:2048]
    assert superblock[0x68:0x78].hex() == record["partitions"][1]["uuid"].replace("-", "")
    assert (files / "vendor/blob.bin").read_bytes() == b"firmware"
    archive = tmp_path / "initramfs"
    archive.write_bytes(gzip.decompress((files / "initramfs.cpio.gz").read_bytes()))
    (tmp_path / "unpacked").mkdir()
    with archive.open("rb") as file:
        subprocess.run(["cpio", "-id"], stdin=file, cwd=tmp_path / "unpacked", check=True)
    loaded = (tmp_path / "unpacked/etc/modules").read_text().split()
    assert [path.rpartition("/")[2] for path in loaded] == ["queue.ko", "bus.ko", "disk_driver.ko"]
    assert os.access(tmp_path / "unpacked/init", os.X_OK)


@pytest.mark.parametrize("table", ["gpt", "mbr"])
def test_without_an_initramfs_the_root_is_named_by_its_place_in_the_table(tmp_path, table):
    root = make(tmp_path / "ws", table=table)
    path = root / "acceleration/firmware/toy/platform.yaml"
    path.write_text(path.read_text().replace("  initramfs:\n    - {from: early}\n", ""))
    assert call(root, "linux") == 0
    boot = cut_out(image_of(root), 0, tmp_path / "boot")
    told = run("mtype", "-i", str(boot), "::/extlinux/extlinux.conf")
    disk = json.loads(run("sfdisk", "--json", str(image_of(root))))["partitiontable"]
    by_number = f"{disk['id'].removeprefix('0x')}-02"
    wanted = disk["partitions"][1]["uuid"].lower() if table == "gpt" else by_number
    assert f"root=PARTUUID={wanted} ro" in told
    assert "initrd" not in told


def test_the_same_input_gives_the_same_bytes(tmp_path, monkeypatch):
    one = built(make(tmp_path / "one"), "linux")
    old_mask = os.umask(0o077)
    try:
        monkeypatch.setenv("TZ", "Pacific/Auckland")
        monkeypatch.setenv("LC_ALL", "C")
        other = built(make(tmp_path / "two", reverse=True), "linux")
    finally:
        os.umask(old_mask)
    assert one == other


def test_another_input_gives_another_identity(root):
    one = built(root, "linux")
    (root / "install/lib/node/node.so").write_bytes(b"other")
    other = built(root, "linux")
    assert one[512 + 56 : 512 + 72] != other[512 + 56 : 512 + 72]  # the disk's GUID


def test_a_swapped_kernel_gives_the_bytes_of_an_image_that_was_built_with_it(root):
    vanilla = built(root, "linux")
    swapped = built(root, "package", "--swap-kernel", "preempt_rt")
    assert swapped != vanilla
    assert built(root, "linux", "preempt_rt") == swapped
    assert built(root, "package", "--swap-kernel", "vanilla") == vanilla


def test_a_swapped_install_tree_leaves_the_root_as_the_board_changed_it(root, tmp_path):
    assert call(root, "linux") == 0
    image = image_of(root)
    start = parts_of(image)[1]["start"] * 512
    with image.open("r+b") as file:  # the boot block of ext4, which nothing else uses
        file.seek(start)
        file.write(b"written by the board")
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib/new.so").write_bytes(b"new")
    assert call(root, "package", "--swap-install", str(other)) == 0
    assert cut_out(image, 1, tmp_path / "root").read_bytes().startswith(b"written by the board")
    part = str(cut_out(image, 2, tmp_path / "part"))
    assert run("debugfs", "-R", "cat /lib/new.so", part) == "new"
    assert "node" not in run("debugfs", "-R", "ls -p /lib", part)


def test_a_partition_grows_and_stays_so(root, tmp_path, capsys):
    assert call(root, "linux") == 0
    capsys.readouterr()
    assert call(root, "package", "--grow", "root=24M", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [p["action"] for p in told["partitions"]] == ["made", "grown", "copied"]
    assert parts_of(image_of(root))[1]["size"] * 512 == 24 << 20
    part = cut_out(image_of(root), 1, tmp_path / "root")
    run("e2fsck", "-f", "-n", str(part))
    assert "Block count:              6144" in run(
        "debugfs", "-R", "show_super_stats -h", str(part)
    )
    assert run("debugfs", "-R", "cat /usr/bin/sh", str(part)) == "shell"
    assert call(root, "package", "--swap-kernel", "preempt_rt") == 0
    assert parts_of(image_of(root))[1]["size"] * 512 == 24 << 20
    assert call(root, "package", "--grow", "root=8M") == 2
    assert "it can only grow" in capsys.readouterr().err


def test_a_dry_run_writes_nothing_and_tells_what_it_would(root, capsys):
    capsys.readouterr()
    assert call(root, "linux", "--dry-run", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["changed"] is False
    assert [p["action"] for p in told["partitions"]] == ["made", "made", "made"]
    assert not image_of(root).exists()


def test_an_initramfs_belongs_to_root_and_is_the_same_each_time(root, tmp_path):
    assert call(root, "mkinitramfs", str(tmp_path / "one")) == 0
    assert call(root, "mkinitramfs", str(tmp_path / "two")) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with gzip.open(tmp_path / "one") as file:
        said = subprocess.run(["cpio", "-itvn"], input=file.read(), capture_output=True, check=True)
    words = [line.split() for line in said.stdout.decode().splitlines()]
    lines = {w[-3] if "->" in w else w[-1]: w for w in words}
    assert lines["home/user/notes"][0:4] == ["-rw-------", "1", "1000", "100000"]
    assert lines["dev/null"][0] == "crw-rw-rw-"
    assert lines["opt/ligament/bin/run"][0:4] == ["-rwxr-xr-x", "1", "0", "0"]
    assert lines["init"][-1] == "sbin/init"


#: mkfs.ext4, but not before two builds write at once; it fails where they never do.
TOGETHER = """#!/bin/sh
for _ in $(seq 600); do
  if [ -e "$MET" ] || [ "$(ls -A "$IMAGES" | grep -c 'partial$')" -ge 2 ]; then
    touch "$MET"
    exec {program} "$@"
  fi
  sleep 0.1
done
echo "the other build has not begun" >&2
exit 1
"""


def test_two_builds_of_one_image_at_the_same_time_leave_it_whole(root, tmp_path):
    """Each writes beside, and none takes the other's unfinished file for a left-over."""
    alone = tmp_path / "alone.img"
    assert call(root, "linux", "--output", str(alone)) == 0
    folder = tmp_path / "slow"
    folder.mkdir()
    waiting = folder / "mkfs.ext4"
    waiting.write_text(TOGETHER.format(program=shutil.which("mkfs.ext4", path=FOLDERS)))
    waiting.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "MET": str(tmp_path / "met"),
        "IMAGES": str(image_of(root).parent),
    }  # fmt: skip
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "ligament.cli.main", "acceleration", "linux",
             "--workspace", str(root)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    told = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert image_of(root).read_bytes() == alone.read_bytes()
    assert [p.name for p in image_of(root).parent.iterdir()] == ["toy.img"]
