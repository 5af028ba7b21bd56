# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a running graph."""

from __future__ import annotations

import pytest

from ligament.run.display import Display, Quiet, duration_text, figures_table, plain_line
from ligament.run.status import StatusBoard, StatusLineError, parse_line


def status(t_ns: int, published: int, cpu_ns: int, lost: int = 0) -> dict[str, object]:
    node = {
        "id": "/a",
        "cpu_ns": cpu_ns,
        "publishers": [{"topic": "/x", "published": published, "loans_failed": 1}],
        "subscriptions": [
            {"topic": "/y", "taken": 1, "lost": lost, "age_ns_p50": 1500, "age_ns_p99": 2_500_000}
        ],
    }
    return {"event": "status", "t_ns": t_ns, "nodes": [node]}


def board() -> StatusBoard:
    made = StatusBoard({"main": ["/a"]})
    made.set_state("main", "running")
    made.take_status(status(1_000_000_000, 100, 0))
    made.take_status(status(3_000_000_000, 300, 500_000_000, lost=4))
    return made


def test_figures_are_differences_over_time() -> None:
    node = board().nodes["/a"]
    assert node.rate_hz == pytest.approx(100.0)
    assert node.cpu_percent == pytest.approx(25.0)
    assert node.drops == 5
    assert board().messages() == 300 + 1
    assert plain_line(node) == "/a: 100.0 Hz, p50 1.5 us, p99 2.5 ms, drops 5, CPU 25 %, running"


def test_waits_and_missed_deadlines_are_shown_once_there_are_any() -> None:
    line = status(1_000_000_000, 1, 0)
    end = {"waits": 3, "deadline_missed": 2}
    line["nodes"] = [{"id": "/a", "publishers": [end], "subscriptions": [{"expired": 4}]}]
    made = board()
    made.take_status(line)
    assert "drops 4, waits 3, late 2, CPU" in plain_line(made.nodes["/a"])


def test_a_node_that_has_said_nothing_shows_dashes() -> None:
    node = StatusBoard({"main": ["/a"]}).nodes["/a"]
    assert plain_line(node) == "/a: -, p50 -, p99 -, drops 0, CPU -, starting"


def test_the_first_status_line_after_ready_gives_a_rate() -> None:
    made = StatusBoard({"main": ["/a"]})
    made.nodes["/a"].ready(1_000_000_000)
    made.take_status(status(1_500_000_000, 50, 7))
    assert made.nodes["/a"].rate_hz == pytest.approx(100.0)
    assert made.nodes["/a"].cpu_percent is None


def test_at_the_end_the_rate_is_that_of_the_whole_run() -> None:
    made = StatusBoard({"main": ["/a"]})
    made.nodes["/a"].ready(1_000_000_000)
    for t_ns, published in ((2_000_000_000, 40), (3_000_000_000, 100), (3_100_000_000, 100)):
        made.take_status(status(t_ns, published, 0))
    assert made.nodes["/a"].rate_hz == 0.0
    made.close()
    assert made.nodes["/a"].rate_hz == pytest.approx(50.0)


def test_a_node_without_messages_ends_with_none() -> None:
    made = StatusBoard({"main": ["/a"], "other": ["/b"]})
    made.nodes["/a"].ready(1_000_000_000)
    made.take_status({**status(2_000_000_000, 0, 0), "nodes": [{"id": "/a"}]})
    made.close()
    assert (made.nodes["/a"].rate_hz, made.nodes["/b"].rate_hz) == (0.0, None)


def test_a_restart_begins_at_zero() -> None:
    made = board()
    made.nodes["/a"].restarted()
    made.take_status(status(4_000_000_000, 5, 0))
    assert made.nodes["/a"].published == 5
    made.take_status(status(5_000_000_000, 15, 0))
    assert made.nodes["/a"].rate_hz == pytest.approx(10.0)


def test_the_table_has_a_row_per_node() -> None:
    assert figures_table(board(), "graph/variant").row_count == 1


def test_without_a_terminal_the_last_figures_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Display("graph/variant", interval_s=1000.0) as display:
        display.figures(board())
        display.note("a [bracket] is no markup")
    shown = capsys.readouterr().err.splitlines()
    assert shown == ["a [bracket] is no markup", plain_line(board().nodes["/a"])]


def test_quiet_prints_what_is_wrong_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = Quiet()
    quiet.progress("all 3 containers are ready")
    quiet.figures(board())
    quiet.note("node /a makes no progress")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "node /a makes no progress\n")


def test_progress_is_printed_where_it_is_not_to_be_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Display("graph/variant") as display:
        display.progress("all 3 containers are ready")
    assert capsys.readouterr().err == "all 3 containers are ready\n"


def test_lines_are_printed_at_each_interval(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("graph/variant", interval_s=0.0) as display:
        display.figures(board())
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_done_stays_done_until_a_restart() -> None:
    made = board()
    made.nodes["/a"].state = "done"
    made.set_state("main", "stopped")
    assert made.nodes["/a"].state == "done"
    made.nodes["/a"].restarted()
    assert made.nodes["/a"].state == "starting"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1 us"),
        (2_345_678, "2.35 ms"),
        (3e9, "3 s"),
    ],
)
def test_durations(value: int | None, text: str) -> None:
    assert duration_text(value) == text


@pytest.mark.parametrize("line", [b"", b"x", b"[]", b'{"event": 1}', b"{}", b"\xff"])
def test_lines_that_are_no_status_lines(line: bytes) -> None:
    with pytest.raises(StatusLineError):
        parse_line(line)
