# SPDX-License-Identifier: Apache-2.0
"""`ligament agent`: gives microcontrollers that speak DDS-XRCE their place among ROS 2's nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.agent import AgentOptions, exec_agent
from ligament.errors import InputError, Problem, listing, nearest
from ligament.mapping.files import board_memory, load_memory_map
from ligament.mapping.memory_map import MemoryMap
from ligament.resources import firmware_dir
from ligament.run.discovery import MAX_DOMAIN_ID

agent = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    no_args_is_help=True,
    help="Serve microcontrollers that speak DDS-XRCE, as micro-ROS does: their nodes, topics and "
    "services are those of ROS 2's graph, in shared memory and on the network. Ctrl-C ends it.",
)

Ros = Annotated[
    int | None,
    typer.Option(
        "--ros",
        min=0,
        max=MAX_DOMAIN_ID,
        metavar="N",
        help="ROS 2 domain of clients that name none; default: ROS_DOMAIN_ID, or 0. Clients that "
        "name one are in that.",
    ),
]
Types = Annotated[
    list[Path] | None,
    typer.Option(
        "--types",
        metavar="DIR",
        help="A package folder with .msg or .srv files that clients use; may be repeated. Those of "
        "ROS 2 are known.",
    ),
]
Distro = Annotated[str, typer.Option("--distro", help="The distribution of ROS 2's own types.")]
Profiles = Annotated[
    Path | None,
    typer.Option(
        "--profiles",
        metavar="FILE",
        help="XML profiles (in Fast DDS's form) that clients refer to by name.",
    ),
]
Silence = Annotated[
    float,
    typer.Option(
        "--silence",
        min=0.1,
        metavar="S",
        help="A client that says nothing for so long is removed with all that it has.",
    ),
]
NoEdge = Annotated[
    bool,
    typer.Option("--no-edge", help="Do not start the domain's edge: only this computer's nodes."),
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, metavar="P", help="UDP port; 0: any.")
]
Address = Annotated[str, typer.Option("--address", metavar="IP", help="IPv4 address to listen on.")]
Device = Annotated[Path, typer.Argument(metavar="DEVICE", help="The line, as /dev/ttyUSB0.")]
Baud = Annotated[
    int, typer.Option("--baud", min=0, metavar="N", help="Its rate; 0: as it is set already.")
]
Memory = Annotated[
    Path,
    typer.Argument(
        metavar="MEMORY",
        help="The file or device that is the core's memory: an emulator's mem-path, /dev/mem.",
    ),
]
Bell = Annotated[
    Path,
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
Channel = Annotated[
    str, typer.Option("--channel", metavar="NAME", help="The endpoint that the core announces.")
]


@agent.command()
def udp(
    port: Port = 8888,
    address: Address = "0.0.0.0",
    ros: Ros = None,
    types: Types = None,
    distro: Distro = "jazzy",
    profiles: Profiles = None,
    silence: Silence = 30.0,
    no_edge: NoEdge = False,
) -> None:
    """Serve clients on a network.

    Examples:

    `ligament agent udp --port 8888`

    `ligament agent udp --ros 5 --types ~/ws/src/my_interfaces`
    """
    exec_agent(
        ["udp", "--port", str(port), "--address", address],
        AgentOptions(ros, tuple(types or ()), distro, profiles, silence, not no_edge),
    )


@agent.command()
def serial(
    device: Device,
    baud: Baud = 115200,
    ros: Ros = None,
    types: Types = None,
    distro: Distro = "jazzy",
    profiles: Profiles = None,
    silence: Silence = 30.0,
    no_edge: NoEdge = False,
) -> None:
    """Serve clients on a serial line. A device that goes away is waited for.

    Example: `ligament agent serial /dev/ttyUSB0 --baud 921600`
    """
    if not device.is_char_device():
        raise InputError(
            Problem(
                "device-missing",
                f"there is no serial device '{device}'",
                expected="a character device, as /dev/ttyUSB0 or /dev/ttyACM0",
                hint="`ls /dev/tty*` before and after plugging it in says its name",
            )
        )
    exec_agent(
        ["serial", str(device), "--baud", str(baud)],
        AgentOptions(ros, tuple(types or ()), distro, profiles, silence, not no_edge),
    )


@agent.command()
def rpmsg(
    memory: Memory,
    bell: Bell,
    map_: Map = "mps2_an386",
    offset: Offset = None,
    base: Base = None,
    buffers: Buffers = None,
    buffer_size: BufferSize = None,
    blocks: Blocks = None,
    block_size: BlockSize = None,
    qtest: Qtest = None,
    channel: Channel = "ligament-xrce",
    ros: Ros = None,
    types: Types = None,
    distro: Distro = "jazzy",
    profiles: Profiles = None,
    silence: Silence = 30.0,
    no_edge: NoEdge = False,
) -> None:
    """Serve a core of this chip, or an emulated one, over shared memory.

    The memory map is that of the firmware. A core that is not there yet, or stops, crashes, is
    killed, starts anew, is waited for.

    Examples:

    `ligament agent rpmsg /dev/shm/core --bell /tmp/core.bell`

    `ligament agent rpmsg /dev/shm/core --bell /tmp/core.bell --map ./memory.json`
    """
    if not memory.exists():
        raise InputError(
            Problem(
                "memory-missing",
                f"there is no memory '{memory}'",
                expected="the file or device that the core has as its memory",
                hint="for an emulator, make it before: truncate -s 16M FILE",
            )
        )
    words = ["rpmsg", str(memory), "--bell", str(bell), "--channel", channel]
    table = _memory_map(map_)
    words += ["--offset", str(_number("--offset", offset, table.offset))]
    words += ["--base", str(_number("--base", base, table.area.address))]
    numbers = {
        "--buffers": (buffers, table.buffers),
        "--buffer-size": (buffer_size, table.buffer_size),
        "--blocks": (blocks, table.blocks),
        "--block-size": (block_size, table.block_size),
    }
    for option, (given, said) in numbers.items():
        words += [option, str(said if given is None else given)]
    words += ["--qtest", str(qtest)] if qtest is not None else []
    exec_agent(words, AgentOptions(ros, tuple(types or ()), distro, profiles, silence, not no_edge))


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


def _number(option: str, text: str | None, otherwise: int) -> int:
    """Addresses are written in base 16."""
    if text is None:
        return otherwise
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
