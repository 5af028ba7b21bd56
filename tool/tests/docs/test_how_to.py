# SPDX-License-Identifier: Apache-2.0
"""How-to pages are built as they stand: each file block is written, each command is run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from page_steps import follow, page_steps

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph, planned
from ligament.new import write_new
from ligament.resources import platforms_dir
from ligament.run.ros_python import find_ros_python

REPO = Path(__file__).resolve().parents[3]
HOW_TO = REPO / "docs" / "how-to"
PAGE = HOW_TO / "own-node-package.md"
GPU_PAGE = HOW_TO / "gpu-node.md"
FPGA_PAGE = HOW_TO / "fpga-node.md"
HLS_PAGE = HOW_TO / "hls-node.md"
PYTHON_PAGE = HOW_TO / "python-node.md"
MCU_PAGE = HOW_TO / "mcu-node.md"
PARALLEL_PAGE = HOW_TO / "parallel-nodes.md"


def test_the_page_has_its_files_and_commands() -> None:
    steps = page_steps(PAGE.read_text())
    assert [step.path for step in steps if step.path != "$"] == [
        "my_msgs/msg/Brightness.msg",
        "nodes/brightness/node.yaml",
        "nodes/brightness/brightness.cpp",
        "graph.yaml",
        "CMakeLists.txt",
    ]
    assert sum(step.path == "$" for step in steps) == 8


@pytest.mark.timeout(600)
def test_the_page_builds_and_runs_outside_the_repository(tmp_path: Path) -> None:
    output = follow(PAGE, tmp_path)
    logs = "".join(log.read_text() for log in tmp_path.glob("build/brightness/**/log/*.log"))
    assert "50 images, the last with mean brightness" in logs + output
    assert (tmp_path / "install" / "lib" / "my_nodes" / "libmy_nodes-brightness.so").is_file()


#: Beside the page's graph: what the camera sent, and what its kernel makes of its own images.
CONTROL = """schema: ligament/graph/1
name: control
packages: [nodes]
nodes:
  camera: {type: image/camera, parameters: {frames: 50}}
  sink: {type: image/sink, parameters: {frames: 50}, remap: {image: image_raw}}
"""
TWICE = """schema: ligament/graph/1
name: twice
packages: [nodes]
nodes:
  camera: {type: image/camera, parameters: {frames: 50}}
  first: {type: my_nodes/invert, device: gpu, remap: {image: image_raw, inverted: once}}
  second: {type: my_nodes/invert, device: gpu, remap: {image: once, inverted: again}}
  sink: {type: image/sink, parameters: {frames: 50}, remap: {image: again}}
topics:
  image_raw: &image {bound_bytes: 1000000}
  once: *image
  again: *image
"""


def ligament(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ligament.cli.main", *words]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=env)


def all_but(folder: Path, program: str) -> str:
    """A PATH with everything that is on this one, but one program."""
    links = folder / f"all-but-{program}"
    links.mkdir()
    for place in os.environ["PATH"].split(":"):
        for found in Path(place).glob("*") if Path(place).is_dir() else ():
            if found.name != program and not (links / found.name).is_symlink():
                (links / found.name).symlink_to(found)
    return str(links)


def hashes(folder: Path, graph: str, out: str = "build") -> list[str]:
    """Of all images that the sink of a graph's only run has seen."""
    (record,) = (folder / out / graph).glob("*/runs/*/outputs/sink.jsonl")
    return [json.loads(line)["hash"] for line in record.read_text().splitlines()]


@pytest.mark.timeout(600)
def test_the_page_of_kernels_builds_and_runs_outside_the_repository(tmp_path: Path) -> None:
    output = follow(GPU_PAGE, tmp_path)
    assert "/invert" in output
    assert list((tmp_path / "build" / "inverted" / "lib").glob("libmy_nodes-invert-gpu.so"))
    for name, text in (("control", CONTROL), ("twice", TWICE)):
        (tmp_path / f"{name}.yaml").write_text(text)
        ran = ligament(tmp_path, "run", f"{name}.yaml")
        assert ran.returncode == 0, ran.stdout + ran.stderr
    sent, inverted, twice = (hashes(tmp_path, name) for name in ("control", "inverted", "twice"))
    assert len(sent) == 50
    assert twice == sent
    assert not set(inverted) & set(sent)

    kernel = tmp_path / "nodes" / "invert" / "invert.cl"
    kernel.write_text(kernel.read_text().replace("255 - in[i]", "255 - wrong[i]"))
    broken = ligament(tmp_path, "build", ".")
    assert broken.returncode != 0
    assert re.search(r"invert\.cl:3\b", broken.stdout + broken.stderr)


def test_the_graph_of_the_page_of_parallel_nodes_can_be_mapped(tmp_path: Path) -> None:
    """Its nodes are built and run by other tests."""
    for step in page_steps(PARALLEL_PAGE.read_text()):
        if step.path != "$":
            (tmp_path / step.path).write_text(step.content)
    graph = load_graph(tmp_path / "graph.yaml")
    host = load_platform(platforms_dir() / "host")
    modes = {
        variant: map_graph(graph, host, variant, planned()).topics["/frame"].mode
        for variant in graph.variants
    }
    assert modes == {"shared": "shared", "copied": "copied", "handed_over": "handed_over"}


