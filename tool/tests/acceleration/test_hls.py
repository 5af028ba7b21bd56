# SPDX-License-Identifier: Apache-2.0
"""Projects for high-level synthesis: found, run by a stand-in for the vendor's tool, read, and
simulated natively."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from workspaces import call

from ligament.acceleration.hls import SCRIPT
from ligament.resources import node_packages_dir

BACKEND = node_packages_dir().parent / "runtime" / "cmake" / "kernels" / "vitis"
#: What csynth_design writes, shortened; the places are those of Vitis HLS 2020 to 2024.
REPORT = """<?xml version="1.0"?>
<profile>
  <ReportVersion><Version>2022.1</Version></ReportVersion>
  <UserAssignments><unit>ns</unit><TargetClockPeriod>{wanted}</TargetClockPeriod></UserAssignments>
  <PerformanceEstimates>
    <SummaryOfTimingAnalysis><unit>ns</unit><EstimatedClockPeriod>7.300</EstimatedClockPeriod>
    </SummaryOfTimingAnalysis>
    <SummaryOfOverallLatency><unit>clock cycles</unit>
      <Best-caseLatency>12</Best-caseLatency><Worst-caseLatency>undef</Worst-caseLatency>
      <Interval-max>13</Interval-max>
    </SummaryOfOverallLatency>
  </PerformanceEstimates>
  <AreaEstimates>
    <Resources><BRAM_18K>2</BRAM_18K><DSP>3</DSP><FF>1024</FF><LUT>2048</LUT><URAM>0</URAM>
    </Resources>
    <AvailableResources><BRAM_18K>288</BRAM_18K><LUT>117120</LUT></AvailableResources>
  </AreaEstimates>
