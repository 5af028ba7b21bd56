# SPDX-License-Identifier: Apache-2.0
"""The `mcu` implementation of a node.yaml: can C99 be generated for it (spec/device/mcu.md)?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Location, Problem, lacks, listing, nearest
from ligament.graph.bounds_files import bounds_file_problems
from ligament.graph.message_names import MessageCatalog
from ligament.graph.model import Parameter, Port
from ligament.graph.source import Document

PLACE = ("implementations", "mcu")
#: Parameter types that a node's struct can hold; lists would need a length of their own.
C_PARAMETERS = ("bool", "integer", "double", "string")
#: C99's keywords, and what its <stdbool.h> defines.
_KEYWORDS = frozenset(
    """_Bool _Complex _Imaginary auto bool break case char const continue default do double else
    enum extern false float for goto if inline int long register restrict return short signed
    sizeof static struct switch true typedef union unsigned void volatile while""".split()  # noqa: SIM905 (a word list reads better)
)


def ident_of(name: str) -> str:
    """Return a C name: `motion/pid` and `~/state` become motion_pid and state."""
    return name.strip("~/").replace("/", "_").replace(".", "_")


def c_problems(
    document: Document,
    ports: Mapping[str, Port],
    parameters: Mapping[str, Parameter],
    messages: MessageCatalog,
) -> Iterator[Problem]:
    """Yield what is wrong with a document's `mcu` implementation, if it has one."""
    code = document.data["implementations"].get("mcu")
    if code is None:
        return
    yield from _source_problems(document, code)
    yield from _state_problems(document, code)
    yield from _parameter_problems(document, parameters)
    yield from _timer_problems(document, code, parameters)
    yield from _name_problems(document, code, ports)
    yield from _message_problems(document, code, ports, messages)
    if document.data.get("lifecycle", False):
        yield Problem(
            "mcu-lifecycle",
            f"'{document.data['type']}' is a lifecycle node, which C99 code cannot be",
            document.at("lifecycle"),
            expected="no `lifecycle` beside an implementation for mcu: such a node is active while "
            "it runs",
        )


def clashing_types(documents: Mapping[str, Document]) -> Iterator[Problem]:
    """Yield the node types with C99 code whose functions would have the same names."""
    found: dict[str, str] = {}
    for name in sorted(documents):
        if "mcu" not in documents[name].data["implementations"]:
            continue
        other = found.setdefault(ident_of(name), name)
        if other != name:
            yield Problem(
                "mcu-names",
                f"'{name}' and '{other}' would both be {ident_of(name)} in C",
                documents[name].at("type"),
                expected="types that differ in more than / and _",
                notes=(("the other one is here", documents[other].at("type")),),
            )


def _source_problems(document: Document, code: Mapping[str, Any]) -> Iterator[Problem]:
    for i, source in enumerate(code["sources"]):
        if not source.endswith((".c", ".h")):
            yield Problem(
                "mcu-source",
                f"'{source}' is no C99 source",
                document.at(*PLACE, "sources", i),
                expected="files that end with .c: cores and processors compile the same C99",
            )


def _state_problems(document: Document, code: Mapping[str, Any]) -> Iterator[Problem]:
    """The header exists and defines the struct that the generated one contains."""
    if "state" not in code:
        return
    at = document.at(*PLACE, "state")
    header = Path(document.file).resolve().parent / code["state"]
    struct = f"struct {ident_of(document.data['type'])}_state"
    if not header.is_file():
        beside = [p.name for p in header.parent.glob("*.h")]
        text = f"there is no header '{code['state']}'"
        expected = f"a header beside node.yaml that defines {struct}"
        yield Problem("file-missing", text, at, expected, hint=nearest(header.name, beside))
        return
    content = header.read_text(encoding="utf-8", errors="replace")
    if not re.search(struct.replace(" ", r"\s+") + r"\b", content):
        named = re.findall(r"\bstruct\s+([A-Za-z_]\w*)\s*\{", content)
        text = f"{header.name} does not define {struct}"
        expected = f"{struct} {{ ... }};, which becomes node->state"
        hint = f"it defines {listing(f'struct {name}' for name in named)}" if named else ""
        yield Problem("mcu-state", text, at, expected, hint)


def _parameter_problems(
    document: Document, parameters: Mapping[str, Parameter]
) -> Iterator[Problem]:
    for parameter in parameters.values():
        if parameter.type not in C_PARAMETERS:
            yield Problem(
                "mcu-parameter",
                f"'{parameter.name}' is a {parameter.type}, which C99 code cannot have",
                document.at("parameters", parameter.name, "type"),
                expected=f"one of {listing(C_PARAMETERS)}: one parameter per element",
            )
        if ident_of(parameter.name) in _KEYWORDS:
            yield Problem(
                "mcu-names",
                f"'{parameter.name}' is a word of C, so no member can have that name",
                document.key_at("parameters", parameter.name),
                expected="another name: C99 code reads it as node->parameters.NAME",
            )
    yield from _twice(document, "parameters", parameters, "node->parameters.{}")


def _timer_problems(
    document: Document, code: Mapping[str, Any], parameters: Mapping[str, Parameter]
) -> Iterator[Problem]:
    for name, timer in code.get("timers", {}).items():
        rate, at = timer["rate"], document.at(*PLACE, "timers", name, "rate")
        if not isinstance(rate, str):
            continue
        if rate not in parameters:
            node_type = document.data["type"]
            yield lacks("parameter", node_type, rate, parameters, at)
        elif parameters[rate].type not in ("integer", "double"):
            yield Problem(
                "mcu-timer",
                f"the rate of '{name}' is the parameter '{rate}', a {parameters[rate].type}",
                at,
                expected="a number, or a parameter of type integer or double, in hertz",
            )


