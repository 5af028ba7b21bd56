# SPDX-License-Identifier: Apache-2.0
"""A core in VHDL runs as one in SystemVerilog does, and its mistakes are told at their place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import NODES, build, ligament, run

from ligament.cores.vhdl import verilog_of
from ligament.errors import FailureError, InputError

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"
CORE = "threshold_vhdl/threshold.vhd"
PACKAGE = {
    "lig_sensor_msgs_msg_image_pkg.vhd": "package lig_sensor_msgs_msg_image_pkg is\n"
    "  constant FIELD_DATA : natural := 7;\nend package;\n"
}
GRAPH = """schema: ligament/graph/1
name: case_vhdl
packages: [{nodes}, EXAMPLE]
nodes:
  loop: {{type: case/loop, parameters: {{file: {file}}}, remap: {{result: thresholded}}}}
  threshold: {{type: TYPE, parameters: {{threshold: 100}}}}
variants:
  verilog:
    devices: {{threshold: fpga0}}
    bound_bytes: {{image: 100000, thresholded: 100000}}
""".replace("EXAMPLE", str(EXAMPLE))


@pytest.fixture
def _ghdl() -> None:
    if shutil.which("ghdl") is None:
        pytest.skip("this machine has no such thing: GHDL, which dev/setup --test installs")


def changed(folder: Path, old: str, new: str) -> Path:
    """The core with a mistake."""
    text = (NODES / CORE).read_text()
    assert text.count(old) == 1
    path = folder / "threshold.vhd"
    path.write_text(text.replace(old, new))
    return path


@pytest.mark.usefixtures("_ghdl")
def test_vhdl_gives_what_systemverilog_gives_in_as_many_cycles(tmp_path: Path) -> None:
    told = []
    for kind in ("example/threshold", "case/threshold_vhdl"):
        folder = tmp_path / kind.replace("/", "_")
        folder.mkdir()
        built = build(folder, GRAPH.replace("TYPE", kind), "verilog")
        done = run(built / "verilog", "--trace")
        told.append((done.lines, done.values("cycles")))
    assert len(told[0][0]) == 5
    assert told[0] == told[1]


@pytest.mark.usefixtures("_ghdl")
def test_a_changed_core_is_compiled_again(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes"
    shutil.copytree(NODES, nodes)
    text = GRAPH.replace("TYPE", "case/threshold_vhdl").replace("{nodes}", str(nodes))
    before = run(build(tmp_path, text, "verilog") / "verilog").lines
    changed(nodes / "threshold_vhdl", 'x"ff"', 'x"fe"')
    after = run(build(tmp_path, text, "verilog") / "verilog").lines
    assert [line.replace("255", "254") for line in before] == after != before


@pytest.mark.usefixtures("_ghdl")
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path) -> None:
    core = changed(tmp_path, "s_axis_tready <= m_axis_tready;", "s_axis_tready <= nothing_such;")
    with pytest.raises(InputError) as raised:
        verilog_of("threshold", [core], PACKAGE)
    (problem,) = raised.value.problems
    line = core.read_text().splitlines().index("  s_axis_tready <= nothing_such;") + 1
    assert problem.location is not None
    assert (problem.location.file, problem.location.line) == (str(core), line)
    assert "nothing_such" in problem.text


@pytest.mark.usefixtures("_ghdl")
def test_what_is_not_to_be_synthesised_is_told_too(tmp_path: Path) -> None:
    core = changed(
        tmp_path, "    variable byte", "    file never : std.textio.text;\n    variable byte"
    )
    core.write_text(
        core.read_text().replace("  begin\n    m_axis", "  begin\n    wait for 1 ns;\n    m_axis")
    )
    with pytest.raises(InputError) as raised:
        verilog_of("threshold", [core], PACKAGE)
    assert all(problem.location is not None for problem in raised.value.problems)


@pytest.mark.usefixtures("_ghdl")
def test_an_entity_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no module of the entity 'other'"):
        verilog_of("other", [NODES / CORE], PACKAGE)


def test_without_ghdl_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FailureError, match="GHDL is missing") as raised:
        verilog_of("threshold", [NODES / CORE], PACKAGE)
    assert raised.value.hint == "apt-get install ghdl"


@pytest.mark.usefixtures("_ghdl")
def test_an_exported_folder_holds_the_verilog(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(
        GRAPH.replace("TYPE", "case/threshold_vhdl").format(nodes=NODES, file=tmp_path / "told")
    )
    words = ["--variant", "verilog", "--platform", "fpga_sim", "--folder", tmp_path / "board"]
    ligament("export", tmp_path / "graph.yaml", *words, "--to", "fusesoc")
    (made,) = (tmp_path / "board" / "rtl" / "generated").glob("*_vhdl.v")
    assert "module threshold" in made.read_text()
    assert str(NODES) not in made.read_text(), "the same design has the same identity everywhere"
    assert made.name in next((tmp_path / "board").rglob("sources.f")).read_text()
