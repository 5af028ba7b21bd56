# SPDX-License-Identifier: Apache-2.0
"""Exported folders: whole, the same each time, read by tools alone; what is refused."""

from __future__ import annotations

import json
import mmap
import re
import subprocess
import sys
from pathlib import Path

import pytest
from folders import DESIGNS, EXAMPLES, exported, lint, simulate

from ligament.cli.main import main
from ligament.errors import FailureError, InputError
from ligament.export import Asked, export
from ligament.export import sources as export_sources
from ligament.export.registers import bits_of
from ligament.graph.model import Parameter
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.pipeline import Request


@pytest.fixture(scope="module")
def threshold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("export")).folder


@pytest.mark.parametrize("design", DESIGNS)
def test_verilator_reads_the_folder_alone(design: str, tmp_path: Path) -> None:
    result = exported(tmp_path, design)
    assert not validate(Document("export.json", dict(result.data)), "export")
    assert json.loads((result.folder / "export.json").read_text()) == result.data
    moved = result.folder.rename(tmp_path / "moved")
    lint(moved)


def test_a_port_that_is_not_connected_is_noticed(threshold: Path, tmp_path: Path) -> None:
    """The lint of the tests above would notice it: one is taken away."""
    text = (threshold / "rtl" / "lig_board_example_threshold.v").read_text()
    for file in [*threshold.rglob("*.sv"), *threshold.glob("sources.f")]:
        (tmp_path / file.relative_to(threshold)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.relative_to(threshold)).write_bytes(file.read_bytes())
    broken = text.replace(".irq_o(irq),", "")
    assert broken != text
    (tmp_path / "rtl" / "lig_board_example_threshold.v").write_text(broken)
    with pytest.raises(AssertionError, match="irq"):
        lint(tmp_path)


def test_no_file_names_this_machine(threshold: Path) -> None:
    files = [file for file in threshold.rglob("*") if file.is_file()]
    assert len(files) > 30
    assert [
        f for f in files if str(EXAMPLES.parent) in f.read_text() or "/tmp" in f.read_text()
    ] == []


def test_the_same_graph_gives_the_same_folder_anywhere(threshold: Path, tmp_path: Path) -> None:
    again = exported(tmp_path).folder
    for file in threshold.rglob("*"):
        if file.is_file():
            assert (again / file.relative_to(threshold)).read_bytes() == file.read_bytes()


def test_a_second_export_changes_nothing_and_what_is_not_needed_goes(tmp_path: Path) -> None:
    first = exported(tmp_path)
    assert exported(tmp_path).changed == []
    listed = json.loads((first.folder / "export.json").read_text())
    (first.folder / "rtl" / "old.sv").write_text("module old; endmodule\n")
    (first.folder / "mine.txt").write_text("not of an export\n")
    listed["files"] |= {"rtl/old.sv": "0" * 64, "../outside.txt": "0" * 64}
    (first.folder / "export.json").write_text(json.dumps(listed))
    outside = first.folder.parent / "outside.txt"
    outside.write_text("not of the folder\n")
    assert exported(tmp_path).changed == ["rtl/old.sv"]
    assert (first.folder / "mine.txt").exists() and outside.exists()
    assert exported(tmp_path).changed == []


def test_another_parameter_is_another_identity(tmp_path: Path) -> None:
    text = (EXAMPLES / "threshold" / "graph.yaml").read_text()
    (tmp_path / "graph.yaml").write_text(
        text.replace(
            "    type: example/threshold\n",
            "    type: example/threshold\n    parameters: {threshold: 77}\n",
        ).replace("packages: [nodes]", f"packages: [{EXAMPLES}/threshold/nodes]")
    )
    request = Request(tmp_path / "graph.yaml", "hardware", "fpga_sim", tmp_path / "build")
    changed = export(request, Asked("fusesoc")).data
    plain = exported(tmp_path).data
    assert changed["settings"][2]["initial"] == hex(77)
    assert plain["settings"][2]["initial"] != hex(77)
    assert changed["identity"] != plain["identity"]


def test_its_bench_passes_and_knows_another_identity(threshold: Path, tmp_path: Path) -> None:
    assert "PASS" in simulate(threshold, tmp_path / "model")
    bench = threshold / "sim" / "board_tb.sv"
    text = bench.read_text()
    identity = json.loads((threshold / "export.json").read_text())["identity"]
    wrong = f"64'h{int(identity, 16) ^ 1:016X}"
    bench.write_text(text.replace(f"64'h{int(identity, 16):016X}", wrong))
    try:
        assert "PASS" not in simulate(threshold, tmp_path / "model")
    finally:
        bench.write_text(text)


def registers(identity: int) -> bytes:
    """The registers of a board that is there: versions and an identity, zeros elsewhere."""
    found = bytearray(0x20000)
    for place, value in ((0xFF00, 0x14C494753), (0x10000, 0x14C494742), (0x10008, identity)):
        found[place : place + 8] = value.to_bytes(8, "little")
    return bytes(found)