def _name_problems(
    document: Document, code: Mapping[str, Any], ports: Mapping[str, Port]
) -> Iterator[Problem]:
    ident = ident_of(document.data["type"])
    sides = {d: [n for n, p in ports.items() if p.direction == d] for d in ("in", "out")}
    services, timers = document.data.get("services", {}), code.get("timers", {})
    yield from _twice(document, "ports", sides["in"], f"{ident}_on_{{}}")
    yield from _twice(document, "ports", sides["out"], f"{ident}_publish_{{}}")
    yield from _twice(document, "services", services, f"{ident}_on_{{}}")
    called: list[tuple[str, tuple[str, ...]]] = []
    called += [("input", ("ports", name)) for name in sides["in"]]
    called += [("service", ("services", name)) for name in services]
    called += [("timer", (*PLACE, "timers", name)) for name in timers]
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for what, path in called:
        other, place = found.setdefault(ident_of(path[-1]), (what, path))
        if other != what:
            yield Problem(
                "mcu-names",
                f"the {what} '{path[-1]}' and the {other} '{place[-1]}' would both call "
                f"{ident}_on_{ident_of(path[-1])}",
                document.key_at(*path),
                expected="inputs, services and timers of different names",
                notes=((f"the {other} is here", document.key_at(*place)),),
            )


def _twice(
    document: Document, key: str, names: Collection[str], spelling: str
) -> Iterator[Problem]:
    """Yield the names that C cannot tell apart."""
    found: dict[str, str] = {}
    for name in names:
        other = found.setdefault(ident_of(name), name)
        if other != name:
            both = spelling.format(ident_of(name))
            yield Problem(
                "mcu-names",
                f"'{name}' and '{other}' would both be {both} in C",
                document.key_at(key, name),
                expected="names that differ in more than ~, /, . and _",
            )


def _message_problems(
    document: Document,
    code: Mapping[str, Any],
    ports: Mapping[str, Port],
    messages: MessageCatalog,
) -> Iterator[Problem]:
    """Everything of a message has a size that is known when firmware is built."""
    # Imported here: it is slow, and only graphs with C99 code need it.
    from ligament.messages.hdl.bounds import read_bounds  # noqa: PLC0415

    files = [Path(document.file).resolve().parent / file for file in code.get("bounds", ())]
    at = document.at(*PLACE, "bounds")
    if missing := next((file for file in files if not file.is_file()), None):
        hint = nearest(missing.name, [p.name for p in missing.parent.glob("*.yaml")])
        yield Problem("file-missing", f"there is no bounds file '{missing.name}'", at, hint=hint)
        return
    wrong = [problem for file in files for problem in bounds_file_problems(file, messages)]
    yield from wrong
    try:
        bounds = read_bounds(files)
    except InputError as error:
        if not wrong:
            yield from (replace(p, location=p.location or at) for p in error.problems)
        return
    told: set[str] = set()
    for declared, at in _declared(document, ports):
        for message in sorted(_closure(declared, messages) - told):
            told.add(message)
            entries = bounds.entries.get(message, {})
            for name, info in messages.fields_of(message).items():
                yield from _field_problems(message, name, info.spelling, entries.get(name), at)


def _declared(document: Document, ports: Mapping[str, Port]) -> Iterator[tuple[str, Location]]:
    """Yield the message types of ports and services, each with its place."""
    for port in ports.values():
        yield port.message, document.at("ports", port.name, "message")
    for name, service in document.data.get("services", {}).items():
        for part in ("Request", "Response"):
            yield f"{service['type']}_{part}", document.at("services", name, "type")


def _field_problems(
    message: str,
    name: str,
    spelling: str,
    entry: int | Mapping[str, int] | None,
    at: Location,
) -> Iterator[Problem]:
    field = f"'{name}' of {message} ({spelling})"
    if spelling.startswith("wstring"):
        text = f"{field} is a wide text, which C99 code cannot have"
        yield Problem("mcu-message", text, at, expected="a string")
    elif lacking := _lacking(spelling, entry):
        yield Problem(
            "bound-missing",
            f"{field} has no bound on its {' and its '.join(lacking)}, and firmware has no "
            "unlimited memory",
            at,
            expected=f"an entry of {message} in a bounds file: {{{name}: {_example(spelling)}}}",
            hint="name the file in `bounds` of implementations.mcu",
        )


def _closure(message: str, messages: MessageCatalog) -> set[str]:
    """Return a message type and all that it is made of, as far as they are known."""
    found: set[str] = set()
    left = [message]
    while left:
        name = left.pop()
        fields = messages.fields_of(name)
        if fields and name not in found:
            found.add(name)
            left += [info.message for info in fields.values() if info.message]
    return found


def _open_ends(spelling: str) -> list[str]:
    """Return what a field's type, as .msg files write it, leaves unbounded."""
    ends = [("count", spelling.endswith("[]")), ("length", _is_open_text(spelling))]
    return [end for end, is_open in ends if is_open]


def _is_open_text(spelling: str) -> bool:
    return spelling.split("[", maxsplit=1)[0] == "string"


def _lacking(spelling: str, entry: int | Mapping[str, int] | None) -> list[str]:
    """Return what has no bound: elements of an array, bytes of a text."""
    ends = _open_ends(spelling)
    if isinstance(entry, Mapping):
        ends = [end for end in ends if end not in entry]
    elif entry is not None and len(ends) == 1:
        ends = []
    return ["elements" if end == "count" else "bytes" for end in ends]


def _example(spelling: str) -> str:
    ends = _open_ends(spelling)
    if len(ends) == 2:
        return "{count: 16, length: 64}"
    return "16" if ends == ["count"] else "64"
