# SPDX-License-Identifier: Apache-2.0
"""`ligament new`: what is written is checked, built and run as a stranger would, and refusals."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.cli import main as cli
from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.new import TEMPLATES, write_new

EVERY_KIND = [template.kind for template in TEMPLATES]


def ligament(folder: Path, *words: str) -> str:
    """Run a verb in a folder; what it printed."""
    command = [sys.executable, "-m", "ligament.cli.main", *words]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("kind", EVERY_KIND)
@pytest.mark.parametrize("name", ["wheel_speed", "x"])
def test_what_is_written_is_a_graph_without_a_problem(
    kind: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", kind, str(tmp_path / name)]) == 0
    said = capsys.readouterr().out
    assert f"run it: ligament run {tmp_path / name}" in said
    template, _ = write_new(kind, tmp_path / "again" / name)
    files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
    assert all(f"wrote {path}" in said for path in files)
    assert not [p for p in files if template.name in str(p.relative_to(tmp_path)) + p.read_text()]
    assert load_graph(tmp_path / name / "graph.yaml").name == name
    assert cli.main(["check", str(tmp_path / name)]) == 0
    assert "no problem found" in capsys.readouterr().out


def test_what_was_written_is_told_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "mcu-node", str(tmp_path / "wheel"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "mcu-node"
    assert str(tmp_path / "wheel" / "nodes" / "wheel" / "wheel.c") in told["files"]
    assert all(Path(file).is_file() for file in told["files"])


@pytest.mark.parametrize(
    "name", ["Wheel", "wheel-speed", "2wheels", "wheel__speed", "wheel_", "rädchen", "w" * 41]
)
def test_a_name_that_c_or_ros_cannot_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        write_new("mcu-node", tmp_path / name)
    assert [p.code for p in raised.value.problems] == ["name-invalid"]
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_another_node_of_the_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the name of another node of it"):
        write_new("mcu-node", tmp_path / "watch")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    write_new("mcu-node", tmp_path / "wheel")
    (tmp_path / "wheel" / "graph.yaml").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("wheel", "file"):
        with pytest.raises(InputError) as raised:
            write_new("mcu-node", tmp_path / name)
        assert [p.code for p in raised.value.problems] == ["out-in-use"]
    assert (tmp_path / "wheel" / "graph.yaml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    write_new("mcu-node", tmp_path / "empty")


def test_an_unknown_kind_names_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "mcu-nod", str(tmp_path / "wheel")]) == 2
    assert "did you mean 'mcu-node'?" in capsys.readouterr().err


def script(folder: Path, name: str, *words: str, good: bool = True) -> str:
    """Run a folder's own test as its README says; what it printed."""
    (folder / "bin").mkdir(exist_ok=True)
    program = folder / "bin" / "ligament"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ligament.cli.main "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["sh", name, *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode == 0) == good, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.mark.timeout(900)
def test_the_node_s_own_test_passes_and_finds_a_fault(tmp_path: Path) -> None:
    write_new("node", tmp_path / "inverter")
    assert "as it should be" in script(tmp_path, "inverter/test/turns_round")
    source = tmp_path / "inverter" / "inverter.cpp"
    source.write_text(source.read_text().replace("(highest_ - byte)", "(byte)"))
    assert "the node changed nothing" in script(
        tmp_path, "inverter/test/turns_round", good=False
    )  # fmt: skip


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("kind", "variants"),
    [("graph", ["processes", "one_process"]), ("platform", ["software", "hardware"])],
)
def test_the_folder_s_own_test_compares_its_variants(
    kind: str, variants: list[str], tmp_path: Path
) -> None:
    write_new(kind, tmp_path / "mine")
    said = script(tmp_path, "mine/test/same_result", *variants)
    assert "all 6 frames equal variant" in said


def test_a_platform_is_one_of_the_workspace_that_it_is_written_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = "acceleration/firmware/rover"
    assert cli.main(["new", "platform", folder]) == 0
    assert cli.main(["acceleration", "select", "rover"]) == 0
    assert "selected rover (workspace)" in capsys.readouterr().out
    for path in (folder, f"{folder}/platform.yaml", "acceleration/firmware/select"):
        words = ["map", folder, "--platform", path, "--variant", "hardware"]
        assert cli.main(words) == 0
        assert "/threshold  image/threshold: runs on fpga0" in capsys.readouterr().out


@pytest.mark.timeout(600)
def test_the_node_for_microcontrollers_runs_as_firmware_and_on_the_processor(
    tmp_path: Path,
) -> None:
    """Both say the same degrees: it is the same C."""
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} (dev/setup --test)")
    ligament(tmp_path, "new", "mcu-node", "wheel_speed")
    said = {}
    for variant in ("mcu", "software"):
        ligament(
            tmp_path, "run", "wheel_speed", "--platform", "mcu_sim", "--variant", variant
        )  # fmt: skip
        (log,) = tmp_path.glob(f"build/wheel_speed/{variant}/runs/*/log/watch.log")
        said[variant] = [line.split(": ")[1] for line in log.read_text().splitlines()]
    assert len(said["mcu"]) == 100
    degrees = [float(line.split()[0]) for line in said["mcu"]]
    assert (min(degrees), max(degrees)) == (20.0, 25.0)
    # Which message is the first that the other end hears is not the same in both.
    assert set(said["mcu"]) == set(said["software"])
