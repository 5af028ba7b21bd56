# SPDX-License-Identifier: Apache-2.0
"""Refusals files: every code of the image cores has its clause, and mistakes are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ligament.cores.refusals import read_refusals
from ligament.errors import InputError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.mapping import installed, load_platform, map_graph
from ligament.resources import node_packages_dir, spec_dir

IMAGE_HDL = node_packages_dir() / "image" / "common" / "hdl"
PERCEPTION = spec_dir().parent / "examples" / "perception" / "graph.yaml"


def test_every_code_of_the_image_cores_has_a_clause() -> None:
    package = (IMAGE_HDL / "lig_image_pkg.sv").read_text()
    enumerated = package[package.index("typedef enum logic [7:0]") : package.index("refusal_e;")]
    codes = {int(code) for code in re.findall(r"= 8'd(\d+)", enumerated)} - {0}
    assert codes == set(read_refusals([IMAGE_HDL / "refusals.yaml"]))


def test_a_later_file_goes_before(tmp_path: Path) -> None:
    files = []
    for name, clause in (("one", "too large"), ("two", "too long")):
        files.append(tmp_path / name)
        files[-1].write_text(f"schema: ligament/refusals/1\nrefusals: {{16: {clause}}}\n")
    assert read_refusals(files) == {16: "too long"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read"),
        ("refusals: [", "cannot read"),
        ("just a text", "is not of type 'object'"),
        ("schema: ligament/refusals/1\nrefusals: {3: taken}\n", "'3'"),
        ("schema: ligament/refusals/1\nrefusals: {300: too high}\n", "'300'"),
        ("schema: ligament/refusals/1\nrefusals: {16: 5}\n", "is not of type 'string'"),
    ],
)
def test_a_mistake_is_told_with_the_file(tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "refusals.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_refusals([path])
    (problem,) = refused.value.problems
    assert problem.code == "refusals-file" and said in problem.text
    assert problem.location is not None and problem.location.file == str(path)


def test_clauses_reach_the_node_that_says_them() -> None:
    graph = load_graph(PERCEPTION)
    mapping = map_graph(graph, load_platform("fpga_sim"), "fpga_resize", installed())
    files = FpgaBackend().generate(graph, mapping).files
    assert '{17, "the image has a side of 0' in "".join(f.text for f in files)
