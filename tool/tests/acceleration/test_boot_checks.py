# SPDX-License-Identifier: Apache-2.0
"""Checks of what a platform boots, where no machine is emulated: they go as far as the files do."""

from __future__ import annotations

import pytest
from image_workspaces import make, needs_image_tools

from ligament.acceleration.capabilities import BOARD, NO, YES, Context
from ligament.acceleration.checks import images
from ligament.acceleration.images import xen
from ligament.acceleration.images.build import planned
from ligament.acceleration.images.domains import DomainImage
from ligament.acceleration.images.layout import layout_of
from ligament.acceleration.images.sources import Sources
from ligament.acceleration.images.xen_check import image_faults
from ligament.acceleration.verbs import conformance
from ligament.acceleration.workspace import Workspace
from ligament.errors import FailureError
from ligament.graph.loader import read_document

XEN = """  xen:
    content: [{from: tools}]
    image: {from: kernel_b, path: boot/vmlinuz}
    memory_bytes: 0x20000000
    cores: 3
"""


@pytest.fixture
def context(tmp_path):
    """Of the toy platform, without its emulated machine."""
    needs_image_tools()
    root = make(tmp_path / "ws")
    path = root / "acceleration/firmware/toy/platform.yaml"
    text = path.read_text().partition("  emulation:\n")[0] + XEN
    path.write_text(
        text.replace("  sources:\n", "  sources:\n    tools: {kind: folder, path: tools}\n")
    )
    xl = path.parent / "tools/usr/sbin/xl"
    xl.parent.mkdir(parents=True)
    xl.write_text("xl")
    platform = Workspace(root).platform("toy")
    conformance._make_workspace(tmp_path / "work", platform)
    return Context(platform, tmp_path / "work")


@pytest.mark.timeout(300)
def test_only_the_board_shows_that_it_starts(context):
    names = ("kernel-vanilla", "kernel-rt", "dom0less", "netboot-files", "netboot-boards")
    found = {name: images.CHECKS[name](context) for name in ("raw-image", *names, "hypervisor")}
    states = {name: verdict.state for name, verdict in found.items()}
    assert states == dict.fromkeys(names, BOARD) | {"raw-image": YES, "hypervisor": YES}, found
    assert found["kernel-rt"].evidence == (
        "the image has the kernel 'preempt_rt'; that it starts, only the board shows"
    )
    assert found["hypervisor"].evidence.startswith("dom0, guest, second: each file")
    assert found["hypervisor"].evidence.endswith("; that it starts is not tested by this)")


def test_the_kernel_that_the_image_has_is_compared_with_the_one_that_was_put_in(
    context, monkeypatch
):
    verb = images._verb

    def other(*words):
        return verb(*["vanilla" if word == "preempt_rt" else word for word in words])

    monkeypatch.setattr(images, "_verb", other)
    verdict = images.CHECKS["kernel-rt"](context)
    assert (verdict.state, verdict.evidence) == (
        NO, "the image says that its kernel is 'vanilla', 'preempt_rt' was put in",
    )  # fmt: skip


def exchanged(context, *pairs):
    """The context, with words of the platform exchanged."""
    path = context.platform.files / "platform.yaml"
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    platform = Workspace(path.parents[3]).platform("toy")
    return Context(platform, context.folder)


def test_a_control_domain_and_a_guest_need_two_cores(context):
    board = exchanged(context, ("cores: 3", "cores: 1"))
    for name in ("hypervisor", "control-domain-image"):
        verdict = images.CHECKS[name](board)
        assert (verdict.state, verdict.evidence) == (
            NO, "a control domain and a guest need 2 cores, the board has 1",
        )  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize("cores", [2, 3])
def test_a_board_without_xl_and_initramfs_has_one_verdict_with_two_cores_and_with_three(
    context, cores
):
    board = exchanged(
        context, ("cores: 3", f"cores: {cores}"), ("    content: [{from: tools}]\n", ""),
        ("  initramfs:\n    - {from: early}\n", ""),
    )  # fmt: skip
    verdict = images.CHECKS["control-domain-image"](board)
    assert verdict.state == YES, verdict
    assert verdict.evidence.startswith("dom0, guest: each file")
    assert "it has no xl" in verdict.evidence


def test_a_file_that_a_board_loads_and_that_is_not_there_is_found(context, monkeypatch):
    def written(*words):
        told = verb(*words)
        if words[1] == "netboot":
            next((context.folder / "tftp/files").rglob("initramfs.cpio.gz")).unlink()
        return told

    verb = images._verb
    monkeypatch.setattr(images, "_verb", written)
    verdict = images.CHECKS["netboot-files"](context)
    assert verdict.state == NO
    assert "loads what is not there: files/" in verdict.evidence


def test_a_hypervisors_files_that_are_not_as_described_are_a_no(context, monkeypatch):
    """In this process: the verb that is judged is another's."""
    verb = images._verb

    def damaged(*words):
        told = verb(*words)
        (words[-1] / "xl/second.cfg").write_text('name = "second"\n')
        return told

    monkeypatch.setattr(images, "_verb", damaged)
    verdict = images.CHECKS["hypervisor"](context)
    assert verdict.state == NO
    assert "xl/second.cfg names the kernel '', which is missing" in verdict.evidence
    assert "'second' gets 0 bytes and 0 cores" in verdict.evidence


