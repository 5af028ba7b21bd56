# SPDX-License-Identifier: Apache-2.0
"""The manifest of a core: which port is which stream, which parameters it has.

A core is SystemVerilog (`implementations.fpga`) or C++ for high-level synthesis (`hls`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ligament.errors import InputError, Location, Mistake, Problem, nearest

if TYPE_CHECKING:  # the graph's room reads manifests itself
    from ligament.graph.model import Client, NodeType, Parameter, Port, Service

Path = tuple[str | int, ...]
#: What a register of 64 bits can hold; of a text with choices, its place among them.
REGISTER_TYPES = ("bool", "integer", "double")
#: Width of a core's streams where it says nothing else. Unit: bits.
CORE_BITS = 64
CHANNEL_BITS = 8
MOST_CHANNELS = 4
PIXELS_OF_A_BEAT = CORE_BITS // (CHANNEL_BITS * MOST_CHANNELS)
#: What cores are written in, as manifests have it.
LANGUAGES = ("fpga", "hls")
VHDL = (".vhd", ".vhdl")
"""How names of sources end that are translated (`cores.vhdl`)."""
#: Sources that no core is made of, by how their names end: what they are, and what to do.
FOREIGN: dict[str, dict[tuple[str, ...], tuple[str, str]]] = {
    "fpga": {
        (".c", ".cc", ".cpp", ".cxx"): ("C++", "C++ for high-level synthesis: implementations.hls"),
    },
    "hls": {
        (".sv", ".v", ".vhd", ".vhdl"): (
            "a hardware description",
            "SystemVerilog: implementations.fpga",
        ),
    },
}


@dataclass(frozen=True)
class Timer:
    """An input that brings the node's time at intervals."""

    name: str
    period: Parameter
    """It has the interval. Unit: milliseconds."""


#: What a timer's stream has.
TIME = "builtin_interfaces/msg/Time"


def is_vhdl(sources: Sequence[str]) -> bool:
    """Whether a core's sources are VHDL: they are all in one language."""
    return sources[0].lower().endswith(VHDL)


