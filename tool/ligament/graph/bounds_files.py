# SPDX-License-Identifier: Apache-2.0
"""A bounds file (spec/interfaces/bounds.schema.json) against the messages that it gives bounds of.

An entry that names nothing would be passed over, and its author would think that it counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ligament.errors import InputError, Problem, nearest, no_such
from ligament.graph.loader import read_document
from ligament.graph.message_names import FieldInfo, MessageCatalog
from ligament.graph.source import Document


def bounds_file_problems(path: Path, messages: MessageCatalog) -> Iterator[Problem]:
    """Yield what is wrong with a bounds file, each with its line."""
    try:
        document = read_document(path, "bounds")
    except InputError as error:
        yield from error.problems
        return
    known = {*messages.types, *messages.parts}
    for message, fields in document.data["bounds"].items():
        if "/action/" in message:  # the catalogue has their names alone
            continue
        if message not in known:
            yield _unknown_type(message, known, document)
        elif messages.fields_of(message):  # none: empty, or a definition with a mistake of its own
            for name in fields:
                yield from _field_problems(message, name, messages, document)


def _unknown_type(message: str, known: Collection[str], document: Document) -> Problem:
    return Problem(
        "message-unknown",
        f"there is no message type '{message}'",
        document.key_at("bounds", message),
        expected="a message of a standard package or of one that the graph lists, PACKAGE/msg/NAME",
        hint=nearest(message, known),
    )


def _field_problems(
    message: str, name: str, messages: MessageCatalog, document: Document
) -> Iterator[Problem]:
    fields = messages.fields_of(message)
    at = document.key_at("bounds", message, name)
    known = sorted(n for n, info in fields.items() if info.kind == "unbounded")
    if name not in fields:
        text = f"{message} has no field '{name}'"
        problem = no_such("bound-field", text, name, known, at, before="an unbounded field: ")
        owner = _owner(fields, name.rpartition(".")[2], messages, {message})
        if owner:
            hint = f"fields of nested messages go under their own type: {owner}"
            problem = Problem(problem.code, text, at, problem.expected, hint)
        yield problem
    elif name not in known:
        spelling = fields[name].spelling
        what = "has its bound already" if fields[name].kind == "bounded" else "has no length"
        text = f"the field '{name}' of {message} ({spelling}) {what}"
        yield no_such("bound-field", text, name, known, at, before="an unbounded field: ")


def _owner(
    fields: Mapping[str, FieldInfo], name: str, messages: MessageCatalog, seen: set[str]
) -> str:
    """Return the nested message type that has an unbounded field of this name, or nothing."""
    for info in fields.values():
        inner = info.message
        if not inner or inner in seen:
            continue
        seen.add(inner)
        nested = messages.fields_of(inner)
        if name in nested and nested[name].kind == "unbounded":
            return f"{inner}: {{{name}: ...}}"
        if found := _owner(nested, name, messages, seen):
            return found
    return ""
