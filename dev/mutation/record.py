# SPDX-License-Identifier: Apache-2.0
"""What was tried: benchmarks/results/mutants.json, one row per fault, and the counts of it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
COUNTED = {"killed": "killed", "survived": "survived", "timed out": "timed_out"}


def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes a row's fault another one than others."""
    return tuple(row[k] for k in ("file", "line", "kind", "before", "after"))


def moved(row: Mapping[str, Any], rows: Sequence[Row], source: str) -> list[Row]:
    """Return the rows of a fault from when its line was another: there is none at that line now."""
    lines = ["", *source.splitlines()]

    def is_there(old: Row) -> bool:
        number = int(old["line"])
        return number < len(lines) and lines[number].strip() == str(old["before"])

    same = (key_of(row)[0], *key_of(row)[2:])
    return [old for old in rows if (key_of(old)[0], *key_of(old)[2:]) == same and not is_there(old)]


def read_record(path: Path) -> dict[str, Any]:
    """Return the rooms (their tests without a fault) and the rows of all trials so far."""
    return json.loads(path.read_text()) if path.exists() else {"rooms": {}, "rows": []}


def merge(
    path: Path,
    rows: Sequence[Row],
    rooms: Mapping[str, Row] | None = None,
    without: Sequence[Row] = (),
) -> None:
    """Put rows and rooms into the record, each in place of its earlier one; take some rows out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        record = read_record(path)
        out = [key_of(row) for row in without]
        old = [row for row in record["rows"] if key_of(row) not in out]
        kept = {key_of(row): row for row in [*old, *rows]}
        ordered = sorted(kept.values(), key=lambda row: (row["room"], key_of(row)))
        about = dict(sorted((record["rooms"] | dict(rooms or {})).items()))
        new = path.with_suffix(".new")
        named = ",\n".join(f"{json.dumps(name)}: {json.dumps(about[name])}" for name in about)
        lines = ",\n".join(map(json.dumps, ordered))
        new.write_text(f'{{\n"rooms": {{\n{named}\n}},\n"rows": [\n{lines}\n]\n}}\n')
        os.replace(new, path)
    finally:
        os.close(folder)


def report(rows: Sequence[Row], judged: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Count per room and over all; one that is judged the same program is not planted.

    The share is that of the noticed: killed, or out of time, since a suite that hangs is ended and
    fails (`timeout` in tool/ and hdl/pyproject.toml, ctest's own limit). PIT and Stryker count so.
    """
    table: dict[str, Row] = {}
    for row in rows:
        for name in (row["room"], "all"):
            line = table.setdefault(
                name,
                {"room": name, "planted": 0, "killed": 0, "survived": 0, "timed_out": 0,
                 "same": 0, "not_tried": 0},
            )  # fmt: skip
            if row["result"] not in COUNTED:
                line["not_tried"] += 1
            elif row["result"] == "survived" and why_same(row, judged):
                line["same"] += 1
            else:
                line["planted"] += 1
                line[COUNTED[row["result"]]] += 1
    lines = [table[n] for n in table if n != "all"] + ([table["all"]] if table else [])
    for line in lines:
        noticed = line["killed"] + line["timed_out"]
        line["share"] = noticed / line["planted"] if line["planted"] else None
    return lines


def why_same(row: Mapping[str, Any], judged: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the sentence that says why a fault leaves the program the same, if there is one."""
    for entry in judged:
        if all(entry[k] == row[k] for k in ("file", "before", "after")):
            return str(entry["why"])
    return None
