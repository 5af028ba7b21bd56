# SPDX-License-Identifier: Apache-2.0
"""Each statement of a report beside a second computation of it, on random runs of small graphs."""

from __future__ import annotations

import json
import math
import random
import statistics
import tempfile
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_up_traces import run_maker
from naive_report import (
    SHARES,
    Hop,
    Naive,
    Way,
    batches_of,
    histogram,
    percentile,
    rate,
    student,
    summary,
)
from random_traces import GRAPHS, Made, make_trace

from ligament.report import statistics as ours
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report

SEEDS = st.integers(0, 2**32 - 1)
COUNTED_LOST = 2
"""By the containers themselves, in the status lines that every made-up run has."""


def reported(made: Made, warm_up: int) -> dict[str, Any]:
    """The entry of report.json of a run with this trace."""
    with tempfile.TemporaryDirectory() as folder:
        run = run_maker(Path(folder))(made.trace, lost=made.counted, **made.metadata())
        entry: dict[str, Any] = make_report([run], ReportOptions(warm_up=warm_up))["variants"][0]
    return entry


def same(found: Any, wanted: Any) -> None:
    """Equal but for rounding; of a dictionary what is wanted."""
    if isinstance(wanted, Mapping):
        assert found is not None
        for key, value in wanted.items():
            same(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    else:
        assert found == wanted


def same_summary(found: Any, values: list[int]) -> None:
    """Where the interval of a median is widened, by a formula for Student's t of three digits."""
    wanted = summary(values)
    rough = {key: wanted.pop(key) for key in ("p50_low", "p50_high") if key in wanted}
    same(found, wanted)
    for key, value in rough.items():
        half = abs(value - wanted["p50"])  # the bound itself may lie beside 0
        assert found[key] == pytest.approx(value, abs=3e-3 * half + 1e-9)


@settings(max_examples=20)
@given(seed=SEEDS, shape=st.sampled_from(sorted(GRAPHS)), frames=st.integers(1, 25),
       warm_up=st.integers(0, 3))  # fmt: skip
@example(seed=18889743, shape="fan_out", frames=13, warm_up=0)  # two answers to one message
def test_every_statement(seed: int, shape: str, frames: int, warm_up: int) -> None:
    made = make_trace(seed, shape, frames)
    entry, naive = reported(made, warm_up), Naive(made.rows)
    check_losses(entry, naive, made)
    check_callbacks_and_spans(entry, naive)
    chains = {naive.name(chain): chain for chain in naive.chains()}
    main = check_chains(entry, naive, chains)
    if main is None:
        return
    ways = naive.follow(main)[0]
    skipped = min(warm_up, max(len(ways) - 1, 0))
    same(entry, {"frames": len(ways) - skipped, "warm_up_frames": skipped})
    if ways:
        check_times(entry, naive, main, ways[skipped:])


@settings(max_examples=40)
@given(seed=SEEDS, count=st.integers(1, 400))
def test_the_figures_of_values_with_a_long_tail(seed: int, count: int) -> None:
    draw = random.Random(seed)
    values = [int(1000 * draw.paretovariate(1.0)) for _ in range(count)]
    same_summary(ours.summarise(values), values)
    same(ours.histogram(values), histogram(values))
    for point in ours.quantiles(values):
        assert point["value_ns"] == percentile(values, point["share"] or 1e-12)


@settings(max_examples=3)
@given(seed=SEEDS, frames=st.integers(150, 200))
def test_the_statements_on_many_messages(seed: int, frames: int) -> None:
    """The interval of a median is only widened where batches can be made."""
    made = make_trace(seed, "chain", frames, whole=True)
    entry, naive = reported(made, 0), Naive(made.rows)
    (main,) = naive.chains()
    check_times(entry, naive, main, naive.follow(main)[0])


def check_losses(entry: Any, naive: Naive, made: Made) -> None:
    dropped = sum(row["count"] for row in naive.of("drop"))
    same(entry["drops"], max(COUNTED_LOST, dropped))
    same(entry["lost_events"], max(made.counted, made.lost_events) + made.lost_packets)
    said = " ".join(entry["missing"])
    assert (f"{made.lost_events} events were discarded" in said) == (made.lost_events > 0)
    assert (f"{made.lost_packets} packets of events" in said) == (made.lost_packets > 0)
    unfinished = len(list(naive.of("callback_start"))) - len(naive.callbacks)
    assert (f"{unfinished} callbacks began whose end" in said) == (unfinished > 0)
    messages = dict.fromkeys(naive.topic.values(), 0)
    for publication in naive.publications:
        messages[naive.topic[publication.publisher]] += 1
    assert {t["name"]: t["messages"] for t in entry["found"]["topics"]} == messages


def check_callbacks_and_spans(entry: Any, naive: Naive) -> None:
    told = {(c["node"], c["name"]): c for c in entry["callbacks"] if c["kind"] == "subscription"}
    wanted: dict[tuple[str, str], list[Any]] = {}
    for one in naive.callbacks:
        if one.what in naive.target:
            key = (naive.target[one.what], naive.subscribed[one.what])
            wanted.setdefault(key, []).append(one)
    assert told.keys() == wanted.keys()
    for key, ran in wanted.items():
        starts = [one.begin for one in ran]
        same_summary(told[key]["time_ns"], [one.end - one.begin for one in ran])
        same(told[key]["rate_hz"], rate(starts))
        if len(starts) > 1:
            steps = [b - a for a, b in pairwise(starts)]
            same_summary(told[key]["interval_ns"], steps)
    spans: dict[tuple[str, str], list[int]] = {}
    for one in naive.spans:
        name = naive.span_names[one.what]
        spans.setdefault((naive.node_names[name["node"]], name["name"]), []).append(
            one.end - one.begin
        )
    assert {(s["node"], s["span"]) for s in entry["spans"]} == spans.keys()
    for span in entry["spans"]:
        same_summary(span["time_ns"], spans[span["node"], span["span"]])


def check_chains(
    entry: Any, naive: Naive, chains: dict[str, tuple[Hop, ...]]
) -> tuple[Hop, ...] | None:
    """The chain whose times are told: the longest into the sink, then the most travelled."""
    followed = {name: naive.follow(chain) for name, chain in chains.items()}
    into = sorted(name for name, chain in chains.items() if naive.nodes(chain)[-1] == "/sink")
    best = max(into, key=lambda n: (len(chains[n]), len(followed[n][0])), default=None)
    assert (entry["chain"] or {}).get("id") == best
    assert {o["id"]: (o["started"], o["complete"]) for o in entry["other_chains"]} == {
        name: (started, len(ways)) for name, (ways, started, _) in followed.items() if name != best
    }
    if best is None:
        return None
    _, started, ended = followed[best]
    lost = [
        {"topic": naive.topic[hop.publisher], "count": count}
        for hop, count in zip(chains[best], ended, strict=True)
    ]
    same(entry["incomplete"], {"count": sum(ended), "of": started, "lost_after": lost})
    return chains[best]


def check_times(entry: Any, naive: Naive, main: tuple[Hop, ...], ways: list[Way]) -> None:
    parts, times = zip(*(naive.parts(way) for way in ways), strict=True)
    totals = [
        {share: sum(between[share] + node[share] for between, node in one) for share in SHARES}
        for one in parts
    ]
    latency = [sum(total.values()) for total in totals]
    assert latency == [edges[-1] - edges[0] for edges in times]
    passing = [whole - total["compute"] for whole, total in zip(latency, totals, strict=True)]
    same_summary(entry["latency_ns"], latency)
    same_summary(entry["message_passing_ns"], passing)
    all_ = max(sum(latency), 1)
    shares = {share: sum(total[share] for total in totals) / all_ for share in SHARES}
    ratios = [one / max(whole, 1) for one, whole in zip(passing, latency, strict=True)]
    events = [naive.events_on(way, edges) for way, edges in zip(ways, times, strict=True)]
    cost = statistics.median(row["cost_ns"] for row in naive.of("probe_cost"))
    same(entry, {
        "shares": shares,
        "message_passing": 1 - shares["compute"],
        "message_passing_p50": float(statistics.median(ratios)),
        "throughput_hz": rate([edges[-1] for edges in times]),
        "probe_overhead_ns": cost * sum(events) / len(events),
        "latency_histogram": histogram(latency),
        "latency_quantiles": [
            {"share": q["share"], "value_ns": float(percentile(latency, q["share"] or 1e-12))}
            for q in entry["latency_quantiles"]
        ],
    })  # fmt: skip
    assert [q["share"] for q in entry["latency_quantiles"]][::25] == [0.0, 0.25, 0.5, 0.75, 0.995]
    for k, (hop, told) in enumerate(zip(main, entry["hops"], strict=True)):
        check_hop(told, naive, hop, [one[k] for one in parts], [way[k] for way in ways])


def check_hop(told: Any, naive: Naive, hop: Hop, parts: list[Any], ends: list[Any]) -> None:
    def of(rows: Iterable[Any]) -> list[Any]:
        return [r for r in rows if Hop(r["publisher"], r["subscription"]) == hop]

    taken = [take["time_ns"] for take in of(naive.takes)]
    dropped = [drop["count"] for drop in of(naive.of("drop"))]
    woken = [published.tid != take["tid"] for published, take in ends]
    same(told, {
        "topic": naive.topic[hop.publisher],
        "from": naive.source[hop.publisher],
        "to": naive.target[hop.subscription],
        "wakes": sum(woken) / len(woken),
        "messages": len(taken),
        "throughput_hz": rate(taken),
        "drops": sum(dropped),
        "between_ns": {s: sum(one[0][s] for one in parts) / len(parts) for s in SHARES},
    })  # fmt: skip
    if told["node_ns"] is not None:
        same(told["node_ns"], {s: sum(one[1][s] for one in parts) / len(parts) for s in SHARES})
    else:
        assert not any(sum(one[1].values()) for one in parts)
    same_summary(told["total_ns"], [sum((*a.values(), *b.values())) for a, b in parts])


@settings(max_examples=8)
@given(seeds=st.tuples(SEEDS, SEEDS), frames=st.integers(35, 70), change=st.integers(-2, 6),
       slower=st.sampled_from([(1, 1), (1, 3), (3, 1)]))  # fmt: skip
def test_equality_and_difference(
    seeds: tuple[int, int], frames: int, change: int, slower: tuple[int, int]
) -> None:
    """Two runs: whether each frame is the same, and how the medians lie to each other."""
    hashes = {index: f"{seeds[0] * index:x}" for index in range(5)}
    others = dict(hashes)
    if change >= 5:
        others[change] = "one more"
    elif change >= 0:
        others[change] += "x"
    elif change == -1:
        del others[4]
    made = [make_trace(seed, "chain", frames, whole=True) for seed in seeds]
    for one, factor in zip(made, slower, strict=True):
        for row in one.rows:
            row |= {key: row[key] * factor for key in ("time_ns", "begin_ns") if key in row}
    with tempfile.TemporaryDirectory() as folder:
        maker = run_maker(Path(folder))
        runs = [
            maker(made[0].trace, "one", hashes),
            maker(made[1].trace, "two", others),
        ]
        report = make_report(runs, ReportOptions(warm_up=0))
    _, entry = report["variants"]
    wrong = sorted(i for i in {*hashes, *others} if hashes.get(i) != others.get(i))
    assert entry["equal"] == (not wrong)
    assert entry["equality"]["frames"] == len(others)
    if wrong:
        assert entry["equality"]["text"].startswith(f"frame {wrong[0]}: ")
        assert entry["equality"]["first_difference"]["index"] == wrong[0]
    else:
        assert entry["equality"]["text"] == "all 5 frames equal variant one"
    check_difference(entry["against_reference"], [latencies(one) for one in made])


def latencies(made: Made) -> list[int]:
    """Of the main chain's complete messages."""
    naive = Naive(made.rows)
    (main,) = naive.chains()
    return [edges[-1] - edges[0] for edges in (naive.parts(w)[1] for w in naive.follow(main)[0])]


def check_difference(told: Any, sides: list[list[int]]) -> None:
    """The new median less the old one, and its interval by Welch's test on batches' medians."""
    old, new = (percentile(side, 0.5) for side in sides)
    same(told, {"p50_ratio": new / old, "p50_difference_ns": float(new - old)})
    batches = [min(30, len(side) // 5) for side in sides]
    if min(batches) < 6:
        assert told["difference_low_ns"] is None
        return
    medians = [
        [statistics.median(part) for part in batches_of(side, count)]
        for side, count in zip(sides, batches, strict=True)
    ]
    a, b = (statistics.variance(m) / len(m) for m in medians)
    freedom = (a + b) ** 2 / sum(v**2 / (len(m) - 1) for v, m in zip((a, b), medians, strict=True))
    half = student(freedom) * math.sqrt(a + b)
    for key, wanted in (("difference_low_ns", -half), ("difference_high_ns", half)):
        assert told[key] - (new - old) == pytest.approx(wanted, rel=3e-3)
    low, high = told["difference_low_ns"], told["difference_high_ns"]
    assert told["within_noise"] == (low <= 0 <= high)


def test_the_generator_makes_what_is_to_be_told_apart() -> None:
    """A check on random runs is worth what these runs hold."""
    seen: set[str] = set()
    for seed in range(30):
        for shape in GRAPHS:
            made = make_trace(seed, shape, 8)
            naive = Naive(made.rows)
            seen |= {"lost events"} if made.lost_events else set()
            seen |= {"drops"} if any(naive.of("drop")) else set()
            seen |= {"nested"} if len(naive.outer) < len(naive.spans) else set()
            for chain in naive.chains():
                ways, _, ended = naive.follow(chain)
                seen |= {f"ended at {k}" for k, count in enumerate(ended) if count}
                for way in ways:
                    for between, node in naive.parts(way)[0]:
                        seen |= {f"between {s}" for s in SHARES if between[s]}
                        seen |= {f"node {s}" for s in SHARES if node[s]}
                    seen |= {"early take" for p, t in way if t["time_ns"] < p.end}
                    takes = [t["time_ns"] for _, t in way]
                    seen |= {"clock behind"} if takes != sorted(takes) else set()
    assert seen >= {
        "lost events", "drops", "nested", "ended at 0", "ended at 1", "early take", "clock behind",
        *(f"between {share}" for share in SHARES),
        *(f"node {share}" for share in ("compute", "copy", "serialise", "transport")),
    }, json.dumps(sorted(seen))  # fmt: skip
