# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of messages: per type a package, and lig_unpack and lig_pack with its layout."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from ligament.messages.cpp_names import snake_case
from ligament.messages.hashing import type_hash
from ligament.messages.hdl.bounds import Bounds
from ligament.messages.hdl.layout import Layout, Leaf, Op, layout_of
from ligament.messages.model import Message
from ligament.messages.store import TypeStore

if TYPE_CHECKING:
    import jinja2

#: Names of the files (three words, then pkg, pack or unpack): users' own beside them are safe.
MADE = "lig_*_*_*_*p*k*.sv"


def module_name(message: str) -> str:
    """`sensor_msgs/msg/PointCloud2` -> `lig_sensor_msgs_msg_point_cloud2`."""
    package, kind, base = message.split("/")
    return f"lig_{package}_{kind}_{snake_case(base)}"


def render_all(store: TypeStore, messages: Iterable[Message], bounds: Bounds) -> dict[str, str]:
    """File name -> text."""
    files: dict[str, str] = {}
    for message in messages:
        context = _context(store, message, layout_of(store, message, bounds))
        for part in ("pkg", "unpack", "pack"):
            template = environment().get_template(f"message_{part}.sv.j2")
            files[f"{context['name']}_{part}.sv"] = template.render(context)
    return files


def render_vhdl(store: TypeStore, messages: Iterable[Message], bounds: Bounds) -> dict[str, str]:
    """File name -> text, of packages with the same names and constants for cores in VHDL."""
    template = environment().get_template("message_pkg.vhd.j2")
    contexts = [_context(store, m, layout_of(store, m, bounds)) for m in messages]
    return {f"{context['name']}_pkg.vhd": template.render(context) for context in contexts}


@cache
def environment() -> jinja2.Environment:
    """Where the templates of messages in hardware are."""
    import jinja2  # noqa: PLC0415 - slow to import

    return jinja2.Environment(
        loader=jinja2.PackageLoader("ligament.messages", "templates"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _context(store: TypeStore, message: Message, layout: Layout) -> dict[str, object]:
    return {
        "name": module_name(message.name),
        "type": message.name,
        "origin": message.origin,
        "type_hash": type_hash(store, message.name).hex(),
        "fixed": store.is_fixed(message),
        "longest": layout.longest,
        "nesting": max(layout.nesting, 1),
        "words": [f"62'h{word.encoded():016x}" for word in layout.words],
        "leaves": [
            {"constant": leaf.constant, "path": leaf.path, "text": _text_of(leaf)}
            for leaf in layout.leaves
        ],
    }


def _text_of(leaf: Leaf) -> str:
    size = 1 << leaf.log_size
    elements = f"element{'s' if leaf.argument != 1 else ''} of {size} byte{'s' if size > 1 else ''}"
    return {
        Op.FIXED: f"{leaf.argument} {elements}",
        Op.SEQUENCE: f"count, then up to {leaf.argument} {elements}",
        Op.STRING: f"text of up to {leaf.argument} bytes",
        Op.WIDE_STRING: f"text of up to {leaf.argument} units of 4 bytes",
        Op.REPEAT_SEQUENCE: f"count, then what follows up to {leaf.argument} times",
    }[leaf.op]
