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

from ligament.acceleration.images.bootfiles import uboot_script
from ligament.acceleration.images.domains import compiled
from ligament.acceleration.images.xen_check import faults_of
from ligament.errors import FailureError
from ligament.graph.loader import read_document

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


#: Words of what was written, exchanged, and what is said of it.
FAULTS = {
    "xen/xl/logger.cfg": [
        ("vmlinuz-preempt_rt", "vmlinuz-vanillo", "names the kernel '/boot/xen/vmlinuz-vanillo'"),
        ("memory = 32", "memory = 64", "'logger' gets 67108864 bytes and 1 cores"),
        ('"logger"', "logger", "Expecting value"),
        ('extra = ""', 'extra = "quiet"', "'logger' gets the arguments 'quiet', described were ''"),
        ("phy:sda", "phy:sdb", "'logger' gets the disk ['phy:sdb,x,w']"),
        ('disk = ["phy:sda,x,w"]', "disk = []", "'logger' gets the disk []"),
        ("memory = 32", "memory = [32]", "a value is of another kind"),
    ],
    "xen/xen.dts": [
        ("cpus = <0x1>", "cpus = <0x3>", "'planner' gets 67108864 bytes and 3 cores"),
        ("domain-planner", "domain-plan", "xen.dtbo has no domain 'planner'"),
        ("dom0_mem=128M", "dom0_mem=64M", "'dom0' gets 67108864 bytes and 1 cores"),
        ('"console=hvc0"', '"console=hvc1"', "other arguments of the control domain"),
        ("multiboot,ramdisk", "multiboot,kernel", "is none for Xen"),
        ("module-ramdisk", "module_ramdisk", "'dom0' has no ramdisk"),
        ('"console=ttyAMA0 quiet"', '"quiet"', "'planner' gets the arguments 'quiet', described"),
        ("vpl011;", "vpl011; more;", "boot.scr does not set more of /chosen/domain-planner"),
        ("<0x0 0x50200000", "<0x0 0x50600000", "the kernel of 'dom0' is said to lie at"),
        ('compatible = "xen,domain"', 'compatible = "xen"', "is not of a domain of Xen"),
    ],
    "xen/boot.source": [
        ("mknode /chosen domain-planner", "mknode /chosen domain-plan", "makes no node /domain-pl"),
        ("cpus <0x1>", "cpus <0x2>", "boot.scr sets cpus of /chosen/domain-planner to 2, unlike"),
        ("'multiboot,kernel'", "'multiboot,ramdisk'", "boot.scr sets compatible of"),
        ("fdt move", "fdt copy", "or not at all"),
        ("fdt move", "fdt\nfdt move", "a command of boot.scr ends too early"),
        ("fdt addr", "booti 1\nfdt addr", "boot.scr has booti 1, and"),  # it does not come back
        ("booti", "bootm", "boot.scr has no booti, and Xen and the device tree want: booti 0x5"),
        (" - 0x", " - 0x1", "boot.scr has booti 0x50000000 - 0x1"),
        ("- 0x", "0x1 0x", "boot.scr has booti 0x50000000 0x1 0x"),
        ("booti 0x5", "booti 0x6", "boot.scr has booti 0x60000000 - 0x"),
        ("fdt set /chosen/domain-planner vpl011", "", "boot.scr does not set vpl011 of /chosen/do"),
        ("domain-planner vpl011", "domain-planner more", "boot.scr sets more of /chosen/domain-pl"),
        ("'console=ttyAMA0 quiet'", "'console=0x9 quiet>'", "to console=0x9 quiet>, unlike"),
    ],
}


def test_words_that_look_like_numbers_are_compared_as_words(root):
    assert asked(root, DOMAINS.replace("console=ttyAMA0 quiet", "'memmap=0x10>0x20 '")) == 0
    assert told_of(root) == ""


def test_an_overlay_that_cannot_be_compiled_leaves_the_old_one_and_nothing_else(root):
    assert asked(root) == 0
    folder = root / "xen"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    (folder / "xen.dts").write_text("/dts-v1/; nonsense")
    with pytest.raises(FailureError, match="cannot be compiled"):
        compiled(folder)
    assert {path.name for path in folder.iterdir() if path.is_file()} == {*before}
    assert (folder / "xen.dtbo").read_bytes() == before["xen.dtbo"]


def told_of(root):
    described = read_document(root / "domains.yaml", "domains").data
    xen = {"memory_bytes": 0x20000000, "reserved_bytes": 0x4000000, "cores": 3}
    return "; ".join(faults_of(root / "xen", described, {"xen": xen}))


@pytest.mark.parametrize("path", FAULTS)
def test_what_was_written_is_read_back_and_each_fault_is_found(root, path):
    assert asked(root) == 0
    assert told_of(root) == ""
    whole = (root / path).read_text()
    for old, new, wanted in FAULTS[path]:
        assert old in whole
        (root / path).write_text(whole.replace(old, new, 1))
        (root / "xen/boot.scr").write_bytes(
            uboot_script((root / "xen/boot.source").read_text(), "arm64")
        )
        words = ["dtc", "-@", "-q", "-O", "dtb", "-o", "xen.dtbo", "xen.dts"]
        subprocess.run(words, cwd=root / "xen", check=True)
        assert wanted in told_of(root), old


def test_files_that_the_script_loads_are_there_and_lie_apart(root):
    assert asked(root) == 0
    script = (root / "xen/boot.scr").read_bytes()
    for change, wanted in (
        (lambda: (root / "xen/xen").write_bytes(bytes(3 << 20)), "over the end of xen"),
        (lambda: (root / "xen/xen").write_bytes(b""), "boot.scr loads xen, which is missing"),
        (lambda: (root / "xen/boot.scr").write_bytes(script[:-1] + b"x"), "wrong checksum"),
        (lambda: (root / "xen/boot.scr").write_bytes(b"x" + script[1:]), "is no script of U-Boot"),
        (lambda: (root / "xen/boot.scr").unlink(), "boot.scr"),
    ):
        change()
        assert wanted in told_of(root), wanted


def test_domains_that_are_more_than_the_board_are_found_in_what_was_written(root):
    assert asked(root) == 0
    described = read_document(root / "domains.yaml", "domains").data
    board = {"memory_bytes": 0x8000000, "cores": 2}
    (said,) = faults_of(root / "xen", described, {"xen": board})
    assert said == "the domains get 224 MiB and 3 cores, the board has 64 MiB and 2 cores"