def test_the_control_domain_has_its_share_on_xens_command_line():
    domains = [xen.Domain("dom0", "vanilla", 512 << 20, 2, "", "xen", ""),
               xen.Domain("guest", "vanilla", 64 << 20, 1, "", "xen", "")]  # fmt: skip
    assert xen.xen_arguments("a=b", domains) == "a=b dom0_mem=512M dom0_max_vcpus=2"
    assert xen.xen_arguments("a=b", domains[1:]) == "a=b"


IMAGES = ("guest-images", "control-domain-image")


@pytest.mark.timeout(300)
def test_images_with_domains_are_whole(context):
    found = {name: images.CHECKS[name](context) for name in IMAGES}
    assert {verdict.state for verdict in found.values()} == {YES}, found
    assert found["guest-images"].evidence.startswith("guest: each file")
    assert found["control-domain-image"].evidence == (
        "dom0, guest, second: each file that loader, Xen or xl asks for is in it "
        "(read back; that it starts is not tested by this)"
    )
    boot, root = (context.folder / "control_image" / part for part in ("boot", "root"))
    assert {path.name for path in boot.iterdir()} == {
        "boot.scr", "ligament-image.json", "vendor", "xen",
    }  # fmt: skip
    assert (root / "boot/xen/initramfs.cpio.gz").stat().st_size
    # Without a control domain nothing of it is there.
    assert not (context.folder / "guest_image/root/etc/xen").exists()
    assert not (context.folder / "guest_image/root/usr/sbin/xl").exists()
    with pytest.raises(FailureError, match="holds the domains dom0, guest, second"):
        images._verb(
            context, "package", "--swap-kernel", "vanilla", "--output",
            context.folder / "control_image.img",
        )  # fmt: skip


class Named(Sources):
    """Each source that was read counts as a package of its own name."""

    def packages(self, names):
        return dict.fromkeys(sorted({*names} & {*self._trees}), "0" * 64)


def test_the_record_of_an_image_with_domains_has_all_that_it_was_made_of(context):
    layout = layout_of(context.platform)
    path = context.folder / "domains.yaml"
    share = "memory_bytes: 0x2000000, cores: 1"
    path.write_text(
        f"schema: ligament/domains/1\ndom0: {{kernel: preempt_rt, {share}}}\ndomains:\n"
        f"  guest: {{start: xl, kernel: vanilla, {share}, arguments: nfsroot=here}}\n"
    )
    domains = xen.domains_of(layout, read_document(path, "domains"))
    sources = Named(context.platform, context.folder / "cache")
    plan = planned(layout, sources, domains=DomainImage(layout, domains, sources))
    assert plan.kernel == "preempt_rt"
    used = [{*piece.packages} for piece in plan.pieces]
    assert used == [
        {"blob", "kernel_b", "early"}, {"base", "tools", "kernel_a", "install"}, {"install"},
    ]  # fmt: skip


def test_a_root_over_the_network_is_no_root_partition():
    told = xen.Domain("dom0", "vanilla", 1, 1, "nfsroot=1.2.3.4:/x", "xen", "")
    assert DomainImage._control(told, "UUID=1").arguments == "nfsroot=1.2.3.4:/x root=UUID=1 rw"
    own = xen.Domain("dom0", "vanilla", 1, 1, "root=/dev/vda2", "xen", "")
    assert DomainImage._control(own, "UUID=1").arguments == "root=/dev/vda2"


#: What is taken out of an image, and what is said then.
DAMAGES = {
    "boot/xen/vmlinuz-vanilla": "boot.scr loads vmlinuz-vanilla, which is missing",
    "boot/xen/initramfs-dom0.cpio.gz": "loads initramfs-dom0.cpio.gz, which is missing",
    "root/boot/xen/vmlinuz-vanilla": "names the kernel '/boot/xen/vmlinuz-vanilla', which",
    "root/etc/xen/second.cfg": "'second' has no etc/xen/second.cfg",
    "root/usr/sbin/xl": "the control domain has no xl, which starts second",
}


def test_what_an_image_with_domains_lacks_is_found(context, monkeypatch):
    seen = []

    def asked(uuid, boot, root, *described):
        whole = image_faults(uuid, boot, root, *described)
        for path, wanted in DAMAGES.items():
            file = boot.parent / path
            kept = file.read_bytes()
            file.unlink()
            found = "; ".join(image_faults(uuid, boot, root, *described))
            assert wanted in found, found
            file.write_bytes(kept)
            seen.append(path)
        return [*whole, *image_faults(uuid[::-1], boot, root, *described)]

    monkeypatch.setattr(images, "image_faults", asked)
    verdict = images.CHECKS["control-domain-image"](context)
    assert seen == [*DAMAGES]
    assert verdict.state == NO
    assert verdict.evidence.startswith("the control domain's root is not the root partition")
