# SPDX-License-Identifier: Apache-2.0
"""Domains under Xen: what the device-tree compiler and U-Boot's tools read, and what is refused."""

from __future__ import annotations

import json
import struct
import subprocess
from itertools import pairwise

import pytest
from image_workspaces import make, needs_image_tools
from workspaces import call

XEN = """  xen:
    image: {from: kernel_b, path: boot/vmlinuz}
    memory_bytes: 0x20000000
    reserved_bytes: 0x4000000
    cores: 3
    load_address: 0x50000000
"""
DOMAINS = """schema: ligament/domains/1
dom0: {memory_bytes: 0x8000000, cores: 1, arguments: console=hvc0}
domains:
  planner: {memory_bytes: 0x4000000, cores: 1, arguments: console=ttyAMA0 quiet}
  logger: {start: xl, kernel: preempt_rt, memory_bytes: 0x2000000, cores: 1, disk: "phy:sda,x,w"}
"""


@pytest.fixture
def root(tmp_path):
    needs_image_tools()
    root = make(tmp_path / "ws")
    path = root / "acceleration/firmware/toy/platform.yaml"
    path.write_text(path.read_text() + XEN)
    return root


def asked(root, text=DOMAINS):
    path = root / "domains.yaml"
    path.write_text(text)
    return call(root, "hypervisor", path, root / "xen")


def value(overlay, node, name, kind="x"):
    """Return a property as fdtget, which is not ours, reads it."""
    command = ["fdtget", "-t", kind, overlay, f"/fragment@0/__overlay__{node}", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_nodes_say_what_was_described_and_lie_where_the_script_loads(root):
    assert asked(root) == 0
    overlay = root / "xen/xen.dtbo"
    planner = "/domain-planner"
    assert value(overlay, planner, "compatible", "s") == "xen,domain"
    assert value(overlay, planner, "memory") == "0 10000"  # 64 MiB, in KiB
    assert value(overlay, planner, "cpus") == "1"
    loads = {}
    script = (root / "xen/boot.source").read_text()
    for line in script.splitlines():
        if line.startswith("load "):
            *_, address, name = line.split()
            loads[name.strip("'").removeprefix("xen/")] = int(address, 16)
    assert list(loads) == [
        "xen",
        "vmlinuz-vanilla",
        "vmlinuz-preempt_rt",
        "initramfs.cpio.gz",
        "xen.dtbo",
    ]
    at = loads["vmlinuz-vanilla"]
    kernel = f"{planner}/module-kernel@{at:x}"
    size = (root / "xen/vmlinuz-vanilla").stat().st_size
    assert value(overlay, kernel, "reg") == f"0 {at:x} 0 {size:x}"
    assert value(overlay, kernel, "bootargs", "s") == "console=ttyAMA0 quiet"
    assert value(overlay, "", "xen,dom0-bootargs", "s") == "console=hvc0"
    assert value(overlay, f"/module-kernel@{at:x}", "compatible", "s").startswith(
        "multiboot,kernel"
    )
    # No two files overlap.
    places = sorted((a, (root / "xen" / n).stat().st_size) for n, a in loads.items())
    assert all(a + size <= b for (a, size), (b, _) in pairwise(places))
    assert f"booti {loads['xen']:#x} - " in script


def test_the_overlay_fits_a_boards_device_tree(root, tmp_path):
    assert asked(root) == 0
    board = tmp_path / "board.dts"
    board.write_text('/dts-v1/;\n/ { chosen { stdout-path = "serial0"; }; };\n')
    subprocess.run(["dtc", "-q", "-O", "dtb", "-o", tmp_path / "board.dtb", board], check=True)
    merged = tmp_path / "merged.dtb"
    command = ["fdtoverlay", "-i", tmp_path / "board.dtb", "-o", merged, root / "xen/xen.dtbo"]
    subprocess.run(command, check=True)
    said = subprocess.run(
        ["fdtget", "-l", merged, "/chosen"], capture_output=True, text=True, check=True
    )
    assert "domain-planner" in said.stdout.split()
    assert "domain-logger" not in said.stdout.split()


def test_guests_of_xl_have_a_configuration_and_the_script_is_u_boots(root):
    assert asked(root) == 0
    assert (root / "xen/xl/logger.cfg").read_text().splitlines() == [
        'name = "logger"', 'kernel = "/boot/xen/vmlinuz-preempt_rt"',
        'ramdisk = "/boot/xen/initramfs.cpio.gz"', "memory = 32", "vcpus = 1", 'extra = ""',
        'disk = ["phy:sda,x,w"]',
    ]  # fmt: skip
    image = (root / "xen/boot.scr").read_bytes()
    length = struct.unpack(">I", image[64:68])[0]
    assert image[72 : 72 + length] == (root / "xen/boot.source").read_bytes()


@pytest.mark.parametrize("character", ['"', "\r"])
def test_the_platforms_words_cannot_end_their_quotes(root, capsys, character):
    path = root / "acceleration/firmware/toy/platform.yaml"
    words = json.dumps(f"x{character}; evil = /incbin/(1); y = ")
    path.write_text(path.read_text() + f"    arguments: {words}\n")
    assert asked(root) == 2
    told = capsys.readouterr().err
    assert "boot.xen.arguments has a quote" in told
    assert "platform.yaml:" in told
    assert not (root / "xen").exists()


def test_without_an_emulated_machine_nothing_is_written_before_that_is_told(root, capsys):
    path = root / "acceleration/firmware/toy/platform.yaml"
    head, _, tail = path.read_text().partition("  emulation:\n")
    path.write_text(head + tail[tail.index("  xen:\n") :])
    (root / "domains.yaml").write_text(DOMAINS)
    words = ("hypervisor", root / "domains.yaml", root / "xen", "--run", "ready")
    assert call(root, *words) == 2
    assert "has no emulated machine" in capsys.readouterr().err
    assert not (root / "xen").exists()


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("0x4000000,", "0x40000000,",
         "ask for 1184 MiB, and the board has 448 for them: dom0 128, planner 1024, logger 32"),
        ("0x4000000, cores: 1", "0x4000000, cores: 2",
         "ask for 4 cores, and the board has 3 for them: dom0 1, planner 2, logger 1"),
        ("dom0: {memory_bytes: 0x8000000, cores: 1, arguments: console=hvc0}\n", "",
         "there is no dom0"),
        ("kernel: preempt_rt", "kernel: preempt", "did you mean 'preempt_rt'?"),
        ("quiet", '\\"quiet', "has a quote"),
        ("planner:", "Planner:", "Planner"),
        ("cores: 1, arguments: console=hvc0", "core: 1", "core"),
    ],
)  # fmt: skip
def test_what_the_board_cannot_hold_is_refused_by_name(root, capsys, old, new, wanted):
    text = DOMAINS.replace("console=ttyAMA0 quiet", '"console=ttyAMA0 quiet"')
    assert old in text
    assert asked(root, text.replace(old, new)) == 2
    told = capsys.readouterr().err
    assert wanted in told
    assert "domains.yaml:" in told
    assert not (root / "xen").exists()
