# SPDX-License-Identifier: Apache-2.0
"""The driving bench: drives from their logs, their goals and their picture."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ligament.bench.driving import Options, drives, hardware, measure, pictures
from ligament.bench.driving.goals import FIGURES
from ligament.bench.goals import lines_of
from ligament.bench.measuring import Measured
from ligament.errors import FailureError, InputError


def log(path: Path, options: dict[str, Any], *, end: bool = True, **last: Any) -> Path:
    """The log of a drive on a line, 12 mm beside its middle."""
    track = {"length": 10.0, "lane_width": 0.3, "stop_line": 0.4, "outline": []}
    lines: list[dict[str, Any]] = [{"event": "start", "track": track, "options": options}]
    lines += [
        {"event": "frame", "frame": k, "t": k / 30, "speed": 0.2, "lateral": -0.012, "lap": 1}
        for k in range(30)
    ]
    lines += [{"event": "lap", "lap": 1, "t": 1.0, "seconds": 51.5}]
    lines += [{"event": "stop", "obeyed": True, "t": 0.5}]
    if end:
        done = {"event": "end", "reason": "laps done", "laps": 1, "missed": 0, "extra": 0}
        lines.append({**done, **last})
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


PARAMS = {"weather": "good", "seed": 1, "laps": 1}


def test_a_drive_becomes_rows(tmp_path: Path) -> None:
    figures = drives.figures_of(log(tmp_path / "drive.jsonl", {"seed": 1}))
    rows = {r["metric"]: r for r in drives.rows_of(PARAMS, figures)}
    assert rows["lateral_p95"]["p50"] == pytest.approx(12)
    assert (rows["lap"]["p50"], rows["laps_done"]["p50"]) == (51.5, 1)
    assert (rows["departures"]["p50"], rows["red_lights_run"]["p50"]) == (0, 0)
    assert rows["lap"]["params"]["outcome"] == "laps done"


def test_an_image_without_a_command_makes_a_drive_worthless(tmp_path: Path) -> None:
    path = log(tmp_path / "drive.jsonl", {}, missed=2)
    with pytest.raises(FailureError, match="2 images had no command"):
        drives.figures_of(path)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "laps done"),
        ({"departures": 1}, "left the lane"),
        ({"red_lights": 2}, "ran a red light"),
        ({"reason": "stuck", "laps": 0}, "safe stop"),
        ({"reason": "stuck", "departures": 1}, "left the lane"),
        ({"reason": "lost", "laps": 0}, "lost"),
    ],
)
def test_outcomes_in_words(change: dict[str, Any], expected: str) -> None:
    figures = {"departures": 0, "red_lights": 1, "stops_obeyed": 1, "reason": "laps done",
               "laps": 1, **change}  # fmt: skip
    assert drives.outcome(figures, 1) == expected


def test_only_a_whole_log_of_the_same_drive_is_taken_again(tmp_path: Path) -> None:
    options = {"seed": 1, "laps": 1, "noise": 12.0}
    patient = {**options, "reply_timeout_s": 120.0}
    driven = {**options, "reply_timeout_s": 5.0, "blur": 0}
    assert drives.is_whole(log(tmp_path / "a", driven), patient)
    assert not drives.is_whole(log(tmp_path / "b", {**driven, "noise": 3.0}), patient)
    assert not drives.is_whole(log(tmp_path / "c", driven, end=False), patient)
    assert not drives.is_whole(log(tmp_path / "d", driven, reason="stopped"), patient)
    assert not drives.is_whole(log(tmp_path / "f", driven, extra=1), patient)
    assert not drives.is_whole(tmp_path / "none", patient)
    (tmp_path / "e").write_text("no log\n")
    assert not drives.is_whole(tmp_path / "e", patient)


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Names of what was driven: by nodes with one library, which is of the text `one`."""
    names: list[str] = []

    def drive(one: drives.Planned, path: Path) -> None:
        names.append(one.name)
        log(path, dict(one.options))

    build = tmp_path / "build.json"
    built_of(build, "one")
    monkeypatch.setattr(drives, "_drive", drive)
    monkeypatch.setattr(drives, "build_of", lambda *_: build)
    return names


