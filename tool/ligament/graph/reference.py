# SPDX-License-Identifier: Apache-2.0
"""Reference pages from the schemas: each field with its type, limits, default and meaning.

`reference_pages()` returns page name -> Markdown. `ligament docs` writes them under build/docs/, so
that no copy in the repository can be out of date; the text lives where the field is defined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ligament.graph.schema import load_schemas

Schema = Mapping[str, Any]

_TYPE_WORDS = {
    "object": "map",
    "array": "list",
    "string": "string",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "nothing",
}


def reference_pages() -> dict[str, str]:
    """Return all reference pages by file name, `index.md` included."""
    schemas = load_schemas()
    pages = {f"{name}.md": _page(name, schemas[name]) for name in sorted(schemas)}
    pages["index.md"] = _index(schemas)
    return pages


def _index(schemas: Mapping[str, Schema]) -> str:
    lines = ["# Reference of the contracts", "", "Generated from the schemas under spec/.", ""]
    for name in sorted(schemas):
        first = _sentence(str(schemas[name].get("description", "")))
        lines.append(f"- [{schemas[name].get('title', name)}]({name}.md): {first}")
    return "\n".join(lines) + "\n"


def _page(name: str, schema: Schema) -> str:
    lines = [
        f"# {schema.get('title', name)}",
        "",
        f"Generated from the schema `{schema.get('$id', name)}`; change the text there.",
        "",
        str(schema.get("description", "")),
    ]
    lines += _section("", schema, schema)
    for key, definition in schema.get("$defs", {}).items():
        lines += ["", f"## {key}", "", str(definition.get("description", ""))]
        lines += _section("", definition, schema)
    return "\n".join(lines).rstrip() + "\n"


def _section(prefix: str, schema: Schema, root: Schema) -> list[str]:
    rows = list(_rows(prefix, schema, root))
    if not rows:
        return []
    head = ["", "| field | type | default | meaning |", "|---|---|---|---|"]
    return head + [f"| {' | '.join(_cell(c) for c in row)} |" for row in rows]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _rows(prefix: str, schema: Schema, root: Schema) -> Iterator[tuple[str, str, str, str]]:
    required = set(schema.get("required", ()))
    for key, inner in schema.get("properties", {}).items():
        yield from _field(f"{prefix}{key}", inner, key in required, root)
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping):
        yield from _field(f"{prefix}*name*", extra, False, root)
    items = schema.get("items")
    if isinstance(items, Mapping) and not schema.get("properties"):
        yield from _field(f"{prefix.removesuffix('.')}[]", items, False, root)


def _field(
    path: str, schema: Schema, required: bool, root: Schema
) -> Iterator[tuple[str, str, str, str]]:
    default = "**required**" if required else _default(schema)
    yield f"`{path}`", _type(schema), default, _meaning(_resolved(schema, root))
    if "$ref" not in schema:
        yield from _rows(f"{path}.", schema, root)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return the definition that a field refers to, for its text."""
    reference = str(schema.get("$ref", ""))
    if not reference or "description" in schema:
        return schema
    if reference.startswith("urn:ligament:"):
        return load_schemas()[reference.split(":")[2]]
    found: Schema = root.get("$defs", {}).get(reference.rpartition("/")[2], {})
    return found


def _default(schema: Schema) -> str:
    return f"`{_plain(schema['default'])}`" if "default" in schema else ""


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "[]" if value == [] else "{}" if value == {} else str(value)


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return _link(str(schema["$ref"]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{_plain(v)}`" for v in schema["enum"])
    kinds = schema.get("type", [])
    names = [_TYPE_WORDS[k] for k in ([kinds] if isinstance(kinds, str) else kinds)]
    return " or ".join(names) + _limits(schema)


def _link(reference: str) -> str:
    if reference.startswith("urn:ligament:"):
        name = reference.split(":")[2]
        return f"[{load_schemas()[name].get('title', name)}]({name}.md)"
    key = reference.rpartition("/")[2]
    return f"[{key}](#{key})"


def _limits(schema: Schema) -> str:
    words = {
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "minItems": "{} or more entries",
        "maxItems": "{} or fewer entries",
        "minProperties": "{} or more entries",
    }
    found = [text.format(schema[key]) for key, text in words.items() if key in schema]
    return f" ({', '.join(found)})" if found else ""


def _meaning(schema: Schema) -> str:
    text = str(schema.get("description", ""))
    form = schema.get("x-expected")
    return f"{text} Form: {form}." if form else text


def _sentence(text: str) -> str:
    return text.split(". ", maxsplit=1)[0].rstrip(".") + "." if text else ""
