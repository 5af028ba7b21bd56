# SPDX-License-Identifier: Apache-2.0
"""`ligament agent`: gives microcontrollers that speak DDS-XRCE their place among ROS 2's nodes."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated

import typer

from ligament.agent import AgentOptions, exec_agent
from ligament.cli.agent_options import Distro, NoEdge, Profiles, Ros, Silence, Types
from ligament.cli.agent_rpmsg import rpmsg
from ligament.errors import InputError, Problem, listing

_INTERFACES = Path("/sys/class/net")

agent = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    no_args_is_help=True,
    help="Serve microcontrollers that speak DDS-XRCE, as micro-ROS does: their nodes, topics and "
    "services are those of ROS 2's graph, in shared memory and on the network. Ctrl-C ends it.",
)

Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, metavar="P", help="UDP port; 0: any.")
]
Address = Annotated[str, typer.Option("--address", metavar="IP", help="IPv4 address to listen on.")]
Spin = Annotated[
    int,
    typer.Option(
        "--spin",
        min=0,
        max=1_000_000,
        metavar="US",
        help="Microseconds for which the agent looks after a datagram, before it sleeps. Samples "
        "come sooner, for a processor's time.",
    ),
]
Device = Annotated[Path, typer.Argument(metavar="DEVICE", help="The line, as /dev/ttyUSB0.")]
Interface = Annotated[
    str, typer.Argument(metavar="INTERFACE", help="The bus, as can0; it must be up, with CAN FD.")
]
Baud = Annotated[
    int, typer.Option("--baud", min=0, metavar="N", help="Its rate; 0: as it is set already.")
]


@agent.command()
def udp(
    port: Port = 8888,
    address: Address = "0.0.0.0",
    spin: Spin = 0,
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
    try:
        ipaddress.IPv4Address(address)
    except ValueError as error:
        problem = Problem(
            "address-unknown",
            f"--address is '{address}', which is no IPv4 address",
            expected="one of this computer, as 192.168.1.5; 0.0.0.0 is all of them",
        )
        raise InputError(problem) from error
    exec_agent(
        ["udp", "--port", str(port), "--address", address, "--spin", str(spin)],
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
def can(
    interface: Interface,
    ros: Ros = None,
    types: Types = None,
    distro: Distro = "jazzy",
    profiles: Profiles = None,
    silence: Silence = 30.0,
    no_edge: NoEdge = False,
) -> None:
    """Serve clients on a CAN bus with CAN FD, micro-ROS's too. One message is one frame.

    Example: `ligament agent can can0`
    """
    if not (_INTERFACES / interface).exists():
        known = sorted(folder.name for folder in _INTERFACES.glob("*can*"))
        raise InputError(
            Problem(
                "interface-missing",
                f"there is no network interface '{interface}'",
                expected=f"one of {listing(known)}" if known else "one of CAN, as can0",
                hint="ip link set can0 up type can bitrate 500000 dbitrate 2000000 fd on",
            )
        )
    exec_agent(
        ["can", interface],
        AgentOptions(ros, tuple(types or ()), distro, profiles, silence, not no_edge),
    )


agent.command()(rpmsg)
