# SPDX-License-Identifier: Apache-2.0
"""What a report says of programs of other packages."""

from __future__ import annotations

from ligament.report.executables import executable_remarks, executables_of


def test_each_is_named_with_its_program_and_its_ends() -> None:
    run = {
        "executables": {
            "viewer": {
                "command": ["/x/viewer", "a b", "--ros-args", "-r", "a:=b"],
                "middleware": None,
            }
        },
        "processes": [
            {"container": "node", "exit": "exit 0"},
            {"container": "viewer", "exit": "killed by SIGSEGV"},
            {"container": "viewer", "exit": None},
        ],
    }
    entry = executables_of(run)
    assert entry["executables"][0]["exits"] == ["killed by SIGSEGV", "running"]
    (said,) = executable_remarks(entry)
    assert "(/x/viewer 'a b'; its own middleware; killed by SIGSEGV, then running)" in said
    assert said.endswith(": its nodes are not recorded")
    entry["executables"][0]["middleware"] = "rmw_ligament_cpp"
    assert next(executable_remarks(entry)).endswith("then running)")


def test_a_run_without_any_says_nothing() -> None:
    assert executables_of({"executables": {}}) == executables_of({}) == {}
    assert list(executable_remarks({})) == []
