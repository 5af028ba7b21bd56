# SPDX-License-Identifier: Apache-2.0
"""ROS 2 names: rules, resolution, and the numbers that stand for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.graph import names

# Underscores only between letters: two in a row are reserved.
TOKEN = st.from_regex(r"[a-zA-Z](_?[a-zA-Z0-9]){0,6}", fullmatch=True)
RELATIVE = st.lists(TOKEN, min_size=1, max_size=4).map("/".join)
NAMESPACE = st.lists(TOKEN, max_size=3).map(lambda parts: "/" + "/".join(parts))


@given(RELATIVE, NAMESPACE, TOKEN)
def test_resolved_names_are_absolute_and_good(name: str, namespace: str, node: str) -> None:
    for written in (name, f"/{name}", f"~/{name}", "~"):
        full = names.resolve(written, namespace, node)
        assert full.startswith("/")
        assert names.name_fault(full) == ""


@given(RELATIVE, NAMESPACE, TOKEN)
def test_resolving_a_resolved_name_changes_nothing(name: str, namespace: str, node: str) -> None:
    full = names.resolve(name, namespace, node)
    assert names.resolve(full, "/elsewhere", "other") == full


@given(RELATIVE, NAMESPACE, TOKEN)
def test_relative_names_go_below_their_namespace(name: str, namespace: str, node: str) -> None:
    assert names.resolve(name, namespace, node) == f"{namespace.rstrip('/')}/{name}"
    assert names.resolve(f"~/{name}", namespace, node) == f"{namespace.rstrip('/')}/{node}/{name}"


@given(RELATIVE)
def test_a_name_with_a_forbidden_part_is_refused(name: str) -> None:
    for broken in (
        f"{name}/",
        f"{name}//x",
        f"{name}__x",
        f"{name}/9x",
        f"{name} x",
        f"{name}-x",
        f"x~/{name}",
        f"~{name}",
    ):
        assert names.name_fault(broken), broken


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "empty"),
        ("~x", "~ must be followed by /"),
        ("a//b", "//"),
        ("a__b", "__"),
        ("1a", "starts with a digit"),
        ("a/", "end with /"),
        ("a.b", "letters, digits"),
        ("x" * 248, "248 characters"),
    ],
)
def test_faults_say_what_is_wrong(name: str, words: str) -> None:
    assert words in names.name_fault(name)


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("{node}/image", "/left/camera/image"),
        ("{ns}/image", "/left/left/image"),
        ("/{namespace}/image", "/left/image"),
    ],
)
def test_substitutions(written: str, full: str) -> None:
    assert names.resolve(written, "/left", "camera") == full


@pytest.mark.parametrize(
    ("text", "value"),
    # Published test vectors of 64-bit FNV-1a.
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_name_hash_is_fnv_1a(text: str, value: int) -> None:
    assert names.name_hash(text) == value
