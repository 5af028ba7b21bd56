# SPDX-License-Identifier: Apache-2.0
"""How well was it driven? report.py RUN_DIR... [--html PAGE] [--json FILE] [--chain REPORT]
                                      [--same]

Each RUN_DIR is a run of examples/driving, or the log of its simulator. REPORT is the file that
`ligament report RUN_DIR --out REPORT` wrote, if the run was traced. --same: all drives must be
equal, frame by frame; else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from drive_report.figures import figures, title_of
from drive_report.hardware import difference, hardware_lines, hardware_of
from drive_report.log import DriveLog, LogError, find_log, read_log
from drive_report.page import page


def main() -> int:
    """Print the figures, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN_DIR|DRIVE.jsonl")
    parser.add_argument("--html", type=Path, help="write the page")
    parser.add_argument("--json", type=Path, help="write the figures")
    parser.add_argument("--chain", type=Path, help="report.json of the traced run")
    parser.add_argument("--same", action="store_true", help="all drives must be equal")
    words = parser.parse_args()
    try:
        logs = [read_log(find_log(place)) for place in words.runs]
        chain = chain_of(words.chain) if words.chain else None
    except (LogError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    found = [figures(log) for log in logs]
    for one in found:
        print(line_of(one))
    for line in hardware_lines(chain["hardware"]) if chain and chain["hardware"] else []:
        print(line)
    if words.json:
        words.json.write_text(json.dumps({"drives": found, "chain": chain}, indent=1) + "\n")
    if words.html:
        words.html.write_text(page(logs, found, chain), encoding="utf-8")
        print(f"page: {words.html}")
    return same(logs) if words.same else 0


def same(logs: list[DriveLog]) -> int:
    """Say whether all drives are the same; return the exit code."""
    for number, log in enumerate(logs[1:], 2):
        if found := difference(logs[0], log):
            print(f"report: drive {number} is not as the first: {found}", file=sys.stderr)
            return 1
    print(f"all {len(logs[0].frames)} commands are the same in {len(logs)} drives")
    return 0


def line_of(one: dict[str, Any]) -> str:
    """Return a drive in one line."""
    lateral, laps = one["lateral_m"], one["lap_s"]
    times = f" of {sum(laps) / len(laps):.1f} s" if laps else ""
    reply = one["reply_ms"]
    took = (
        f"; image to command p50 {reply['p50']:.1f} ms, p99 {reply['p99']:.1f} ms" if reply else ""
    )
    error = f"lateral error p95 {lateral['p95'] * 100:.1f} cm" if lateral else "it never moved"
    return (
        f"{title_of(one)}: {one['laps']} laps{times}, {error}, "
        f"{one['departures']} departures, stopped at {one['stops_obeyed']} of {one['red_lights']} "
        f"red lights; {one['reason']}{took}{slam_text(one['slam'])}"
    )


def slam_text(slam: dict[str, Any] | None) -> str:
    """Return how exact SLAM was, in words."""
    if slam is None:
        return ""
    if slam["ate_rmse_m"] is None:
        return f"; SLAM told {slam['poses']} poses: too few for an error"
    return (
        f"; SLAM: error {slam['ate_rmse_m'] * 100:.1f} cm, {slam['ate_share'] * 100:.2f} % of "
        f"{slam['path_m']:.1f} m, {slam['keyframes']} keyframes, "
        f"{slam['loops_closed']} loops closed"
    )


def chain_of(path: Path) -> dict[str, Any] | None:
    """Return the chain of the first variant in a report.json."""
    try:
        variants = json.loads(path.read_text(encoding="utf-8")).get("variants", [])
    except ValueError as error:
        raise LogError(f"{path} is no report.json: {error}") from error
    if not variants:
        return None
    first = variants[0]
    hardware = hardware_of(first)
    if not first.get("chain") and not hardware:
        return None
    keys = ("latency_ns", "message_passing")
    nodes = (first.get("chain") or {}).get("nodes", [])
    return {"nodes": nodes, **{k: first.get(k) for k in keys}, "hardware": hardware}


if __name__ == "__main__":
    sys.exit(main())
