# SPDX-License-Identifier: Apache-2.0
"""The manifest of a GPU implementation (spec/device/gpu.md): every expression typed, all mistakes.

`read_manifest` gives what the generator needs, and the list of what is wrong with its place in the
node.yaml; the one only where the other is empty.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.errors import Mistake, nearest
from ligament.graph.message_names import FieldInfo, MessageCatalog
from ligament.graph.model import Parameter, Port
from ligament.kernels.expressions import (
    FLAG,
    FRACTION,
    INTEGER,
    TEXT,
    ExpressionError,
    Scope,
    Typed,
    describe,
    is_numbers,
    translate,
    with_article,
)

Path = tuple[str | int, ...]
PAIR_RULES = ("exact", "latest")
BUFFER = "buffer"
PARAMETER_TYPES = {"bool": FLAG, "integer": INTEGER, "double": FRACTION, "string": TEXT}


@dataclass(frozen=True)
class End:
    """A port that the kernels use, under its alias."""

    alias: str
    port: str
    message: str
    chosen: str


@dataclass(frozen=True)
class Fill:
    """A field of the output: `value` for a number or text, the length for an array."""

    alias: str
    path: str
    info: FieldInfo
    value: Typed


@dataclass(frozen=True)
class Argument:
    """One argument of a launch."""

    kind: str
    value: Typed
    alias: str = ""


@dataclass(frozen=True)
class Kernel:
    """One launch."""

    name: str
    sizes: tuple[Typed, ...]
    local: tuple[Typed, ...]
    arguments: tuple[Argument, ...]
    when: Typed | None = None
    when_changed: bool = False


@dataclass(frozen=True)
class Pair:
    """How messages of several inputs go together: the rule's name, and how many may wait."""

    rule: Typed
    queue: Typed


@dataclass
class Manifest:
    """A whole manifest; `values` are the named ones, in order, `buffers` their sizes in bytes."""

    inputs: list[End] = field(default_factory=list)
    pair: Pair | None = None
    buffers: list[tuple[str, Typed]] = field(default_factory=list)
    outputs: list[End] = field(default_factory=list)
    requirements: list[tuple[Typed, str]] = field(default_factory=list)
    values: list[tuple[str, Typed]] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)


def read_manifest(
    data: Mapping[str, Any],
    ports: Mapping[str, Port],
    parameters: Mapping[str, Parameter],
    catalog: MessageCatalog,
) -> tuple[Manifest, list[Mistake]]:
    """Return the manifest and its mistakes; it is complete only without any."""
    reader = _Reader(ports, parameters, catalog)
    reader.read(data)
    return reader.manifest, reader.mistakes