def built_of(path: Path, text: str) -> None:
    library = {"path": "a.so", "size_bytes": 3, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(json.dumps({"libraries": {"driving/polyfit": library}}))


def test_kept_drives_are_not_driven_again(tmp_path: Path, driven: list[str]) -> None:
    planned = drives.late_drives(quick=True)
    first, again = Measured([]), Measured([])
    drives.measure_drives(planned, str(tmp_path), first)
    drives.measure_drives(planned, str(tmp_path), again)
    assert driven == [one.name for one in planned]
    assert again.rows == first.rows and not again.failures


def test_kept_drives_of_other_nodes_are_driven_again(tmp_path: Path, driven: list[str]) -> None:
    options = drives.late_drives(quick=True)[0]
    one = replace(options, nodes={"/gaussian_blur": {"size": 3}})
    other = replace(options, nodes={"/gaussian_blur": {"size": 5}})
    for number, (planned, library) in enumerate(
        [(one, "one"), (other, "one"), (other, "two"), (other, "two")]
    ):
        built_of(tmp_path / "build.json", library)
        drives.measure_drives([planned], str(tmp_path), Measured([]))
        assert len(driven) == (1, 2, 3, 3)[number]


def test_a_drive_that_fails_leaves_no_log_of_other_nodes(
    tmp_path: Path, driven: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = drives.late_drives(quick=True)[0]
    drives.measure_drives([planned], str(tmp_path), Measured([]))

    def fail(*_: object) -> None:
        raise FailureError("the simulator is not there")

    built_of(tmp_path / "build.json", "two")
    monkeypatch.setattr(drives, "_drive", fail)
    result = Measured([])
    drives.measure_drives([planned], str(tmp_path), result)
    assert result.failures and not result.rows
    assert not list(tmp_path.glob("*.jsonl"))


def test_what_is_planned() -> None:
    full = drives.weather_drives(quick=False)
    good = [one for one in full if one.params["weather"] == drives.GOOD]
    assert len(good) == 10 and {one.params["laps"] for one in good} == {3}
    assert len({one.name for one in [*full, *drives.late_drives(quick=False)]}) == len(
        [*full, *drives.late_drives(quick=False)]
    )
    assert [one.params["seed"] for one in drives.weather_drives(False, (4, 2))[:2]] == [4, 2]


def test_delays_of_the_command_line_are_driven_alone() -> None:
    late = [one.options["command_delay_ms"] for one in drives.late_drives(False, (0, 274))]
    assert late == [0, 274]


def row_result(**more: Any) -> dict[str, Any]:
    figures = {"departures": 0, "red_lights": 1, "stops_obeyed": 1, "reason": "laps done",
               "laps": 1, "lap_s": [50.0], "lateral_m": {"p95": 0.04, "max": 0.05}}  # fmt: skip
    params = more.pop("params", PARAMS)
    return {"rows": drives.rows_of(params, {**figures, **more})}


def verdicts(result: dict[str, Any]) -> dict[str, str]:
    return {line.what: line.verdict for line in lines_of(FIGURES, result)}


def test_good_weather_has_the_stricter_goal() -> None:
    assert verdicts(row_result())["lateral error p95, good weather"] == "missed"
    worn = {"weather": "worn", "seed": 1, "laps": 1}
    assert verdicts(row_result(params=worn))["lateral error p95, worn"] == "reached"


def test_a_safe_stop_is_allowed_in_bad_weather_only_without_leaving_the_lane() -> None:
    worn = {"weather": "worn", "seed": 1, "laps": 1}
    stopped = verdicts(row_result(params=worn, reason="stuck", laps=0))
    assert stopped["laps, worn: safe stop"] == "reached"
    assert "lateral error p95, worn" not in stopped
    left = verdicts(row_result(params=worn, reason="stuck", laps=0, departures=1))
    assert left["lane departures, worn"] == "missed"
    assert left["laps, worn: left the lane"] == "missed"


def test_the_picture_shows_each_drive() -> None:
    rows = []
    for one in drives.late_drives(quick=False):
        rows += row_result(params=dict(one.params))["rows"]
    rows[1]["params"]["outcome"] = "left the lane"
    picture = pictures.delay_picture(rows)
    ElementTree.fromstring(picture)
    assert picture.count("<circle") == 3 + 1 + len(drives.late_drives(quick=False))


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(InputError, match="--only 'chains' cannot be used"):
        measure(True, Options(only="chains"))


def test_hardware_is_compared_with_software_command_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drive(one: drives.Planned, path: Path) -> None:
        log(path, dict(one.options))
        if one.variant == "hardware_topics":
            lines = path.read_text().splitlines()
            path.write_text("\n".join([*lines[:-4], *lines[-3:]]) + "\n")  # without an image
            path.write_text(
                path.read_text().replace('"frame": 3,', '"command": [0, 1], "frame": 3,')
            )

    monkeypatch.setattr(drives, "_drive", drive)
    result = Measured([])
    hardware.measure_hardware(True, str(tmp_path), result)
    assert not result.failures
    found = {
        line.what: (line.told, line.verdict) for line in lines_of(FIGURES, {"rows": result.rows})
    }
    assert found["images with their command, 320x240, nodes in hardware"] == (29, "")
    assert found["of these not as in software, 320x240"] == (2, "missed")
    assert found["laps, 320x240, nodes in hardware"] == (1, "reached")
    assert found["lateral error p95, 320x240, nodes in software"] == (pytest.approx(12), "reached")
    assert not any("late" in what for what in found if "lateral" not in what)


def test_both_drives_are_told_the_same() -> None:
    one, other = hardware.hardware_drives(quick=False)
    assert (one.platform, other.platform) == ("host", "fpga_sim")
    assert (one.options, one.nodes) == (other.options, other.nodes)
    assert one.options["laps"] == 3