def check(folder: Path, *words: str) -> tuple[int, str]:
    """What the folder's own program says of registers."""
    command = [sys.executable, str(folder / "software" / "check_design.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_software_refuses_another_bitstream(threshold: Path, tmp_path: Path) -> None:
    identity = int(json.loads((threshold / "export.json").read_text())["identity"], 16)
    uio = tmp_path / "uio0"
    uio.write_bytes(registers(identity))
    assert check(threshold, str(uio)) == (0, f"the FPGA holds this design: 0x{identity:016x}\n")
    uio.write_bytes(registers(identity ^ 1))
    code, said = check(threshold, str(uio))
    assert code == 1 and f"0x{identity ^ 1:016x}, this folder is of 0x{identity:016x}" in said
    uio.write_bytes(bytes(0x20000))
    code, said = check(threshold, str(uio))
    assert code == 1 and "lig_shell: 0x0000000000000000" in said
    offset = mmap.ALLOCATIONGRANULARITY
    uio.write_bytes(bytes(offset) + registers(identity))
    assert check(threshold, str(uio), hex(offset))[0] == 0
    assert check(threshold, str(tmp_path / "none"))[0] == 2


def test_the_header_is_c_and_names_what_export_json_names(threshold: Path, tmp_path: Path) -> None:
    data = json.loads((threshold / "export.json").read_text())
    program = tmp_path / "places.c"
    names = [*(f"SETTING_{k}" for k in range(len(data["settings"])))]
    names += [f"VALUE_{k}" for k in range(len(data["values"]))]
    lines = [f'printf("0x%05x\\n", LIGAMENT_{name});' for name in names]
    program.write_text(
        "#include <stdint.h>\n#include <stdio.h>\n#include <ligament_design.h>\n"
        f"int main(void) {{ {' '.join(lines)} return LIGAMENT_DESIGN_IDENTITY == 0; }}\n"
    )
    output = tmp_path / "places"
    words = ["cc", "-std=c99", "-Wall", "-Werror", f"-I{threshold}/software", str(program)]
    subprocess.run([*words, "-o", str(output)], check=True)
    said = subprocess.run([str(output)], capture_output=True, text=True, check=True).stdout
    assert said.split() == [r["address"] for r in (*data["settings"], *data["values"])]


def test_parameters_are_registers_as_a_driver_writes_them() -> None:
    def bits(kind: str, value: object, choices: tuple[str, ...] = ()) -> int:
        return bits_of(Parameter("p", kind, "", choices=choices), value)

    assert bits("bool", True) == 1
    assert bits("integer", -1) == 2**64 - 1
    assert bits("double", 1.5) == 0x3FF8000000000000
    assert bits("string", "b", ("a", "b")) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "whose tools shall read it is not said [export-target]"),
        (["--to", "fuse"], "nothing is exported to 'fuse' [export-target]"),
        (["--to", "fusesoc", "-v", "software"], "has no nodes on an FPGA, on platform 'host'"),
        (
            ["--to", "fusesoc", "-v", "hardware", "-p", "fpga_sim", "--device", "fpga1"],
            "did you mean 'fpga0'?",
        ),
    ],
)
def test_what_cannot_be_exported_is_told(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(EXAMPLES / "threshold"), "--out", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_of_others_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine\n")
    words = ["export", str(EXAMPLES / "threshold"), "-v", "hardware", "-p", "fpga_sim"]
    words += ["--to", "fusesoc", "--out", str(tmp_path / "build")]
    assert main([*words, "--folder", str(tmp_path / "mine")]) == 2
    assert "has files that no export wrote [export-folder]" in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    file = tmp_path / "mine" / "notes.txt"
    for place in (file, file / "below"):
        assert main([*words, "--folder", str(place)]) == 2
        assert f"{file} is a file [export-folder]" in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--folder", str(tmp_path / "new"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["top"] == "lig_board_example_threshold"


def test_a_source_that_reads_files_is_refused(tmp_path: Path) -> None:
    core = tmp_path / "core.sv"
    core.write_text('// `include "comment.svh"\nmodule core; endmodule\n')
    assert export_sources._content(core) == core.read_bytes()
    for line, what in (
        ('`include "a.svh"', "`include"),
        ('initial $readmemh("a.hex", x);', "$readmemh"),
    ):
        core.write_text(f"module core;\n  {line}\nendmodule\n")
        with pytest.raises(InputError, match=re.escape(f"uses {what}:")):
            export_sources._content(core)
    with pytest.raises(FailureError, match="cannot read the source"):
        export_sources._content(tmp_path / "none.sv")


def test_a_variant_without_an_fpga_is_refused_with_those_that_have_one(tmp_path: Path) -> None:
    request = Request(EXAMPLES / "perception" / "graph.yaml", "fused", "fpga_sim", tmp_path)
    with pytest.raises(InputError) as refused:
        export(request, Asked("fusesoc"))
    (problem,) = refused.value.problems
    named = problem.hint.rpartition("place them: ")[2].split(", ")
    assert problem.code == "export-nothing"
    assert "fpga_wide" in named and not {"fused", "processes", "dds"} & set(named)


@pytest.mark.parametrize(
    ("target", "told"), [("fusesoc", "and accessed whole"), ("litex", "two words of the bus each")]
)
def test_a_readme_says_how_registers_are_accessed(tmp_path: Path, target: str, told: str) -> None:
    said = (exported(tmp_path, target=target).folder / "README.md").read_text()
    assert f"Of 64 bits, {told}." in said


@pytest.mark.parametrize(
    ("platform", "told"),
    [("fpga_uio_sim", "`ligament run` does so, with this platform"),
     ("fpga_sim", "simulates the FPGA of the platform\n   `fpga_sim`")],
)  # fmt: skip
def test_a_readme_says_who_drives_the_board(tmp_path: Path, platform: str, told: str) -> None:
    request = Request(EXAMPLES / "threshold" / "graph.yaml", "hardware", platform, tmp_path)
    made = export(request, Asked("vivado", folder=tmp_path / "folder"))
    assert made.data["platform"] == platform
    said = (made.folder / "README.md").read_text()
    assert told in said and f"Platform: `{platform}`." in said
    # What software writes into a register of 64 bits, and what it has after a reset.
    assert "; an integer. After a reset 0x80 |" in said
