# SPDX-License-Identifier: Apache-2.0
"""Where types come from: the standard ones, and users' package folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

from ligament import cache
from ligament.messages import (
    DefinitionError,
    Message,
    TypeStore,
    load_store,
    rosbags_types,
    type_hash,
)
from ligament.messages.cpp import message_context
from ligament.messages.hashing import action_hash, service_hash
from ligament.messages.packages import parse_message
from ligament.messages.rosbags_types import distros
from ligament.messages.standard import read_standard_notes
from ligament.resources import spec_dir

VECTORS = json.loads((Path(__file__).parent / "hash_vectors.json").read_text())
TEST_MSGS = Path(__file__).parents[3] / "runtime/tests/action/test_msgs"
EVERY_FEATURE = Path(__file__).parents[3] / "runtime/tests/message/every_feature_msgs"


def package(root: Path, name: str, **files: str) -> Path:
    folder = root / name
    for file, text in files.items():
        base, kind = file.rsplit("_", 1)
        path = folder / kind / f"{base}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def message(name: str, text: str) -> Message:
    return parse_message(text, name)


def test_hashes_seen_on_the_wire_and_published() -> None:
    store = load_store()
    for name, expected in VECTORS["messages"].items():
        assert type_hash(store, name).hex() == expected, name
    for name, expected in VECTORS["services"].items():
        assert service_hash(store, store.services[name]).hex() == expected, name


def test_hashes_of_an_action_and_all_its_parts_are_those_of_rosidl() -> None:
    """As in the type descriptions that ROS 2's test_msgs has."""
    store = load_store("jazzy", [TEST_MSGS])
    for name, expected in VECTORS["action_parts"].items():
        if name in store.actions:
            found = action_hash(store, store.actions[name])
        elif name in store.services:
            found = service_hash(store, store.services[name])
        else:
            found = type_hash(store, name)
        assert found.hex() == expected, name


@pytest.mark.parametrize("distro", [d for d in distros() if d not in ("dashing", "eloquent")])
def test_hashes_agree_with_rosbags(distro: str) -> None:
    """rosbags hashes `char` as CHAR; rosidl turns it into uint8 first, as the wire shows."""
    store = load_store(distro)
    types = get_typestore(Stores[f"ROS2_{distro.upper()}"])
    for name in types.fielddefs:
        inner = store.closure([store.message(name)])
        if any(f.type.element == "char" for m in inner for f in m.fields):
            continue
        assert "RIHS01_" + type_hash(store, name).hex() == types.hash_rihs01(name), name


def test_every_distribution_loads_and_says_what_it_lacks() -> None:
    for distro in distros():
        store = load_store(distro)
        assert "sensor_msgs/msg/Image" in store
        assert not set(store.unavailable) & set(store.messages)
    humble = load_store("humble")
    with pytest.raises(DefinitionError, match="rcl_interfaces/msg/LoggerLevel, which it needs"):
        humble.message("rcl_interfaces/srv/GetLoggerLevels_Request")
    assert humble.services["std_srvs/srv/SetBool"].event is None
    with pytest.raises(DefinitionError, match="did you mean 'jazzy'"):
        load_store("jazy")


def test_notes_name_types_that_exist() -> None:
    notes = read_standard_notes(spec_dir() / "interfaces" / "standard.yaml")
    store = load_store()
    assert all(name in store for name in (*notes.defaults, *notes.chosen))


def test_defaults_that_the_carrier_drops() -> None:
    quaternion = load_store().message("geometry_msgs/msg/Quaternion")
    assert [f.default for f in quaternion.fields] == [0.0, 0.0, 0.0, 1.0]
    assert load_store().message("sensor_msgs/msg/NavSatStatus").fields[0].default == -2
    assert load_store("humble").message("sensor_msgs/msg/NavSatStatus").fields[0].default is None


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("sensor_msgs/msg/Image", "data"),
        ("sensor_msgs/msg/PointCloud2", "data"),
        ("sensor_msgs/msg/LaserScan", "ranges"),
        ("sensor_msgs/msg/CameraInfo", "d"),
        ("stereo_msgs/msg/DisparityImage", "image"),
        ("sensor_msgs/msg/MultiEchoLaserScan", None),
        ("geometry_msgs/msg/PoseWithCovariance", "covariance"),
        ("std_msgs/msg/String", None),
    ],
)
def test_chosen_arrays(name: str, chosen: str | None) -> None:
    store = load_store()
    field = store.chosen(store.message(name))
    assert (field.name if field else None) == chosen


def test_a_bounded_sequence_is_chosen_before_a_larger_array() -> None:
    store = TypeStore([message("p/msg/A", "float64[100] a\nuint8[<=5] b\nuint8 c")])
    chosen = store.chosen(store.message("p/msg/A"))
    assert chosen is not None
    assert chosen.name == "b"


def test_an_array_before_fields_of_fixed_size_can_be_shortened() -> None:
    first = message("p/msg/A", "uint8[] data\nuint32 number")
    context = message_context(TypeStore([first]), first)
    assert getattr(context["shortenable"], "name", None) == "data"
    assert [field.name for field in context["tail"]] == ["number"]  # type: ignore[attr-defined]


