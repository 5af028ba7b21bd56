# SPDX-License-Identifier: Apache-2.0
"""From a node.yaml document to a `NodeType`, with the checks that a schema cannot make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ligament.cores.manifest import LANGUAGES, Declared, read_core
from ligament.errors import Location, Problem, lacks, listing, nearest, no_such
from ligament.graph.c_code import c_problems, clashing_types
from ligament.graph.message_names import MessageCatalog
from ligament.graph.model import Action, Client, Fuses, NodeType, Parameter, Port, Service
from ligament.graph.parameters import value_problem
from ligament.graph.python_class import python_problems
from ligament.graph.source import Document

#: Implementations whose nodes can offer services.
SERVING = frozenset({"cpu", "fpga", "mcu", "python"})
ASKING = frozenset({"cpu", "fpga", "python"})
ACTING = frozenset({"cpu", "python"})
OF_TYPE = {"service": ("a", "service"), "client": ("a", "service"), "action": ("an", "action")}


def build_node_types(
    documents: Mapping[str, Document], messages: MessageCatalog, problems: list[Problem]
) -> dict[str, NodeType]:
    """Return all node types; problems of any of them are added to `problems`."""
    types = {name: _node_type(documents[name], messages, problems) for name in sorted(documents)}
    problems += clashing_types(documents)
    for name, node_type in types.items():
        if node_type.fuses:
            _check_fuses(documents[name], node_type, types, problems)
    return types


def _ports(
    document: Document, messages: MessageCatalog, problems: list[Problem]
) -> dict[str, Port]:
    ports: dict[str, Port] = {}
    for name, port in document.data.get("ports", {}).items():
        if not messages.has(port["message"]):
            problems.append(
                message_problem(port["message"], messages, document, ("ports", name, "message"))
            )
        ports[name] = Port(
            name,
            port["direction"],
            port["message"],
            port.get("description", ""),
            port.get("qos", {}),
            port.get("optional", False),
        )
    return ports


def _node_type(document: Document, messages: MessageCatalog, problems: list[Problem]) -> NodeType:
    data = document.data
    ports = _ports(document, messages, problems)
    parameters = {
        name: _parameter(name, entry, document, problems)
        for name, entry in data.get("parameters", {}).items()
    }
    services = _services(document, messages, problems)
    clients = _clients(document, messages, problems)
    actions = _actions(document, messages, problems)
    gpu = data["implementations"].get("gpu")
    if gpu and all(messages.has(port.message) for port in ports.values()):
        problems += _kernel_problems(document, ports, parameters, messages)
    problems += python_problems(document)
    problems += c_problems(document, ports, parameters, messages)
    for language in LANGUAGES:
        if language in data["implementations"]:
            declared = Declared(ports, parameters, services, clients)
            problems += _core_problems(document, language, declared)
    return NodeType(
        type=data["type"],
        folder=str(Path(document.file).resolve().parent),
        description=data["description"],
        ports=ports,
        parameters=parameters,
        services=services,
        clients=clients,
        actions=actions,
        implementations=data["implementations"],
        lifecycle=data.get("lifecycle", False),
        state=data.get("state", "none"),
        fuses=_fuses(data.get("fuses")),
    )


def _services(
    document: Document, messages: MessageCatalog, problems: list[Problem]
) -> dict[str, Service]:
    problems += _listed_problems(document, "service", messages.services, SERVING)
    entries = document.data.get("services", {})
    return {n: Service(n, e["type"], e.get("description", "")) for n, e in entries.items()}


def _clients(
    document: Document, messages: MessageCatalog, problems: list[Problem]
) -> dict[str, Client]:
    problems += _listed_problems(document, "client", messages.services, ASKING)
    return {n: Client(n, **entry) for n, entry in document.data.get("clients", {}).items()}


def _actions(
    document: Document, messages: MessageCatalog, problems: list[Problem]
) -> dict[str, Action]:
    problems += _listed_problems(document, "action", messages.actions, ACTING)
    entries = document.data.get("actions", {})
    return {n: Action(n, e["type"], e.get("description", "")) for n, e in entries.items()}


def _listed_problems(
    document: Document, what: str, known: frozenset[str], able: frozenset[str]
) -> Iterator[Problem]:
    """What a node says it offers or calls: of types that exist, by implementations that can."""
    data = document.data
    of_type, does = OF_TYPE[what], "calls services" if what == "client" else f"offers {what}s"
    entries = data.get(f"{what}s", {})
    for name, entry in entries.items():
        if entry["type"] not in known:
            yield Problem(
                f"{what}-type-unknown",
                f"there is no {of_type[1]} type '{entry['type']}'",
                document.at(f"{what}s", name, "type"),
                expected=f"{' '.join(of_type)} of a standard or a listed package",
                hint=nearest(entry["type"], known),
            )
    for kind in sorted(set(data["implementations"]) - able) if entries else ():
        yield Problem(
            f"{what}-implementation",
            f"'{data['type']}' {does}, which its implementation for {kind} cannot",
            document.key_at("implementations", kind),
            expected=f"implementations for {listing(able)}",
        )


def _core_problems(document: Document, language: str, declared: Declared) -> list[Problem]:
    data = document.data
    core = data["implementations"][language]
    _, mistakes = read_core(data["type"], language, core, declared)
    place = ("implementations", language)
    # What it lacks is said when somebody wants it: a core may be on paper only.
    return [
        Problem("core-manifest", m.text, document.at(*place, *m.path), hint=m.hint)
        for m in mistakes
        if m.path
    ]


def _kernel_problems(
    document: Document,
    ports: Mapping[str, Port],
    parameters: Mapping[str, Parameter],
    messages: MessageCatalog,
) -> list[Problem]:
    # Imported here: kernels are typed by this room's own catalogue.
    from ligament.kernels.manifest import read_manifest  # noqa: PLC0415

    gpu = document.data["implementations"]["gpu"]
    _, mistakes = read_manifest(gpu, ports, parameters, messages)
    place = ("implementations", "gpu")
    return [
        Problem("kernel-manifest", m.text, document.at(*place, *m.path), hint=m.hint)
        for m in mistakes
    ]


def message_problem(
    name: str, messages: MessageCatalog, document: Document, path: tuple[str | int, ...]
) -> Problem:
    """Return the problem of a message type that does not exist."""
    package = name.split("/", 1)[0]
    same = [t for t in messages.types if t.startswith(package + "/")]
    expected = f"one of {listing(same)}" if same else "a message of a standard or a listed package"
    return Problem(
        "message-unknown",
        f"there is no message type '{name}'",
        document.at(*path),
        expected=expected,
        hint=nearest(name, messages.types),
    )


def _parameter(
    name: str, entry: Mapping[str, Any], document: Document, problems: list[Problem]
) -> Parameter:
    limits = entry.get("range")
    parameter = Parameter(
        name,
        entry["type"],
        entry["description"],
        entry.get("default"),
        entry.get("unit", ""),
        (limits[0], limits[1]) if limits else None,
        tuple(entry.get("choices", ())),
        entry.get("read_only", False),
    )
    if limits and limits[0] > limits[1]:
        problems.append(
            Problem(
                "param-range",
                f"the range of '{name}' is empty",
                document.at("parameters", name, "range"),
                expected="[smallest, largest]",
            )
        )
    elif parameter.default is not None:
        fault = value_problem(
            parameter, parameter.default, document.at("parameters", name, "default")
        )
        problems += [fault] if fault else []
    return parameter


def _fuses(data: Mapping[str, Any] | None) -> Fuses | None:
    if data is None:
        return None
    inside = tuple((a, b) for a, b in data.get("inside", ()))
    return Fuses(data["nodes"], inside, data["ports"], data.get("parameters", {}))


def _check_fuses(
    document: Document, node_type: NodeType, types: Mapping[str, NodeType], problems: list[Problem]
) -> None:
    """Check that the sub-graph a type says it replaces can exist at all."""
    assert node_type.fuses is not None
    fused = _Fused(document, node_type, node_type.fuses, types, problems)
    fused.check_services()
    fused.check_members()
    for i, pair in enumerate(fused.fuses.inside):
        for j, reference in enumerate(pair):
            place = document.at("fuses", "inside", i, j)
            fused.check_port(reference, "out" if j == 0 else "in", place)
    for own, reference in fused.fuses.ports.items():
        fused.check_own_port(own, reference)
    fused.check_unsaid_ports()
    for own, reference in fused.fuses.parameters.items():
        fused.check_parameter(own, reference)


class _Fused:
    """A type that replaces a sub-graph, and the problems of that."""

    def __init__(
        self,
        document: Document,
        node_type: NodeType,
        fuses: Fuses,
        types: Mapping[str, NodeType],
        problems: list[Problem],
    ) -> None:
        self.fuses = fuses
        self._document = document
        self._node_type = node_type
        self._types = types
        self._problems = problems

    def check_services(self) -> None:
        names = self.fuses.nodes.values()
        members = [self._types[name] for name in names if name in self._types]
        for what in ("services", "actions"):
            if any(getattr(node_type, what) for node_type in (self._node_type, *members)):
                self._wrong(
                    f"'{self._node_type.type}' is or replaces a node that offers {what}",
                    self._document.key_at("fuses"),
                    f"nodes without {what}: nobody says which of them lives on",
                )

    def check_members(self) -> None:
        for local, name in self.fuses.nodes.items():
            if name not in self._types:
                self._problems.append(
                    Problem(
                        "node-type-unknown",
                        f"there is no node type '{name}'",
                        self._document.at("fuses", "nodes", local),
                        hint=nearest(name, self._types),
                    )
                )

    def check_unsaid_ports(self) -> None:
        for own in sorted(set(self._node_type.ports) - set(self.fuses.ports)):
            text = f"fuses.ports does not say what port '{own}' stands for"
            self._wrong(text, self._document.key_at("ports", own), "local_node.port")

    def check_own_port(self, own: str, reference: str) -> None:
        """Check one entry of fuses.ports: a port of ours, and one inside that carries the same."""
        if not self._is_own("port", own, self._node_type.ports):
            return
        wanted = self._node_type.ports[own]
        at = self._document.at("fuses", "ports", own)
        port = self.check_port(reference, wanted.direction, at)
        if port and port.message != wanted.message:
            self._wrong(f"'{reference}' carries {port.message}", at, wanted.message)

    def check_port(self, reference: str, direction: str, at: Location) -> Port | None:
        """Return the port of a replaced node that is written at a place, if there is that one."""
        owner, name = self._owner(reference, at)
        if owner is None:
            return None
        port = owner.ports.get(name)
        if port is None:
            self._problems.append(lacks("port", owner.type, name, owner.ports, at))
        elif port.direction != direction:
            wanted = "an input" if direction == "in" else "an output"
            self._wrong(f"'{reference}' is not {wanted}", at)
        return port

    def check_parameter(self, own: str, reference: str) -> None:
        """Check one entry of fuses.parameters: one of ours, and one inside."""
        self._is_own("parameter", own, self._node_type.parameters)
        at = self._document.at("fuses", "parameters", own)
        owner, name = self._owner(reference, at)
        if owner and name not in owner.parameters:
            self._problems.append(lacks("parameter", owner.type, name, owner.parameters, at))

    def _wrong(self, text: str, at: Location, expected: str = "") -> None:
        self._problems.append(Problem("fuse-mismatch", text, at, expected=expected))

    def _is_own(self, kind: str, own: str, known: Collection[str]) -> bool:
        if own in known:
            return True
        at = self._document.key_at("fuses", f"{kind}s", own)
        self._problems.append(lacks(kind, self._node_type.type, own, known, at))
        return False

    def _owner(self, reference: str, at: Location) -> tuple[NodeType | None, str]:
        """Return the type of the replaced node in `node.name`, if there is one, and the name."""
        local, _, name = reference.partition(".")
        if local not in self.fuses.nodes:
            text = f"'{local}' is none of the replaced nodes"
            known = self.fuses.nodes
            self._problems.append(no_such("fuse-mismatch", text, local, known, at))
        return self._types.get(self.fuses.nodes.get(local, "")), name
