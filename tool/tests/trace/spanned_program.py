# SPDX-License-Identifier: Apache-2.0
"""Test helper: a Python program with spans, as the how-to page has it."""

from __future__ import annotations

import sys
import time

from ligament.span import Spans

computed = 0


def count_points() -> dict[str, float]:
    """A value that costs something: computed only while something records."""
    global computed
    computed += 1
    return {"points": 640}


def main(frames: int) -> int:
    spans = Spans("/tracker")

    @spans.spanned()
    def decode() -> None:
        time.sleep(0.0002)

    for _ in range(frames):
        decode()
        with spans.span("track", count_points, category="copy") as span:
            time.sleep(0.0002)
            span.finish(lambda: {"inliers": 0.5})
            span.finish(lambda: {"never": 1})
    return computed


if __name__ == "__main__":
    print(main(int(sys.argv[1])))