</profile>
"""
BENCH = """#include <cstdio>
#include "ap_int.h"
void scale(const int* in, int* out);
int main() {
  const ap_uint<8> in = 7;
  const int value = in;
  int out = 0;
  scale(&value, &out);
  std::printf("7 becomes %d\\n", out);
  return out == WANTED ? 0 : 1;
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose package `kernels` was configured with a kernel for Vitis."""
    root = tmp_path / "wörk space"
    source = root / "src" / "kernels"
    (source / "include").mkdir(parents=True)
    (source / "include" / "weights.h").write_text("#define WEIGHT 3\n")
    (source / "scale.cpp").write_text(
        '#include "weights.h"\nvoid scale(const int* in, int* out) { *out = *in * WEIGHT; }\n'
    )
    folder = root / "build" / "kernels" / "sub" / "scale.vitis"
    folder.mkdir(parents=True)
    # As the back-end's CMake fills its template in (test_package_kernels runs that).
    template = (BACKEND / "hls.tcl.in").read_text()
    files = f"add_files {{{source / 'scale.cpp'}}} -cflags {{ -I{source / 'include'}}}\n"
    for name, value in {
        "name": "scale", "kernel_TOP": "scale", "files": files, "part": "xck26", "period": "10.000",
    }.items():  # fmt: skip
        template = template.replace(f"@{name}@", value)
    (folder / SCRIPT).write_text(template)
    return root


def tool(folder: Path, name: str, script: str) -> None:
    """A stand-in on the PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def vendor(tmp_path: Path, monkeypatch, report: str, code: int = 0) -> None:
    """A vitis_hls that leaves a report where the script's project and solution have it."""
    (tmp_path / "report.xml").write_text(report)
    place = "scale/solution/syn/report"
    script = (
        f'[ "$1" = -f ] && [ -f "$2" ] || exit 9\necho synthesising\nmkdir -p {place}\n'
        f"cp {shlex.quote(str(tmp_path / 'report.xml'))} {place}/csynth.xml\n"
        f"echo 'the whole report' > {place}/scale_csynth.rpt\nexit {code}"
    )
    tool(tmp_path / "bin", "vitis_hls", script)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


def test_projects_are_listed(root, capsys):
    assert call(root, "hls", "kernels", "--json") == 0
    (project,) = json.loads(capsys.readouterr().out)["projects"]
    assert (project["kernel"], project["state"]) == ("scale", "written")


@pytest.mark.skipif(
    shutil.which("vitis_hls") is not None,
    reason="this machine has no such thing: a PATH without Vitis",
)
def test_a_missing_tool_is_one_sentence_and_a_failure(root, capsys):
    assert call(root, "hls", "kernels", "--run") == 1
    said = capsys.readouterr().err
    assert "error: neither vitis_hls nor vitis-run of AMD Vitis is on the PATH" in said


def test_the_tool_is_run_and_its_report_read(root, tmp_path, capsys, monkeypatch):
    vendor(tmp_path, monkeypatch, REPORT.format(wanted="10.00"))
    words = ("hls", "kernels", "--run", "--summary", "--json")
    assert call(root, *words) == 0
    (project,) = json.loads(capsys.readouterr().out)["projects"]
    assert project["state"] == "synthesised"
    assert project["summary"] == {
        "clock_wanted": 10, "clock_estimated": 7.3, "latency_least": 12, "latency_most": None,
        "interval_most": 13, "bram18": 2, "uram": 0, "dsp": 3, "ff": 1024, "lut": 2048,
    }  # fmt: skip
    assert (Path(project["folder"]) / "hls.log").read_text() == "synthesising\n"
    assert call(root, "hls", "kernels", "--summary", "--synthesis-report") == 0
    said = capsys.readouterr().out
    assert "latency most     not known" in said
    assert "the clock is met, by the tool's estimate" in said
    assert "the whole report" in said


def test_a_clock_that_is_not_met_is_said(root, tmp_path, capsys, monkeypatch):
    vendor(tmp_path, monkeypatch, REPORT.format(wanted="5.00"))
    assert call(root, "hls", "kernels", "--run", "--summary") == 0
    assert "the clock is NOT met" in capsys.readouterr().out


@pytest.mark.parametrize("report", ["", "<profile><oops></profile>", '{"json": 1}'])
def test_what_is_no_report_is_refused(root, tmp_path, capsys, monkeypatch, report):
    vendor(tmp_path, monkeypatch, report)
    assert call(root, "hls", "kernels", "--run", "--summary") == 1
    assert "is no report of high-level synthesis" in capsys.readouterr().err


def test_a_tool_that_fails_is_a_failure_with_its_log(root, tmp_path, capsys, monkeypatch):
    vendor(tmp_path, monkeypatch, REPORT, code=3)
    assert call(root, "hls", "kernels", "--run") == 1
    said = capsys.readouterr().err
    assert "high-level synthesis of 'scale' failed (3)" in said
    assert "hls.log" in said


def test_a_summary_of_what_was_not_run_says_so(root, capsys):
    assert call(root, "hls", "kernels", "--summary") == 1
    assert "was not synthesised" in capsys.readouterr().err


@pytest.mark.parametrize(("wanted", "code"), [(21, 0), (22, 1)])
def test_the_cpp_is_simulated_natively_with_the_vendor_s_headers(root, capsys, wanted, code):
    bench = root / "bench.cpp"
    bench.write_text(BENCH.replace("WANTED", str(wanted)))
    assert call(root, "hls", "kernels", "--csim", bench) == code
    said = capsys.readouterr()
    assert "7 becomes 21" in said.out + said.err
    assert ("found a fault (1)" in said.err) == (code == 1)


def test_a_bench_that_does_not_compile_says_so(root, capsys):
    bench = root / "bench.cpp"
    bench.write_text("int main() { return scale; }")
    assert call(root, "hls", "kernels", "--csim", bench) == 1
    assert "does not compile" in capsys.readouterr().err


def test_wrong_names_name_the_nearest_and_a_dry_run_runs_nothing(root, capsys):
    assert call(root, "hls", "kernel") == 2
    assert "did you mean 'kernels'?" in capsys.readouterr().err
    assert call(root, "hls", "kernels", "--kernel", "scales") == 2
    assert "did you mean 'scale'?" in capsys.readouterr().err
    bench = root / "bench.cpp"
    bench.write_text("int main() {}")
    assert call(root, "hls", "kernels", "--csim", bench, "--dry-run") == 0
    assert "c++ -std=c++14" in capsys.readouterr().out
    assert not list(root.rglob("csim"))
