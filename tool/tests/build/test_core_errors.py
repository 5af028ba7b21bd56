# SPDX-License-Identifier: Apache-2.0
"""What Verilator says of a generated wrapper is said of the core's own line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.build.core_errors import said_of_cores

CORE = """// a core
module helper (input logic clk_i);
endmodule
module core (
    input logic clk_i,
    input logic [31:0] data_i,
    output logic [7:0] data_o
);
endmodule
"""
WRAPPER = """  other thing (
      .a(b));
  core core (
      .data_i(wide),
      .more_i(more));
  helper helper (
      .clk_i(clk));
"""


@pytest.fixture
def core(tmp_path: Path) -> Path:
    (tmp_path / "wrapper.sv").write_text(WRAPPER)
    path = tmp_path / "core.sv"
    path.write_text(CORE)
    return path


def said(core: Path, *complaints: tuple[int, str]) -> list[str]:
    wrapper = core.parent / "wrapper.sv"
    text = "\n".join(f"%Error-X: {wrapper}:{line}:7: {words}" for line, words in complaints)
    return [line.removeprefix(f"{core}:") for line in said_of_cores(text, [core])]


def test_a_width_is_told_at_the_core_s_port(core: Path) -> None:
    text = "Output port connection 'data_o' expects 8 bits on the pin but pin connection is 16 bits"
    assert said(core, (4, text)) == [
        "7:24: error: the port 'data_o' of 'core' has 8 bits, and a core's has 16"
    ]


@pytest.mark.parametrize(
    "words", ["Pin not found: 'more_i'", "Instance attempts to connect to 'more_i'"]
)
def test_a_port_that_the_core_lacks_is_told_at_its_module(core: Path, words: str) -> None:
    assert said(core, (5, words)) == ["4:8: error: 'core' has no port 'more_i'"]


def test_a_package_among_the_sources_has_no_modules(core: Path) -> None:
    package = core.parent / "package.sv"
    package.write_text("package names;\nendpackage\n")
    wrapper = core.parent / "wrapper.sv"
    text = f"%Error-X: {wrapper}:5:7: Pin not found: 'more_i'"
    assert [*said_of_cores(text, [package, core])] == [
        f"{core}:4:8: error: 'core' has no port 'more_i'"
    ]


def test_the_instance_is_the_last_that_begins_above_or_at_the_line(core: Path) -> None:
    words = "Pin not found: 'x'"
    assert (
        said(core, (3, words)) == said(core, (5, words)) == ["4:8: error: 'core' has no port 'x'"]
    )
    assert said(core, (6, words)) == ["2:8: error: 'helper' has no port 'x'"]
    assert said(core, (2, words)) == [], "an instance of what is no core's"


def test_a_port_that_is_left_open_is_told_where_it_is_declared(core: Path) -> None:
    ending = "nothing drives or takes it"
    assert said(
        core, (4, "Cell has missing pin: 'data_i'"), (4, "Cell has missing pin: 'gone'")
    ) == [
        f"6:24: error: a core has no port 'data_i': {ending}",
        f"4:8: error: a core has no port 'gone': {ending}",
    ]


def test_a_module_that_is_in_no_source_is_told_with_those_that_are(core: Path) -> None:
    (line,) = said(core, (1, "Cannot find file containing module: 'cor'"))
    assert line.startswith("2:8: error: no module 'cor' is in the sources")
    assert "but: helper, core;" in line
    assert said(core, (1, "Cannot find file containing module: 'core'")) == []


def test_a_complaint_is_told_once_and_what_is_not_understood_not_at_all(core: Path) -> None:
    twice = (5, "Pin not found: 'more_i'")
    assert len(said(core, twice, twice, (5, "syntax error"))) == 1
