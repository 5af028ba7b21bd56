# SPDX-License-Identifier: Apache-2.0
"""Cores in C++ for high-level synthesis run natively: results, no cycles, faults with a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import TAILED, build, case, ligament, run

from ligament.graph.loader import read_document
from ligament.graph.schema import validate

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "graph.yaml"
#: What a core with a fault is told as.
FAULTS = {
    "silent": "it never answers: it ended without a message on 'out'",
    "hungry": "it never answers: it waits for more of a stream on which nothing comes any more",
    "polls": "it never answers: it asks a stream for more, again and again",
    "deaf": "it did not take all of the message on 'in'",
    "endless": "it never answers: it gives more than the longest message has",
    "talkative": "it gave more than one message on 'out'",
    "breaks": "its output on 'out' breaks the layout of the message (problem 7 ",
    "refuses": "it refused it on 'out' (reason 77)",
    "cut": "its output on 'out' breaks the layout of the message (problem 8 ",
    "spins": "it gave no answer within 1 s of processor time; it gets no further message",
}
# loop -> /image -> first -> /middle -> left  -> /left  -> join -> /result
#                                    -> right -> /right ->
#                                    -> tail  -> /side
GRAPH = case(
    "case_hls",
    TAILED
    + """  join: {{type: case/join, remap: {{joined: result}}}}
variants:
  # In one process: nodes in processes of their own may miss what is said before they are all there.
  software: {{containers: one}}
  emulated:
    containers: one
    devices: {{first: fpga0, left: fpga0, right: fpga0, tail: fpga0, join: fpga0}}
    bound_bytes: {{image: 100000, middle: 100000, left: 100000, right: 100000, result: 100000,
                   side: 100000}}
""",
)
COUNTING = case(
    "case_counting",
    """
  loop: {{type: case/loop, parameters: {{file: {file}, larger: 0}}}}
  one: {{type: case/odd, remap: {{in: image, out: middle}}}}
  two: {{type: case/odd, remap: {{in: middle, out: result}}}}
topics:
  image: {{bound_bytes: 100000}}
  middle: {{bound_bytes: 100000}}
  result: {{bound_bytes: 100000}}
variants:
  default: {{containers: one}}