#: Beside the pages' graphs: what their camera sends, and what OpenCV makes of it.
SENT = """schema: ligament/graph/1
name: sent
nodes:
  camera: {type: image/camera, parameters: {frames: 5, encoding: mono8}}
  sink: {type: image/sink, parameters: {frames: 5}, remap: {image: image_raw}}
"""
BY_OPENCV = """schema: ligament/graph/1
name: by_opencv
nodes:
  camera: {type: image/camera, parameters: {frames: 5, encoding: mono8}}
  darken:
    type: image/threshold
    parameters: {type: to_zero, threshold: 99}
    remap: {image: image_raw}
  sink: {type: image/sink, parameters: {frames: 5}, remap: {image: image_thresholded}}
"""


def sent_and_darkened(folder: Path) -> tuple[list[str], list[str]]:
    """Hashes of the camera's images, and of the same with every byte below 100 made 0."""
    for name, text in (("sent", SENT), ("by_opencv", BY_OPENCV)):
        (folder / f"{name}.yaml").write_text(text)
        ran = ligament(folder, "run", f"{name}.yaml")
        assert ran.returncode == 0, ran.stdout + ran.stderr
    sent, darkened = (hashes(folder, name) for name in ("sent", "by_opencv"))
    assert (len(sent), len(darkened)) == (5, 5)
    assert not set(sent) & set(darkened)
    return sent, darkened


@pytest.mark.timeout(1800)
def test_the_page_of_cores_builds_and_runs_outside_the_repository(tmp_path: Path) -> None:
    follow(FPGA_PAGE, tmp_path)
    built = tmp_path / "build" / "darkened"
    assert (built / "gen" / "fpga-fpga_sim" / "my_nodes-darken-fpga0-fpga.f").is_file()
    sent, darkened = sent_and_darkened(tmp_path)
    assert hashes(tmp_path, "darkened") == darkened
    assert hashes(tmp_path, "darkened_twice") == darkened

    core = tmp_path / "nodes" / "darken" / "darken.sv"
    broken = core.read_text().replace("= '0;", "= s_axis.tdata[8*i+:8];")
    assert broken != core.read_text()
    core.write_text(broken)
    ran = ligament(tmp_path, "run", ".", "--platform", "fpga_sim", "--out", "broken")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert hashes(tmp_path, "darkened", out="broken") == sent


@pytest.mark.timeout(1800)
def test_the_page_of_cores_in_cpp_builds_and_runs_outside_the_repository(tmp_path: Path) -> None:
    output = follow(HLS_PAGE, tmp_path)
    assert "run natively (sw_emu)" in " ".join(output.split())
    assert hashes(tmp_path, "darkened") == sent_and_darkened(tmp_path)[1]


@pytest.mark.timeout(600)
def test_the_page_of_nodes_in_python_runs_outside_the_repository(tmp_path: Path) -> None:
    try:
        find_ros_python()
    except InputError as error:
        pytest.skip(error.problems[0].text)
    follow(PYTHON_PAGE, tmp_path)
    logs = [log.read_text() for log in tmp_path.glob("build/tracking/**/log/track.log")]
    found = [int(n) for log in logs for n in re.findall(r"(\d+) pixels have the colour", log)]
    assert len(found) == 2 and all(found) and found[0] != found[1]


def test_the_page_of_nodes_for_microcontrollers_shows_what_is_written(tmp_path: Path) -> None:
    """Word for word, but for the licence."""
    write_new("mcu-node", tmp_path / "thermometer")
    shown = [step for step in page_steps(MCU_PAGE.read_text()) if step.path != "$"]
    assert len(shown) == 4
    for path, content, _ in shown:
        licence, _, written = (tmp_path / path).read_text().partition("\n")
        assert "SPDX" in licence
        assert content == written, path


@pytest.mark.timeout(600)
def test_the_page_of_nodes_for_microcontrollers_runs_outside_the_repository(
    tmp_path: Path,
) -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} (dev/setup --test)")
    follow(MCU_PAGE, tmp_path)
    built = tmp_path / "build" / "thermometer" / "mcu"
    assert (built / "lib" / "mcu" / "mcu0.elf").is_file()
    assert (built / "gen" / "mcu" / "include" / "my_nodes_thermometer.h").is_file()
    logs = [log.read_text() for log in tmp_path.glob("build/thermometer/*/runs/*/log/watch.log")]
    assert len(logs) == 2 and all(log.count("degrees") == 100 for log in logs)
    page = MCU_PAGE.read_text()
    lacking = ligament(
        tmp_path,
        "run",
        "thermometer",
        "--platform",
        "mcu_sim",
        PATH=all_but(tmp_path, "qemu-system-arm"),
    )
    assert lacking.returncode == 1
    missing = "is emulated by qemu-system-arm, which is not here"
    assert missing in page and missing in lacking.stdout + lacking.stderr
    no_platform = ligament(tmp_path, "run", "thermometer")
    assert no_platform.returncode == 2
    missing = "the platform 'host' has no device 'mcu'"
    assert missing in page and missing in no_platform.stderr
    _, _, named = page.partition("undefined reference to '")
    code = tmp_path / "thermometer" / "nodes" / "thermometer" / "thermometer.c"
    missing = named.partition("'")[0]
    code.write_text(code.read_text().replace(missing, missing.replace("enable", "enabel")))
    broken = ligament(tmp_path, "build", "thermometer", "--platform", "mcu_sim")
    assert broken.returncode == 1
    assert f"undefined reference to `{missing}'" in broken.stdout + broken.stderr
