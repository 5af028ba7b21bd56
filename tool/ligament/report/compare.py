# SPDX-License-Identifier: Apache-2.0
"""Two reports beside each other: has anything become slower, and is that more than noise?

A *regression* is a difference for the worse that is both significant (its 95 % confidence interval
does not contain "unchanged") and larger than the threshold, a share of the chain's latency.
spec/report/reference.md has the reasons.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem, listing
from ligament.report.differences import NO_DIFFERENCE, Interval, median_of, ratio_interval
from ligament.report.recorded import unread

SCHEMA = "ligament/comparison/1"
REPORT_SCHEMA = "ligament/report/2"
OLDER_SCHEMA = "ligament/report/1"
"""Its shares were cut otherwise; what is compared here means the same in both."""
REGRESSION, SLOWER, FASTER, NONE = ("regression", "within threshold", "better", "not comparable")


@dataclass(frozen=True)
class Judged:
    """One figure of one variant in both reports. `ratio`: new / base; null where base is 0.

    The 95 % interval is of that ratio for times, and of the difference new - base for counts, which
    may be 0.
    """

    variant: str
    figure: str
    unit: str
    base: float | None
    new: float | None
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    difference_low: float | None = None
    difference_high: float | None = None


def read_report(path: Path) -> dict[str, Any]:
    """A report.json, given it or the folder that it lies in; checked as far as it is used here."""
    file = path / "report.json" if path.is_dir() else path
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            Problem(
                "report-unreadable",
                unread(path, "report.json", error),
                hint="name a report.json that `ligament report` wrote, or a run's folder",
            )
        ) from error
    if not isinstance(data, dict) or data.get("schema") not in (REPORT_SCHEMA, OLDER_SCHEMA):
        raise InputError(
            Problem(
                "schema-version",
                f"{file} is no report of a version that can be compared",
                expected=f"schema: {REPORT_SCHEMA}, or {OLDER_SCHEMA}",
            )
        )
    variants = data.get("variants")
    if not isinstance(variants, list) or not all(
        isinstance(v, dict) and isinstance(v.get("name"), str) for v in variants
    ):
        raise InputError(Problem("report-unreadable", f"{file}: `variants` is no list of variants"))
    return data


def compare(base: Mapping[str, Any], new: Mapping[str, Any], threshold: float) -> dict[str, Any]:
    """The comparison's plain form; `regressions` are the sentences that make it fail."""
    pairs, notes = _pairs(base, new)
    judged = [entry for one, other in pairs for entry in _judge_variant(one, other, threshold)]
    regressions = [_sentence(entry) for entry in judged if entry.verdict == REGRESSION]
    regressions += [
        f"{other['name']}: its outputs differ from the reference: {_text(other)}"
        for _, other in pairs
        if other.get("equal") is False
    ]
    return {
        "schema": SCHEMA,
        "threshold": threshold,
        "pairs": [{"base": _named(one), "new": _named(other)} for one, other in pairs],
        "regressions": regressions,
        "figures": [asdict(entry) for entry in judged],
        "notes": [
            *notes,
            *_version_notes(base, new),
            *_context_notes(base, new),
            *_base_notes(pairs),
            *_loss_notes(pairs),
        ],
    }


def _pairs(
    base: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[list[tuple[dict[str, Any], dict[str, Any]]], list[str]]:
    """Variants of one name; a lone variant on each side is a pair whatever its name."""
    if len(base["variants"]) == len(new["variants"]) == 1:
        return [(base["variants"][0], new["variants"][0])], []
    there = {v["name"]: v for v in base["variants"]}
    here = {v["name"]: v for v in new["variants"]}
    pairs = [(there[name], variant) for name, variant in here.items() if name in there]
    if not pairs:
        raise InputError(
            Problem(
                "variants-differ",
                f"no variant is in both: {listing(there) or 'none'} and {listing(here) or 'none'}",
                expected="two reports with variants of the same names, or of one run each",
            )
        )
    alone = [f"variant {n} is in the {w} report only" for w, ns, other in (
        ("base", there, here), ("new", here, there)) for n in ns if n not in other]  # fmt: skip
    return pairs, alone


def _named(variant: Mapping[str, Any]) -> dict[str, Any]:
    return {"variant": variant["name"], "run_id": variant.get("run_id")}


def _judge_variant(
    base: Mapping[str, Any], new: Mapping[str, Any], threshold: float
) -> Iterator[Judged]:
    name = new["name"]
    latency = median_of(base.get("latency_ns"))
    for figure, one, other in _times(base, new):
        # Parts are measured by the whole: 2 us more on one hop are little in a chain of 1 ms.
        whole = latency or one
        let_pass = threshold * whole.estimate if whole else 0.0
        yield _judge_times(name, figure, one, other, let_pass)
    for figure in ("drops", "copies", "incomplete"):
        yield _judge_counts(name, figure, base, new, threshold)


def _times(
    base: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, Interval | None, Interval | None]]:
    for figure, key in (("latency", "latency_ns"), ("message passing", "message_passing_ns")):
        yield figure, median_of(base.get(key)), median_of(new.get(key))
    there = {_hop(hop): hop for hop in base.get("hops") or []}
    for hop in new.get("hops") or []:
        if _hop(hop) in there:
            known = there[_hop(hop)]
            yield (
                f"hop {_hop(hop)}",
                median_of(known.get("total_ns")),
                median_of(hop.get("total_ns")),
            )


