# SPDX-License-Identifier: Apache-2.0
"""A test that skips itself is a failure where everything it needs was promised."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = "import pytest\ndef test_it():\n    pytest.skip('nothing was built')\n"


@pytest.mark.parametrize(("promised", "code"), [("0", 0), ("1", 1)])
def test_a_skip_fails_where_everything_was_promised(
    tmp_path: Path, promised: str, code: int
) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "LIGAMENT_TEST_REQUIRE_ALL": promised},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == code, result.stdout
    assert ("nothing was built" in result.stdout) == (promised == "1")
