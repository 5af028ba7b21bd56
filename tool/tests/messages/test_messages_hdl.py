# SPDX-License-Identifier: Apache-2.0
"""Bounds and layout programs; what the hardware does with them: hdl/tb/lig_messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from ligament.messages import DefinitionError, TypeStore, load_store
from ligament.messages.__main__ import main
from ligament.messages.hdl import layout_of, read_bounds, render_all
from ligament.messages.hdl.layout import MOST_NESTING, Op
from ligament.messages.hls.render import render_hls
from ligament.messages.packages import parse_message
from ligament.resources import hdl_dir

FEATURES = Path(__file__).parents[3] / "runtime" / "tests" / "message" / "every_feature_msgs"


@pytest.fixture(scope="module")
def store() -> TypeStore:
    return load_store("jazzy", [FEATURES])


def test_every_standard_type_has_bounds(store):
    standard = load_store("jazzy")
    assert sum(m.kind == "msg" for m in standard) >= 162
    for message in standard:
        layout_of(standard, message, read_bounds([]))


def test_shipped_bounds_name_unbounded_fields_alone():
    store = load_store("jazzy")
    for name, fields in read_bounds([]).entries.items():
        known = {f.name: f.type for f in store.message(name).fields}
        for field in fields:
            kind = known[field]
            open_end = kind.is_sequence and not kind.count
            assert open_end or (kind.is_string and not kind.string_bound), f"{name}.{field}"


def test_an_undeclared_bound_is_an_error_that_says_what_to_write(store):
    with pytest.raises(DefinitionError) as caught:
        layout_of(store, store.message("every_feature_msgs/msg/Texts"), read_bounds([]))
    text = str(caught.value)
    assert "Texts.msg:" in text
    assert "'text' of 'every_feature_msgs/msg/Texts' (string) has no bound on its bytes" in text
    assert "every_feature_msgs/msg/Texts: {text: 64}" in text


def test_the_example_of_an_error_is_what_helps(store, tmp_path):
    message = store.message("every_feature_msgs/msg/AwkwardNames")
    bounds = tmp_path / "bounds.yaml"
    entries = "namespace: 9, create: 16, m: 4"
    bounds.write_text(f"schema: ligament/bounds/1\nbounds:\n  {message.name}: {{{entries}}}\n")
    with pytest.raises(DefinitionError, match=r"read: \{count: 16, length: 64\}"):
        layout_of(store, message, read_bounds([bounds]))
    entries += ", read: {count: 16, length: 64}"
    bounds.write_text(f"schema: ligament/bounds/1\nbounds:\n  {message.name}: {{{entries}}}\n")
    assert layout_of(store, message, read_bounds([bounds])).nesting == 1


def test_a_bounds_file_is_checked(tmp_path):
    bounds = tmp_path / "bounds.yaml"
    bounds.write_text("schema: ligament/bounds/1\nbounds:\n  std_msgs/msg/String: {data: 0}\n")
    with pytest.raises(DefinitionError, match=r"bounds\.yaml"):
        read_bounds([bounds])
    with pytest.raises(DefinitionError, match="No such file"):
        read_bounds([tmp_path / "none.yaml"])


def nested(deep: int) -> TypeStore:
    """Messages M0 to M<deep>, each with an array of two of the one before."""
    text = {f"M{k}": "int32 x" if k == 0 else f"M{k - 1}[2] m" for k in range(deep + 1)}
    return TypeStore([parse_message(t, f"p/msg/{n}") for n, t in text.items()])


def test_arrays_within_each_other_are_as_deep_as_hardware_counts():
    rule = (hdl_dir() / "lig_unpack.sv").read_text()
    assert f"NESTING > {MOST_NESTING})" in rule
    deepest = nested(MOST_NESTING)
    message = deepest.message(f"p/msg/M{MOST_NESTING}")
    assert layout_of(deepest, message, read_bounds([])).nesting == MOST_NESTING
    store = nested(MOST_NESTING + 1)
    with pytest.raises(DefinitionError, match="9 deep"):
        layout_of(store, store.message(f"p/msg/M{MOST_NESTING + 1}"), read_bounds([]))


def test_cores_in_cpp_have_values_and_arrays_as_they_are_declared():
    message = parse_message("int32 one\nint32[3] three", "p/msg/A")
    (text,) = (
        text
        for text in render_hls(TypeStore([message]), [message], read_bounds([])).values()
        if "three" in text
    )
    assert "int one;" in text and "int three[3];" in text


def test_a_message_too_long_for_a_header_is_refused(store, tmp_path):
    bounds = tmp_path / "bounds.yaml"
    bounds.write_text(
        "schema: ligament/bounds/1\nbounds:\n  std_msgs/msg/Float64MultiArray: {data: 1073741823}\n"
    )
    with pytest.raises(DefinitionError, match="may have 85"):
        layout_of(store, store.message("std_msgs/msg/Float64MultiArray"), read_bounds([bounds]))


def test_a_layout_is_the_fields_in_wire_order(store):
    layout = layout_of(store, store.message("sensor_msgs/msg/PointCloud2"), read_bounds([]))
    assert [leaf.path for leaf in layout.leaves] == [
        "header.stamp.sec", "header.stamp.nanosec", "header.frame_id", "height", "width",
        "fields", "fields[].name", "fields[].offset", "fields[].datatype", "fields[].count",
        "is_bigendian", "point_step", "row_step", "data", "is_dense",
    ]  # fmt: skip
    repeat = next(word for word in layout.words if word.op is Op.REPEAT_SEQUENCE)
    follow = layout.words.index(repeat) + 1
    back = next(word for word in layout.words if word.op is Op.NEXT)
    assert back.target == follow
    assert layout.words[repeat.target].argument == 1  # is_bigendian, behind what is repeated
    assert layout.words[-1].op is Op.END


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("std_msgs/msg/Empty", 5),
        ("geometry_msgs/msg/Transform", 4 + 56),
        ("sensor_msgs/msg/RegionOfInterest", 4 + 17),
        ("geometry_msgs/msg/PoseWithCovariance", 4 + 56 + 288),
    ],
)
def test_the_length_of_a_fixed_type_is_exact(store, name, size):
    assert layout_of(store, store.message(name), read_bounds([])).longest == size


def test_names_in_a_package_do_not_meet(store):
    bounds = read_bounds([])
    for message in load_store("jazzy"):
        constants = [leaf.constant for leaf in layout_of(store, message, bounds).leaves]
        assert len(set(constants)) == len(constants), message.name


def test_the_command_writes_three_files_per_type(tmp_path):
    assert main(["hdl", "--out", str(tmp_path), "--types", "builtin_interfaces/msg/Time"]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    stem = "lig_builtin_interfaces_msg_time"
    assert names == [f"{stem}_pack.sv", f"{stem}_pkg.sv", f"{stem}_unpack.sv"]
    text = (tmp_path / f"{stem}_pkg.sv").read_text()
    assert "localparam int unsigned Length = 12;" in text
    assert "localparam logic [11:0] FIELD_NANOSEC = 12'd1;" in text


def test_the_command_removes_what_it_made_and_nothing_else(tmp_path):
    words = ["hdl", "--out", str(tmp_path), "--types"]
    assert main([*words, "builtin_interfaces/msg/Time"]) == 0
    own = ["mine.sv", "lig_fifo.sv", "lig_stream_pkg.sv", "lig_unpack.sv"]
    for name in own:
        (tmp_path / name).write_text("// mine")
    assert main([*words, "std_msgs/msg/Bool"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {*own, "lig_std_msgs_msg_bool_unpack.sv"} <= names
    assert not any(name.startswith("lig_builtin_interfaces") for name in names)


def test_the_same_input_gives_the_same_text(store):
    message = store.message("sensor_msgs/msg/Image")
    first = render_all(store, [message], read_bounds([]))
    assert render_all(store, [message], read_bounds([])) == first


def test_hls_headers_are_written_with_all_that_they_include(tmp_path):
    words = ["hls", "--out", str(tmp_path), "--types", "nav_msgs/msg/Odometry"]
    assert main(words) == 0
    made = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert {"lig_hls.hpp", "native/ap_int.h", "native/hls_stream.h"} <= made
    assert {"nav_msgs/msg/odometry.hpp", "builtin_interfaces/msg/time.hpp"} <= made
    text = (tmp_path / "nav_msgs" / "msg" / "odometry.hpp").read_text()
    assert "FIELD_HEADER__STAMP__SEC = 0;" in text
    # Numbers are those of the SystemVerilog: the header has 3, the text after it is the 4th.
    assert "take_count(in, taking, first + 3," in text
    assert main(words) == 0


@given(length=st.integers(1, 300))
def test_a_bounded_string_takes_its_length_its_bytes_and_a_null(length, tmp_path_factory):
    """Held against the reference codec: the longest text within the bound, to the byte."""
    bounds = tmp_path_factory.mktemp("bounds") / "bounds.yaml"
    entry = f"bounds:\n  std_msgs/msg/String: {{data: {length}}}\n"
    bounds.write_text("schema: ligament/bounds/1\n" + entry)
    standard = load_store("jazzy")
    found = layout_of(standard, standard.message("std_msgs/msg/String"), read_bounds([bounds]))
    types = get_typestore(Stores.ROS2_JAZZY)
    text = types.types["std_msgs/msg/String"](data="x" * length)
    assert found.longest == len(types.serialize_cdr(text, "std_msgs/msg/String"))
