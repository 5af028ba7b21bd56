# SPDX-License-Identifier: Apache-2.0
"""Definitions as text say what they were made from, to two parsers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from ligament.messages import Message, TypeStore, load_store, type_hash
from ligament.messages.packages import parse_message
from ligament.messages.text import definition_text

RULE = "=" * 80 + "\n"
#: `rosbags` hashes `char` in another way (spec/wire/message.md), and cannot read `wstring`.
NOT_JUDGED = {"char", "wstring"}


@pytest.fixture(scope="module")
def store() -> TypeStore:
    return load_store("jazzy")


def parsed(text: str, name: str) -> dict[str, Message]:
    """A definition and what it refers to, by our own parser."""
    first, *others = text.split(RULE)
    found = {name: parse_message(first, name)}
    for part in others:
        title, body = part.split("\n", 1)
        package, base = title.removeprefix("MSG: ").split("/")
        found[f"{package}/msg/{base}"] = parse_message(body, f"{package}/msg/{base}")
    return found


def bare(message: Message) -> Message:
    """Without the mark of a chosen array, which is a comment."""
    return replace(message, fields=tuple(replace(f, marked=False) for f in message.fields))


def test_every_message_comes_back(store: TypeStore) -> None:
    for message in store:
        if message.kind != "msg":
            continue
        found = parsed(definition_text(store, message.name), message.name)
        assert set(found) == {m.name for m in store.closure([message])}
        for name, again in found.items():
            assert bare(again) == bare(store.message(name))


def test_rosbags_reads_the_same_types(store: TypeStore) -> None:
    judged = 0
    for message in store:
        elements = {f.type.element for m in store.closure([message]) for f in m.fields}
        if message.kind != "msg" or elements & NOT_JUDGED:
            continue
        types = get_typestore(Stores.EMPTY)
        types.register(get_types_from_msg(definition_text(store, message.name), message.name))
        assert types.hash_rihs01(message.name) == f"RIHS01_{type_hash(store, message.name).hex()}"
        judged += 1
    assert judged > 150


def test_what_users_write_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "own_msgs"
    (folder / "msg").mkdir(parents=True)
    source = (
        'string NAME="a \\"b\\" \\\\c"\nint8 LEAST=-128\nfloat64 HALF=0.5\nbool YES=True\n'
        "string<=5[<=3] words\nint32[2] pair [1, -2]\nfloat32 x 1.5\nbool on true\n"
        'string text "it\'s"\nstd_msgs/Header[] headers\n'
    )
    (folder / "msg" / "All.msg").write_text(source)
    store = load_store("jazzy", [folder])
    found = parsed(definition_text(store, "own_msgs/msg/All"), "own_msgs/msg/All")
    assert found["own_msgs/msg/All"] == store.message("own_msgs/msg/All")
    assert "std_msgs/msg/Header" in found
