# SPDX-License-Identifier: Apache-2.0
"""The report of a drive: its figures, its page, and logs that are none."""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driving_place import DRIVING, WATCHDOG_S, use_sources

use_sources()
from drive_report.birds_view import GAP, beside  # noqa: E402
from sim.track import Track  # noqa: E402

TRACK = Track()


def log(path: Path, **options: Any) -> Path:
    """A drive of 100 frames, 1 cm left of the line, one at 9 cm; it stops at one light."""
    shape = {"length": TRACK.length, "lane_width": 0.3, "outline": TRACK.outline(0.1)}
    lines: list[dict[str, Any]] = [
        {"event": "start", "track": shape, "options": {"rate_hz": 10, **options}}
    ]
    for number in range(100):
        lateral = 0.09 if number == 50 else 0.01
        pose = TRACK.at(number * 0.02, lateral)
        lines.append(
            {
                "event": "frame", "frame": number, "t": number / 10, "x": pose.x, "y": pose.y,
                "yaw": pose.yaw, "speed": 0.2, "turn": 0.0, "command": [0.2, 0.0],
                "lateral": lateral, "along": number * 0.02, "lap": 1, "light": "red",
                "reply_ms": 1.0 + number,
            }
        )  # fmt: skip
    stop = {"lap": 1, "red_at": 0.0, "crossed_at": 9.0, "obeyed": True, "stood_s": 2.0}
    lines += [
        {"event": "stop", **stop},
        {"event": "lap", "lap": 1, "t": 9.0, "seconds": 9.0},
        {"event": "departure", "t": 5.0, "along": 1.0, "lateral": 0.09},
        {"event": "end", "reason": "laps done", "missed": 0, "extra": 0},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def report(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DRIVING / "report.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_S)


def test_figures_are_those_of_the_log(tmp_path: Path) -> None:
    place = tmp_path / "run" / "outputs"
    place.mkdir(parents=True)
    log(place / "drive.jsonl")
    other = log(tmp_path / "noisy.jsonl", noise=12.0)
    done = report(
        tmp_path / "run", other, "--json", tmp_path / "out.json", "--html", tmp_path / "p"
    )
    assert done.returncode == 0, done.stderr
    good, noisy = json.loads((tmp_path / "out.json").read_text())["drives"]
    assert good["lateral_m"]["p50"] == pytest.approx(0.01)
    assert good["lateral_m"]["max"] == pytest.approx(0.09)
    assert (good["laps"], good["lap_s"], good["departures"]) == (1, [9.0], 1)
    assert (good["red_lights"], good["stops_obeyed"]) == (1, 1)
    reply = {name: good["reply_ms"][name] for name in ("p50", "p95", "p99", "mean", "max", "n")}
    assert reply == pytest.approx(
        {"p50": 50.5, "p95": 95.05, "p99": 99.01, "mean": 50.5, "max": 100.0, "n": 100}
    )
    assert good["driven_m"] == pytest.approx(2.0)
    assert (good["lateral_goal_m"], noisy["lateral_goal_m"]) == (0.03, 0.05)
    assert noisy["conditions"] == {"noise": 12.0}
    assert "good weather: 1 laps of 9.0 s, lateral error p95 1.0 cm, 1 departures" in done.stdout
    page = (tmp_path / "p").read_text()
    assert page.count("The driven path from above") == 2 and "noise 12.0" in page
    assert "lap 1: stopped" in page


def test_a_chain_is_shown_where_there_is_one(tmp_path: Path) -> None:
    chain = {
        "chain": {"nodes": ["/a", "/b"]},
        "latency_ns": {"p50": 2.5e6},
        "message_passing": 0.02,
    }
    for variants, words in (([chain], "/a → /b"), ([{"chain": None}], None), ([], None)):
        (tmp_path / "report.json").write_text(json.dumps({"variants": variants}))
        done = report(log(tmp_path / "drive.jsonl"), "--chain", tmp_path / "report.json",
                      "--html", tmp_path / "page.html")  # fmt: skip
        assert done.returncode == 0, done.stderr
        page = (tmp_path / "page.html").read_text()
        assert ("The chain" in page) == (words is not None)
        assert words is None or words in page


def test_cycles_of_an_fpga_are_told(tmp_path: Path) -> None:
    row = {"node": "/a", "span": "simulator", "n": 7, "min": 50_000, "max": 70_000}
    variant = {
        "chain": None,
        "hardware": {"designs": [{"text": "fpga0: the core of /b is the slowest"}]},
        "span_values": [
            {**row, "value": "cycles", "p50": 60_000},
            {**row, "value": "clock_hz", "p50": 100e6},
            {**row, "span": "other", "value": "cycles", "p50": 1},
        ],
    }
    (tmp_path / "report.json").write_text(json.dumps({"variants": [variant]}))
    done = report(log(tmp_path / "drive.jsonl"), "--chain", tmp_path / "report.json",
                  "--html", tmp_path / "page.html")  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = "/a: 60,000 cycles per message, 0.600 ms at 100 MHz (median of 7, at most 70,000)"
    for text in (done.stdout, (tmp_path / "page.html").read_text()):
        assert text.count("cycles per message") == 1 and told in text
        assert "fpga0: the core of /b is the slowest" in text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"reply_ms": 700.0}, ""),
        ({"command": [0.2, 0.000015]}, "frame 60: command is [0.2, 0.0] in one, [0.2, 1.5e-05]"),
        ({"light": "green"}, "frame 60: light is red in one, green in the other"),
        (None, "100 frames in one drive, 99 in the other"),
    ],
)
def test_drives_that_must_be_the_same_are_compared(
    tmp_path: Path, change: dict[str, Any] | None, words: str
) -> None:
    one = log(tmp_path / "one.jsonl")
    lines = [json.loads(line) for line in one.read_text().splitlines()]
    if change is None:
        del lines[100]
    else:
        lines[61].update(change)
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = report(one, other, "--same")
    assert done.returncode == (1 if words else 0)
    assert words in done.stderr
    assert ("all 100 commands are the same in 2 drives" in done.stdout) == (not words)


