# SPDX-License-Identifier: Apache-2.0
"""Every page tells the truth about paths: links and named files exist, and no page names a line."""

import re
import subprocess
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