@dataclass(frozen=True)
class Core:
    """A core with one stream per port; `top` is its module or its function."""

    top: str
    sources: tuple[str, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    parameters: tuple[Parameter, ...]
    bounds: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    services: tuple[Service, ...] = ()
    #: Services that it calls.
    clients: tuple[Client, ...] = ()
    #: How a module has its streams: `interfaces` or `signals`.
    streams: str = "signals"
    #: Where it can be built for several pixels per cycle: the ports whose streams grow with them.
    wide_ports: tuple[str, ...] = ()
    #: Whether it answers each message by itself, not sets of one message of each input.
    answers_each: bool = False
    #: Further inputs that bring the time, and the parameter with each one's period.
    timers: tuple[Timer, ...] = ()

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports that it has streams for."""
        return (*self.inputs, *self.outputs)

    @property
    def is_vhdl(self) -> bool:
        """Whether its sources are VHDL, and the module an entity."""
        return is_vhdl(self.sources)


@dataclass(frozen=True)
class Declared:
    """What a manifest says of a node type whatever runs it."""

    ports: Mapping[str, Port]
    parameters: Mapping[str, Parameter]
    services: Mapping[str, Service]
    clients: Mapping[str, Client] = field(default_factory=dict)


def read_core(
    node_type: str, language: str, data: Mapping[str, Any], declared: Declared
) -> tuple[Core | None, list[Mistake]]:
    """Return the core and the mistakes of its manifest; it is None where there are any.

    `language`: `fpga` or `hls`, the manifest's key that `data` is of.
    """
    ports = declared.ports
    services, clients = tuple(declared.services.values()), tuple(declared.clients.values())
    mistakes = _foreign_sources(language, data) + _not_in_vhdl(data)
    if clients and language == "fpga" and data.get("answers") != "each":
        text = "it calls services: a response comes without messages of the other inputs"
        place: Path = ("answers",) if "answers" in data else ("sources",)
        mistakes.append(Mistake(place, text, "answers: each"))
    incoming, outgoing = (_ports(data, side, ports, mistakes) for side in ("input", "output"))
    mistakes += [] if mistakes else _lacking(data, declared, incoming, outgoing)
    taken = [port.name for port in (*incoming, *outgoing)]
    others = sorted(n for n, p in ports.items() if n not in taken and not p.optional)
    if not mistakes and others:
        mistakes.append(Mistake((), f"a core has no stream for the ports {', '.join(others)}"))
    mistakes += [] if mistakes else _not_wide(data, (*incoming, *outgoing))
    timers = _timers(data, declared, mistakes)
    registers = _registers(data, declared.parameters, mistakes)
    if mistakes:
        return None, mistakes
    top = data.get("top", data.get("function", node_type.replace("/", "_")))
    core = Core(
        top,
        tuple(data["sources"]),
        incoming,
        outgoing,
        registers,
        tuple(data.get("bounds", ())),
        tuple(data.get("refusals", ())),
        services,
        clients,
        data.get("streams", "signals"),
        tuple(data.get("pixels", {}).get("ports", ())),
        data.get("answers") == "each",
        timers,
    )
    return core, []


def _registers(
    data: Mapping[str, Any], parameters: Mapping[str, Parameter], mistakes: list[Mistake]
) -> tuple[Parameter, ...]:
    """Return the parameters that are registers; adds to the mistakes."""
    registers = []
    for place, name in enumerate(data.get("parameters", ())):
        if name not in parameters:
            hint = nearest(name, parameters)
            text = f"there is no parameter '{name}'"
            mistakes.append(Mistake(("parameters", place), text, hint))
        elif not _fits_register(parameters[name]):
            text = f"'{name}' is a {parameters[name].type}; a register holds no such value"
            hint = "a bool, an integer, a double, or a string with choices"
            mistakes.append(Mistake(("parameters", place), text, hint))
        elif _is_unchecked(parameters[name]):
            text = f"'{name}' may change while the node runs, and only texts are held to choices"
            mistakes.append(Mistake(("parameters", place), text, "read_only: true, or a range"))
        else:
            registers.append(parameters[name])
    return tuple(registers)


def stream_bits(pixels: int) -> int:
    """Return the width of a stream that carries so many pixels per cycle, of up to 4 channels."""
    return CORE_BITS if pixels <= PIXELS_OF_A_BEAT else CHANNEL_BITS * MOST_CHANNELS * pixels


def port_bits(node_type: NodeType, port: str, pixels: int) -> int:
    """Return the width of a port's stream where the core handles so many pixels per cycle."""
    declared = node_type.implementations.get("fpga", {}).get("pixels", {})
    return stream_bits(pixels) if port in declared.get("ports", ()) else CORE_BITS


def core_of(node_type: NodeType, language: str) -> Core:
    """Return a type's core; raise where its manifest has mistakes, which `check` may not tell."""
    core, mistakes = read_core(
        node_type.type,
        language,
        node_type.implementations[language],
        Declared(node_type.ports, node_type.parameters, node_type.services, node_type.clients),
    )
    if core is None:  # a graph that was written by hand, or a node that only this variant has
        where = Location(os.path.join(node_type.folder, "node.yaml"))
        raise InputError([Problem("core-manifest", m.text, where, hint=m.hint) for m in mistakes])
    return core


def _lacking(
    data: Mapping[str, Any],
    declared: Declared,
    incoming: tuple[Port, ...],
    outgoing: tuple[Port, ...],
) -> list[Mistake]:
    """Return what its streams lack: services have theirs, outputs are caused by inputs."""
    services, clients = declared.services, declared.clients
    causes = incoming or (clients and data.get("timers"))
    if not causes and (outgoing or clients or not services):
        return [_sideless("input", data, declared)]
    if not outgoing and not services and not clients:
        return [_sideless("output", data, declared)]
    names = {port.name for port in (*incoming, *outgoing)}
    mistakes = []
    called: list[Service | Client] = [*services.values(), *clients.values()]
    for one in called:
        for stream in (one.request, one.response):
            if stream.name in names:
                whose = "port" if stream.name in declared.ports else "stream of a service"
                text = f"the {whose} '{stream.name}' has the name of a stream of '{one.name}'"
                mistakes.append(Mistake((), text))
            names.add(stream.name)
    return mistakes


def _sideless(side: str, data: Mapping[str, Any], declared: Declared) -> Mistake:
    """Return why a core has no stream of a side, and what would give it one."""
    direction = "in" if side == "input" else "out"
    names = sorted(n for n, port in declared.ports.items() if port.direction == direction)
    needs = f"a core needs an {side}"
    if names:  # several, all optional, and none is named
        text = f"{needs}, and it does not say which of the optional ports {', '.join(names)} it has"
        return Mistake((), text, f"{side}s: [{names[0]}]")
    if side == "input" and declared.clients:
        hint = f"a port of direction {direction}, or timers"
        return Mistake((), f"{needs} or a timer, and it has neither", hint)
    if side == "input" and data.get("timers"):
        text = f"{needs}: timers alone start only a core that calls services"
        return Mistake(("timers",), text, f"a port of direction {direction}")
    return Mistake((), f"{needs}, and there is no port of direction {direction}")


def _timers(
    data: Mapping[str, Any], declared: Declared, mistakes: list[Mistake]
) -> tuple[Timer, ...]:
    """Return the inputs that bring the time, and add what is wrong with them."""
    found = []
    for name, period in data.get("timers", {}).items():
        place: Path = ("timers", name)
        if data.get("answers") != "each":
            text = "a tick comes without messages of the other inputs"
            mistakes.append(Mistake(place, text, "answers: each"))
        elif name in declared.ports:
            mistakes.append(Mistake(place, f"the timer '{name}' has the name of a port"))
        elif period not in declared.parameters:
            hint = nearest(period, declared.parameters)
            mistakes.append(Mistake(place, f"there is no parameter '{period}'", hint))
        elif (declared.parameters[period].type, declared.parameters[period].read_only) != (
            "integer",
            True,
        ):
            text = f"'{period}' has a timer's interval in ms"
            mistakes.append(Mistake(place, text, "type: integer, and read_only: true"))
        else:
            found.append(Timer(name, declared.parameters[period]))
    return tuple(found)


def _not_wide(data: Mapping[str, Any], streams: tuple[Port, ...]) -> list[Mistake]:
    """Return what is wrong with the ports and the choices of `pixels`."""
    declared = data.get("pixels", {})
    names = [port.name for port in streams]
    mistakes = [
        Mistake(("pixels", "ports", place), f"there is no stream '{name}'", nearest(name, names))
        for place, name in enumerate(declared.get("ports", ()))
        if name not in names
    ]
    choices = [choice["pixels"] for choice in declared.get("choices", ())]
    if choices != sorted(set(choices)):
        mistakes.append(Mistake(("pixels", "choices"), "each choice stands once, the least first"))
    if declared and data.get("streams", "signals") != "interfaces":
        text = "flat signals have 64 bits; a core with PIXELS has interfaces"
        mistakes.append(Mistake(("pixels",), text, "streams: interfaces"))
    return mistakes


def _is_unchecked(parameter: Parameter) -> bool:
    return bool(parameter.choices) and parameter.type != "string" and not parameter.read_only


def _fits_register(parameter: Parameter) -> bool:
    return parameter.type in REGISTER_TYPES or (
        parameter.type == "string" and bool(parameter.choices)
    )


def _foreign_sources(language: str, data: Mapping[str, Any]) -> list[Mistake]:
    mistakes = []
    for place, source in enumerate(data["sources"]):
        for ends, (what, hint) in FOREIGN[language].items():
            if source.lower().endswith(ends):
                text = f"'{source}' is {what}"
                mistakes.append(Mistake(("sources", place), text, hint))
    return mistakes


def _not_in_vhdl(data: Mapping[str, Any]) -> list[Mistake]:
    """What a core in VHDL cannot have: GHDL makes one module of it, with ports of bits."""
    places = [k for k, source in enumerate(data["sources"]) if source.lower().endswith(VHDL)]
    if not places:
        return []
    mistakes = []
    if len(places) < len(data["sources"]):
        text = "VHDL beside Verilog: a core is in one language"
        mistakes.append(Mistake(("sources", places[0]), text, "make nodes of the parts"))
    if data.get("streams") == "interfaces":
        text = "VHDL has no interfaces of SystemVerilog"
        mistakes.append(Mistake(("streams",), text, "streams: signals"))
    if "pixels" in data:
        text = "a core in VHDL has one width: its generics keep their defaults"
        mistakes.append(Mistake(("pixels",), text, "a node type for each width"))
    return mistakes


def _ports(
    data: Mapping[str, Any], side: str, ports: Mapping[str, Port], mistakes: list[Mistake]
) -> tuple[Port, ...]:
    """Return the ports of one side: those that are named, else all that are not optional."""
    direction = "in" if side == "input" else "out"
    fitting = {n: p for n, p in ports.items() if p.direction == direction}
    named: list[tuple[Path, str]] = [
        ((f"{side}s", place), name) for place, name in enumerate(data.get(f"{side}s", ()))
    ]
    if side in data:
        named.insert(0, ((side,), data[side]))
    for place, name in named:
        if name not in fitting:
            text = f"there is no port '{name}' of direction {direction}"
            mistakes.append(Mistake(place, text, nearest(name, fitting)))
    names = [name for _, name in named]
    if len(fitting) == 1:
        names = names or list(fitting)
    names = names or [n for n, p in fitting.items() if not p.optional]
    return tuple(fitting[name] for name in dict.fromkeys(names) if name in fitting)
