# SPDX-License-Identifier: Apache-2.0
"""dev/mutants: where it plants faults, what it draws, and how it counts."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "dev"))

from mutation.sites import faults_of  # noqa: E402
from mutation.trial import BaselineError, Room, chosen, report, try_room  # noqa: E402

SOURCE = '''\
def least(values: list[int], Größe: bool = True) -> int:
    """1 < 2"""
    found = values[0]
    for value in values[1:]:
        if value < found and Größe:
            found = min(value, found)
    print(f"{found + 1}")
    return found - 1
'''


def test_each_kind_of_fault_is_planted_where_it_stands() -> None:
    planted = {(f.kind, f.lines(SOURCE)[2]) for f in faults_of("least.py", SOURCE)}
    assert ("comparison", "if value <= found and Größe:") in planted
    assert ("and, or", "if value < found or Größe:") in planted
    assert ("condition negated", "if (not (value < found and Größe)):") in planted
    assert ("arguments swapped", "found = min(found, value)") in planted
    assert ("operator", "return found + 1") in planted
    assert ("constant", "return found - 2") in planted
    assert ("constant", "found = values[1]") in planted
    assert ("statement dropped", "pass") in planted
    assert not any('"""' in after for _, after in planted)


def test_what_is_planted_in_the_tool_is_python() -> None:
    for path in sorted((ROOT / "tool" / "ligament" / "mapping").glob("*.py")):
        source = path.read_text()
        for fault in faults_of(path.name, source):
            assert fault.applied(source) != source
            ast.parse(fault.applied(source))


def test_comments_and_texts_of_cpp_hold_no_fault() -> None:
    source = '// a < b\nif (a < b) {\n  log("a < b");\n  total += 1;\n}\n'
    lines = {f.lines(source)[0] for f in faults_of("a.cpp", source)}
    assert lines == {2, 3, 4}
    assert {f.lines(source)[2] for f in faults_of("a.cpp", source) if f.kind == "comparison"} == {
        "if (a <= b) {"
    }


def test_a_reset_of_hardware_is_planted_wrong() -> None:
    source = "always_ff @(posedge clk)\n  if (rst) begin\n    full <= 1'b0;\n  end\n"
    assert "full <= 1'b1;" in {f.lines(source)[2] for f in faults_of("a.sv", source)}


def test_a_seed_draws_the_same_faults_again(tmp_path: Path) -> None:
    (tmp_path / "least.py").write_text(SOURCE)
    room = Room("room", ("*.py",), "true")
    drawn = chosen(room, tmp_path, 6, 1)
    assert drawn == chosen(room, tmp_path, 6, 1)
    assert len({(f.begin, f.text) for f in drawn}) == 6
    assert drawn != chosen(room, tmp_path, 6, 2)


@pytest.mark.parametrize(
    ("test", "result"), [("grep -q 'values.0.$'", "killed"), ("true", "survived")]
)
def test_a_fault_is_killed_by_a_test_that_fails(tmp_path: Path, test: str, result: str) -> None:
    path = tmp_path / "least.py"
    path.write_text(SOURCE)
    fault = next(
        f for f in faults_of("least.py", SOURCE) if f.lines(SOURCE)[2].endswith("values[1]")
    )
    rows: list[dict[str, object]] = []
    try_room(
        Room("room", (), f"{test} least.py" if test != "true" else test),
        tmp_path,
        [fault],
        rows.append,
    )
    assert [row["result"] for row in rows] == [result]
    assert path.read_text() == SOURCE


def test_a_room_whose_tests_fail_anyway_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="without a fault"):
        try_room(Room("room", (), "false"), tmp_path, [], lambda row: None)


def test_a_judged_survivor_is_not_counted() -> None:
    rows = [
        {"room": "a", "file": "f", "before": "x", "after": "y", "result": "survived"},
        {"room": "a", "file": "f", "before": "x", "after": "z", "result": "survived"},
        {"room": "a", "file": "f", "before": "v", "after": "w", "result": "killed"},
        {"room": "a", "file": "f", "before": "p", "after": "q", "result": "not compiled"},
    ]
    judged = [{"file": "f", "before": "x", "after": "y", "why": "the same"}]
    line = report(rows, judged)[-1]
    assert (line["planted"], line["killed"], line["same"], line["survived"]) == (2, 1, 1, 1)
    assert line["share"] == 0.5
