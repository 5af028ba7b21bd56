# SPDX-License-Identifier: Apache-2.0
"""dev/mutants: where it plants faults, what it draws, and how it counts."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "dev"))

from mutation.record import merge, moved, read_record, report  # noqa: E402
from mutation.rooms import Room, again, chosen, faults_of, files_of, read_room  # noqa: E402
from mutation.trial import BaselineError, function_at, try_room  # noqa: E402

SOURCE = '''\
def least(values: list[int], Größe: bool = True) -> int:
    """1 < 2"""
    found = values[0]
    for value in values[1:]:
        if value < found and Größe:
            found = min(value, found)
        elif 3 < value <= 4:
            continue
        values.sort(key=None, reverse=Größe)
    for place in range(2, len(values)):
        raise ValueError(place, 1000)
    print(f"{found + 1}")
    return found - 1
'''


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("comparison", "if value <= found and Größe:"),
        ("comparison", "elif 3 <= value <= 4:"),
        ("comparison", "elif 3 < value < 4:"),
        ("and, or", "if value < found or Größe:"),
        ("condition negated", "if (not (value < found and Größe)):"),
        ("arguments swapped", "found = min(found, value)"),
        ("arguments swapped", "values.sort(key=Größe, reverse=None)"),
        ("operator", "return found + 1"),
        ("constant", "return found - 2"),
        ("constant", "raise ValueError(place, 2000)"),
        ("constant", "found = values[1]"),
        ("initial value", "def least(values: list[int], Größe: bool = False) -> int:"),
        ("off by one", "for value in values[(1) + 1:]:"),
        ("off by one", "for place in range(2, (len(values)) + 1):"),
        ("assignment dropped", "pass"),
        ("continue dropped", "pass"),
        ("raise dropped", "pass"),
        ("return dropped", "return None"),
        ("statement dropped", "pass"),
    ],
)
def test_each_kind_of_fault_is_planted_where_it_stands(kind: str, after: str) -> None:
    assert (kind, after) in {(f.kind, f.lines(SOURCE)[2]) for f in faults_of("least.py", SOURCE)}


def test_texts_hold_no_fault_and_no_fault_is_planted_twice() -> None:
    faults = faults_of("least.py", SOURCE)
    assert not any('"""' in f.lines(SOURCE)[2] for f in faults)
    assert len({(f.begin, f.end, f.text) for f in faults}) == len(faults)


def test_what_is_planted_in_the_tool_is_python() -> None:
    for path in sorted((ROOT / "tool" / "ligament" / "mapping").glob("*.py")):
        source = path.read_text()
        for fault in faults_of(path.name, source):
            assert fault.applied(source) != source
            ast.parse(fault.applied(source))


def test_comments_and_texts_of_cpp_hold_no_fault() -> None:
    source = '#if 1 < 2\n// a < b\nif (a < b) {\n  log("a < b");\n  total += 1;\n}\n'
    lines = {f.lines(source)[0] for f in faults_of("a.cpp", source)}
    assert lines == {3, 4, 5}
    assert {f.lines(source)[2] for f in faults_of("a.cpp", source) if f.kind == "comparison"} == {
        "if (a <= b) {"
    }


def test_faults_of_hardware_tell_assignments_from_comparisons() -> None:
    source = (
        "always_ff @(posedge clk)\n  if (rst) begin\n    full <= 1'b0;\n  end\n  if (a <= b) c = d;"
    )
    planted = {(f.kind, f.lines(source)[2]) for f in faults_of("a.sv", source)}
    assert ("wrong reset", "full <= 1'b1;") in planted
    assert ("condition negated", "if (!rst) begin") in planted
    assert ("statement dropped", "") in planted
    assert {after for kind, after in planted if kind == "comparison"} == {"if (a < b) c = d;"}


def test_what_is_only_proven_holds_no_fault() -> None:
    source = "`ifdef FORMAL\n  initial full = 1'b0;\n`endif\n  assign full = a && b;\n"
    assert {f.lines(source)[0] for f in faults_of("a.sv", source)} == {4}


