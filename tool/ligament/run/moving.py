# SPDX-License-Identifier: Apache-2.0
"""Moving a node of a running graph into a container of its own (spec/run/moving.md).

The run listens on a socket whose name follows from its folder; `ligament move` asks there. What the
two containers say to each other does not pass through here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.artefacts import json_text, write_text
from ligament.graph.names import name_hash
from ligament.run.process import ContainerSpec

_LONGEST_REQUEST = 1 << 20


class MoveError(Exception):
    """Why a node does not move, in a sentence; the graph goes on as it was."""


@dataclass(frozen=True)
class MoveWish:
    """Which node shall move, and what it shall be there."""

    node: str
    device: str
    config: Mapping[str, Any] | None = None
    """A container's configuration that has the node as it shall be; None: as it is."""
    state: tuple[str, ...] = ()
    """What its manifest lists as state: it moves only if its class hands that over."""
    shell: str = ""
    """Where the device is a slot: the FPGA that has it."""


@dataclass(frozen=True)
class Move:
    """What run.json keeps of a move. Times are CLOCK_MONOTONIC."""

    node: str
    source: str
    container: str
    device: str
    at_ns: int
    """When the node began to run there."""
    gap_ns: int


def address_of(folder: Path) -> bytes:
    """The abstract name of the socket of the run whose folder this is."""
    return f"\0ligament/move/{os.getuid()}/{name_hash(str(folder.resolve())):016x}".encode()


def spec_of_moved(old: ContainerSpec, wish: MoveWish, taken: Collection[str]) -> ContainerSpec:
    """What starts the new container; writes its configuration beside the old one's."""
    base = wish.shell or wish.node.strip("/").replace("/", "-")
    name = next(n for i in range(2, 1 << 30) if (n := f"{base}-{i}") not in taken)
    name = wish.shell if wish.shell and wish.shell not in taken else name
    before = Path(old.command[-1])
    path = before.with_name(f"{name}.json")
    config = moved_config(json.loads(before.read_text(encoding="utf-8")), wish, name)
    write_text(path, json_text(config))
    return replace(
        old,
        name=name,
        command=[*old.command[:-1], str(path)],
        log=old.log.with_name(f"{name}.log"),
        nodes=[wish.node],
        shell=wish.shell,
        slots={},
    )


def config_for_shell(old: ContainerSpec, shell: ContainerSpec, wish: MoveWish) -> Path:
    """Write what a running shell's container makes the node from, beside its own configuration."""
    before = Path(old.command[-1])
    config = moved_config(json.loads(before.read_text(encoding="utf-8")), wish, shell.name)
    path = Path(shell.command[-1]).with_name(f"{shell.name}.{wish.device}.json")
    write_text(path, json_text(config))
    return path


def adopt(shell: ContainerSpec, added: Path) -> None:
    """Add the node to the shell's own configuration: it comes back with a restart."""
    path = Path(shell.command[-1])
    config, new = (json.loads(p.read_text(encoding="utf-8")) for p in (path, added))
    config["nodes"] += new["nodes"]
    config["topics"] = {**new["topics"], **config.get("topics", {})}
    write_text(path, json_text(config))


def moved_config(old: Mapping[str, Any], wish: MoveWish, name: str) -> dict[str, Any]:
    """The new container's configuration: the old one's, with this node alone, as it shall be.

    The node keeps the parameters that this run gave it, and topics what the run says of them.
    """
    before = _node_of(old, wish.node)
    node = before
    topics = dict(old.get("topics", {}))
    if wish.config is not None:
        node = {**_node_of(wish.config, wish.node), "parameters": before["parameters"]}
        for topic, said in wish.config.get("topics", {}).items():
            topics[topic] = {**said, **{k: v for k, v in topics.get(topic, {}).items() if v}}
    config = {**old, "container": name, "nodes": [node], "topics": topics}
    config.pop("edge", None)  # the old one's serves both
    return config


def forget(old: ContainerSpec, node: str) -> None:
    """Take the node out of the configuration that it left: it would come back with a restart."""
    path = Path(old.command[-1])
    config = json.loads(path.read_text(encoding="utf-8"))
    config["nodes"] = [one for one in config["nodes"] if one["id"] != node]
    write_text(path, json_text(config))


def _node_of(config: Mapping[str, Any], node: str) -> dict[str, Any]:
    for one in config.get("nodes", ()):
        if one.get("id") == node:
            return dict(one)
    raise MoveError(f"the configuration of the new container lacks '{node}'")


def give(control: socket.socket | None, wish: MoveWish, end: socket.socket) -> None:
    """Ask the old container for the node, with its end of the pair."""
    _ask(control, {"request": "give", "node": wish.node, "state": list(wish.state)}, end)


def take(control: socket.socket | None, node: str, config: Path, end: socket.socket) -> None:
    """Ask a running container to take the node in, with its end of the pair."""
    _ask(control, {"request": "take", "node": node, "config": str(config)}, end)


def _ask(control: socket.socket | None, request: Mapping[str, Any], end: socket.socket) -> None:
    try:
        if control is None:
            raise OSError("it has no control socket")
        socket.send_fds(control, [json.dumps(request).encode()], [end.fileno()])
    except OSError as error:
        text = f"the container of '{request['node']}' cannot be asked: {error}"
        raise MoveError(text) from error


# --- who asks -----------------------------------------------------------------------------------


def wish_of(request: Any) -> MoveWish:
    """What a request says; MoveError if it has not its form."""
    if not isinstance(request, dict) or request.get("request") != "move":
        raise MoveError("this is no request to move a node")
    node, device = request.get("node"), request.get("device")
    config, state = request.get("config"), request.get("state", [])
    shell = request.get("shell", "")
    words = isinstance(node, str) and isinstance(device, str) and isinstance(shell, str)
    if not (words and isinstance(state, list)):
        raise MoveError("the request to move lacks the node or the device")
    if config is not None and not isinstance(config, dict):
        raise MoveError("the configuration in the request to move is no object")
    names = tuple(str(name) for name in state)
    return MoveWish(str(node), str(device), config, names, str(shell))


@contextlib.asynccontextmanager
async def listening(folder: Path, move: Callable[[MoveWish], Awaitable[Move]]) -> Any:
    """While a run lasts: takes requests, one line each, and answers each with one line."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            answer = await _answer(reader, writer, move)
            writer.write((json.dumps(answer) + "\n").encode())
            await writer.drain()
        writer.close()

    address = address_of(folder).decode()
    server = await asyncio.start_unix_server(serve, address, limit=_LONGEST_REQUEST)
    async with server:
        yield


async def _answer(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    move: Callable[[MoveWish], Awaitable[Move]],
) -> dict[str, Any]:
    """Abstract names have no permissions: whoever is of another user is refused."""
    peer = writer.get_extra_info("socket")
    raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII"))
    if struct.unpack("iII", raw)[1] != os.getuid():
        return {"error": "this run is of another user"}
    try:
        moved = await move(wish_of(json.loads(await reader.readline())))
    except MoveError as error:
        return {"error": str(error)}
    except ValueError:
        return {"error": "this is no request to move a node"}
    return {"source": moved.source, "container": moved.container, "gap_ns": moved.gap_ns}


def ask(folder: Path, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
    """Ask the run whose folder this is; OSError if nobody is there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(timeout_s)
        peer.connect(address_of(folder))
        peer.sendall((json.dumps(request) + "\n").encode())
        with peer.makefile("rb") as lines:
            answer = json.loads(lines.readline() or b"{}")
    return answer if isinstance(answer, dict) else {}
