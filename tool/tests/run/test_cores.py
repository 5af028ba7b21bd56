# SPDX-License-Identifier: Apache-2.0
"""Lists of cores: ours are accepted as they stand, all else is refused with what there is."""

from __future__ import annotations

import os

import pytest

from ligament.errors import InputError
from ligament.run.cores import check_cores, one_core


def test_cores_of_this_process_are_accepted() -> None:
    ours = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    assert check_cores(ours) == ours
    assert check_cores(one_core()) == one_core()
    assert check_cores(None) is None


@pytest.mark.parametrize("text", ["", "one", "0-", "3-1", "99999", "0,,1", "-1"])
def test_other_lists_are_refused(text: str) -> None:
    with pytest.raises(InputError) as raised:
        check_cores(text)
    assert "--cores" in raised.value.problems[0].text
