# SPDX-License-Identifier: Apache-2.0
"""What the templates of C99 nodes are filled with: names, types and values in C and in C++."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem
from ligament.generate.files import cpp_text
from ligament.graph.c_code import ident_of
from ligament.graph.model import NodeType, Parameter, Port, Service
from ligament.graph.qos import QoS
from ligament.mapping.device_topics import unsayable
from ligament.mapping.model import MappedNode
from ligament.messages.c99 import header_of, struct_of
from ligament.messages.cpp_names import header_path, qualified

_C_TYPES = {"bool": "bool ", "integer": "int64_t ", "double": "double ", "string": "const char* "}
_CPP_TYPES = {
    "bool": "bool",
    "integer": "std::int64_t",
    "double": "double",
    "string": "std::string",
}
_KINDS = {
    "bool": "LIGAMENT_BOOL",
    "integer": "LIGAMENT_INTEGER",
    "double": "LIGAMENT_DOUBLE",
    "string": "LIGAMENT_TEXT",
}
_MANIFEST_DEPTH = 10
"""Of a port whose manifest and graph name none, as everywhere."""
_HALVES = ("Request", "Response")
_LONGEST_MS = 2**32 - 1


def class_of(name: str, suffix: str) -> str:
    """Return the generated class: `motion/pid` becomes MotionPid with a suffix."""
    return "".join(word.capitalize() for word in ident_of(name).split("_")) + suffix


def messages_of(node_type: NodeType) -> list[str]:
    """Return the message types of a node's ports and services, sorted."""
    halves = {f"{s.type}_{half}" for s in node_type.services.values() for half in _HALVES}
    return sorted({port.message for port in node_type.ports.values()} | halves)


def type_values(node_type: NodeType) -> dict[str, Any]:
    """Return what header, glue and component of a node type have in common."""
    messages = messages_of(node_type)
    implementation = node_type.implementations["mcu"]
    ports = node_type.ports.values()
    return {
        "type": node_type.type,
        "ident": ident_of(node_type.type),
        "node_name": node_type.type.rpartition("/")[2],
        "class_name": class_of(node_type.type, "Code"),
        "includes": [header_of(m) for m in messages],
        "cpp_includes": sorted(header_path(t) for t in _cpp_types(node_type)),
        "state": implementation.get("state", ""),
        "inputs": [_port(p) for p in ports if p.direction == "in"],
        "outputs": [_port(p) for p in ports if p.direction == "out"],
        "services": [_service(s) for s in _sorted(node_type.services)],
        "timers": [
            _timer(name, timer["rate"])
            for name, timer in sorted(implementation.get("timers", {}).items())
        ],
        "parameters": [_parameter(p, p.default) for p in parameters_of(node_type)],
    }


def parameters_of(node_type: NodeType) -> list[Parameter]:
    """Return the parameters, sorted; `ligament check` has refused those that C has not."""
    return [p for _, p in sorted(node_type.parameters.items())]


def instance_values(name: str, node: MappedNode, node_type: NodeType) -> dict[str, Any]:
    """Return what image and members say of one node."""
    ports = [*node_type.ports.values()]

    def ends(direction: str) -> list[dict[str, Any]]:
        return [_end(name, node, p) for p in ports if p.direction == direction]

    return {
        "id": name,
        "ident": ident_of(node_type.type),
        "class_name": class_of(name, "Member"),
        "node_name": node.name,
        "inputs": ends("in"),
        "outputs": ends("out"),
        "services": [
            _service(s) | {"graph_name": node.services[s.name]} for s in _sorted(node_type.services)
        ],
        "timers": len(node_type.implementations["mcu"].get("timers", {})),
        "timer_names": sorted(node_type.implementations["mcu"].get("timers", {})),
        "parameters": [
            _parameter(p, node.parameters.get(p.name, p.default)) for p in parameters_of(node_type)
        ],
    }


def ends_of(values: Mapping[str, Any]) -> int:
    """Return how many counts a core has for a node (spec/device/mcu.md, section 3)."""
    topics = len(values["inputs"]) + len(values["outputs"])
    can_change = any(p["can_change"] for p in values["parameters"])
    return topics + 2 * len(values["services"]) + int(can_change)


def _sorted(services: Mapping[str, Service]) -> list[Service]:
    return [services[name] for name in sorted(services)]


