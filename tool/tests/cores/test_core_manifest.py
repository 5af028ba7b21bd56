# SPDX-License-Identifier: Apache-2.0
"""The manifest of a core: what is found, and what each mistake is told as."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ligament.cores.manifest import Declared, read_core
from ligament.errors import InputError, LigamentError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.generate.hls.backend import HlsBackend
from ligament.generate.registers import declaration_of, hls_type, reading_of
from ligament.graph import load_graph
from ligament.graph.model import Client, Parameter, Port, Service
from ligament.mapping import installed, load_platform, map_graph
from ligament.resources import spec_dir

IMAGE = "sensor_msgs/msg/Image"
PORTS = {"image": Port("image", "in", IMAGE), "done": Port("done", "out", IMAGE)}
PARAMETERS = {
    "level": Parameter("level", "integer", "A level.", default=3),
    "name": Parameter("name", "string", "A name.", default=""),
    "mode": Parameter("mode", "string", "A mode.", default="up", choices=("down", "up")),
    "size": Parameter("size", "integer", "A size.", default=3, choices=(3, 5)),
}
DECLARED = Declared(PORTS, PARAMETERS, {})
EXAMPLE = spec_dir().parent / "examples" / "threshold" / "graph.yaml"


def mistakes_of(data, ports=PORTS):
    data = {"sources": ["core.sv"], **data}
    core, mistakes = read_core("my/core", "fpga", data, Declared(ports, PARAMETERS, {}))
    assert (core is None) == bool(mistakes)
    return [(m.path, m.text, m.hint) for m in mistakes]


def test_a_core_with_one_port_each_way_needs_no_names():
    core, mistakes = read_core("my/core", "fpga", {"sources": ["core.sv"]}, DECLARED)
    assert mistakes == []
    assert core is not None
    assert core.top == "my_core"
    assert [port.name for port in (*core.inputs, *core.outputs)] == ["image", "done"]


def test_the_only_port_of_a_side_has_a_stream_though_it_is_optional():
    ports = {name: replace(port, optional=True) for name, port in PORTS.items()}
    assert mistakes_of({}, ports) == []
    two = {**ports, "other": Port("other", "in", IMAGE, optional=True)}
    ((_, text, hint),) = mistakes_of({}, two)
    assert text.endswith("it does not say which of the optional ports image, other it has")
    assert text.startswith("a core needs an input") and hint == "inputs: [image]"
    assert mistakes_of({"inputs": ["image"]}, two) == []


def test_a_wrong_name_is_told_with_the_nearest():
    ((path, text, hint),) = mistakes_of({"input": "imag"})
    assert path == ("input",)
    assert "no port 'imag' of direction in" in text
    assert "image" in hint


def test_a_core_has_a_stream_for_each_port_that_somebody_would_miss():
    two = {**PORTS, "other": Port("other", "in", IMAGE)}
    assert "no stream for the ports other" in mistakes_of({"input": "image"}, two)[0][1]
    spare = {**PORTS, "other": replace(two["other"], optional=True)}
    assert mistakes_of({"input": "image"}, spare) == []
    for names in ({}, {"inputs": ["image", "other"]}):
        core, _ = read_core(
            "my/core", "fpga", {"sources": ["core.sv"], **names}, Declared(two, PARAMETERS, {})
        )
        assert core is not None
        assert [port.name for port in core.inputs] == ["image", "other"]


def test_pixels_name_streams_of_a_core_with_interfaces():
    wide = {"ports": ["image"], "choices": [{"pixels": 2}, {"pixels": 4}]}
    data = {"sources": ["core.sv"], "streams": "interfaces", "pixels": wide}
    core, mistakes = read_core("my/core", "fpga", data, DECLARED)
    assert mistakes == []
    assert core is not None
    assert core.wide_ports == ("image",)
    ((path, text, hint),) = mistakes_of({**data, "pixels": {**wide, "ports": ["imge"]}})
    assert path == ("pixels", "ports", 0)
    assert "no stream 'imge'" in text
    assert hint == "did you mean 'image'?"
    for choices in ([{"pixels": 4}, {"pixels": 2}], [{"pixels": 2}, {"pixels": 2}]):
        ((path, text, _),) = mistakes_of({**data, "pixels": {**wide, "choices": choices}})
        assert path == ("pixels", "choices")
        assert "the least first" in text
    ((path, text, hint),) = mistakes_of({**data, "streams": "signals"})
    assert path == ("pixels",)
    assert hint == "streams: interfaces"


def test_a_wrong_name_in_a_list_and_a_core_without_inputs_are_told():
    ((path, text, _),) = mistakes_of({"inputs": ["image", "othr"]})
    assert path == ("inputs", 1)
    assert "no port 'othr'" in text
    source = {"done": PORTS["done"]}
    assert "needs an input, and there is no port of direction in" in mistakes_of({}, source)[0][1]
    sink = {"image": PORTS["image"]}
    assert "needs an output, and there is no port of direction out" in mistakes_of({}, sink)[0][1]


def test_a_core_without_an_input_is_told_what_else_would_start_it():
    clients = {"add": Client("add", "example_interfaces/srv/AddTwoInts")}
    data = {"sources": ["core.sv"], "answers": "each"}
    declared = Declared({"done": PORTS["done"]}, PARAMETERS, {}, clients)
    _, (mistake,) = read_core("my/core", "fpga", data, declared)
    assert mistake.text == "a core needs an input or a timer, and it has neither"
    alone = replace(declared, clients={})
    _, (mistake, *_) = read_core("my/core", "fpga", {**data, "timers": {"tick": "level"}}, alone)
    assert mistake.path == ("timers",)
    assert "timers alone start only a core that calls services" in mistake.text


def test_a_core_that_offers_a_service_may_lack_ports_but_not_causes():
    services = {"add": Service("add", "example_interfaces/srv/AddTwoInts")}

    def read(ports):
        declared = Declared(ports, PARAMETERS, services)
        return read_core("my/core", "fpga", {"sources": ["core.sv"]}, declared)

    for ports in ({}, {"image": PORTS["image"]}, PORTS):
        core, mistakes = read(ports)
        assert mistakes == []
        assert core is not None
        (service,) = core.services
        assert (service.request.message, service.response.name) == (
            "example_interfaces/srv/AddTwoInts_Request",
            "add_response",
        )
    _, (mistake,) = read({"done": PORTS["done"]})
    assert "needs an input" in mistake.text
    taken = Port("add_request", "in", IMAGE)
    _, (mistake,) = read({"add_request": taken, "done": PORTS["done"]})
    assert "'add_request' has the name of a stream of 'add'" in mistake.text


@pytest.mark.parametrize(
    ("name", "text"),
    [("levle", "no parameter 'levle'"), ("name", "a register holds"), ("size", "may change")],
)
def test_a_parameter_that_is_no_register_is_told(name, text):
    ((path, said, _),) = mistakes_of({"parameters": ["level", name]})
    assert path == ("parameters", 1)
    assert text in said


def test_registers_hold_numbers_and_places_among_choices():
    data = {"sources": ["core.sv"], "parameters": ["level", "mode"]}
    core, mistakes = read_core("my/core", "fpga", data, DECLARED)
    assert mistakes == []
    assert core is not None
    assert [declaration_of(p) for p in core.parameters] == [
        'fpga::integer_register(*this, {"level", "A level.", false}, 3)',
        'fpga::choice_register(*this, {"mode", "A mode.", false}, "up", {"down", "up"})',
    ]
    assert [reading_of(p) for p in core.parameters] == [
        'get_parameter("level").as_int()',
        "static_cast<long long>(fpga::register_bits("
        'get_parameter("mode").get_parameter_value(), {"down", "up"}))',
    ]


def test_registers_are_declared_with_type_and_range():
    on = Parameter("on", "bool", "On.", default=True, read_only=True)
    gain = Parameter("gain", "double", "A gain.", default=2.5, range=(0, 10), read_only=True)
    count = Parameter("count", "integer", "A count.", default=4, range=(1, 9), read_only=True)
    assert [declaration_of(p) for p in (on, gain, count)] == [
        'fpga::bool_register(*this, {"on", "On."}, true)',
        'fpga::double_register(*this, {"gain", "A gain."}, 2.5, FloatingPointRange{0.0, 10.0, 0})',
        'fpga::integer_register(*this, {"count", "A count."}, 4, IntegerRange{1, 9, 1})',
    ]
    assert [hls_type(p) for p in (on, gain, count)] == ["bool", "double", "long long"]
    assert hls_type(PARAMETERS["mode"]) == "long long"


@pytest.mark.parametrize(
    ("language", "source", "text", "hint"),
    [
        ("fpga", "core.vhd", "VHDL beside Verilog", "make nodes of the parts"),
        ("fpga", "core.VHDL", "VHDL beside Verilog", "make nodes of the parts"),
        ("fpga", "core.cpp", "'core.cpp' is C++", "implementations.hls"),
        ("hls", "core.sv", "is a hardware description", "implementations.fpga"),
    ],
)
def test_a_source_in_another_language_is_told_with_its_place(language, source, text, hint):
    data = {"sources": ["fine.v" if language == "fpga" else "fine.cpp", source]}
    core, (mistake,) = read_core("my/core", language, data, DECLARED)
    assert core is None
    assert mistake.path == ("sources", 1)
    assert text in mistake.text
    assert hint in mistake.hint


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"streams": "interfaces"}, "VHDL has no interfaces"),
        ({"pixels": {"ports": ["image"], "choices": [{"pixels": 2}]}}, "has one width"),
    ],
)
def test_a_core_in_vhdl_has_signals_and_one_width(more, text):
    core, mistakes = read_core("my/core", "fpga", {"sources": ["core.vhd"], **more}, DECLARED)
    assert core is None
    assert mistakes[0].path == (next(iter(more)),)
    assert text in mistakes[0].text


def test_an_ideal_memory_is_never_assumed():
    graph = load_graph(EXAMPLE)
    platform = load_platform("fpga_sim")
    bare = replace(platform, links=())
    mapping = map_graph(graph, bare, "hardware", installed())
    with pytest.raises(InputError, match="does not say latency_ns, bandwidth_bytes_per_s of fpga0"):
        FpgaBackend().generate(graph, mapping)


def test_a_field_without_a_bound_is_refused_before_anything_is_built(tmp_path):
    (tmp_path / "wide_msgs" / "msg").mkdir(parents=True)
    (tmp_path / "wide_msgs" / "msg" / "Wide.msg").write_text("uint8[] data\n")
    node = tmp_path / "nodes" / "wide"
    node.mkdir(parents=True)
    (node / "core.sv").write_text("")
    (node / "core.cpp").write_text("")
    (node / "node.yaml").write_text(
        "schema: ligament/node/1\ntype: case/wide\ndescription: Takes what has no bound.\nports:\n"
        "  in: {direction: in, message: wide_msgs/msg/Wide}\n"
        "  out: {direction: out, message: wide_msgs/msg/Wide}\n"
        "implementations: {fpga: {sources: [core.sv]}, hls: {sources: [core.cpp]}}\n"
    )
    (tmp_path / "graph.yaml").write_text(
        "schema: ligament/graph/1\nname: wide\npackages: [nodes]\nmessages: [wide_msgs]\n"
        "nodes: {wide: {type: case/wide, device: fpga0}}\n"
        "topics: {in: {bound_bytes: 100}, out: {bound_bytes: 100}}\n"
    )
    graph = load_graph(tmp_path / "graph.yaml")
    for platform, backend in (("fpga_sim", FpgaBackend()), ("fpga_sw_emu", HlsBackend())):
        mapping = map_graph(graph, load_platform(platform), None, installed())
        with pytest.raises(LigamentError) as refused:
            backend.generate(graph, mapping)
        assert "Wide.msg:1:" in str(refused.value)
        assert "bound-missing" in str(refused.value)


def test_bounds_of_a_core_go_before_those_that_ship(tmp_path):
    graph = load_graph(EXAMPLE)
    mapping = map_graph(graph, load_platform("fpga_sim"), "hardware", installed())
    node_type = graph.types["example/threshold"]
    with_bounds = {**node_type.implementations["fpga"], "bounds": [str(tmp_path / "own.yaml")]}
    node_type = replace(node_type, implementations={"fpga": with_bounds})
    graph = replace(graph, types={**graph.types, "example/threshold": node_type})
    with pytest.raises(InputError, match="cannot read"):
        FpgaBackend().generate(graph, mapping)
    (tmp_path / "own.yaml").write_text(
        "schema: ligament/bounds/1\nbounds: {sensor_msgs/msg/Image: {data: 77}}\n"
    )
    texts = [file.text for file in FpgaBackend().generate(graph, mapping).files]
    assert any("up to 77 elements of 1 byte" in text for text in texts)


def test_the_generated_tree_is_complete_and_repeatable():
    graph = load_graph(EXAMPLE)
    mapping = map_graph(graph, load_platform("fpga_sim"), "hardware", installed())
    assert mapping.to_json()["hardware"]["fpga0"]["clock_hz"] == 100e6
    first = FpgaBackend().generate(graph, mapping)
    assert FpgaBackend().generate(graph, mapping) == first
    names = {file.path.rpartition("/")[2] for file in first.files}
    (driver,) = (name for name in names if name.startswith("lig_driver_"))
    assert names - {driver} == {
        "CMakeLists.txt", "example-threshold-fpga0-fpga.cpp", "example-threshold-fpga0-fpga.f",
        "lig_figures.hpp",
        "lig_design_example_threshold.sv", "lig_node_example_threshold.sv",
        "lig_sensor_msgs_msg_image_pack.sv",
        "lig_sensor_msgs_msg_image_pkg.sv", "lig_sensor_msgs_msg_image_unpack.sv",
    }  # fmt: skip
    texts = {file.path.rpartition("/")[2]: file.text for file in first.files}
    assert ".clock_hz = 100000000.0" in texts["example-threshold-fpga0-fpga.cpp"]
    # Packages come before the modules that use them.
    sources = [
        line.rpartition("/")[2] for line in texts["example-threshold-fpga0-fpga.f"].splitlines()
    ]
    assert sources.index("lig_fields_pkg.sv") < sources.index("lig_unpack.sv")
    assert sources.index("lig_sensor_msgs_msg_image_pkg.sv") < sources.index("threshold.sv")
    assert sources[-2:] == ["lig_node_example_threshold.sv", "lig_design_example_threshold.sv"]
