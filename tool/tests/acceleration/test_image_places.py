# SPDX-License-Identifier: Apache-2.0
"""Where images come from and go to: packages, folders, networks, and the console of a machine."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess

import pytest
from image_workspaces import cut_out, image_of, make, needs_image_tools, run
from workspaces import add_published, call

from ligament.acceleration import frame
from ligament.acceleration.images.archives import unpacked
from ligament.acceleration.images.debian import fetch
from ligament.errors import FailureError

APT = """#!/usr/bin/env python3
import os, pathlib, shutil, sys
words = sys.argv[1:]
here = pathlib.Path(__file__).parent
name = (here / "name").read_text()
options = dict(w.split("=", 1) for o, w in zip(words, words[1:]) if o == "-o")
if "update" in words:
    with (here / "updated").open("a") as file:
        file.write("x")
    lists = pathlib.Path(options["Dir::State"], "lists")
    (lists / "mirror_dists_binary-arm64_Packages").touch()
elif "--print-uris" in words:
    print("Reading package lists...")
    print(f"'somewhere/{name}' {name} 1000 SHA256:{(here / 'sha').read_text()}")
else:
    shutil.copy(here / "served.deb", pathlib.Path(options["Dir::Cache::archives"], name))
"""


@pytest.fixture
def apt(tmp_path, monkeypatch):
    """An apt that serves one package; its folder."""
    folder = tmp_path / "apt"
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: toy\nVersion: 1\nArchitecture: arm64\nMaintainer: me <me@here>\nDescription: x\n"
    )
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/toy").write_text("program")
    (tree / "usr/bin/toy").chmod(0o4755)
    folder.mkdir()
    run("dpkg-deb", "--root-owner-group", "--build", str(tree), str(folder / "served.deb"))
    (folder / "name").write_text("toy_1_arm64.deb")
    (folder / "sha").write_text(hashlib.sha256((folder / "served.deb").read_bytes()).hexdigest())
    (folder / "apt-get").write_text(APT)
    (folder / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_packages_are_chosen_once_and_again_when_asked(apt, tmp_path):
    cache = tmp_path / "cache"
    found = fetch(["toy"], "arm64", cache)
    assert [p.path.name for p in found] == ["toy_1_arm64.deb"]
    tree = unpacked(found[0].path, found[0].sha256, cache / "unpacked")
    entry = tree.entries["usr/bin/toy"]
    assert (entry.read(), entry.mode, entry.uid) == (b"program", 0o4755, 0)
    (apt / "apt-get").rename(apt / "gone")
    assert fetch(["toy"], "arm64", cache) == found  # without apt, and without a network
    (apt / "gone").rename(apt / "apt-get")
    fetch(["toy"], "arm64", cache, update=True)
    assert (apt / "updated").read_text() == "xx"


def test_a_damaged_package_is_refused_when_it_comes_and_later(apt, tmp_path):
    whole = (apt / "served.deb").read_bytes()
    (apt / "served.deb").write_bytes(whole[:-10])
    with pytest.raises(FailureError, match="is damaged: its SHA-256"):
        fetch(["toy"], "arm64", tmp_path / "cache")
    (apt / "served.deb").write_bytes(whole)
    found = fetch(["toy"], "arm64", tmp_path / "cache")
    found[0].path.write_bytes(whole + b"x")
    with pytest.raises(FailureError, match="fetched anew"):
        fetch(["toy"], "arm64", tmp_path / "cache")


@pytest.fixture
def root(tmp_path, capsys):
    needs_image_tools()
    root = make(tmp_path / "ws")
    assert call(root, "linux") == 0
    capsys.readouterr()
    return root


def test_what_is_changed_in_a_mounted_root_goes_back_and_the_rest_keeps_its_owner(root, tmp_path):
    folder = tmp_path / "mounted"
    assert call(root, "mount", "root", folder) == 0
    assert (folder / "usr/bin/sh").read_bytes() == b"shell"
    (folder / "usr/bin/sh").write_bytes(b"other shell")
    (folder / "usr/bin/sh").chmod(0o755)
    (folder / "etc/link").unlink()
    (folder / "new place/deep").mkdir(parents=True)
    (folder / "new place/deep/ä file").write_bytes(b"new")
    assert call(root, "umount", folder) == 0
    assert not folder.exists()
    part = str(cut_out(image_of(root), 1, tmp_path / "part"))
    run("e2fsck", "-f", "-n", part)
    assert run("debugfs", "-R", "cat /usr/bin/sh", part) == "other shell"
    assert run("debugfs", "-R", 'cat "/new place/deep/ä file"', part) == "new"
    assert "link" not in run("debugfs", "-R", "ls -p /etc", part)
    assert "/100600/1000/100000/notes/" in run("debugfs", "-R", "ls -p /home/user", part)


def test_a_changed_boot_partition_goes_back(root, tmp_path, capsys):
    folder = tmp_path / "mounted"
    assert call(root, "mount", "boot", folder) == 0
    (folder / "extra.txt").write_text("hello")
    assert call(root, "mount", "boot", folder) == 2  # it is there
    assert call(root, "umount", folder) == 0
    boot = cut_out(image_of(root), 0, tmp_path / "boot")
    run("fsck.fat", "-n", str(boot))
    assert run("mtype", "-i", str(boot), "::/extra.txt") == "hello"
    assert call(root, "package", "--swap-kernel", "vanilla") == 0  # still one of ours


def test_what_others_put_into_the_boot_partition_stays(root, tmp_path):
    folder = tmp_path / "mounted"
    assert call(root, "mount", "boot", folder) == 0
    (folder / "extra.txt").write_text("hello")
    assert call(root, "umount", folder) == 0
    assert call(root, "package", "--swap-kernel", "preempt_rt", "--grow", "root=24M") == 0
    boot = cut_out(image_of(root), 0, tmp_path / "boot")
    assert run("mtype", "-i", str(boot), "::/extra.txt") == "hello"
    assert "board.dtb" not in run("mdir", "-b", "-i", str(boot), "::/")  # the other kernel's


@pytest.mark.parametrize(
    ("name", "then", "wanted"),
    [
        ("boot", ("package", "--grow", "root=24M"), "was changed since"),
        ("root", ("package", "--swap-kernel", "preempt_rt"), "was changed since"),
        ("boot", None, "it says what is in the image"),
    ],
)
def test_an_image_that_was_changed_since_is_left_alone(root, tmp_path, capsys, name, then, wanted):
    folder = tmp_path / "mounted"
    assert call(root, "mount", name, folder) == 0
    (folder / "extra.txt").write_text("hello")
    if then is None:
        (folder / "ligament-image.json").unlink()
    else:
        assert call(root, *then) == 0
    before = image_of(root).read_bytes()
    assert call(root, "umount", folder) == 2
    assert wanted in capsys.readouterr().err
    assert image_of(root).read_bytes() == before
    assert (folder / "extra.txt").exists()


def test_changes_are_dropped_when_asked_and_other_folders_refused(root, tmp_path, capsys):
    folder = tmp_path / "mounted"
    before = image_of(root).read_bytes()
    assert call(root, "mount", "root", folder) == 0
    (folder / "x").write_text("x")
    assert call(root, "umount", folder, "--discard") == 0
    assert image_of(root).read_bytes() == before
    other = tmp_path / "other"
    other.mkdir()
    assert call(root, "umount", other) == 2
    assert "holds no partition" in capsys.readouterr().err
    assert other.is_dir()


def test_boards_of_a_network_share_files_and_keep_their_own_words(root, tmp_path, capsys):
    tftp = tmp_path / "tftp"
    words = ("netboot", tftp, "--server", "10.0.0.1", "--kernel", "preempt_rt", "--json")
    assert (
        call(root, *words, "--board", "one=52:54:00:12:34:56", "--board", "two=52:54:00:AB:CD:EF")
        == 0
    )
    one = (tftp / "pxelinux.cfg/01-52-54-00-12-34-56").read_text()
    two = (tftp / "pxelinux.cfg/01-52-54-00-ab-cd-ef").read_text()
    assert "append console=ttyS0 ip=10.0.0.1 host=one" in one
    assert two == one.replace("host=one", "host=two")
    kernel = next(line.split()[1] for line in one.splitlines() if "kernel " in line)
    assert (tftp / kernel).read_bytes() == b"kernel b" * 9000
    assert len(list((tftp / "files").iterdir())) == 1
    capsys.readouterr()
    assert call(root, *words, "--board", "one=52:54:00:12:34:56") == 0
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert (tftp / "pxelinux.cfg/01-52-54-00-ab-cd-ef").read_text() == two


MACHINE = """#!/usr/bin/env python3
import os, sys
print("booting", sys.argv, flush=True)
mode = os.environ["TOY"]
if mode == "panic":
    print("[1.0] Kernel panic - not syncing: no init", flush=True)
