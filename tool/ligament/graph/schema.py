# SPDX-License-Identifier: Apache-2.0
"""Schema validation with messages that a person can act on.

The schemas are the JSON Schema 2020-12 files under spec/. Each complaint of the validator becomes
a sentence with the place in the file, what was expected (from the schema's own text) and the
nearest allowed name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ligament import cache
from ligament.errors import Problem, listing, nearest
from ligament.graph.source import Document
from ligament.resources import spec_dir

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from referencing import Registry

KEPT = "valid"
"""The kind of the cache's entries."""

_JSON_NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@once
def _schema_files() -> tuple[Path, ...]:
    return tuple(sorted(spec_dir().rglob("*.schema.json")))


@once
def load_schemas() -> dict[str, dict[str, Any]]:
    """Return all schemas by short name: `graph`, `node`, ... (X of `$id` urn:ligament:X:N)."""
    found: dict[str, dict[str, Any]] = {}
    for path in _schema_files():
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = str(schema.get("$id", "")).removeprefix("urn:ligament:").rpartition(":")[0]
        found[name or path.name.removesuffix(".schema.json")] = schema
    return found


@once
def _validator(kind: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import
    from referencing import Registry, Resource  # noqa: PLC0415 - slow to import

    schemas = load_schemas()
    pairs = [(s["$id"], Resource.from_contents(s)) for s in schemas.values() if "$id" in s]
    registry: Registry[Any] = Registry().with_resources(pairs)
    return Draft202012Validator(schemas[kind], registry=registry)


def is_valid(kind: str, data: object) -> bool:
    """Whether plain data is of a schema; for what comes from another computer."""
    return next(_validator(kind).iter_errors(data), None) is None


@dataclass(frozen=True)
class _Complaint:
    """What the validator says, with the types that it really has."""

    keyword: str
    wanted: Any
    instance: Any
    path: tuple[Any, ...]
    schema: dict[str, Any]
    message: str
    is_name: bool

    @staticmethod
    def of(error: ValidationError) -> _Complaint:
        schema = error.schema if isinstance(error.schema, dict) else {}
        return _Complaint(
            str(error.validator),
            error.validator_value,
            error.instance,
            tuple(error.absolute_path),
            schema,
            error.message,
            "propertyNames" in error.relative_schema_path,
        )


@once
def _rules() -> str:
    """Return what changes with the schemas and the code that applies them."""
    return cache.fingerprint([Path(__file__), *cache.files_of("jsonschema"), *_schema_files()])


def validate(document: Document, kind: str) -> list[Problem]:
    """Return what is wrong with a document of a kind (`graph`, `node`, `platform`, ...).

    Data that was found right before, by the same schemas, is not looked at again.
    """
    entry = cache.key(_rules(), kind, json.dumps(document.data))
    if cache.get(KEPT, entry):
        return []
    problems = _validate(document, kind)
    if not problems:
        cache.put(KEPT, entry, True)
    return problems


def _validate(document: Document, kind: str) -> list[Problem]:
    declared = load_schemas()[kind].get("properties", {}).get("schema")
    wanted = str((declared or {}).get("const", f"ligament/{kind}/1"))
    data = document.data
    if not isinstance(data, dict):
        shown = "is empty" if data is None else f"holds {_describe(data)}"
        return [
            Problem(
                "schema-type",
                f"the file {shown}",
                document.at(),
                expected=f"a map that starts with 'schema: {wanted}'",
            )
        ]
    version = data.get("schema")
    if version != wanted and declared is not None:
        return [_version_problem(document, version, wanted)]
    complaints = [_Complaint.of(error) for error in _validator(kind).iter_errors(data)]
    complaints.sort(key=lambda c: (document.at(*c.path), c.message))
    return [problem for complaint in complaints for problem in _problems(document, complaint)]


def _version_problem(document: Document, version: object, wanted: str) -> Problem:
    if version is None:
        return Problem(
            "schema-version",
            "the file does not say what it is",
            document.at(),
            expected=f"schema: {wanted}",
        )
    name, _, number = str(version).rpartition("/")
    same_kind = name == wanted.rpartition("/")[0] and number.isdigit()
    text = (
        f"version {number} of this format is not known to this ligament"
        if same_kind
        else f"the file says that it is '{version}'"
    )
    return Problem("schema-version", text, document.at("schema"), expected=f"schema: {wanted}")


def _problems(document: Document, complaint: _Complaint) -> Iterator[Problem]:
    if complaint.is_name:
        key = str(complaint.instance)
        yield Problem(
            "schema-value",
            f"'{key}' cannot be a name here",
            document.key_at(*complaint.path, key),
            expected=_expected(complaint),
        )
    elif complaint.keyword == "additionalProperties":
        yield from _unknown_fields(document, complaint)
    elif complaint.keyword == "required":
        yield from _missing_field(document, complaint)
    else:
        sentence = _SENTENCES.get(complaint.keyword, _fallback)
        code, text, expected = sentence(complaint, _where(complaint.path))
        yield Problem(code, text, document.at(*complaint.path), expected, _nearest(complaint))


def _nearest(complaint: _Complaint) -> str:
    if complaint.keyword != "enum" or not isinstance(complaint.instance, str):
        return ""
    return nearest(complaint.instance, [v for v in complaint.wanted if isinstance(v, str)])


def _unknown_fields(document: Document, complaint: _Complaint) -> Iterator[Problem]:
    known = sorted(complaint.schema.get("properties", {}))
    owner = f" of {_where(complaint.path)}" if complaint.path else ""
    for key in complaint.instance:
        if key not in known:
            yield Problem(
                "schema-unknown-field",
                f"unknown field '{key}'{owner}",
                document.key_at(*complaint.path, key),
                expected=listing(known, 24),
                hint=nearest(key, known),
            )


def _missing_field(document: Document, complaint: _Complaint) -> Iterator[Problem]:
    # jsonschema reports each missing field on its own, and names it only in its message.
    for field in complaint.wanted:
        if field not in complaint.instance and complaint.message.startswith(repr(field)):
            told = _description(complaint.schema.get("properties", {}).get(field, {}))
            where = document.key_at(*complaint.path) if complaint.path else document.at()
            yield Problem(
                "schema-missing-field",
                f"{_where(complaint.path) or 'the file'} lacks '{field}'",
                where,
                expected=f"{field}: {told}" if told else field,
            )


def _description(schema: dict[str, Any]) -> str:
    """Return a field's own text, or that of the definition it refers to within its file."""
    reference = str(schema.get("$ref", ""))
    name = reference.rpartition("/$defs/")[2] if "/$defs/" in reference else ""
    for other in load_schemas().values() if name else ():
        found = other.get("$defs", {}).get(name)
        if found:
            return str(found.get("description", ""))
    return str(schema.get("description", ""))


def _where(path: tuple[Any, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def _describe(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else (f"'{value}'" if isinstance(value, str) else str(value))


def _expected(complaint: _Complaint) -> str:
    """Return the schema's own words for what belongs here."""
    return str(complaint.schema.get("x-expected") or complaint.schema.get("description", ""))


Sentence = tuple[str, str, str]


def _type(complaint: _Complaint, where: str) -> Sentence:
    wanted = complaint.wanted
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = (
        _expected(complaint)
        if "x-expected" in complaint.schema
        else " or ".join(_JSON_NAMES[n] for n in names)
    )
    return "schema-type", f"{where} is {_describe(complaint.instance)}", expected


def _enum(complaint: _Complaint, where: str) -> Sentence:
    choices = complaint.wanted if complaint.keyword == "enum" else [complaint.wanted]
    return (
        "schema-value",
        f"{where} is {_describe(complaint.instance)}",
        "one of " + ", ".join(str(c) for c in choices) if len(choices) > 1 else str(choices[0]),
    )


def _limit(complaint: _Complaint, where: str) -> Sentence:
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
    return (
        "schema-range",
        f"{where} is {complaint.instance}",
        f"{words[complaint.keyword]} {complaint.wanted}",
    )


def _pattern(complaint: _Complaint, where: str) -> Sentence:
    expected = complaint.schema.get("x-expected")
    if not expected:
        expected = f"{_expected(complaint)} Pattern: {complaint.wanted}"
    return "schema-value", f"{where} is {_describe(complaint.instance)}", str(expected)


def _count(complaint: _Complaint, where: str) -> Sentence:
    words = {
        "minItems": "at least",
        "maxItems": "at most",
        "minLength": "at least",
        "maxLength": "at most",
        "minProperties": "at least",
    }
    size = len(complaint.instance)
    unit = "characters" if "Length" in complaint.keyword else "entries"
    return (
        "schema-value",
        f"{where} has {size} {unit}",
        f"{words[complaint.keyword]} {complaint.wanted}",
    )


def _unique(complaint: _Complaint, where: str) -> Sentence:
    return "schema-value", f"{where} names something twice", "each entry once"


def _fallback(complaint: _Complaint, where: str) -> Sentence:
    return "schema-value", f"{where}: {complaint.message}", _expected(complaint)


_SENTENCES: dict[str, Callable[[_Complaint, str], Sentence]] = {
    "type": _type,
    "enum": _enum,
    "const": _enum,
    "pattern": _pattern,
    "minimum": _limit,
    "maximum": _limit,
    "exclusiveMinimum": _limit,
    "minItems": _count,
    "maxItems": _count,
    "minLength": _count,
    "maxLength": _count,
    "minProperties": _count,
    "uniqueItems": _unique,
}
