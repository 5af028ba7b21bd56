# SPDX-License-Identifier: Apache-2.0
"""Every page tells the truth about paths: links and named files exist, and no page names a line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")
LINE_NUMBER = re.compile(r"\b[\w/]+\.(?:cpp|hpp|py|h|md):\d+\b")


def pages() -> list[Path]:
    """All Markdown pages that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return [REPO / page for page in listed if (REPO / page).exists()]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(REPO)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = [
        target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()
    ]
    assert not missing, f"{page.relative_to(REPO)} links to {missing}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(REPO)))
def test_no_page_cites_a_line_number(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    assert not LINE_NUMBER.findall(text)


README_NODE = """
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
using namespace ligament::sensor_msgs::msg;
void rectify(std::span<const std::uint8_t> from, std::span<std::uint8_t> to);
class Rectify : public ligament::Node {{
 public:
  explicit Rectify(const ligament::NodeOptions& options) : Node("rectify", options) {{
{body}
  }}
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
}};
"""


def test_the_readme_s_node_compiles(tmp_path: Path) -> None:
    (body,) = re.findall(r"```cpp\n(.*?)```", (REPO / "README.md").read_text(), re.DOTALL)
    source = tmp_path / "readme.cpp"
    source.write_text(README_NODE.format(body=body))
    include = Path(sys.prefix) / "include"
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-fsyntax-only", f"-I{include}", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_readme_s_graph_is_right(tmp_path: Path) -> None:
    (graph,) = re.findall(r"```yaml\n(.*?)```", (REPO / "README.md").read_text(), re.DOTALL)
    (tmp_path / "graph.yaml").write_text(graph)
    command = [Path(sys.prefix) / "bin" / "ligament", "check", "graph.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_tracked_source_has_its_licence_line() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.cpp", "*.hpp", "*.h", "*.cmake", "CMakeLists.txt", "dev/*"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    without = [
        name
        for name in listed
        if (REPO / name).exists()
        and "golden" not in name
        and not name.endswith(".txt.in")
        and "apt-packages" not in name
        and "SPDX-License-Identifier: Apache-2.0"
        not in "\n".join((REPO / name).read_text().splitlines()[:3])
    ]
    assert not without
