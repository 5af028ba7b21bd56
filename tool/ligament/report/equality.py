# SPDX-License-Identifier: Apache-2.0
"""Whether two runs computed the same: their sinks' recorded frames, one by one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import FailureError

Frames = dict[int, dict[str, Any]]


@dataclass(frozen=True)
class Comparison:
    """The verdict (None: there was nothing to compare with) and the sentence that goes with it."""

    equal: bool | None
    text: str
    frames: int
    first_difference: dict[str, Any] | None = None


def read_frames(path: Path) -> Frames:
    """The frames that a sink recorded, by index. A frame that stands twice is a failure."""
    frames: Frames = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                frame = json.loads(line)
                if frame["index"] in frames:
                    raise FailureError(
                        f"{path}:{number}: frame {frame['index']} was recorded twice"
                    )
                frames[frame["index"]] = frame
    except OSError as error:
        raise FailureError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FailureError(f"{path}:{number}: not a recorded frame ({error})") from error
    return frames


def compare_frames(
    found: Frames, expected: Frames, against: str, tolerance: float | None = None
) -> Comparison:
    """Compare all frames of both sides; the first difference is named.

    With a tolerance, numbers may differ by as much; text (a hash, say) must always be the same.
    """
    if not expected or not found:
        empty = "nothing was recorded" if not found else f"{against} recorded nothing"
        return Comparison(False, f"not comparable: {empty}", 0)
    for index in sorted(expected.keys() | found.keys()):
        difference = _difference(found.get(index), expected.get(index), against, tolerance)
        if difference is not None:
            text = f"frame {index}: {difference}"
            detail = {"index": index, "found": found.get(index), "expected": expected.get(index)}
            return Comparison(False, text, len(found), detail)
    within = "" if tolerance is None else f" within {tolerance:g}"
    return Comparison(True, f"all {len(found)} frames equal {against}{within}", len(found))


def _difference(
    found: dict[str, Any] | None,
    expected: dict[str, Any] | None,
    against: str,
    tolerance: float | None,
) -> str | None:
    if found is None:
        return f"missing here, recorded by {against}"
    if expected is None:
        return f"recorded here, missing in {against}"
    for key in sorted(found.keys() | expected.keys()):
        if not _same(found.get(key), expected.get(key), tolerance):
            return f"{key} is {found.get(key)}, {against} has {expected.get(key)}"
    return None


def _same(one: object, other: object, tolerance: float | None) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and tolerance is not None:
        return bool(abs(one - other) <= tolerance)  # type: ignore[operator]
    return one == other
