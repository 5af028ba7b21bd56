# SPDX-License-Identifier: Apache-2.0
"""What the normalised graph says, and that it is the same after a way through its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.cli.check import summary
from ligament.errors import InputError, Problem
from ligament.graph import Graph, load_graph
from ligament.graph.consistency import inconsistencies
from ligament.graph.model import from_json
from ligament.graph.parameters import apply_file, matches
from ligament.graph.qos import QoS, incompatibility, merge
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.resources import node_packages_dir, spec_dir

CASES = spec_dir() / "cases" / "graph"
VALID = sorted(
    p.name.removesuffix(".expect.json")
    for p in CASES.glob("*.expect.json")
    if json.loads(p.read_text(encoding="utf-8"))["verdict"] == "valid"
)


def _graph(name: str) -> Graph:
    return load_graph(CASES / f"{name}.yaml")


@pytest.mark.parametrize("name", VALID)
def test_normalised_graph_goes_through_its_file_unchanged(name: str, tmp_path: Path) -> None:
    graph = _graph(name)
    data = graph.to_json()
    document = Document("graph.json", data)
    assert validate(document, "normalised-graph") == []
    assert not list(inconsistencies(graph, document))
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert load_graph(path).to_json() == data
    assert from_json(data) == from_json(json.loads(json.dumps(data)))


def test_remaps_connect_what_they_name() -> None:
    graph = _graph("everything")
    assert graph.nodes["/head/eye"].ports["image_raw"].topic == "/head/eye/image"
    ends = [(e.node, e.port) for e in graph.topics["/head/eye/image"].ends]
    assert ends == [("/head/eye", "image_raw"), ("/rectify", "image")]


def test_private_and_substituted_names() -> None:
    ports = _graph("private_and_substituted").nodes["/left/camera"].ports
    assert ports["image_raw"].topic == "/left/camera/image"
    assert ports["camera_info"].topic == "/info/camera"


def test_composition_moves_names_and_outer_remaps_rename_them() -> None:
    graph = _graph("composition")
    assert sorted(graph.nodes) == [
        "/left/camera",
        "/left/rectify",
        "/right_eye/camera",
        "/right_eye/rectify",
        "/sink",
    ]
    assert graph.nodes["/right_eye/rectify"].ports["image_rect"].topic == "/right/image_rect"
    assert graph.nodes["/sink"].ports["image"].topic == "/left/image_rect"
    assert graph.nodes["/left/camera"].parameters["rate"] == 15.0
    assert graph.nodes["/right_eye/camera"].parameters["rate"] == 30.0


def test_parameters_add_up_in_order() -> None:
    parameters = _graph("parameter_file").nodes["/camera"].parameters
    assert parameters["rate"] == 20.0  # the graph's own, over the file's
    assert parameters["loop"] is True  # `yes` in the file
    assert parameters["names"] == ["a", "b"]
    assert parameters["pacing"] == "rate"  # the type's default


def test_whole_numbers_become_doubles_where_the_type_says_so() -> None:
    rate = _graph("everything").nodes["/head/eye"].parameters["rate"]
    assert (rate, type(rate)) == (60.0, float)


def test_qos_adds_up_from_port_topic_and_node() -> None:
    graph = _graph("everything")
    assert graph.nodes["/head/eye"].ports["image_raw"].qos == QoS(depth=3, max_held=4)
    assert graph.topics["/head/eye/image"].qos_declared == {"reliability": "reliable"}
    assert graph.nodes["/rectify"].ports["image"].qos == QoS()


def test_what_nobody_publishes_is_warned_of_once_per_subscription() -> None:
    assert len(_graph("pipeline").warnings) == 0
    only = "nobody publishes '/right_eye/image', which"
    graph = _graph("composition")
    assert not any(only in w for w in graph.warnings)
    cycle = _graph("cycle_of_topics")
    assert cycle.warnings == ()


REMAPPED = """schema: ligament/graph/1
name: small
nodes:
  camera: {type: image/camera}
  resize: {type: image/resize, remap: {image/image_raw: image_raw, resize/image_raw: /small}}
  sink:
    type: image/sink
    remap: {image: %s}