""",
)


def test_cores_run_natively_give_what_software_gives(tmp_path: Path) -> None:
    build(tmp_path, GRAPH, "software", "emulated", platform="fpga_sw_emu")
    results = {}
    for variant in ("software", "emulated"):
        results[variant] = sorted(run(tmp_path / "build" / "case_hls" / variant).lines)
    assert len(results["software"]) == 10
    assert results["emulated"] == results["software"]


def test_nodes_of_one_type_are_cores_of_their_own_in_one_process(tmp_path: Path) -> None:
    built = build(tmp_path, COUNTING, "default", platform="fpga_sw_emu") / "default"
    manifest = json.loads((built / "manifest.json").read_text())
    assert validate(read_document(built / "manifest.json"), "manifest") == []
    assert [len(c["nodes"]) for c in manifest["containers"].values()] == [3]
    lines = run(built).lines
    assert len(lines) == 5
    for count, line in enumerate(lines):
        # Message `count` of the loop has i * 31 + count; each of two cores adds how many it had.
        expected = [(i * 31 + count + 2 * count) % 256 for i in range(1000)]
        assert [int(word) for word in line.split()][-1000:] == expected


def faulty_graph() -> str:
    """A good core, and one with each fault; nobody listens to these."""
    nodes = "".join(
        f"  {name}: {{{{type: case/odd, parameters: {{{{fault: {name}}}}},"
        " remap: {{in: image, out: side}}}}\n"
        for name in FAULTS
    )
    return (
        "schema: ligament/graph/1\nname: case_faults\npackages: [{nodes}]\nnodes:\n"
        "  loop: {{type: case/loop, parameters: {{file: {file}}}}}\n"
        "  good: {{type: case/xor, device: fpga0, remap: {{in: image, out: result}}}}\n"
        f"{nodes}topics:\n  image: &bound {{{{bound_bytes: 100000}}}}\n"
        "  result: *bound\n  side: *bound\n"
        "variants:\n  default: {{containers: one, fpga: {{patience_s: 1}}}}\n"
    )


def test_a_core_that_never_answers_or_breaks_a_rule_is_named_and_others_go_on(
    tmp_path: Path,
) -> None:
    built = build(tmp_path, faulty_graph(), "default", platform="fpga_sw_emu")
    done = run(built / "default", status=1)  # nodes told errors
    assert len(done.lines) == 5
    told: dict[str, set[str]] = {}
    for error in done.record["errors"]:
        told.setdefault(error["node"], set()).add(error["text"])
    assert set(told) == {f"/{name}" for name in FAULTS}
    for name, text in FAULTS.items():
        (sentence,) = told[f"/{name}"]
        assert sentence.startswith("a message gives no output: " + text), name


def test_the_example_gives_equal_frames_and_a_report_without_cycles(tmp_path: Path) -> None:
    frames = {}
    for variant in ("software", "hardware"):
        words = ["--variant", variant, "--platform", "fpga_sw_emu", "--out", tmp_path]
        ligament("build", EXAMPLE, *words)
        built = tmp_path / "threshold" / variant
        done = run(built, *(("--trace",) if variant == "hardware" else ()))
        frames[variant] = (done.folder / "outputs" / "sink.jsonl").read_text()
    assert frames["hardware"].count("\n") == 6
    assert frames["hardware"] == frames["software"]
    assert validate(read_document(done.folder / "run.json"), "run") == []
    assert done.record["nodes"]["/threshold"]["emulated"] == "fpga0"
    assert "emulated" not in done.record["nodes"]["/camera"]
    shown = ligament("report", done.folder, "--out", tmp_path / "report.json")
    assert "no time here is any hardware's: /threshold on fpga0 ran without cycles" in " ".join(
        shown.split()
    )
    (variant_entry,) = json.loads((tmp_path / "report.json").read_text())["variants"]
    assert variant_entry["time_base"] == "emulated"
    (span,) = [s for s in variant_entry["spans"] if s["span"] == "sw_emu"]
    assert (span["node"], span["device"], span["time_base"]) == ("/threshold", "fpga0", "emulated")
    assert [v["value"] for v in variant_entry["span_values"] if v["node"] == "/threshold"] == []


@pytest.mark.parametrize(
    ("core", "text"),
    [
        ("void threshold(int);", "undefined reference to `threshold("),
        ("#include <no_such_message.hpp>", "no_such_message.hpp"),
    ],
)
def test_a_core_that_is_not_what_the_manifest_says_does_not_build(
    tmp_path: Path, core: str, text: str
) -> None:
    nodes = tmp_path / "nodes" / "wrong"
    nodes.mkdir(parents=True)
    (nodes / "core.cpp").write_text(core + "\n")
    (nodes / "node.yaml").write_text(
        "schema: ligament/node/1\ntype: case/wrong\ndescription: Not what it says.\nports:\n"
        "  in: {direction: in, message: std_msgs/msg/Byte}\n"
        "  out: {direction: out, message: std_msgs/msg/Byte}\n"
        "implementations:\n  hls: {sources: [core.cpp], function: threshold}\n"
    )
    (tmp_path / "graph.yaml").write_text(
        "schema: ligament/graph/1\nname: wrong\npackages: [nodes]\nnodes:\n"
        "  wrong: {type: case/wrong}\n"
        "topics: {in: {bound_bytes: 100}, out: {bound_bytes: 100}}\n"
    )
    words = ["--platform", "fpga_sw_emu", "--out", tmp_path / "build"]
    assert text in ligament("build", tmp_path / "graph.yaml", *words, status=1)