def _hop(hop: Mapping[str, Any]) -> str:
    return f"{hop.get('from')} -> {hop.get('to')}"


def _judge_times(
    name: str, figure: str, base: Interval | None, new: Interval | None, let_pass_ns: float
) -> Judged:
    before = None if base is None else base.estimate
    after = None if new is None else new.estimate
    if base is None or new is None:
        # Where no message arrives any more there is no time either: that is no improvement.
        gone = figure == "latency" and base is not None
        verdict = REGRESSION if gone else NONE
        return Judged(name, figure, "ns", before, after, None, None, None, verdict)
    ratio = ratio_interval(base, new)
    verdict = _verdict(ratio, new.estimate - base.estimate > let_pass_ns)
    return Judged(name, figure, "ns", before, after, ratio.estimate, ratio.low, ratio.high,
                  verdict)  # fmt: skip


def _verdict(ratio: Interval, is_much: bool) -> str:
    if ratio.low <= 1.0 <= ratio.high:
        return NO_DIFFERENCE
    if ratio.high < 1.0:
        return FASTER
    return REGRESSION if is_much else SLOWER


def _judge_counts(
    name: str, figure: str, base: Mapping[str, Any], new: Mapping[str, Any], threshold: float
) -> Judged:
    """Counts per message: unlikely things that happen independently, so of Poisson's kind."""
    before, after = _rate(base, figure), _rate(new, figure)
    if before is None or after is None:
        return Judged(name, figure, "per message", None, None, None, None, None, NONE)
    (one, frames), (other, new_frames) = before, after
    difference = other / new_frames - one / frames
    spread = 1.96 * math.sqrt(one / frames**2 + other / new_frames**2)
    if abs(difference) <= spread:
        verdict = NO_DIFFERENCE
    elif difference < 0:
        verdict = FASTER
    else:
        verdict = REGRESSION if difference > threshold * one / frames else SLOWER
    ratio = None if one == 0 else (other / new_frames) / (one / frames)
    return Judged(name, figure, "per message", one / frames, other / new_frames, ratio, None, None,
                  verdict, difference - spread, difference + spread)  # fmt: skip


def _rate(variant: Mapping[str, Any], figure: str) -> tuple[int, int] | None:
    value = variant.get(figure)
    if figure == "incomplete" and isinstance(value, Mapping):
        value = value.get("count")
    frames = variant.get("frames")
    if not isinstance(value, int) or not isinstance(frames, int) or value < 0 or frames < 1:
        return None
    return value, frames


def _sentence(entry: Judged) -> str:
    if entry.new is None:
        return f"{entry.variant}: {entry.figure}: there is none any more: no message arrived"
    if entry.unit == "ns":
        return (
            f"{entry.variant}: {entry.figure}: the median is x {entry.ratio:.3f} of what it was "
            f"(95 % interval {entry.low:.3f} .. {entry.high:.3f})"
        )
    return (
        f"{entry.variant}: {entry.figure} per message: {entry.new:.4g}, was {entry.base:.4g} "
        f"(95 % interval of the difference {entry.difference_low:.4g} .. "
        f"{entry.difference_high:.4g})"
    )


def _text(variant: Mapping[str, Any]) -> str:
    equality = variant.get("equality")
    return str(equality.get("text")) if isinstance(equality, Mapping) else "no reason is told"


def _version_notes(base: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [
        f"the {which} report was written by an older version ({OLDER_SCHEMA}); latencies, message "
        "passing, hops and counts mean the same in both"
        for which, report in (("base", base), ("new", new))
        if report.get("schema") == OLDER_SCHEMA
    ]


def _context_notes(base: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Other machine, other frequency rule: then a difference is none of the program."""
    notes = []
    machines = [(r.get("context") or {}).get("machine") or {} for r in (base, new)]
    for key in ("cpu", "cores", "kernel", "governor"):
        one, other = (machine.get(key) for machine in machines)
        if one != other:
            notes.append(f"the machines differ: {key} was {one}, is {other}")
    if base.get("graph") != new.get("graph"):
        notes.append(f"the graphs differ: {base.get('graph')} and {new.get('graph')}")
    return notes


def _base_notes(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    """A device's time that was the host's wait before is another measure of the same thing."""
    return [
        f"{new['name']}: times are by other clocks: {was} in the base report, {now} in the new one"
        for base, new in pairs
        if (was := base.get("time_base") or "host") != (now := new.get("time_base") or "host")
    ]


def _loss_notes(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    return [
        f"{variant['name']}: {variant['lost_events']} events were lost in the {which} run; rare "
        "long times may be among them"
        for pair in pairs
        for which, variant in zip(("base", "new"), pair, strict=True)
        if variant.get("lost_events")
    ]
