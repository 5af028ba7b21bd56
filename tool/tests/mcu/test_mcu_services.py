# SPDX-License-Identifier: Apache-2.0
"""A service that a core offers: answers as from the processor, and where each call is in time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcu_runs import EXAMPLES, events, ligament, newest_run, own_domain, require_core

REQUESTS = 300
CALLS = 600  # long enough for the core's clock to be heard twice
AHEAD = {"software": 64, "c99": 64, "mcu": 32}
"""Requests that wait at once: more than rings of services hold."""


@pytest.mark.timeout(900)
def test_a_core_answers_as_its_c99_and_as_cpp_do(tmp_path: Path) -> None:
    """Several clients' worth of requests wait at once; none is lost, none is mixed up."""
    require_core()
    told = {}
    for variant, more in (("software", ()), ("c99", ()), ("mcu", ("--trace",))):
        ligament(
            "run", EXAMPLES / "adder", "--variant", variant, "--platform", "mcu_sim",
            "--out", tmp_path, "--set", f"asker.requests={REQUESTS}",
            "--set", f"asker.ahead={AHEAD[variant]}", *more,
        )  # fmt: skip
        told[variant] = (
            newest_run(tmp_path / "adder" / variant) / "outputs" / "asker.txt"
        ).read_text()
    lines = told["mcu"].splitlines()
    assert len(lines) == REQUESTS
    for place, line in enumerate(lines):
        assert line == f"{place} + {1000 * place * place} = {place + 1000 * place * place + 7}"
    assert told["mcu"] == told["c99"] == told["software"]


@pytest.fixture(scope="module", params=["mcu_sim", "mcu_r5_sim"])
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A traced run: one request at a time."""
    require_core()
    out = tmp_path_factory.mktemp("adder")
    words = ["--variant", "mcu", "--platform", request.param, "--out", out, "--trace"]
    ligament(
        "run", EXAMPLES / "adder", *words, *own_domain(),
        "--set", f"asker.requests={CALLS}", "--set", "asker.ahead=1",
    )  # fmt: skip
    run = newest_run(out / "adder" / "mcu")
    ligament("report", run)
    return run


@pytest.mark.timeout(600)
def test_the_report_has_the_times_of_a_cores_service(traced: Path) -> None:
    (variant,) = json.loads((traced / "report.json").read_text())["variants"]
    spans = {
        s["span"]: (s["category"], s["time_ns"]["n"])
        for s in variant["spans"]
        if (s["node"], s["device"]) == ("/adder", "mcu0")
    }
    assert variant["device_lost"] == 0
    assert spans == {"take add": ("serialise", CALLS), "on_add": ("compute", CALLS)}


@pytest.mark.timeout(600)
def test_a_call_is_on_the_timeline_between_request_and_response(traced: Path) -> None:
    """By the request's identity: sent by the client, served on the core, then answered."""
    calls = events(
        traced,
        "select distinct r.begin_ns, w.device_begin_ns, w.device_end_ns, w.device_bound_ns, "
        "a.time_ns "
        "from t w "
        "join t s on s.event = 'span_name' and s.span = w.span and s.name = 'on_add' "
        "join t r on r.event = 'publish' and r.publisher = w.publisher and r.seq = w.seq "
        "join t c on c.event = 'callback_start' and c.publisher = w.publisher and c.seq = w.seq "
        "join t i on i.event = 'timer_init' and i.handle = c.handle and i.period_ns = 0 "
        "join t a on a.event = 'publish' and a.tid = c.tid and a.time_ns >= c.time_ns "
        "  and a.time_ns <= (select min(e.time_ns) from t e where e.event = 'callback_end' "
        "    and e.handle = c.handle and e.time_ns >= c.time_ns) "
        "join t p on p.event = 'publisher_init' and p.publisher = a.publisher "
        "join t n on n.event = 'topic_init' and n.topic = p.topic and n.name = 'rr/addReply' "
        "where w.event = 'device_span' order by r.begin_ns",
    )
    # The core notes the end of a call after it has sent the response, which may be published by
    # then: an emulated core on a busy machine stands still in between.
    assert CALLS // 2 < len(calls) <= CALLS
    for sent, begin, end, bound, answered in calls:
        assert sent <= begin + bound and begin <= end
        assert begin - bound <= answered
