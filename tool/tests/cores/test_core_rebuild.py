# SPDX-License-Identifier: Apache-2.0
"""A change in one core is simulated anew, and nothing else is: no other design, no C++."""

from __future__ import annotations

import shutil
from pathlib import Path

from two_fpgas import two_fpgas

from ligament.pipeline import Request, built

NODES = Path(__file__).parent / "nodes"
EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"
GRAPH = """schema: ligament/graph/1
name: rebuilt
packages: [nodes, example]
nodes:
  loop: {type: case/loop}
  first: {type: case/xor, device: fpga0, remap: {in: image, out: middle}}
  second: {type: example/threshold, device: fpga1, remap: {image: middle, thresholded: result}}
topics:
  image: {bound_bytes: 1000}
  middle: {bound_bytes: 1000}
  result: {bound_bytes: 1000}
"""


def times(build: Path) -> dict[str, int]:
    """When what compilers make was made, by its place below the build folder."""
    found = [path for kind in ("*.so", "*.o", "*.a") for path in build.rglob(kind)]
    return {str(path.relative_to(build)): path.stat().st_mtime_ns for path in found}


def test_only_what_depends_on_a_core_is_built_again(tmp_path: Path) -> None:
    shutil.copytree(NODES, tmp_path / "nodes")
    shutil.copytree(EXAMPLE, tmp_path / "example")
    (tmp_path / "graph.yaml").write_text(GRAPH)
    request = Request(tmp_path / "graph.yaml", None, two_fpgas(tmp_path), tmp_path / "build")
    assert built(request).compiled
    before = times(tmp_path / "build")
    source = tmp_path / "example" / "threshold" / "threshold.sv"
    text = source.read_text()
    # What the core does changes, and its ports do not.
    assert text.count(">=") >= 1
    source.write_text(text.replace(">=", ">", 1))
    assert built(request).compiled
    after = times(tmp_path / "build")
    changed = {path for path in before if after[path] != before[path]}
    assert any(path.endswith("libexample-threshold-fpga1-fpga.so") for path in changed)
    assert changed and all("example" in path and "threshold" in path for path in changed)
    # The C++ that drives it is linked again, not compiled.
    assert not [path for path in changed if path.endswith(".cpp.o")]
    place = "example-threshold-fpga1-fpga.dir/lig_driver_"
    assert [path for path in before if place in path and path.endswith(".cpp.o")]
