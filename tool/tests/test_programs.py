# SPDX-License-Identifier: Apache-2.0
"""Programs that are asked something."""

from __future__ import annotations

import pytest

from ligament.programs import asked


def test_a_program_that_fails_is_heard_too() -> None:
    done = asked(["sh", "-c", "echo yes; echo but >&2; exit 3"], timeout_s=60)
    assert done is not None
    assert (done.returncode, done.stdout, done.stderr) == (3, "yes\n", "but\n")


@pytest.mark.parametrize("command", [["/no/such/program"], ["/dev/null"], ["sleep", "60"]])
def test_one_that_is_not_there_or_does_not_end_says_nothing(command: list[str]) -> None:
    assert asked(command, timeout_s=0.1) is None
