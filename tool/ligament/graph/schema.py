# SPDX-License-Identifier: Apache-2.0
"""Schema validation with messages that a person can act on.

The schemas are the JSON Schema 2020-12 files under spec/. Each complaint of the validator becomes
a sentence with the place in the file, what was expected (from the schema's own text) and the
nearest allowed name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from ligament.errors import Problem, listing, nearest
from ligament.graph.source import Document
from ligament.resources import spec_dir

_JSON_NAMES = {"object": "a map", "array": "a list", "string": "a string", "integer": "a whole number",
               "number": "a number", "boolean": "true or false", "null": "nothing"}


@cache
def load_schemas() -> dict[str, dict[str, Any]]:
    """Return all schemas by short name: `graph`, `node`, `qos`, ... (from `$id` urn:ligament:X:N)."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(spec_dir().rglob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = str(schema.get("$id", "")).removeprefix("urn:ligament:").rpartition(":")[0]
        found[name or path.name.removesuffix(".schema.json")] = schema
    return found


@cache
def _validator(kind: str) -> Draft202012Validator:
    schemas = load_schemas()
    pairs = [(s["$id"], Resource.from_contents(s)) for s in schemas.values() if "$id" in s]
    registry: Registry[Any] = Registry().with_resources(pairs)
    return Draft202012Validator(schemas[kind], registry=registry)


def validate(document: Document, kind: str) -> list[Problem]:
    """Return what is wrong with a document of a kind (`graph`, `node`, `platform`, ...)."""
    wanted = f"ligament/{kind}/1"
    data = document.data
    if not isinstance(data, dict):
        shown = "is empty" if data is None else f"holds {_describe(data)}"
        return [Problem("schema-type", f"the file {shown}", document.at(),
                        expected=f"a map that starts with 'schema: {wanted}'")]
    version = data.get("schema")
    if version != wanted and "schema" in load_schemas()[kind].get("properties", {}):
        return [_version_problem(document, version, wanted)]
    errors = sorted(_validator(kind).iter_errors(data), key=lambda e: (_position(document, e), e.message))
    return [problem for error in errors for problem in _problems(document, error)]


def _version_problem(document: Document, version: object, wanted: str) -> Problem:
    if version is None:
        return Problem("schema-version", "the file does not say what it is", document.at(),
                       expected=f"schema: {wanted}")
    name, _, number = str(version).rpartition("/")
    same_kind = name == wanted.rpartition("/")[0] and number.isdigit()
    text = (f"version {number} of this format is not known to this ligament" if same_kind
            else f"the file says that it is '{version}'")
    return Problem("schema-version", text, document.at("schema"), expected=f"schema: {wanted}")


def _position(document: Document, error: ValidationError) -> tuple[int, int]:
    location = document.at(*error.absolute_path)
    return location.line, location.column


def _problems(document: Document, error: ValidationError) -> Iterator[Problem]:
    path = tuple(error.absolute_path)
    if "propertyNames" in error.relative_schema_path:
        key = str(error.instance)
        yield Problem("schema-value", f"'{key}' cannot be a name here",
                      document.key_at(*path, key), expected=_expected(error))
        return
    if error.validator == "additionalProperties":
        yield from _unknown_fields(document, error, path)
        return
    if error.validator == "required":
        yield from _missing_fields(document, error, path)
        return
    code, text, expected = _SENTENCES.get(str(error.validator), _fallback)(error, _where(path))
    hint = ""
    if error.validator == "enum" and isinstance(error.instance, str):
        hint = nearest(error.instance, [v for v in error.validator_value if isinstance(v, str)])
    yield Problem(code, text, document.at(*path), expected=expected, hint=hint)


def _unknown_fields(document: Document, error: ValidationError, path: tuple[Any, ...]) -> Iterator[Problem]:
    known = sorted(error.schema.get("properties", {}))
    owner = f" of {_where(path)}" if path else ""
    for key in error.instance:
        if key not in known:
            yield Problem("schema-unknown-field", f"unknown field '{key}'{owner}",
                          document.key_at(*path, key), expected=listing(known, 24),
                          hint=nearest(key, known))


def _missing_fields(document: Document, error: ValidationError, path: tuple[Any, ...]) -> Iterator[Problem]:
    properties = error.schema.get("properties", {})
    # jsonschema reports one error per missing field; its name is only in the message.
    for field in error.validator_value:
        if field not in error.instance and repr(field) in error.message:
            told = properties.get(field, {}).get("description", "")
            where = document.key_at(*path) if path else document.at()
            yield Problem("schema-missing-field", f"{_where(path) or 'the file'} lacks '{field}'",
                          where, expected=f"{field}: {told}" if told else field)


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


def _expected(error: ValidationError) -> str:
    """Return the schema's own words for what belongs here."""
    schema = error.schema if isinstance(error.schema, dict) else {}
    if "x-expected" in schema:
        return str(schema["x-expected"])
    return str(schema.get("description", ""))


Sentence = tuple[str, str, str]


def _type(error: ValidationError, where: str) -> Sentence:
    wanted = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = _expected(error) if "x-expected" in error.schema else " or ".join(_JSON_NAMES[n] for n in names)
    return "schema-type", f"{where} is {_describe(error.instance)}", expected


def _enum(error: ValidationError, where: str) -> Sentence:
    choices = error.validator_value if error.validator == "enum" else [error.validator_value]
    return ("schema-value", f"{where} is {_describe(error.instance)}",
            "one of " + ", ".join(str(c) for c in choices) if len(choices) > 1 else str(choices[0]))


def _limit(error: ValidationError, where: str) -> Sentence:
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}
    return ("schema-range", f"{where} is {error.instance}",
            f"{words[str(error.validator)]} {error.validator_value}")


def _pattern(error: ValidationError, where: str) -> Sentence:
    return "schema-value", f"{where} is {_describe(error.instance)}", _expected(error)


def _count(error: ValidationError, where: str) -> Sentence:
    words = {"minItems": "at least", "maxItems": "at most", "minLength": "at least", "maxLength": "at most",
             "minProperties": "at least"}
    size = len(error.instance)
    unit = "characters" if "Length" in str(error.validator) else "entries"
    return ("schema-value", f"{where} has {size} {unit}",
            f"{words[str(error.validator)]} {error.validator_value}")


def _unique(error: ValidationError, where: str) -> Sentence:
    return "schema-value", f"{where} names something twice", "each entry once"


def _fallback(error: ValidationError, where: str) -> Sentence:
    return "schema-value", f"{where}: {error.message}", _expected(error)


_SENTENCES: dict[str, Callable[[ValidationError, str], Sentence]] = {
    "type": _type, "enum": _enum, "const": _enum, "pattern": _pattern, "minimum": _limit,
    "maximum": _limit, "exclusiveMinimum": _limit, "minItems": _count, "maxItems": _count,
    "minLength": _count, "maxLength": _count, "minProperties": _count, "uniqueItems": _unique,
}
