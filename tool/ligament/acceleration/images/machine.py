# SPDX-License-Identifier: Apache-2.0
"""A platform's emulated machine: QEMU's command line for an image, and its console."""

from __future__ import annotations

import re
import secrets
import selectors
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ligament.acceleration.images import tools
from ligament.acceleration.images.xen import OVERLAY, SCRIPT_TEXT, XEN
from ligament.acceleration.manifest import Platform
from ligament.errors import FailureError, InputError, Problem
from ligament.programs import end_with_tool

LONGEST_LINE = 3000
"""Of what is typed on the console: a terminal of Linux takes 4095 characters. Unit: bytes."""
_PANIC = re.compile(rb"Kernel panic - not syncing: ([^\r\n]*)")


def require_emulation(platform: Platform) -> None:
    """Raise InputError if the platform, which has `boot`, names no emulated machine."""
    if "emulation" not in platform.document["boot"]:
        text = f"the platform '{platform.name}' has no emulated machine"
        hint = "a platform with boot.emulation is needed, such as qemu-arm64"
        raise InputError(Problem("emulation-missing", text, platform.at("boot"), hint=hint))


def command(
    emulation: Mapping[str, Any],
    disk: Path | None = None,
    *,
    files: Mapping[str, Path] | None = None,
    arguments: str = "",
    keep: bool = False,
    tftp: Path | None = None,
    serial: str = "stdio",
) -> list[str]:
    """Return QEMU's words for a platform's `emulation`.

    `files`: firmware, or kernel, initrd and dtb, which QEMU loads itself; `keep`: whether the disk
    keeps what is written; `tftp`: a folder that the machine's network serves.
    """
    words = [emulation["program"], "-machine", emulation["machine"],
             "-smp", str(emulation.get("cores", 1)),
             "-m", f"{emulation['memory_bytes'] >> 20}M",
             "-display", "none", "-monitor", "none", "-serial", serial, "-no-reboot"]  # fmt: skip
    if "cpu" in emulation:
        words += ["-cpu", emulation["cpu"]]
    options = {"firmware": "-bios", "vmlinuz": "-kernel", "initramfs.cpio.gz": "-initrd",
               "board.dtb": "-dtb"}  # fmt: skip
    for name, path in (files or {}).items():
        words += [options[name], str(path)]
    if files and "vmlinuz" in files:
        words += ["-append", arguments]
    words += _disk(emulation, disk, keep)
    words += _network(emulation, tftp)
    return [*words, *emulation.get("arguments", ())]


def _disk(emulation: Mapping[str, Any], disk: Path | None, keep: bool) -> list[str]:
    if disk is None:
        return []
    kind = emulation.get("disk", "virtio")
    size = disk.stat().st_size
    if kind == "sd" and size & (size - 1):
        text = f"{disk} has {size} bytes, and a card of this machine needs a power of two"
        hint = f"image.bytes: {1 << size.bit_length()} in platform.yaml"
        raise InputError(Problem("emulation-disk", text, hint=hint))
    path = str(disk.absolute()).replace(",", ",,")
    drive = f"file={path},format=raw,snapshot={'off' if keep else 'on'}"
    if kind == "sd":
        return ["-drive", f"{drive},if=sd"]
    return ["-drive", f"{drive},if=none,id=disk0", "-device", "virtio-blk-pci,drive=disk0"]


def _network(emulation: Mapping[str, Any], tftp: Path | None) -> list[str]:
    if "network" not in emulation:
        return ["-nic", "none"]
    served = f",tftp={str(tftp.absolute()).replace(',', ',,')}" if tftp else ""
    return ["-netdev", f"user,id=net0{served}", "-device",
            f"{emulation['network']},netdev=net0"]  # fmt: skip


