# SPDX-License-Identifier: Apache-2.0
"""Parameters of cores in generated C++: those that are registers, and those that the core lacks."""

from __future__ import annotations

from ligament.cores.manifest import Core
from ligament.generate.files import cpp_text
from ligament.graph.model import NodeType, Parameter


def declaration_of(parameter: Parameter) -> str:
    """Return the expression that declares a register and has its value (fpga_registers.hpp)."""
    what = [cpp_text(parameter.name), cpp_text(parameter.description)]
    what += [] if parameter.read_only else ["false"]
    words = [f"{{{', '.join(what)}}}"]
    if parameter.type == "bool":
        words.append("true" if parameter.default else "false")
        return _call("bool_register", words)
    if parameter.type == "string":
        words.append(cpp_text(str(parameter.default or parameter.choices[0])))
        words.append(f"{{{', '.join(cpp_text(str(choice)) for choice in parameter.choices)}}}")
        return _call("choice_register", words)
    number = float if parameter.type == "double" else int
    words.append(repr(number(parameter.default or 0)))
    if parameter.range:
        kind, step = ("FloatingPointRange", 0) if number is float else ("IntegerRange", 1)
        low, high = (number(limit) for limit in parameter.range)
        words.append(f"{kind}{{{low!r}, {high!r}, {step}}}")
    return _call(f"{parameter.type}_register", words)


def reading_of(parameter: Parameter) -> str:
    """Return the expression that has a register's value of now, of `hls_type`."""
    value = f"get_parameter({cpp_text(parameter.name)})"
    if parameter.type == "string":
        choices = ", ".join(cpp_text(str(choice)) for choice in parameter.choices)
        bits = f"fpga::register_bits({value}.get_parameter_value(), {{{choices}}})"
        return f"static_cast<long long>({bits})"
    return value + {"bool": ".as_bool()", "double": ".as_double()"}.get(parameter.type, ".as_int()")


def hls_type(parameter: Parameter) -> str:
    """Return what the register is in C++ for high-level synthesis; a choice is its place."""
    return {"bool": "bool", "double": "double"}.get(parameter.type, "long long")


def others_of(node_type: NodeType, core: Core) -> list[dict[str, str]]:
    """Return the parameters that only other implementations use: the node has them, as they do."""
    return [_other(p) for p in node_type.parameters.values() if p not in core.parameters]


def _call(name: str, words: list[str]) -> str:
    return f"fpga::{name}(*this, {', '.join(words)})"


def _other(parameter: Parameter) -> dict[str, str]:
    value = parameter.default
    if parameter.type == "bool":
        return {"name": parameter.name, "type": "bool", "default": "true" if value else "false"}
    if parameter.type == "integer":
        number = f"std::int64_t{{{int(value or 0)}}}"
        return {"name": parameter.name, "type": "std::int64_t", "default": number}
    if parameter.type == "double":
        return {"name": parameter.name, "type": "double", "default": repr(float(value or 0))}
    text = f"std::string({cpp_text(str(value or ''))})"
    return {"name": parameter.name, "type": "std::string", "default": text}