def test_sizes() -> None:
    store = load_store()
    assert store.is_fixed(store.message("geometry_msgs/msg/Pose"))
    assert not store.is_fixed(store.message("std_msgs/msg/Header"))
    assert store.min_size(store.message("std_msgs/msg/Header")) == 13
    assert store.min_size(store.message("std_msgs/msg/Empty")) == 1


def test_user_package(tmp_path: Path) -> None:
    folder = package(
        tmp_path,
        "my_msgs",
        Blob_msg="Part[] parts\nstd_msgs/Header header",
        Part_msg="uint8 x",
        Ask_srv="Part p\n---\nbool ok",
        Do_action="Part p\n---\nbool ok\n---\nfloat32 progress",
    )
    store = load_store("jazzy", [folder])
    assert store.message("my_msgs/msg/Blob").fields[0].type.element == "my_msgs/msg/Part"
    assert store.services["my_msgs/srv/Ask"].event is not None
    feedback = store.message("my_msgs/action/Do_FeedbackMessage")
    assert [f.type.element for f in feedback.fields] == [
        "unique_identifier_msgs/msg/UUID",
        "my_msgs/action/Do_Feedback",
    ]
    assert "my_msgs/action/Do_GetResult_Response" in store


def test_package_name_comes_from_the_manifest(tmp_path: Path) -> None:
    folder = package(tmp_path, "some folder", A_msg="uint8 x")
    (folder / "package.xml").write_text("<package><name> real_name </name></package>")
    assert "real_name/msg/A" in load_store("jazzy", [folder])


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({"A_msg": "B x"}, ["A.msg:1:3", "unknown message type 'my_msgs/msg/B'"]),
        ({"A_msg": "std_msgs/Heder h"}, ["did you mean 'std_msgs/msg/Header'"]),
        ({"A_msg": "B x", "B_msg": "A x"}, ["contains itself", "A -> my_msgs/msg/B"]),
        ({"A_msg": "uint8 x", "AView_msg": "uint8 x"}, ["name of a class generated"]),
        ({"a_msg": "uint8 x"}, ["'a' is not a type name"]),
    ],
)
def test_mistakes_in_packages(tmp_path: Path, files: dict[str, str], parts: list[str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_store("jazzy", [package(tmp_path, "my_msgs", **files)])
    for part in parts:
        assert part in str(caught.value)


def test_bad_folders(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="holds no message definitions"):
        load_store("jazzy", [tmp_path / "nowhere"])
    with pytest.raises(DefinitionError, match="not a package name"):
        load_store("jazzy", [package(tmp_path, "My-Msgs", A_msg="uint8 x")])
    folder = package(tmp_path, "my_msgs", A_msg="uint8 x")
    (folder / "package.xml").write_text("<package>")
    with pytest.raises(DefinitionError, match="not well-formed XML"):
        load_store("jazzy", [folder])
    (folder / "package.xml").write_text("<package/>")
    with pytest.raises(DefinitionError, match="no <name>"):
        load_store("jazzy", [folder])
    (folder / "package.xml").unlink()
    (folder / "msg/A.msg").write_bytes(b"uint8 x # \xff")
    with pytest.raises(DefinitionError, match="not UTF-8"):
        load_store("jazzy", [folder])


def test_one_name_has_one_definition(tmp_path: Path) -> None:
    same = package(tmp_path / "a", "std_msgs", Bool_msg="bool data")
    load_store("jazzy", [same])
    other = package(tmp_path / "b", "std_msgs", Bool_msg="uint8 data")
    with pytest.raises(DefinitionError, match="defined differently"):
        load_store("jazzy", [other])


def test_every_feature_package_loads() -> None:
    store = load_store("jazzy", [EVERY_FEATURE])
    assert store.message("every_feature_msgs/msg/Arrays").fields[6].marked


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("schema: ligament/standard-types/1\ndefaults: {}\n", "'chosen' is a required property"),
        (
            "schema: ligament/standard-types/1\nchosen: {}\ndefaults:\n  std_msgs/msg/Bool:\n"
            "    reason: none\n    fields: {date: true}\n",
            "has no field 'date'",
        ),
    ],
)
def test_notes_on_standard_types_are_checked(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "standard.yaml"
    path.write_text(text)
    schema = "standard-types.schema.json"
    (tmp_path / schema).write_text((spec_dir() / "interfaces" / schema).read_text())
    with pytest.raises(DefinitionError, match=part):
        read_standard_notes(path).apply(load_store().message("std_msgs/msg/Bool"))


def test_standard_types_from_the_cache_are_those_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    for distro in ("jazzy", "humble"):
        read = load_store(distro)
        with monkeypatch.context() as without_reading:
            without_reading.setattr(rosbags_types, "standard_messages", None)
            kept = load_store(distro)
        for what in ("messages", "services", "actions", "unavailable"):
            assert getattr(kept, what) == getattr(read, what)
            assert list(getattr(kept, what)) == list(getattr(read, what))
        # What equality leaves out: where a definition stands.
        assert [_places(m) for m in kept] == [_places(m) for m in read]


def _places(message: Message) -> list[object]:
    parts = (*message.fields, *message.constants)
    return [message.origin, message.location, *(part.location for part in parts)]


def test_a_store_of_the_cache_is_nobody_elses() -> None:
    load_store().messages.clear()
    assert load_store().messages
