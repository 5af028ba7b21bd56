# SPDX-License-Identifier: Apache-2.0
"""`ligament agent rpmsg`: a core of this chip, by its memory or by Linux's driver."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ligament.agent import AgentOptions, exec_agent
from ligament.cli.agent_options import Distro, NoEdge, Profiles, Ros, Silence, Types
from ligament.errors import InputError, Problem, listing, nearest
from ligament.mapping.files import board_memory, load_memory_map
from ligament.mapping.memory_map import MemoryMap
from ligament.resources import firmware_dir

Memory = Annotated[
    Path | None,
    typer.Argument(
        metavar="MEMORY",
        help="The file or device that is the core's memory: an emulator's mem-path, /dev/mem.",
    ),
]
Bell = Annotated[
    Path | None,
    typer.Option(
        "--bell",
        metavar="SOCKET",
        help="Unix socket of the core's interrupt: each byte wakes the core, and each of the "
        "core's wakes the agent. It may come later, and go.",
    ),
]
Map = Annotated[
    str,
    typer.Option(
        "--map",
        metavar="BOARD",
        help="The image's memory map: a board's name, or the path of a memory.json. The options "
        "below replace what it says.",
    ),
]
Offset = Annotated[
    str | None,
    typer.Option("--offset", metavar="N", help="Where in MEMORY the shared area begins."),
]
Base = Annotated[
    str | None, typer.Option("--base", metavar="N", help="The area's address as the core sees it.")
]
Buffers = Annotated[
    int | None,
    typer.Option("--buffers", metavar="N", help="Buffers in each direction: a power of two."),
]
BufferSize = Annotated[
    int | None, typer.Option("--buffer-size", metavar="N", help="Bytes of a buffer.")
]
Blocks = Annotated[
    int | None,
    typer.Option("--blocks", metavar="N", help="Blocks for long messages, each direction."),
]
BlockSize = Annotated[
    int | None,
    typer.Option("--block-size", metavar="N", help="Bytes of a block; 0: there are none."),
]
Qtest = Annotated[
    Path | None,
    typer.Option(
        "--qtest",
        metavar="SOCKET",
        help="QEMU's qtest socket, for an emulated core without interrupt controller: the agent "
        "raises its interrupt there. SOCKET of --bell is then only the way back.",
    ),
]
Spin = Annotated[
    int,
    typer.Option(
        "--spin",
        min=0,
        max=1_000_000,
        metavar="US",
        help="With --bell: microseconds for which the agent looks at memory after a message to the "
        "core, before it sleeps. Answers come sooner, for a processor's time.",
    ),
]
Channel = Annotated[
    str, typer.Option("--channel", metavar="NAME", help="The endpoint that the core announces.")
]
DriverDevice = Annotated[
    Path | None,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="Where Linux itself speaks RPMsg with the core: an endpoint (/dev/rpmsg0), or what "
        "makes one (/dev/rpmsg_ctrl0). It may come later, and go.",
    ),
]
To = Annotated[
    int,
    typer.Option(
        "--to", min=0, metavar="N", help="The core's address, where the agent makes the endpoint."
    ),
]
Remoteproc = Annotated[
    Path | None,
    typer.Option(
        "--remoteproc",
        metavar="FOLDER",
        help="The core's folder in sysfs, as /sys/class/remoteproc/remoteproc0: its state is told.",
    ),
]
Firmware = Annotated[
    str,
    typer.Option(
        "--firmware",
        metavar="NAME",
        help="With --remoteproc: the core is loaded with this image of /lib/firmware, started, "
        "started again after a crash, and stopped at the end.",
    ),
]


def rpmsg(
    memory: Memory = None,
    bell: Bell = None,
    device: DriverDevice = None,
    to: To = 1024,
    remoteproc: Remoteproc = None,
    firmware: Firmware = "",
    map_: Map = "mps2_an386",
    offset: Offset = None,
    base: Base = None,
    buffers: Buffers = None,
    buffer_size: BufferSize = None,
    blocks: Blocks = None,
    block_size: BlockSize = None,
    qtest: Qtest = None,
    spin: Spin = 0,
    channel: Channel = "ligament-xrce",
    ros: Ros = None,
    types: Types = None,
    distro: Distro = "jazzy",
    profiles: Profiles = None,
    silence: Silence = 30.0,
    no_edge: NoEdge = False,
) -> None:
    """Serve a core of this chip, or an emulated one.

    Over memory that both reach (MEMORY and `--bell`; the memory map is that of the firmware), or by
    Linux's own RPMsg (`--device`). A core that is not there yet, or stops, crashes, is killed,
    starts anew, is waited for.

    Examples:

    `ligament agent rpmsg /dev/shm/core --bell /tmp/core.bell`

    `ligament agent rpmsg /dev/shm/core --bell /tmp/core.bell --map ./memory.json`

    `ligament agent rpmsg --device /dev/rpmsg0`

    `ligament agent rpmsg --device /dev/rpmsg_ctrl0 --remoteproc
    /sys/class/remoteproc/remoteproc0 --firmware imu.elf`
    """
    if device is not None:
        _require_driver(device, memory, remoteproc, firmware, spin)
        words = ["rpmsg", "--device", str(device), "--channel", channel, "--to", str(to)]
        words += ["--remoteproc", str(remoteproc)] if remoteproc is not None else []
        words += ["--firmware", firmware] if firmware else []
    else:
        words = ["rpmsg", str(_existing(memory)), "--bell", str(_given(bell)), "--channel", channel]
        table = _memory_map(map_)
        words += _map_words(
            {
                "--offset": (_number("--offset", offset), table.offset),
                "--base": (_number("--base", base), table.area.address),
                "--buffers": (buffers, table.buffers),
                "--buffer-size": (buffer_size, table.buffer_size),
                "--blocks": (blocks, table.blocks),
                "--block-size": (block_size, table.block_size),
            }
        )
        words += ["--qtest", str(qtest)] if qtest is not None else []
        words += ["--spin", str(spin)] if spin else []
    exec_agent(words, AgentOptions(ros, tuple(types or ()), distro, profiles, silence, not no_edge))


def _map_words(numbers: Mapping[str, tuple[int | None, int]]) -> list[str]:
    """What was given, else what the table says."""
    words: list[str] = []
    for option, (given, said) in numbers.items():
        words += [option, str(said if given is None else given)]
    return words


def _existing(memory: Path | None) -> Path:
    if memory is None:
        raise InputError(
            Problem(
                "link-missing",
                "neither MEMORY nor --device says where the core is",
                expected="MEMORY and --bell, or --device /dev/rpmsg0",
            )
        )
    if not memory.exists():
        raise InputError(
            Problem(
                "memory-missing",
                f"there is no memory '{memory}'",
                expected="the file or device that the core has as its memory",
                hint="for an emulator, make it before: truncate -s 16M FILE",
            )
        )
    return memory


def _given(bell: Path | None) -> Path:
    if bell is None:
        raise InputError(
            Problem(
                "link-missing",
                "--bell is missing: the core's interrupt, beside its memory",
                expected="--bell SOCKET",
            )
        )
    return bell


def _require_driver(
    device: Path, memory: Path | None, remoteproc: Path | None, firmware: str, spin: int
) -> None:
    """A device may come later; a folder of Linux may not."""
    if memory is not None:
        raise InputError(
            Problem(
                "link-twice",
                f"MEMORY is '{memory}', and --device is '{device}'",
                expected="one of them: either Linux speaks RPMsg with the core, or the agent does",
            )
        )
    if spin:
        raise InputError(
            Problem(
                "spin-device",
                f"--spin is {spin}, and Linux has the memory of '{device}'",
                expected="--spin with MEMORY and --bell: the agent looks at that memory",
            )
        )
    if firmware and remoteproc is None:
        raise InputError(
            Problem(
                "remoteproc-missing",
                f"--firmware is '{firmware}', and nothing says which core has it",
                expected="--remoteproc /sys/class/remoteproc/remoteproc0",
            )
        )
    if remoteproc is not None and not (remoteproc / "state").exists():
        raise InputError(
            Problem(
                "remoteproc-missing",
                f"'{remoteproc}' is no folder of remoteproc: it has no file 'state'",
                expected="one as /sys/class/remoteproc/remoteproc0",
                hint="`grep . /sys/class/remoteproc/*/name` shows those of this computer",
            )
        )


def _memory_map(name: str) -> MemoryMap:
    if name.endswith(".json"):
        return load_memory_map(Path(name))
    known = sorted(path.parent.name for path in (firmware_dir() / "board").glob("*/memory.json"))
    if name not in known:
        raise InputError(
            Problem(
                "map-unknown",
                f"--map is '{name}', which is no board",
                expected=f"one of {listing(known)}, or the path of a memory.json",
                hint=nearest(name, known),
            )
        )
    return board_memory(name)


def _number(option: str, text: str | None) -> int | None:
    """Addresses are written in base 16."""
    if text is None:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise InputError(
            Problem(
                "number-invalid",
                f"{option} is '{text}', which is no number",
                expected="digits, or 0x and digits of base 16, as 0x21000000",
            )
        ) from None