"""


def _warned(folder: Path, remap: str) -> Problem:
    path = folder / "graph.yaml"
    path.write_text(REMAPPED % remap)
    graph = load_graph(path)
    [text] = [text for text in graph.warnings if "'/sink'" in text]
    assert text in graph.to_json()["warnings"]
    assert graph.to_json().keys() == _graph("pipeline").to_json().keys()
    return graph.places[text]


def test_a_subscription_that_nobody_serves_has_the_place_of_its_remap(tmp_path: Path) -> None:
    warning = _warned(tmp_path, "/smal")
    assert warning.text.startswith("nobody publishes '/smal', which '/sink' subscribes to")
    assert warning.location is not None
    assert (warning.location.line, warning.location.column) == (8, 20)
    assert warning.hint == "did you mean '/small'?"


def test_a_topic_of_another_type_is_not_hinted_at(tmp_path: Path) -> None:
    assert _warned(tmp_path, "/camera_inf").hint == ""


def test_unused_node_types_are_left_out() -> None:
    assert set(_graph("pipeline").types) == {
        "case/camera",
        "case/rectify",
        "case/resize",
        "case/sink",
    }
    assert "case/rectify_resize" in _graph("everything").types


def test_inputs_name_every_file_that_was_read() -> None:
    names = {Path(p).name for p in _graph("composition").inputs}
    assert {"composition.yaml", "stereo_half.yaml", "node.yaml"} <= names


@pytest.mark.parametrize(
    "path", sorted(node_packages_dir().rglob("node.yaml")), ids=lambda p: p.parent.name
)
def test_node_types_that_ship_are_right(path: Path) -> None:
    """Any graph reads all of them, so a wrong one would spoil every graph."""
    try:
        _graph("minimal")
    except InputError as error:
        assert not [p for p in error.problems if p.location and str(path) in p.location.file]


@pytest.mark.parametrize(
    ("pattern", "node", "expected"),
    [
        ("/camera", "/camera", True),
        ("/camera", "/left/camera", False),
        ("/**", "/a/b/c", True),
        ("/*/camera", "/left/camera", True),
        ("/*/camera", "/a/b/camera", False),
        ("/**/camera", "/camera", True),
        ("/**/camera", "/a/b/camera", True),
        ("/a/**", "/b/c", False),
    ],
)
def test_parameter_file_names_with_wildcards(pattern: str, node: str, expected: bool) -> None:
    assert matches(pattern, node) is expected


@pytest.mark.parametrize(("node", "expected"), [("/camera", 10.0), ("/left/camera", 5.0)])
def test_values_under_wildcards_reach_the_nodes_that_they_mean(node: str, expected: float) -> None:
    rates = {"/**": 10.0, "/left/*": 5.0, "/right/*": 1.0}
    data = {name: {"ros__parameters": {"rate": rate}} for name, rate in rates.items()}
    camera = _graph("parameter_file").types["case/camera"]
    values: dict[str, object] = {}
    problems: list[Problem] = []
    apply_file(camera, node, values, Document("p.yaml", data), problems)
    assert (values, problems) == ({"rate": expected}, [])


QOS = st.builds(
    QoS,
    reliability=st.sampled_from(["reliable", "best_effort"]),
    durability=st.sampled_from(["volatile", "transient_local"]),
    liveliness=st.sampled_from(["automatic", "manual_by_topic"]),
    deadline_ms=st.sampled_from([0, 10, 20]),
    liveliness_lease_ms=st.sampled_from([0, 10, 20]),
)


@given(QOS)
def test_an_end_is_compatible_with_itself(qos: QoS) -> None:
    assert incompatibility(qos, qos) == ""


@given(QOS)
def test_the_strongest_offer_meets_every_request(qos: QoS) -> None:
    strongest = QoS(
        durability="transient_local",
        liveliness="manual_by_topic",
        deadline_ms=1,
        liveliness_lease_ms=1,
    )
    assert incompatibility(strongest, qos) == ""


@given(QOS, QOS)
def test_offers_and_requests_follow_the_table_of_dds(offered: QoS, requested: QoS) -> None:
    def as_strong(offer: float, request: float) -> bool:
        return not request or 0 < offer <= request

    expected = (
        (offered.reliability == "reliable" or requested.reliability == "best_effort")
        and (offered.durability == "transient_local" or requested.durability == "volatile")
        and (offered.liveliness == "manual_by_topic" or requested.liveliness == "automatic")
        and as_strong(offered.deadline_ms, requested.deadline_ms)
        and as_strong(offered.liveliness_lease_ms, requested.liveliness_lease_ms)
    )
    assert (incompatibility(offered, requested) == "") == expected


def test_later_layers_of_qos_win_field_by_field() -> None:
    assert merge({"depth": 1, "history": "keep_all"}, {"depth": 2}) == QoS(
        history="keep_all", depth=2
    )


def test_every_policy_is_taken_without_a_warning() -> None:
    assert _graph("qos_every_policy").warnings == ()
    assert _graph("qos_keep_all_topic").warnings == ()


def test_a_wish_that_has_no_effect_is_told() -> None:
    (told,) = _graph("qos_keep_all_port").warnings
    assert told == (
        "history keep_all of '/sink' on '/image' makes no publisher wait, so messages can be "
        "overwritten: no end opposite is reliable with keep_all"
    )
    (told,) = _graph("qos_lifespan_of_subscription").warnings
    assert told.startswith("lifespan_ms of '/sink' on '/image' has no effect")


def test_ordinary_quality_of_service_brings_no_warning() -> None:
    assert _graph("pipeline").warnings == ()


CHAT = """schema: ligament/graph/1
name: chat
executables:
  talker: {executable: demo/talker, publishes: {/chatter: std_msgs/msg/String}}
  listener: {executable: demo/listener, subscribes: {/chater: std_msgs/msg/String}}
"""


def test_a_subscription_of_an_executable_that_nobody_serves_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(CHAT)
    graph = load_graph(path)
    [text] = graph.warnings
    warning = graph.places[text]
    assert text.startswith("nobody publishes '/chater', which 'listener' subscribes to")
    assert warning.location is not None
    assert (warning.location.line, warning.location.column) == (5, 54)
    assert warning.hint == "did you mean '/chatter'?"
    assert summary(graph) == "chat: 0 nodes, 2 executables, 2 topics, 1 variant; no problem found"
    path.write_text(CHAT + "topics: {/chater: {external: [publisher]}}\n")
    assert load_graph(path).warnings == ()


def test_what_an_executable_publishes_is_hinted_at(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    camera = (
        "executables: {camera: {executable: demo/c, publishes: {/shot: sensor_msgs/msg/Image}}}"
    )
    sink = "nodes: {sink: {type: image/sink, remap: {image: /shots}}}"
    path.write_text(f"schema: ligament/graph/1\nname: small\n{sink}\n{camera}\n")
    graph = load_graph(path)
    [warning] = [graph.places[text] for text in graph.warnings if "'/shots'" in text]
    assert warning.hint == "did you mean '/shot'?"