def _cpp_types(node_type: NodeType) -> set[str]:
    services = {service.type for service in node_type.services.values()}
    return services | {port.message for port in node_type.ports.values()}


def _service(service: Service) -> dict[str, Any]:
    request, response = (struct_of(f"{service.type}_{half}") for half in _HALVES)
    return {
        "service": service.name,
        "ident": ident_of(service.name),
        "request": request,
        "response": response,
        "cpp": qualified(service.type),
    }


def _port(port: Port) -> dict[str, Any]:
    struct = struct_of(port.message)
    return {
        "port": port.name,
        "ident": ident_of(port.name),
        "struct": struct,
        "macro": struct.upper(),
        "cpp": qualified(port.message),
        "depth": port.qos.get("depth", _MANIFEST_DEPTH),
    }


def _timer(name: str, rate: float | str) -> dict[str, Any]:
    if isinstance(rate, str):
        what = f"As often per second as the parameter {rate} says."
        return {"name": name, "parameter": ident_of(rate), "what": what}
    return {"name": name, "parameter": "", "rate": repr(float(rate)), "what": f"{rate:g} Hz."}


def _end(name: str, node: MappedNode, port: Port) -> dict[str, Any]:
    connected = node.ports[port.name]
    values = _port(port)
    values |= {"topic": connected.topic, "qos": connected.qos}
    values["c_qos"] = _c_qos(connected.qos, f"port '{port.name}' of '{name}'")
    return values


def _c_qos(qos: QoS, what: str) -> str:
    """Return a ligament_qos_t; what the protocol cannot say is refused."""
    if wish := unsayable(qos):  # in a mapping by hand; `map` refuses it, with its place
        raise InputError(
            Problem(
                "qos-unsupported",
                f"{what} asks for {wish}, which a microcontroller cannot have",
                expected="history: keep_last with a depth, and automatic liveliness",
            )
        )
    flags = [qos.reliability == "reliable", qos.durability == "transient_local"]
    times = [min(round(ms), _LONGEST_MS) for ms in (qos.deadline_ms, qos.lifespan_ms)]
    words = [*("true" if flag else "false" for flag in flags), str(min(qos.depth, 65535))]
    return "{" + ", ".join([*words, *map(str, times)]) + "}"


def _parameter(parameter: Parameter, value: Any) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "ident": ident_of(parameter.name),
        "c_type": _C_TYPES[parameter.type],
        "cpp_type": _CPP_TYPES[parameter.type],
        "kind": _KINDS[parameter.type],
        "description": parameter.description.replace("*/", "* /"),
        "can_change": not parameter.read_only and parameter.type != "string",
        "preset": _cpp_value(parameter, parameter.default),
        "value": _cpp_value(parameter, value),
        "c_value": _c_value(parameter, value),
        "descriptor": _descriptor(parameter),
    }


def _cpp_value(parameter: Parameter, value: Any) -> str:
    if parameter.type == "bool":
        return "true" if value else "false"
    if parameter.type == "integer":
        return f"std::int64_t{{{int(value or 0)}}}"
    if parameter.type == "double":
        return repr(float(value or 0))
    return f"std::string({cpp_text(str(value or ''))})"


def _c_value(parameter: Parameter, value: Any) -> str:
    if parameter.type == "integer":
        number = int(value or 0)
        return f"INT64_C({number})" if number > -(2**63) else "INT64_MIN"
    if parameter.type == "string":
        return cpp_text(str(value or ""))
    return _cpp_value(parameter, value)


def _descriptor(parameter: Parameter) -> str:
    words = [f".description = {cpp_text(parameter.description)}"]
    words += [".read_only = true"] if parameter.read_only else []
    if parameter.range and parameter.type in ("integer", "double"):
        number = int if parameter.type == "integer" else float
        low, high = (number(limit) for limit in parameter.range)
        field = "integer_range" if number is int else "floating_point_range"
        words.append(f".{field} = {{{{{low!r}, {high!r}, {1 if number is int else 0}}}}}")
    if parameter.choices and parameter.type == "string":
        words.append(f".choices = {{{', '.join(cpp_text(str(c)) for c in parameter.choices)}}}")
    return "{" + ", ".join(words) + "}"


def sources_of(node_type: NodeType) -> list[str]:
    """Return the author's files."""
    folder = Path(node_type.folder)
    return [str(folder / source) for source in node_type.implementations["mcu"]["sources"]]