class _Reader:
    def __init__(
        self,
        ports: Mapping[str, Port],
        parameters: Mapping[str, Parameter],
        catalog: MessageCatalog,
    ) -> None:
        self._ports = ports
        self._catalog = catalog
        self.manifest = Manifest()
        self.mistakes: list[Mistake] = []
        self._scope = Scope(
            catalog,
            parameters={
                name: Typed(f"parameter_{name.replace('.', '_')}", PARAMETER_TYPES[p.type])
                for name, p in parameters.items()
                if p.type in PARAMETER_TYPES
            },
        )

    def read(self, data: Mapping[str, Any]) -> None:
        """Read all parts, each after those whose names it may use."""
        self.manifest.inputs = self._ends(data, "inputs", "in")
        if self.mistakes:
            return  # all that follows would be wrong for the same reason
        self._pair(data)
        for entry_number, entry in enumerate(data.get("require", ())):
            condition = self._typed(entry["that"], ("require", entry_number, "that"), FLAG)
            if condition:
                self.manifest.requirements.append((condition, entry["else"]))
        for name, text in data.get("let", {}).items():
            self._value(name, text)
        for name, text in data.get("buffers", {}).items():
            self._buffer(name, text)
        self.manifest.outputs = self._ends(data, "outputs", "out")
        for name, text in data.get("fill", {}).items():
            self._fill(name, text)
        self._check_filled(data.get("fill", {}))
        for number, entry in enumerate(data["kernels"]):
            self._kernel(number, entry)

    def _wrong(self, path: Path, text: str, hint: str = "") -> None:
        self.mistakes.append(Mistake(path, text, hint))

    def _pair(self, data: Mapping[str, Any]) -> None:
        given = data.get("pair")
        if (len(data["inputs"]) > 1) != (given is not None):
            text = (
                "several inputs need a rule by which their messages go together"
                if given is None
                else "a single input has nothing to be paired with"
            )
            self._wrong(("inputs",) if given is None else ("pair",), text, "pair: {rule: exact}")
        if given is None:
            return
        # What other messages say is not known yet when a rule is needed.
        known, self._scope.names = self._scope.names, {}
        rule = Typed(f'std::string("{given["rule"]}")', TEXT)
        if given["rule"] not in PAIR_RULES:
            found = self._typed(given["rule"], ("pair", "rule"), TEXT)
            rule = Typed(f"std::string({found.cpp})", TEXT) if found else rule
        queue = self._typed(given.get("queue", 5), ("pair", "queue"), INTEGER)
        self._scope.names = known
        if given["rule"] != "latest":
            self._check_stamps()
        if queue:
            self.manifest.pair = Pair(rule, queue)

    def _check_stamps(self) -> None:
        for end in self.manifest.inputs:
            header = self._field(end.message, "header")
            if header is None or header.message != "std_msgs/msg/Header":
                text = f"{end.message} has no header, by whose stamp it could be paired"
                self._wrong(("inputs", end.alias), text, "pair: {rule: latest}")

    def _buffer(self, name: str, text: Any) -> None:
        found = self._typed(text, ("buffers", name), INTEGER)
        if self._is_taken(name):
            self._wrong(("buffers", name), f"'{name}' has a meaning already in expressions")
        elif found:
            self._scope.names[name] = Typed(name, BUFFER)
            self.manifest.buffers.append((name, found))

    def _is_taken(self, name: str) -> bool:
        return name in self._scope.names or name == "parameters" or keyword.iskeyword(name)

    def _ends(self, data: Mapping[str, Any], key: str, direction: str) -> list[End]:
        found = []
        for alias, name in data.get(key, {}).items():
            port = self._ports.get(name)
            if port is None or port.direction != direction:
                right = [p.name for p in self._ports.values() if p.direction == direction]
                text = f"there is no port '{name}' of direction {direction}"
                self._wrong((key, alias), text, nearest(name, right))
                continue
            if self._is_taken(alias):
                self._wrong((key, alias), f"'{alias}' has a meaning already in expressions")
                continue
            chosen = self._catalog.chosen(port.message)
            found.append(End(alias, name, port.message, chosen))
            self._scope.names[alias] = Typed(f"{direction}_{alias}", "message", port.message)
        return found

    def _typed(self, text: Any, path: Path, *kinds: str) -> Typed | None:
        written = text if isinstance(text, str) else repr(text)
        try:
            found = translate(written, self._scope)
        except ExpressionError as error:
            place = f" (at '{written[error.column :][:24]}')" if error.column else ""
            self._wrong(path, f"{error}{place}", error.hint)
            return None
        if kinds and found.type not in kinds:
            wanted = " or ".join(with_article(kind) for kind in kinds)
            self._wrong(path, f"'{written}' is {describe(found)}, and needed is {wanted}")
            return None
        return found

    def _value(self, name: str, text: Any) -> None:
        found = self._typed(text, ("let", name), INTEGER, FRACTION, FLAG, TEXT)
        if self._is_taken(name):
            self._wrong(("let", name), f"'{name}' has a meaning already in expressions")
        elif found:
            self.manifest.values.append((name, found))
            self._scope.names[name] = Typed(f"value_{name}", found.type)

    def _fill(self, name: str, text: Any) -> None:
        path = ("fill", name)
        alias, _, inner = name.partition(".")
        end = next((e for e in self.manifest.outputs if e.alias == alias), None)
        if end is None:
            aliases = [e.alias for e in self.manifest.outputs]
            self._wrong(path, f"'{alias}' is no output", nearest(alias, aliases))
            return
        info = self._field(end.message, inner)
        if info is None:
            fields = self._catalog.types.get(end.message, {})
            self._wrong(path, f"{end.message} has no field '{inner}'", nearest(inner, fields))
            return
        value = self._typed(text, path)
        if value:
            self._fill_field(end, inner, info, value)

    def _fill_field(self, end: End, inner: str, info: FieldInfo, value: Typed) -> None:
        """A field of its own, or each of a part that is copied whole."""
        path = ("fill", f"{end.alias}.{inner}")
        if "[" in info.spelling:
            self._fill_array(end, inner, info, value)
        elif info.message:
            if value.message != info.message:
                self._wrong(path, f"'{inner}' is a {info.message}, and the value {describe(value)}")
                return
            for name, part in self._catalog.types[info.message].items():
                part_value = translate_part(value, name, self._scope)
                self._fill_field(end, f"{inner}.{name}", part, part_value)
        elif value.type != _type_of(info):
            if (value.type, _type_of(info)) != (INTEGER, FRACTION):
                self._wrong(
                    path, f"'{inner}' is a {info.spelling}, and the value {describe(value)}"
                )
                return
            self.manifest.fills.append(Fill(end.alias, inner, info, value))
        else:
            self.manifest.fills.append(Fill(end.alias, inner, info, value))

    def _fill_array(self, end: End, inner: str, info: FieldInfo, value: Typed) -> None:
        path = ("fill", f"{end.alias}.{inner}")
        if inner != end.chosen:
            self._wrong(path, f"a kernel writes the chosen array, which is '{end.chosen}'")
        elif value.type != INTEGER:
            self._wrong(path, "the value of an array is its length", "a number of elements")
        else:
            self.manifest.fills.append(Fill(end.alias, inner, info, value))

    def _check_filled(self, filled: Collection[str]) -> None:
        for end in self.manifest.outputs:
            if end.chosen and f"{end.alias}.{end.chosen}" not in filled:
                self._wrong(("fill",), f"the length of '{end.alias}.{end.chosen}' is missing")

    def _field(self, message: str, path: str) -> FieldInfo | None:
        found: FieldInfo | None = FieldInfo(message, "plain", message)
        for part in path.split("."):
            found = self._catalog.types.get(found.message, {}).get(part) if found else None
        return found

    def _kernel(self, number: int, entry: Mapping[str, Any]) -> None:
        path: Path = ("kernels", number)
        sizes = [self._typed(t, (*path, "global"), INTEGER) for t in entry["global"]]
        local = [self._typed(t, (*path, "local"), INTEGER) for t in entry.get("local", ())]
        if local and len(local) != len(sizes):
            self._wrong((*path, "local"), "as many sizes as `global` has")
        changed = entry.get("when_changed", False)
        given = enumerate(entry["arguments"])
        arguments = [self._argument(t, (*path, "arguments", i), changed) for i, t in given]
        if changed and not self.mistakes and not any(a and a.kind == "buffer" for a in arguments):
            text = "a kernel that is launched for changes alone keeps what it makes in a buffer"
            self._wrong((*path, "when_changed"), text, "give it one of `buffers`")
        when = None
        if "when" in entry:
            when = self._typed(entry["when"], (*path, "when"), FLAG)
        if not self.mistakes:
            self.manifest.kernels.append(
                Kernel(
                    entry["name"],
                    tuple(s for s in sizes if s),
                    tuple(s for s in local if s),
                    tuple(a for a in arguments if a),
                    when,
                    changed,
                )
            )

    def _argument(self, text: Any, path: Path, changed: bool) -> Argument | None:
        found = self._typed(text, path)
        if found is None:
            return None
        if found.type in (INTEGER, FRACTION):
            return Argument("number", found)
        if found.type == BUFFER:
            return Argument("buffer", found, found.cpp)
        ends = {e.alias: e for e in (*self.manifest.inputs, *self.manifest.outputs)}
        end = ends.get(str(text).strip().partition(".")[0])
        is_chosen = found.type.startswith("array") and end is not None and found.path == end.chosen
        if end in self.manifest.inputs and is_numbers(found) and (changed or not is_chosen):
            return Argument("values", found)
        if end and is_chosen and not changed:
            kind = "output" if end in self.manifest.outputs else "input"
            return Argument(kind, found, end.alias)
        self._wrong(path, _no_argument(text, end, changed))
        return None


def _no_argument(text: Any, end: End | None, changed: bool) -> str:
    if changed:
        return f"'{text}' is no number, array of numbers or buffer, all that can be compared"
    chosen = f"'{end.alias}.{end.chosen}'" if end and end.chosen else "a chosen array"
    return f"'{text}' is neither a number nor {chosen}"


def translate_part(owner: Typed, name: str, scope: Scope) -> Typed:
    """Return a field of a message that is an expression already."""
    scope_of_part = Scope(scope.catalog, {"whole": owner})
    return translate(f"whole.{name}", scope_of_part)


def _type_of(info: FieldInfo) -> str:
    probe = Scope(
        MessageCatalog({"whole": {"part": info}}), {"whole": Typed("", "message", "whole")}
    )
    return translate("whole.part", probe).type
