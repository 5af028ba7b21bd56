# SPDX-License-Identifier: Apache-2.0
"""What nodes need of a host: its Python is asked for modules, whatever these do when imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ligament.deploy import needs
from ligament.deploy.needs import lacks_in
from ligament.run.ros_python import RosPython

CODES = {
    "prints": "import sys; print('numpy'); sys.stdin.read(1) and print('it reads')",
    "breaks": "raise RuntimeError('no device')",
    "leaves": "import sys; sys.exit(0)",
    "wants": "import nowhere",
    "right": "",
}


def lacks_of(modules: list[str], program: str, folder: Path) -> list[str]:
    ros = RosPython(Path(program), folder, {"PYTHONPATH": str(folder)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ligament.deploy.needs.find_ros_python", lambda _: ros)
        return lacks_in(needs.answer({"distro": "", "programs": [], "modules": modules}))


def test_modules_that_a_host_lacks_are_told_each_with_why(tmp_path: Path) -> None:
    """A package is imported to look into it: what it prints, reads or raises is no answer."""
    for name, code in CODES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(code)
        (tmp_path / name / "inner.py").write_text("")
    connection = tmp_path / "connection"  # nobody may read from it
    connection.write_text("a request")
    own = os.dup(0)
    with connection.open("rb") as stream:
        os.dup2(stream.fileno(), 0)
        try:
            names = [f"{name}.inner" for name in CODES]
            said = lacks_of([*names, "right.other", "none", "none.x"], sys.executable, tmp_path)
            assert os.lseek(0, 0, os.SEEK_CUR) == 0
        finally:
            os.dup2(own, 0)
            os.close(own)
    assert said == [
        f"{sys.executable} has no module '{name}' ({why})"
        for name, why in (
            ("breaks.inner", "RuntimeError: no device"),
            ("leaves.inner", "SystemExit: 0"),
            ("wants.inner", "ModuleNotFoundError: No module named 'nowhere'"),
            ("right.other", "there is none"),
            ("none", "there is none"),
            ("none.x", "there is none"),
        )
    ]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo no such library >&2; exit 3", "exit code 3: no such library"),
        ("sleep 60 & sleep 60", "no answer within 0.3 s"),
        ("echo numpy", "not JSON"),
    ],
)
def test_python_of_a_host_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, why: str
) -> None:
    """Also if a child of it is left, which would hold a pipe open."""
    monkeypatch.setattr("ligament.deploy.needs._ASK_S", 0.3 if "sleep" in script else 20.0)
    program = tmp_path / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    (said,) = lacks_of(["numpy"], str(program), tmp_path)
    assert said.startswith(f"the Python of ROS 2, {program}, cannot be asked for modules: {why}")
