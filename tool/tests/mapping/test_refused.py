# SPDX-License-Identifier: Apache-2.0
"""Variants that no platform takes are named by `check`, in the words of `map`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.mapping.elsewhere import map_or_tell
from ligament.mapping.files import platform_names
from ligament.mapping.refused import refused_variants

GRAPH = """schema: ligament/graph/1
name: small
nodes:
  camera: {type: image/camera}
  resize: {type: image/resize, remap: {image/image_raw: image_raw}}
variants:
  good: {}
  simulated: {devices: {resize: fpga}, bound_bytes: {BOUNDS}}
""".replace(
    "BOUNDS", ", ".join(f"{name}: 9999" for name in ("image_raw", "image/camera_info",
                                                     "resize/image_raw", "resize/camera_info"))
)  # fmt: skip


def problems(tmp_path: Path, lines: str, platform: str | None = None):
    """What is said of the graph with more variants."""
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH + lines)
    return list(refused_variants(load_graph(path), platform_names(platform), load_platform))


def test_variants_that_any_platform_takes_are_not_named(tmp_path):
    assert problems(tmp_path, "") == []


def test_a_topic_of_an_fpga_without_a_bound_is_told_as_map_tells_it(tmp_path):
    found = problems(tmp_path, "  loose: {devices: {resize: fpga}}\n")
    assert {problem.code for problem in found} == {"bound-missing"}
    with pytest.raises(InputError) as refused:
        map_graph(load_graph(tmp_path / "graph.yaml"), load_platform("fpga_sim"), "loose")
    assert [p.text for p in refused.value.problems] == [
        p.text.partition(": ")[2].rpartition(" (platform")[0] for p in found
    ]
    assert any("`topics: {/image_raw: {bound_bytes: N}}`" in p.expected for p in found)


def test_a_device_that_no_platform_has_is_named_with_its_line_and_the_nearest(tmp_path):
    (found,) = problems(tmp_path, "  wrong: {devices: {resize: fpga1}}\n")
    assert found.code == "device-unknown"
    assert found.text == (
        "variant 'wrong' cannot be mapped: no known platform has a device 'fpga1'"
    )
    assert found.location is not None
    assert found.location.line == 9
    assert found.hint == "did you mean 'fpga0'?"


def test_of_the_platforms_the_one_that_fits_best_gives_the_reason(tmp_path):
    (found,) = problems(tmp_path, "  wrong: {devices: {resize: cpu, camera: fpga}}\n")
    assert found.code == "implementation-missing"
    assert found.text.startswith("variant 'wrong' cannot be mapped: 'image/camera' has no")


def test_with_a_platform_that_one_alone_counts(tmp_path):
    (found,) = problems(tmp_path, "", "host")
    assert found.text == (
        "variant 'simulated' cannot be mapped: the platform 'host' has no device 'fpga'"
    )
    assert problems(tmp_path, "", "fpga_sim") == []


@pytest.mark.parametrize(
    ("more", "closing"),
    [("", "no problem found"), ("  wrong: {devices: {resize: fpga1}}\n", "no error, 1 warning")],
)
def test_check_warns_and_still_succeeds(tmp_path, more, closing):
    (tmp_path / "graph.yaml").write_text(GRAPH + more)
    command = [sys.executable, "-m", "ligament.cli.main", "check", "graph.yaml"]
    environment = {**os.environ, "LIGAMENT_CACHE": str(tmp_path / "cache")}
    for _ in range(2):  # the second time from the cache
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0
        assert ran.stdout.rstrip().endswith(closing)
        warned = "graph.yaml:9:" in ran.stderr and "warning: variant 'wrong'" in ran.stderr
        assert warned == bool(more)
    (tmp_path / "graph.yaml").write_text(GRAPH + "  other: {devices: {resize: fpga2}}\n")
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "variant 'other'" in ran.stderr


def test_check_counts_and_places_what_nobody_publishes(tmp_path):
    typo = GRAPH.replace("image_raw}}", "image_rw}}").replace("{image_raw:", "{image_rw:")
    typo += "  wrong: {devices: {resize: fpga1}}\n"
    (tmp_path / "graph.yaml").write_text(typo)
    for verb in ("check", "map"):
        command = [sys.executable, "-m", "ligament.cli.main", verb, "graph.yaml"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0
        said = "graph.yaml:5:57: warning: nobody publishes '/image_rw', which '/resize' subscribes"
        assert said in ran.stderr
        assert "  hint: did you mean '/image_raw'?" in ran.stderr
        if verb == "check":
            assert ran.stdout.rstrip().endswith("; no error, 2 warnings")


NODE = """schema: ligament/node/1
type: case/blink
description: Blinks.
ports: {led: {direction: out, message: std_msgs/msg/Bool, description: The light.}}
implementations:
  mcu: {sources: [blink.c]}
"""


@pytest.mark.parametrize(
    ("wish", "told"),
    [("history: keep_all", "history: keep_all"),
     ("liveliness: manual_by_topic", "liveliness: manual_by_topic")],
)  # fmt: skip
def test_a_qos_that_a_microcontroller_cannot_have_is_named(tmp_path, wish, told):
    folder = tmp_path / "blink"
    folder.mkdir()
    (folder / "node.yaml").write_text(NODE)
    (folder / "blink.c").write_text("")
    text = GRAPH.replace("nodes:", "packages: [.]\nnodes:\n  blink: {type: case/blink}")
    text += "  core: {devices: {blink: mcu0}}\ntopics:\n  led: {qos: {" + wish + "}}\n"
    (tmp_path / "graph.yaml").write_text(text)
    graph = load_graph(tmp_path / "graph.yaml")
    found = [
        problem
        for problem in refused_variants(graph, ["mcu_sim"], load_platform)
        if problem.code == "qos-unsupported"
    ]
    assert found[-1].text == (
        f"variant 'core' cannot be mapped: port 'led' of '/blink' asks for {told}, which a "
        "microcontroller cannot have ('/blink' is on mcu0) (platform 'mcu_sim')"
    )
    assert found[-1].location is not None


def test_a_device_of_other_platforms_is_told_once_with_the_option(tmp_path):
    path = tmp_path / "graph.yaml"
    both = "{resize: mcu0, camera: mcu0}"
    path.write_text(GRAPH + f"  core: {{devices: {both}}}\n  none: {{devices: {{resize: x9}}}}\n")
    for wanted, hints in (
        ("core", ["", "name one that has 'mcu0' with --platform: mcu_r5_sim, mcu_sim, soc_sim; "
                      "boards: kv260, mps2-m4-qemu, zcu102-qemu, zcu104; where none is named, "
                      "it is 'host'"]),
        ("none", [""]),
    ):  # fmt: skip
        with pytest.raises(InputError) as raised:
            map_or_tell(load_graph(path), load_platform("host"), wanted)
        assert {problem.code for problem in raised.value.problems} == {"device-unknown"}
        assert [problem.hint for problem in raised.value.problems] == hints
