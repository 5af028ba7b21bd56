# SPDX-License-Identifier: Apache-2.0
"""The C++ back-end: messages in, header texts out. Templates decide the shape of the code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ligament import __version__
from ligament.messages import cpp_names as names
from ligament.messages.hashing import action_hash, service_hash, type_hash
from ligament.messages.model import (
    PRIMITIVE_SIZES,
    Action,
    Field,
    FieldType,
    Message,
    Multiplicity,
    Scalar,
    Service,
)
from ligament.messages.store import TypeStore

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True)
class CppField:
    """What the templates need to know about a field."""

    name: str
    type_name: str
    """Name in the definition (differs from `name` for C++ keywords)."""
    accessor: str
    member: str
    type: FieldType
    single: bool
    array: bool
    fixed: bool
    """Whether the element's size never varies."""
    chosen: bool
    cpp_type: str
    cpp_element: str
    element_kind: str
    has_default: bool
    default: str
    """Braced initialiser of the struct member."""
    default_element: str
    default_text: str
    """C++ literal of the default as type descriptions write it; empty where there is none."""
    bounds: str
    count_bound: str
    text_bound: str
    text: str
    """Which text functions of the codec apply: `text` or `wide_text`."""
    text_argument: str
    view_text: str
    shape_type: str
    view_member: str
    view_array: str
    builder_member: str
    builder_array: str