class Console:
    """A running machine, and what its console says.

    with Console(words, log) as console:
        console.wait_for("ligament: ready", 600)
        code, text = console.run(["uname", "-a"], 60)
    """

    def __init__(
        self, words: Sequence[str], log: Path, *, show: Callable[[bytes], None] | None = None
    ) -> None:
        self.words = [tools.find(words[0]), *words[1:]]
        self.log = log
        self._show = show or (lambda _: None)
        self._seen = b""
        self._written: IO[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def __enter__(self) -> Console:
        self._written = self.log.open("wb")
        self._errors = self.log.with_suffix(".err").open("w+b")
        self.process = subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            preexec_fn=end_with_tool,  # noqa: PLW1509 - there are no threads
        )
        self._selector = selectors.DefaultSelector()
        assert self.process.stdout is not None
        self._selector.register(self.process.stdout, selectors.EVENT_READ)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._selector.close()
        for file in (self.process.stdin, self.process.stdout, self._written, self._errors):
            if file is not None:
                file.close()

    def wait_for(self, wanted: str, timeout_s: float) -> bytes:
        """Return what the console says before `wanted`; raise FailureError if it never says so."""
        end = time.monotonic() + timeout_s
        mark = wanted.encode()
        while mark not in self._seen:
            if (panic := _PANIC.search(self._seen)) is not None:
                why = panic[1].decode(errors="replace")
                raise self._failure(f"the kernel gave up: {why}")
            left = end - time.monotonic()
            if left <= 0:
                raise self._failure(f"the console did not say '{wanted}' within {timeout_s:g} s")
            self._read(min(left, 1.0))
        before, _, self._seen = self._seen.partition(mark)
        return before

    def _read(self, timeout_s: float) -> None:
        assert self.process.stdout is not None and self._written is not None
        if not self._selector.select(timeout_s):
            return
        data = self.process.stdout.read(1 << 16)
        if not data:
            raise self._failure(f"the emulator ended, with exit code {self.process.wait(10)}")
        self._written.write(data)
        self._show(data)
        self._seen += data

    def send(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            raise self._failure("the emulator ended") from None

    def run(self, command_words: Sequence[str], timeout_s: float) -> tuple[int, bytes]:
        """Run a program with its arguments in the machine's shell; return its exit code and output.

        Marks stand around the output; in what the terminal echoes they are not joined.
        """
        nonce = secrets.token_hex(6)
        words = shlex.join(command_words)
        begin, end = f"printf '%s%s\\n' begin- {nonce}", f"printf '%s%s %d\\n' end- {nonce} $?"
        line = f"{begin}; {words} </dev/null; {end}"
        if len(line.encode()) > LONGEST_LINE or "\n" in words:
            text = f"the command has {len(words.encode())} bytes, or a line break"
            expected = f"one line of at most {LONGEST_LINE - 100} bytes"
            raise InputError(Problem("emulation-command", text, expected=expected))
        self.send(line)
        self.wait_for(f"begin-{nonce}", timeout_s)
        output = self.wait_for(f"end-{nonce} ", timeout_s)
        code = self.wait_for("\n", 30).strip()
        if not code.isdigit():
            raise self._failure(f"the exit code of the command is unreadable: {code!r}")
        return int(code), output.replace(b"\r\n", b"\n").removeprefix(b"\n")

    def _failure(self, text: str) -> FailureError:
        assert self._errors is not None
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()[-5:]
        last = self._seen.decode(errors="replace").replace("\r", "").splitlines()[-8:]
        shown = "\n  | ".join([text, *said, *last])
        return FailureError(shown, command=self.words, log=self.log)


def for_xen(emulation: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return a platform's `emulation` with all that its `xen` says of the board.

    Xen runs at the exception level that Arm made for hypervisors, which QEMU leaves out otherwise.
    """
    machine = f"{emulation['machine']},virtualization=on"
    return {**emulation, "machine": machine, "memory_bytes": told["memory_bytes"],
            "cores": told["cores"]}  # fmt: skip


def xen_command(emulation: Mapping[str, Any], told: Mapping[str, Any], folder: Path) -> list[str]:
    """Return QEMU's words that start Xen with the files of `hypervisor`: it is their boot loader.

    The machine's own device tree gets the overlay, which is what U-Boot's script does on a board.
    """
    plain = for_xen(emulation, told)
    dump = command({**plain, "machine": f"{plain['machine']},dumpdtb=machine.dtb"})
    tools.run(dump, folder, "the machine does not tell its device tree")
    overlaid = ["fdtoverlay", "-i", "machine.dtb", "-o", "board.dtb", OVERLAY]
    tools.run(overlaid, folder, "the overlay does not fit the machine's device tree")
    files = {"vmlinuz": folder / XEN, "board.dtb": folder / "board.dtb"}
    words = command(plain, files=files, arguments=str(told.get("arguments", "console=dtuart")))
    sizes = {line[1]: (folder / line[1]).stat().st_size for line in _loads(folder)}
    for address, name in _loads(folder):
        if name not in (XEN, OVERLAY) and sizes[name]:
            path = str((folder / name).absolute()).replace(",", ",,")
            words += ["-device", f"loader,file={path},addr={address},force-raw=on"]
    return words


def _loads(folder: Path) -> list[tuple[str, str]]:
    """Addresses and files that the boot loader's script puts into memory."""
    lines = (folder / SCRIPT_TEXT).read_text(encoding="utf-8").splitlines()
    words = [shlex.split(line) for line in lines if line.startswith("load ")]
    return [(w[-2], w[-1].rpartition("/")[2]) for w in words]
