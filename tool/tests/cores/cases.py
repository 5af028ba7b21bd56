# SPDX-License-Identifier: Apache-2.0
"""What the tests of graphs with cores share: to build and run one, and what is told of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

NODES = Path(__file__).parent / "nodes"
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]


#: A chain that forks and joins again, all of it in hardware.
FORKED = """
  loop: {{type: case/loop}}
  first: {{type: case/xor, device: fpga0, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, device: fpga0, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, device: fpga0, remap: {{in: middle, out: right}}}}
  join: {{type: case/join, device: fpga0, remap: {{joined: result}}}}
"""
#: The same wherever a variant says, with keys and a tail.
TAILED = """
  loop: {{type: case/loop, parameters: {{file: {file}, side: true}}}}
  first: {{type: case/xor, parameters: {{key: 90}}, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, parameters: {{key: 15}}, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, parameters: {{key: 240}}, remap: {{in: middle, out: right}}}}
  tail: {{type: case/xor, parameters: {{key: 255}}, remap: {{in: middle, out: side}}}}
"""


def case(name: str, nodes: str) -> str:
    """The text of a graph: its nodes, and what follows them, below its header."""
    return f"schema: ligament/graph/1\nname: {name}\npackages: [{{nodes}}]\nnodes:{nodes}"


def driver_of(texts: dict[str, str]) -> str:
    """What drives the only design, or all with the same hardware, among the texts of a project."""
    (text,) = (text for name, text in texts.items() if name.startswith("lig_driver_"))
    return text


def ligament(*words: str | Path, status: int = 0) -> str:
    """Run a verb; return what it wrote."""
    result = subprocess.run(
        [*LIGAMENT, *map(str, words)], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def build(folder: Path, text: str, *variants: str, platform: str | Path = "fpga_sim") -> Path:
    """Build variants of a graph whose nodes are these, and write to `results.txt`; BUILD/NAME."""
    values = {"nodes": NODES, "file": folder / "results.txt"}
    (folder / "graph.yaml").write_text(text.format(**values))
    for variant in variants:
        words = ["--variant", variant, "--platform", platform, "--out", folder / "build"]
        ligament("build", folder / "graph.yaml", *words)
    return next((folder / "build").iterdir())


@dataclass
class Run:
    """A run's record and folder, and the lines of `results.txt`, in which it wrote what came."""

    record: dict[str, Any]
    folder: Path
    lines: list[str]
    said: str = ""

    @property
    def results(self) -> list[str]:
        """What came back to a loop on its first topic."""
        return [line for line in self.lines if not line.startswith("side")]

    @property
    def side(self) -> list[str]:
        """What came back to it on its second one."""
        return [line for line in self.lines if line.startswith("side")]

    def hardware(self, node: str) -> dict[str, Any]:
        """What a node in hardware had counted at the end."""
        lines = map(json.loads, (self.folder / "status.jsonl").read_text().splitlines())
        told = {line["container"]: line for line in lines if line.get("event") == "status"}
        nodes = [n for line in told.values() for n in line["nodes"] if n["id"] == node]
        found: dict[str, Any] = nodes[0]["hardware"]
        return found

    def values(self, name: str) -> list[float]:
        """What the design's spans told under a name, in order; of a run that was traced."""
        events = self.folder / "events.parquet"
        if not events.exists():
            ligament("trace", self.folder)
        names = f"select argument from '{events}' where event = 'value_name' and name = '{name}'"
        query = (
            f"select value from '{events}' where event = 'span_value' and argument in ({names})"
            " order by time_ns"
        )
        # A connection of its own: the shared one may be busy with another test's result.
        with duckdb.connect() as connection:
            return [row[0] for row in connection.execute(query).fetchall()]


def run(built: Path, *words: str, status: int = 0) -> Run:
    """Run what was built: BUILD/NAME/VARIANT of a graph that lies beside BUILD."""
    domain = f"cores_{uuid.uuid4().hex[:12]}"
    ligament("run", built / "build.json", "--domain", domain, *words, status=status)
    folder = max((built / "runs").iterdir())
    results = built.parents[2] / "results.txt"
    lines = results.read_text().splitlines() if results.exists() else []
    return Run(json.loads((folder / "run.json").read_text()), folder, lines)


def waved(graph: Path, variant: str, *words: str) -> Run:
    """Run a variant of the graph of BUILD/NAME, which is built for it: with `--wave`."""
    folder = graph.parents[1]
    place = ["--variant", variant, "--platform", "fpga_sim", "--out", str(folder / "build")]
    domain = f"cores_{uuid.uuid4().hex[:12]}"
    said = ligament("run", folder / "graph.yaml", *place, "--domain", domain, *words)
    made = max((graph / variant / "runs").iterdir())
    lines = (folder / "results.txt").read_text().splitlines()
    return Run(json.loads((made / "run.json").read_text()), made, lines, said)


def shown(view: Path) -> set[str]:
    """The signals of a saved view, without their ranges."""
    words = (line.split()[-1] for line in view.read_text().splitlines() if line.strip())
    return {word.partition("[")[0] for word in words if word.startswith("TOP.")}


def as_software(graph: Path) -> tuple[Run, Run]:
    """Run the variant `software` of BUILD/NAME, and `hardware` twice, which must give the same."""
    expected = run(graph / "software")
    assert len(expected.results) == len(expected.side) == 5
    first, second = (run(graph / "hardware", "--trace") for _ in range(2))
    for done in (first, second):
        assert (done.results, done.side) == (expected.results, expected.side)
    return first, second


def recorded(
    folder: Path, variant: str, *sinks: str, platform: str = "fpga_sim", until: str = ""
) -> list[list[dict[str, Any]]]:
    """Build and run a variant of the folder's graph.yaml; what each sink recorded, line by line."""
    words = [folder / "graph.yaml", "--variant", variant, "--platform", platform]
    words += ["--out", folder / "build"]
    ligament("build", *words)
    domain = f"cores_{uuid.uuid4().hex[:12]}"
    ligament("run", *words, "--domain", domain, *(["--until", until] if until else []))
    (runs,) = (folder / "build").glob(f"*/{variant}/runs")
    outputs = max(runs.iterdir()) / "outputs"
    read = [(outputs / f"{sink}.jsonl").read_text().splitlines() for sink in sinks]
    return [[json.loads(line) for line in lines] for lines in read]
