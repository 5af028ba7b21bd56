# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves out of grids, and what it must not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2]
CONFTEST = TOOL / "tests" / "conftest.py"
TESTS = """
import pytest

both = pytest.mark.parametrize("distro", ["jazzy", "kilted"])

@both
@pytest.mark.parametrize("case", range(20))
def test_turns(case, distro): pass

@both
@pytest.mark.each_distro
def test_each(distro): pass

@pytest.mark.parametrize("one", ["jazzy", "kilted"])
@pytest.mark.parametrize("other", ["jazzy", "kilted"])
def test_pairs(one, other): pass

@pytest.mark.parametrize("distro", ["jazzy", "humble"])
@pytest.mark.parametrize("old", range(4))
def test_old(old, distro): pass

@pytest.mark.parametrize("case", ["few", pytest.param("many", marks=pytest.mark.full)])
def test_grid(case): pass
"""


def chosen(folder: Path, word: str = "", **environment: str) -> list[str]:
    """What of TESTS is run."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_case.py").write_text(TESTS)
    words = ["--collect-only", "-p", "no:cacheprovider", str(folder / "test_case.py") + word]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(TOOL / "pyproject.toml"),
         "--rootdir", str(folder), *words],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": str(TOOL), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line]


def test_distributions_take_turns_and_no_case_is_lost(tmp_path: Path) -> None:
    chosen_names = [name for name in chosen(tmp_path) if name.startswith("test_turns")]
    assert len(chosen_names) == 20
    assert len({name.replace("jazzy", "").replace("kilted", "") for name in chosen_names}) == 20
    assert 4 <= sum("jazzy" in name for name in chosen_names) <= 16


def test_what_is_not_a_turn_stays(tmp_path: Path) -> None:
    names = chosen(tmp_path)
    assert [name for name in names if "each" in name] == ["test_each[jazzy]", "test_each[kilted]"]
    assert sum("pairs" in name for name in names) == 4
    assert sum("old" in name for name in names) == 8, "kilted is no case of it"
    assert [name for name in names if "grid" in name] == ["test_grid[few]"]


@pytest.mark.parametrize("word", ["", "::test_grid"])
def test_all_run_if_all_are_wanted_or_they_are_named(tmp_path: Path, word: str) -> None:
    wanted = {} if word else {"LIGAMENT_TEST_FULL": "1"}
    names = chosen(tmp_path, word, **wanted)
    assert "test_grid[many]" in names
    assert len(names) == (2 if word else 40 + 2 + 4 + 8 + 2)


def longest() -> list[str]:
    text = CONFTEST.read_text().partition('LONGEST = """')[2].partition('"""')[0]
    return text.split()


def test_files_that_take_long_are_known_and_come_first(tmp_path: Path) -> None:
    assert len(longest()) > 20
    assert not [name for name in longest() if not (TOOL / "tests" / f"{name}.py").exists()]
    words = ["--collect-only", "-p", "no:cacheprovider", "-c", str(TOOL / "pyproject.toml")]
    files = [CONFTEST.parent / name for name in ("test_cache.py", "cores/test_core_run.py")]
    longer = CONFTEST.parent / "cores" / "test_lane_cores.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *map(str, files), str(longer)],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if "::" in line]
    listed = [Path(line.partition("::")[0]).stem for line in lines]
    assert list(dict.fromkeys(listed)) == ["test_lane_cores", "test_core_run", "test_cache"]