elif mode == "ends":
    sys.exit("no such machine")
if mode == "shell":
    print("ligament: ready", flush=True)
    os.execvp("sh", ["sh"])
sys.stdin.read()
"""


def emulate(root, *words):
    """Run the verb; --run takes all words that follow."""
    return frame.run(["emulation", "--workspace", str(root), *words], "colcon acceleration")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """An emulator that is a shell, or does not boot, as TOY says."""
    folder = tmp_path / "machines"
    folder.mkdir()
    (folder / "qemu-system-toy").write_text(MACHINE)
    (folder / "qemu-system-toy").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("TOY", "shell")


def test_a_program_runs_in_the_machine_and_its_exit_code_comes_back(root, machine, capsys):
    code = "echo; echo 'a  b' \"$1\"; exit 7"
    assert emulate(root, "--json", "--run", "sh", "-c", code, "x", 'it\'s; $(false) "q"') == 7
    told = json.loads(capsys.readouterr().out)
    assert told["output"] == '\na  b it\'s; $(false) "q"\n'
    log = (root / "acceleration/images/toy.console.log").read_text()
    assert "root=UUID=" in log and "-kernel" in log and "snapshot=on" in log
    assert emulate(root, "--quiet", "--run", "true") == 0


@pytest.mark.parametrize(
    ("mode", "wait", "wanted"),
    [
        ("panic", "60", "the kernel gave up: no init"),
        ("ends", "60", "no such machine"),
        ("silent", "2", "did not say"),
    ],
)
def test_a_machine_that_does_not_boot_is_told(
    root, machine, capsys, monkeypatch, mode, wait, wanted
):
    monkeypatch.setenv("TOY", mode)
    assert emulate(root, "--quiet", "--timeout", wait, "--run", "true") == 1
    assert wanted in capsys.readouterr().err


def test_a_command_that_no_console_can_take_is_refused(root, machine, capsys):
    assert emulate(root, "--quiet", "--run", "echo", "x" * 4000) == 2
    assert emulate(root, "--quiet", "--run", "echo", "a\nb") == 2
    assert "line break" in capsys.readouterr().err


def test_the_modes_of_an_fpga_are_told_from_the_platform(root, capsys):
    assert call(root, "emulation", "hw_emu", "--platform", "fpga_sim") == 0
    assert "fpga0 of fpga_sim" in capsys.readouterr().out
    assert call(root, "emulation", "sw_emu", "--platform", "fpga_sim") == 2
    assert "fpga0: hw_emu" in capsys.readouterr().err
    add_published(root)
    assert call(root, "emulation", "hw_emu", "--platform", "old") == 2
    assert "no FPGA of 'old'" in capsys.readouterr().err


def test_a_machine_without_a_network_boots_from_none(root, machine, capsys, tmp_path):
    (tmp_path / "tftp/pxelinux.cfg").mkdir(parents=True)
    assert emulate(root, "--netboot", str(tmp_path / "tftp"), "--run", "true") == 2
    assert "it has no network" in capsys.readouterr().err


def test_a_boot_script_is_one_that_u_boots_own_tool_reads(tmp_path):
    from ligament.acceleration.images.bootfiles import loader_files

    boot = {"loader": "script", "arguments": "console=ttyS0 root={root}"}
    files = loader_files(boot, {}, "/dev/x", {"initramfs.cpio.gz": b""})
    path = tmp_path / "boot.scr"
    path.write_bytes(files["boot.scr"])
    said = subprocess.run(
        ["mkimage", "-l", path], capture_output=True, text=True, check=True
    ).stdout
    assert "AArch64 Linux Script (uncompressed)" in said
    assert b"setenv bootargs 'console=ttyS0 root=/dev/x'\n" in files["boot.scr"]