def test_a_drive_is_told_by_the_variant_of_its_run(tmp_path: Path) -> None:
    (tmp_path / "run" / "outputs").mkdir(parents=True)
    log(tmp_path / "run" / "outputs" / "drive.jsonl", noise=12.0)
    (tmp_path / "run" / "run.json").write_text('{"variant": "hardware_topics"}')
    done = report(tmp_path / "run")
    assert done.stdout.startswith("hardware_topics, noise 12.0: 1 laps")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "is no log of a drive"),
        ("", "does not begin with `event: start`"),
        ('{"event": "frame"}\n', "does not begin with `event: start`"),
        ("nothing\n{}\n", "line 1: "),
        ("[1]\n{}\n", "line 1: a line is an object with an `event`"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    place = tmp_path / "drive.jsonl"
    if text is not None:
        place.write_text(text)
    done = report(place)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_log_that_was_cut_off_is_read(tmp_path: Path) -> None:
    place = log(tmp_path / "drive.jsonl")
    lines = place.read_text().splitlines()
    place.write_text("\n".join(lines[:40]) + '\n{"event": "fra')
    done = report(place)
    assert done.returncode == 0, done.stderr
    assert "it still drives, or the simulator was killed" in done.stdout


def test_the_ground_is_shown_from_above_beside_the_picture() -> None:
    picture = np.full((120, 160, 3), 50, np.uint8)
    # What is straight ahead on the ground: a line in the middle of the picture, to the horizon.
    picture[:, 78:82] = (200, 180, 0)
    shown = beside(picture)
    assert shown.shape == (120, 160 + GAP + 160, 3)
    assert (shown[:, :160] == picture).all() and (shown[:, 160 : 160 + GAP] == 255).all()
    view = shown[:, 160 + GAP :]
    yellow = np.nonzero(view[:, :, 0] == 200)
    # From above it is a line that is as wide as it is near to the camera, around the middle.
    assert set(yellow[0]) == set(range(120))
    assert yellow[1].mean() == pytest.approx(79.5, abs=0.6)
    widths = [(view[row, :, 0] == 200).sum() for row in (0, 119)]
    assert widths[0] > 2 * widths[1] > 0
    # Near the robot the picture ends before the view does: nothing is made up there.
    assert (view[119, [0, -1]] == 0).all() and (view[0, [0, -1]] == 50).all()


def test_the_page_moves_what_the_camera_saw(tmp_path: Path) -> None:
    drive = log(tmp_path / "drive.jsonl")
    frame = struct.pack("<III", 160, 120, 0) + bytes(160 * 120 * 3)
    drive.with_suffix(".frames").write_bytes(frame * 3 + frame[:100])
    done = report(drive, "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    png = base64.b64decode(page.split("data:image/png;base64,")[1].split('"')[0])
    assert struct.unpack(">II", png[16:24]) == (160 + GAP + 160, 120)
    assert b"acTL" in png and struct.unpack(">I", png[png.index(b"acTL") + 4 :][:4]) == (3,)
