# SPDX-License-Identifier: Apache-2.0
"""Cores come into slots of a shell and go again, while the other slot works: no frame is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from moving_run import Run, ended, write_images

from ligament import resources
from ligament.pipeline import Request, built

HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(1800)  # the first one builds the graph, others cores


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the graph is built, and its images."""
    folder = tmp_path_factory.mktemp("slots")
    write_images(folder, 1)
    return folder


@pytest.fixture
def run(out: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Both chains. Compilers get the machine while nodes move: cameras have a brake."""
    variant, platform = getattr(request, "param", ("processes", "slots_sim"))
    where = platform if platform == "slots_sim" else str(wide_platform(out))
    build = built(Request(HERE / "slots.yaml", variant, where, out)).build
    cameras = ("camera", "other_camera")
    settings = [f"{camera}.source={out / 'images'}" for camera in cameras]
    settings += [f"{camera}.rate_hz=1000" for camera in cameras]
    settings += [f"{camera}.max_rate_hz=50" for camera in cameras]
    yield from ended(Run(build, settings, "/sink"))


def wide_platform(folder: Path) -> Path:
    """As slots_sim, but for its first slot, which has streams of 128 bits and more room."""
    text = (resources.platforms_dir() / "slots_sim" / "platform.yaml").read_text()
    for before, after in (
        ("name: slots_sim", "name: slots_wide"),
        ("description: For filters.", "stream_bits: 128"),
        ("budgets: {lut: 12000, ff: 24000, bram18: 160, dsp: 80}", "budgets: {lut: 24000}"),
    ):
        assert before in text
        text = text.replace(before, after)
    path = folder / "slots_wide.yaml"
    path.write_text(text)
    return path


def expect_moved(run: Run, node: str, device: str, container: str = "") -> None:
    """It moves there, into that container or a new one, and both chains go on."""
    other = run.count_of("/other_sink")
    moved = run.move(node, device, "--json")
    assert moved.returncode == 0, moved.stdout + moved.stderr
    answer = json.loads(moved.stdout)
    assert container in ("", answer["container"])
    assert answer["gap_ns"] > 0
    run.wait_for_more(50)
    assert run.count_of("/other_sink") > other


def expect_everything(run: Run, moves: int) -> None:
    """Every frame of both chains once, in order, as on a processor."""
    record = run.end()
    assert len(record["moves"]) == moves
    assert record["errors"] == record["losses"] == []
    for sink in ("sink", "other_sink"):
        run.expect_all_frames(sink)


def test_the_core_in_a_slot_is_exchanged_while_the_other_slot_works(run: Run) -> None:
    expect_moved(run, "convert", "fpga0.slot1", "fpga0")  # it brings the shell
    for _ in range(2):
        expect_moved(run, "blur", "fpga0.slot0", "fpga0")
        refused = run.move("equalise", "fpga0.slot0")
        assert refused.returncode == 1
        assert "the slot fpga0.slot0 holds '/blur'" in refused.stderr
        expect_moved(run, "blur", "cpu")
        expect_moved(run, "equalise", "fpga0.slot0", "fpga0")
        expect_moved(run, "equalise", "cpu")
    expect_everything(run, 9)


@pytest.mark.parametrize("run", [("slots", "slots_sim")], indirect=True)
def test_a_graph_begins_in_slots_and_exchanges_one(run: Run) -> None:
    shell = json.loads((run.folder / "config" / "fpga0.json").read_text())
    assert [node["id"] for node in shell["nodes"]] == ["/blur", "/convert"]
    expect_moved(run, "blur", "cpu")
    expect_moved(run, "equalise", "fpga0.slot0", "fpga0")
    expect_everything(run, 2)


@pytest.mark.parametrize("run", [("slots", "slots_wide")], indirect=True)
def test_a_core_in_a_wide_slot_computes_as_on_a_processor(run: Run) -> None:
    mapping = json.loads((run.folder.parents[1] / "mapping.json").read_text())
    assert mapping["hardware"]["fpga0.slot0"]["slot_bits"] == [128, 64]
    assert mapping["nodes"]["/blur"]["pixels"]["per_cycle"] == 4
    platform = str(run.folder.parents[3] / "slots_wide.yaml")
    moved = run.move("blur", "cpu", "--platform", platform)
    assert moved.returncode == 0, moved.stderr
    run.wait_for_more(50)
    expect_everything(run, 1)


def test_a_core_that_a_slot_cannot_hold_is_refused_with_the_reason(run: Run) -> None:
    refused = run.move("equalise", "fpga0.slot1")
    assert refused.returncode == 2
    assert "the nodes on fpga0.slot1 need 152 bram18" in refused.stderr
    refused = run.move("camera", "fpga0.slot0")
    assert refused.returncode == 2
    run.wait_for_more(50)
    expect_everything(run, 0)


def files_of(library: Path) -> set[str]:
    """Inodes of all files that a process has mapped under the path of a library."""
    found = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            lines = maps.read_text().splitlines()
        except OSError:  # it has ended
            continue
        found |= {line.split()[4] for line in lines if f" {library}" in line}
    return found


def test_a_shell_stays_when_its_last_node_has_left_and_loads_a_new_core(run: Run) -> None:
    name = "libimage-blur-fpga0-slot-fpga.so"
    for opened in (1, 2):
        expect_moved(run, "blur", "fpga0.slot0", "fpga0")
        library = next(run.folder.parents[2].glob(f"lib/*/{name}")).resolve()
        assert len(files_of(library)) == opened
        shutil.copy2(library, library.with_suffix(".new"))  # as a linker: another file
        library.with_suffix(".new").replace(library)
        moved = run.move("blur", "cpu")
        assert moved.returncode == 0, moved.stderr
        run.wait_for_more(50)
    record = run.end()
    shells = [one for one in record["processes"] if one["container"] == "fpga0"]
    assert len(shells) == 1
    assert shells[0]["exit"] == "exit 0"
    run.expect_all_frames()