def test_a_seed_draws_the_same_faults_again(tmp_path: Path) -> None:
    (tmp_path / "least.py").write_text(SOURCE)
    room = Room("room", ("*.py",), "true")
    drawn = chosen(room, tmp_path, 6, 1)
    assert drawn == chosen(room, tmp_path, 6, 1)
    assert len({(f.begin, f.end, f.text) for f in drawn}) == 6
    assert drawn != chosen(room, tmp_path, 6, 2)


def test_a_room_leaves_out_what_it_says(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("")
    assert files_of(Room("room", ("*.py", "!b.py"), ""), tmp_path) == ["a.py"]


def test_words_and_the_name_of_the_file_stand_in_commands() -> None:
    entry = {"files": ["*.sv"], "test": "$RUN tb/$STEM", "build": "$RUN $FOLDER", "killed": [3]}
    room = read_room("room", entry, {"RUN": "run -x"})
    assert room.commands("rtl/fifo.sv") == ("run -x rtl", "run -x tb/fifo")
    assert room.killed == (3,)


def test_a_row_is_planted_again_where_its_line_is_now(tmp_path: Path) -> None:
    path = tmp_path / "least.py"
    path.write_text(SOURCE)
    fault = next(f for f in faults_of("least.py", SOURCE) if f.kind == "raise dropped")
    line, before, after = fault.lines(SOURCE)
    row = {"file": "least.py", "line": line, "kind": fault.kind, "before": before, "after": after}
    path.write_text("# one line more\n" + SOURCE)
    (found,) = again([row, row | {"before": "gone"}], tmp_path)
    assert found.lines(path.read_text()) == (line + 1, before, after)


def test_a_row_whose_line_moved_gives_way_to_the_later_one(tmp_path: Path) -> None:
    row = {"room": "r", "file": "f", "line": 3, "kind": "k", "before": "x", "after": "y"}
    now, elsewhere = row | {"line": 4}, row | {"line": 1}
    other = row | {"after": "z"}
    old = [row, elsewhere, other]
    assert moved(now, old, "x\n\n\n  x\n") == [row], "one of the first line is still there"
    assert moved(now, old, "x\n") == [row], "the file became shorter"
    record = tmp_path / "record.json"
    merge(record, old)
    merge(record, [now], without=[row])
    assert read_record(record)["rows"] == [elsewhere, other, now]


@pytest.mark.parametrize(
    ("test", "build", "result"),
    [
        ("! grep -q 'values.1.$' least.py", "", "killed"),
        ("true", "", "survived"),
        ("! grep -q 'values.1.$' least.py || exit 5", "", "error"),
        ("! grep -q 'values.1.$' least.py || kill -SEGV $$$$", "", "error"),
        ("true", "! grep -q 'values.1.$' least.py", "not compiled"),
        ("! grep -q 'values.1.$' least.py || sleep 60", "", "timed out"),
    ],
)
def test_a_trial_ends_as_its_commands_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: str, build: str, result: str
) -> None:
    monkeypatch.setattr("mutation.trial.LEAST_SECONDS", 2.0)
    path = tmp_path / "least.py"
    path.write_text(SOURCE)
    fault = next(f for f in faults_of("least.py", SOURCE) if "values[1]" in f.lines(SOURCE)[2])
    rows: list[dict[str, object]] = []
    try_room(Room("room", (), test, build), tmp_path, [fault], rows.append)
    assert [row["result"] for row in rows] == [result]
    assert path.read_text() == SOURCE


