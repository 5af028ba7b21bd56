# SPDX-License-Identifier: Apache-2.0
"""The manifest of an FPGA implementation: which port is which stream, which parameters it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ligament.errors import nearest

if TYPE_CHECKING:  # the graph's room reads manifests itself
    from ligament.graph.model import Parameter, Port

Path = tuple[str | int, ...]
#: What a register of 64 bits can hold.
REGISTER_TYPES = ("bool", "integer", "double")


@dataclass(frozen=True)
class Mistake:
    """What is wrong at a place of the manifest."""

    path: Path
    text: str
    hint: str = ""


@dataclass(frozen=True)
class Core:
    """A core with one stream per port."""

    top: str
    sources: tuple[str, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    parameters: tuple[Parameter, ...]
    bounds: tuple[str, ...] = ()


def read_core(
    node_type: str,
    data: Mapping[str, Any],
    ports: Mapping[str, Port],
    parameters: Mapping[str, Parameter],
) -> tuple[Core | None, list[Mistake]]:
    """Return the core and the mistakes of its manifest; it is None where there are any."""
    mistakes: list[Mistake] = []
    incoming, outgoing = (_ports(data, side, ports, mistakes) for side in ("input", "output"))
    taken = [port.name for port in (*incoming, *outgoing)]
    others = sorted(n for n, p in ports.items() if n not in taken and not p.optional)
    if not mistakes and others:
        mistakes.append(Mistake((), f"a core has no stream for the ports {', '.join(others)}"))
    registers = []
    for place, name in enumerate(data.get("parameters", ())):
        if name not in parameters:
            hint = nearest(name, parameters)
            text = f"there is no parameter '{name}'"
            mistakes.append(Mistake(("parameters", place), text, hint))
        elif parameters[name].type not in REGISTER_TYPES:
            text = f"'{name}' is a {parameters[name].type}; a register holds no such value"
            mistakes.append(Mistake(("parameters", place), text, "a bool, an integer or a double"))
        else:
            registers.append(parameters[name])
    if mistakes:
        return None, mistakes
    top = data.get("top", node_type.replace("/", "_"))
    bounds = tuple(data.get("bounds", ()))
    return Core(top, tuple(data["sources"]), incoming, outgoing, tuple(registers), bounds), []


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
    if not names:
        mistakes.append(Mistake((), f"a core needs an {side}, and there is no port for one"))
    return tuple(fitting[name] for name in dict.fromkeys(names) if name in fitting)