def render_all(store: TypeStore, messages: Iterable[Message]) -> dict[str, str]:
    """All headers of these messages, and of the services and actions around them, by path."""
    wanted = list(messages)
    files: dict[str, str] = {}
    for message in wanted:
        path = names.header_path(message.name)
        files[path] = _template("message.hpp.j2").render(
            message=message_context(store, message), version=__version__
        )
        files.update(_alias(message.name, [message.base_name]))
    present = {m.name for m in wanted}
    for service in store.services.values():
        if all(m.name in present for m in service.messages):
            files[names.header_path(service.name)] = _service(store, service)
            parts = [service.name.split("/")[2], *(m.base_name for m in service.messages)]
            files.update(_alias(service.name, parts))
    for action in store.actions.values():
        if all(m.name in present for m in action.messages):
            files[names.header_path(action.name)] = _action(store, action)
            parts = [action.name.split("/")[2], *(m.base_name for m in action.messages)]
            files.update(_alias(action.name, parts))
    return dict(sorted(files.items()))


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - slow to import

    return jinja2.Environment(
        loader=jinja2.PackageLoader("ligament.messages"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )


@cache
def _template(name: str) -> jinja2.Template:
    return _environment().get_template(name)


def _alias(name: str, types: list[str]) -> dict[str, str]:
    package, kind, _ = name.split("/")
    header = names.header_path(name)
    text = _template("alias.hpp.j2").render(
        name=name, header=header, package=package, kind=kind, types=types, version=__version__
    )
    return {header.replace("ligament/", "ligament/alias/", 1): text}


def _service(store: TypeStore, service: Service) -> str:
    package, kind, base = service.name.split("/")
    return _template("service.hpp.j2").render(
        name=service.name,
        package=package,
        kind=kind,
        cpp_name=base,
        includes=[names.header_path(m.name) for m in service.messages],
        has_event=service.event is not None,
        hash_rows=_hash_rows(service_hash(store, service)),
        version=__version__,
    )


def _action(store: TypeStore, action: Action) -> str:
    package, kind, base = action.name.split("/")
    parts = [m.name for m in action.messages] + [action.send_goal.name, action.get_result.name]
    parts += ["action_msgs/srv/CancelGoal", "action_msgs/msg/GoalStatusArray"]
    return _template("action.hpp.j2").render(
        name=action.name,
        package=package,
        kind=kind,
        cpp_name=base,
        includes=sorted(names.header_path(name) for name in parts),
        hash_rows=_hash_rows(action_hash(store, action)),
        version=__version__,
    )


def message_context(store: TypeStore, message: Message) -> dict[str, object]:
    """All that templates need to know about a message."""
    chosen = store.chosen(message)
    fields = [_field_context(store, f, f is chosen) for f in message.fields]
    shortenable, tail = _last_array(fields)
    return {
        "name": message.name,
        "origin": message.origin,
        "package": message.package,
        "kind": message.kind,
        "cpp_name": message.base_name,
        "cpp_full_name": names.qualified(message.name).removeprefix("::"),
        "includes": sorted(names.header_path(m.name) for m in store.nested(message)),
        "constants": [_constant_context(c.name, c.type, c.value) for c in message.constants],
        "fields": fields,
        "min_size": store.min_size(message),
        "hash_rows": _hash_rows(type_hash(store, message.name)),
        "chosen": next((f for f in fields if f.chosen), None),
        "chosen_path": _chosen_path(store, message),
        "shortenable": shortenable,
        "tail": tail,
    }


def _last_array(fields: list[CppField]) -> tuple[CppField | None, list[CppField]]:
    """The array that finish(count) shortens, and the fixed-size fields that move up behind it."""
    for index in range(len(fields) - 1, -1, -1):
        kind = fields[index].type
        if not kind.is_primitive:
            break
        if kind.is_sequence:
            return fields[index], fields[index + 1 :]
    return None, []


def _chosen_path(store: TypeStore, message: Message) -> str:
    field = store.chosen(message)
    if field is None:
        return ""
    if not field.type.is_message:
        return field.name
    return f"{field.name}.{_chosen_path(store, store.message(field.type.element))}"


def _constant_context(name: str, element: str, value: Scalar) -> dict[str, str]:
    text_types = {"string": "std::string_view", "wstring": "std::u16string_view"}
    return {
        "name": name,
        "cpp_type": text_types.get(element) or names.element_type(element),
        "literal": names.literal(element, value),
    }


def _field_context(store: TypeStore, field: Field, chosen: bool) -> CppField:
    kind = field.type
    single = kind.multiplicity is Multiplicity.SINGLE
    element = names.element_type(kind.element)
    wide = kind.element == "wstring"
    fixed = kind.is_primitive or (kind.is_message and store.is_fixed(store.message(kind.element)))
    return CppField(
        name=names.field_name(field.name),
        type_name=field.name,
        accessor=names.accessor_name(field.name),
        member=f"{names.accessor_name(field.name)}_",
        type=kind,
        single=single,
        array=kind.multiplicity is Multiplicity.ARRAY,
        fixed=fixed,
        chosen=chosen,
        cpp_type=names.field_type(field),
        cpp_element=element,
        element_kind=names.element_kind(kind.element),
        has_default=field.default is not None,
        default=_default(field),
        default_element=_default_element(field),
        default_text="" if field.default is None else names.literal("string", described(field)),
        bounds=_bounds(kind),
        count_bound=str(kind.count) if kind.multiplicity is Multiplicity.BOUNDED else _NO_BOUND,
        text_bound=str(kind.string_bound) if kind.string_bound else _NO_BOUND,
        text="wide_text" if wide else "text",
        text_argument="std::u16string_view" if wide else "std::string_view",
        view_text="std::u16string" if wide else "std::string_view",
        shape_type=_shape_type(kind, element, fixed),
        view_member=_view_member(kind, element),
        view_array=_array_accessor(kind, f"std::span<const {element}>", "ArrayView"),
        builder_member=_builder_member(kind, element),
        builder_array=_array_accessor(kind, f"std::span<{element}>", "ArrayBuilder"),
    )


_NO_BOUND = "::ligament::detail::no_bound"


def _bounds(kind: FieldType) -> str:
    parts = []
    if kind.multiplicity is Multiplicity.BOUNDED:
        parts.append(f".count = {kind.count}")
    if kind.string_bound:
        parts.append(f".text = {kind.string_bound}")
    return "{" + ", ".join(parts) + "}" if parts else ""


def _default(field: Field) -> str:
    if isinstance(field.default, tuple):
        values = [names.literal(field.type.element, v) for v in field.default]
        if field.type.is_string:  # two `const char*` in braces would be an iterator pair
            values = [f"{names.element_type(field.type.element)}({v})" for v in values]
        return "{" + ", ".join(values) + "}"
    if field.default is None and not (
        field.type.is_primitive and field.type.multiplicity is Multiplicity.SINGLE
    ):
        return "{}"
    return "{" + _default_element(field) + "}"


def _default_element(field: Field) -> str:
    if field.default is None or isinstance(field.default, tuple):
        zero: Scalar = False if field.type.element == "bool" else 0
        return names.literal(field.type.element, zero) if field.type.is_primitive else ""
    return names.literal(field.type.element, field.default)


def described(field: Field) -> str:
    """Return its default as ROS 2's type descriptions write it: Python's form, lists as tuples."""
    if not isinstance(field.default, tuple):
        return str(field.default)
    elements = [repr(value) for value in field.default]
    return f"({', '.join(elements + [''] * (2 - len(elements)))})"


def _shape_type(kind: FieldType, element: str, fixed: bool) -> str:
    if kind.is_primitive or fixed:
        return "std::size_t" if kind.is_sequence else ""
    inner = "std::size_t" if kind.is_string else f"{element}Shape"
    if kind.multiplicity is Multiplicity.ARRAY:
        return f"std::array<{inner}, {kind.count}>"
    return f"std::vector<{inner}>" if kind.is_sequence else inner


def _view_member(kind: FieldType, element: str) -> str:
    single = kind.multiplicity is Multiplicity.SINGLE
    if kind.is_primitive:
        return element if single else "::ligament::detail::Extent<const std::byte>"
    if kind.is_string:
        wide = "Wide" if kind.element == "wstring" else ""
        if single:
            return "::ligament::detail::Extent<const std::byte>"
        return f"::ligament::{wide}StringSequenceView"
    return f"{element}View" if single else f"::ligament::MessageSequenceView<{element}View>"


def _builder_member(kind: FieldType, element: str) -> str:
    single = kind.multiplicity is Multiplicity.SINGLE
    if kind.is_primitive or (kind.is_string and single):
        return "::ligament::detail::Extent<std::byte>"
    if kind.is_string:
        wide = "Wide" if kind.element == "wstring" else ""
        return f"::ligament::{wide}StringSequenceBuilder"
    return f"{element}Builder" if single else f"::ligament::SequenceBuilder<{element}Builder>"


def _array_accessor(kind: FieldType, span: str, wrapper: str) -> str:
    if not kind.is_primitive:
        return ""
    if PRIMITIVE_SIZES[kind.element] == 1 and kind.element != "bool":
        return span
    return f"::ligament::{wrapper}<{names.CPP_PRIMITIVES[kind.element]}>"


def _hash_rows(digest: bytes) -> list[str]:
    return [", ".join(f"0x{b:02x}" for b in digest[i : i + 8]) for i in range(0, 32, 8)]
