# SPDX-License-Identifier: Apache-2.0
"""What is generated alike for two graphs is compiled once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ligament.build.ninja import Step, run_step

BUILD = """rule compile
  command = ccache c++ -g -isystem {model} -c $in -o $out
build node.o: compile {source}
"""


def test_two_graphs_share_the_objects_of_generated_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ccache") is None:
        pytest.skip("no ccache is installed")
    for name in ("CCACHE_BASEDIR", "CCACHE_NOHASHDIR", "CCACHE_DISABLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    for graph in ("one", "two"):
        project, work = tmp_path / graph / "gen", tmp_path / graph / "work"
        project.mkdir(parents=True)
        # As Verilator's: what the build makes, and generated sources include.
        model = work / "model"
        model.mkdir(parents=True)
        (model / "model.h").write_text("inline int model() { return 1; }\n")
        source = project / "node.cpp"
        source.write_text("#include <model.h>\nint node() { return model(); }\n")
        (work / "build.ninja").write_text(BUILD.format(source=source, model=model))
        run_step(Step("compiling", ["ninja", "-C", str(work)], work / "log", [], project))
        assert (work / "node.o").is_file()
    told = subprocess.run(
        ["ccache", "--print-stats"], capture_output=True, text=True, check=True
    ).stdout
    counts = dict(line.split("\t") for line in told.splitlines())
    assert int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]) == 1
