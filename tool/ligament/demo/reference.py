# SPDX-License-Identifier: Apache-2.0
"""The same frames through bare OpenCV: the independent judge of the demo."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.artefacts import write_text
from ligament.demo.runs import DemoOptions, Say
from ligament.disk import child_failure, writing
from ligament.errors import FailureError
from ligament.graph import load_graph
from ligament.report.equality import read_frames
from ligament.report.options import WARM_UP_FRAMES
from ligament.run.cores import one_core
from ligament.run.process import exit_text

PROGRAM = "ligament-image-reference"


@dataclass(frozen=True)
class Reference:
    """What the program left: frames to compare with, kernel times, the picture."""

    frames: Path
    kernels: list[dict[str, Any]]
    picture: Path


def run_reference(options: DemoOptions, folder: Path, recorded: Path, say: Say) -> Reference:
    """Run the program on the frames that the camera sends.

    The size to resize to is the one that a sink `recorded`: the graph states it as a scale.
    """
    program = _program(options.out, say)
    folder.mkdir(parents=True, exist_ok=True)
    frames = options.frames + WARM_UP_FRAMES
    size = next(iter(read_frames(recorded).values()), {"width": 320, "height": 240})
    command = [
        "taskset",
        "--cpu-list",
        one_core(),
        str(program),
        "--frames",
        str(frames),
        "--rate-hz",
        str(options.rate_hz),
    ]
    command += [word for key in ("width", "height") for word in (f"--{key}", str(size[key]))]
    for name, value in options.input_parameters().items():
        command += [f"--{name}", value]
    command += _filters(options.graph)
    say(f"running bare OpenCV on {frames} frames")
    _call([*command, "--out", str(folder)], folder / "reference.log")
    rows = json.loads((folder / "kernels.json").read_text(encoding="utf-8"))["rows"]
    return Reference(folder / "sink.jsonl", rows, folder / "picture.png")


def _filters(graph: Path) -> list[str]:
    """What the program is told of nodes behind resize."""
    parameters = {node.type: node.parameters for node in load_graph(graph).nodes.values()}
    blur, convert = parameters.get("image/blur"), parameters.get("image/convert")
    if convert and convert["encoding"] != "mono8":
        raise FailureError(f"{PROGRAM} converts to mono8 alone, not to {convert['encoding']}")
    return [*(["--blur", str(blur["size"])] if blur else []), *(["--grey"] if convert else [])]


def first_frames(frames: Path, count: int) -> Path:
    """A copy of recorded frames that holds only the first ones."""
    path = frames.with_name(f"first-{count}.jsonl")
    with frames.open(encoding="utf-8") as lines:
        kept = [line for line in lines if json.loads(line)["index"] < count]
    write_text(path, "".join(kept))
    return path


def _program(out: Path, say: Say) -> Path:
    """The installed program, else built once from the image nodes' own project."""
    installed = resources.prefix() / "lib" / "ligament" / PROGRAM
    if installed.is_file():
        return installed
    build = out / "image-reference"
    program = build / PROGRAM
    say("building the reference program")
    source = resources.node_packages_dir() / "image"
    log = out / "image-reference.log"
    _call(
        ["cmake", "-S", str(source), "-B", str(build), "-G", "Ninja",
         f"-DCMAKE_PREFIX_PATH={resources.prefix()}", "-DLIGAMENT_IMAGE_TESTS=OFF"],
        log,
    )  # fmt: skip
    _call(["cmake", "--build", str(build), "--target", PROGRAM], log)
    return program


def _call(command: list[str], log: Path) -> None:
    with writing(log):
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("ab")
    with output:
        result = subprocess.run(command, stdout=output, stderr=output, check=False)
    if result.returncode != 0:
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        why = said[0] if said else exit_text(result.returncode)
        raise child_failure(f"{Path(command[0]).name} failed: {why}", command, log)
