# SPDX-License-Identifier: Apache-2.0
"""Verbs that answer at once import nothing that is slow to import.

Times are not asserted here; what they depend on is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.resources import node_packages_dir

GRAPH = str(node_packages_dir().parent / "examples" / "perception" / "graph.yaml")
SLOW = {
    "asyncio", "duckdb", "jinja2", "jsonschema", "networkx", "numpy", "ortools", "pandas",
    "pyarrow", "pydantic", "rich", "rosbags", "ruamel.yaml",
}  # fmt: skip
RUN = """
import json, sys
from ligament.cli.main import main
code = main(json.loads(sys.argv[1]))
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def slow_modules(words: list[str], folder: Path) -> set[str]:
    """What a command imports when it runs for the second time."""
    environment = {**os.environ, "LIGAMENT_CACHE": str(folder / "cache")}
    command = [sys.executable, "-c", RUN, json.dumps(words)]
    for _ in range(2):
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        said, _, told = ran.stderr.rstrip().rpartition("\n")
        code, modules = json.loads(told)
        assert code == 0, said
    return SLOW & set(modules)


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["check", GRAPH], set()),
        (["map", GRAPH], set()),
        (["map", GRAPH, "--variant", "fpga_fused", "--platform", "fpga_sim"], set()),
        (["generate", GRAPH], {"jinja2"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_verb_imports_only_what_it_needs(words, needed, tmp_path):
    assert slow_modules(words, tmp_path) <= needed


def test_a_report_that_is_kept_imports_nothing_that_counts_events():
    code = "import sys, ligament.cli.report, ligament.report.kept; print('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert SLOW & set(ran.stdout.split()) <= {"rich"}