def test_a_trial_says_which_test_noticed_and_what_was_skipped(tmp_path: Path) -> None:
    (tmp_path / "least.py").write_text(SOURCE)
    said = (
        "echo '3 passed, 2 skipped'; ! grep 'values.1.$' least.py || { echo FAILED a::b; false; }"
    )
    fault = next(f for f in faults_of("least.py", SOURCE) if "values[1]" in f.lines(SOURCE)[2])
    rows: list[dict[str, object]] = []
    unchanged = try_room(Room("room", (), said), tmp_path, [fault], rows.append)
    assert (unchanged.passed, unchanged.skipped) == (3, 2)
    assert rows[0]["by"] == "a::b"


def test_a_trial_of_pytest_runs_the_files_that_call_the_function(tmp_path: Path) -> None:
    """And no other, though the other would fail as well."""
    package = tmp_path / "tool" / "ligament_of_test"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "LIMIT = 3\n\ndef one() -> int:\n    return 1\n\ndef two() -> int:\n    return 1 + 1\n"
    )
    for name, call, value in (("a", "one", 1), ("b", "two", 2)):
        test = (
            f"from ligament_of_test import {call}\n\ndef test_it():\n    assert {call}() == {value}"
        )
        (tmp_path / f"test_{name}.py").write_text(test)
    (tmp_path / "build").mkdir()
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "dev").symlink_to(ROOT / "dev")
    command = ".venv/bin/python -m pytest -q -x -p no:cacheprovider -p mutation.order --rootdir . ."
    room = Room("room", ("tool/**/*.py",), command)
    found: list[dict[str, object]] = []
    try_room(room, tmp_path, chosen(room, tmp_path, 20, 1), found.append)
    by_line = {(row["kind"], row["line"]): (row["result"], row.get("by")) for row in found}
    assert by_line["constant", 4] == ("killed", "test_a.py::test_it")
    assert by_line["operator", 7] == ("killed", "test_b.py::test_it")
    assert by_line["initial value", 1] == ("survived", None)


@pytest.mark.parametrize(
    ("line", "begins"), [(1, 0), (3, 3), (4, 3), (5, 5), (6, 5), (7, 3), (8, 0)]
)
def test_the_function_of_a_line_is_the_innermost(line: int, begins: int) -> None:
    source = "a = 1\n\n@cache\ndef f():\n    def g():\n        pass\n    return g\nb = 2\n"
    assert function_at(source, line) == begins


def test_a_room_whose_tests_fail_anyway_is_refused(tmp_path: Path) -> None:
    fault = faults_of("least.py", SOURCE)[0]
    with pytest.raises(BaselineError, match="without a fault"):
        try_room(Room("room", (), "false"), tmp_path, [fault], lambda row: None)


def row_of(after: str, result: str) -> dict[str, object]:
    return {"room": "a", "file": "f", "line": 1, "kind": "k", "before": "x", "after": after,
            "result": result}  # fmt: skip


def test_a_judged_survivor_is_not_counted_and_a_time_out_is_noticed() -> None:
    results = {"y": "survived", "z": "survived", "w": "killed", "q": "not compiled",
               "r": "timed out", "s": "error"}  # fmt: skip
    rows = [row_of(after, result) for after, result in results.items()]
    judged = [{"file": "f", "before": "x", "after": "y", "why": "the same"}]
    line = report(rows, judged)[-1]
    assert line | {"room": "all"} == {
        "room": "all", "planted": 3, "killed": 1, "survived": 1, "timed_out": 1, "same": 1,
        "not_tried": 2, "share": 2 / 3,
    }  # fmt: skip


def test_a_row_takes_the_place_of_its_earlier_one_alone(tmp_path: Path) -> None:
    record = tmp_path / "results" / "mutants.json"
    merge(record, [row_of("y", "survived"), row_of("z", "killed")], {"a": {"skipped": 1}})
    merge(record, [row_of("y", "killed")], {"b": {"skipped": 2}})
    found = read_record(record)
    assert [(row["after"], row["result"]) for row in found["rows"]] == [
        ("y", "killed"),
        ("z", "killed"),
    ]
    assert found["rooms"] == {"a": {"skipped": 1}, "b": {"skipped": 2}}
