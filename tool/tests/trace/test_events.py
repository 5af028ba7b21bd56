# SPDX-License-Identifier: Apache-2.0
"""events.yaml: each event once, each field one type, and all that derives from it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ligament import resources
from ligament.trace.events import EventsError, load_events, load_import
from ligament.trace.generate_events import TEMPLATES, digest, main, render

EVENTS = resources.spec_dir() / "events" / "events.yaml"


def changed(tmp_path: Path, old: str, new: str) -> Path:
    shutil.copy(EVENTS.parent / "events.schema.json", tmp_path)
    text = EVENTS.read_text()
    assert old in text
    path = tmp_path / "events.yaml"
    path.write_text(text.replace(old, new, 1))
    return path


def test_run_time_events_carry_no_names() -> None:
    for event in load_events(EVENTS).events:
        if event.phase == "run":
            assert all(field.type != "string" for field in event.fields), event.name


@pytest.mark.parametrize("template", sorted(path.name for path in TEMPLATES.glob("*.j2")))
def test_each_template_names_each_event(template: str) -> None:
    events = load_events(EVENTS)
    text = render(events, template, EVENTS.parent)
    assert text == render(events, template, EVENTS.parent)
    assert "spec/events/events.yaml" in "\n".join(text.splitlines()[:3])
    assert [event.name for event in events.events if event.name not in text] == []


def test_the_provider_ros2_has_what_has_a_counterpart_and_no_more() -> None:
    events = load_events(EVENTS)
    foreign = load_import(EVENTS.parent / "ros2.yaml", events)
    text = render(events, "lttng_tracepoints.h.j2", EVENTS.parent, ros2=True)
    emitted = [event.name for event in foreign.events if event.emitted]
    assert re.findall(r"EVENT\(ros2, (\w+),", text) == emitted
    assert not {"rcl_publish", "rcl_take", "rclcpp_intra_publish"} & set(emitted)
    assert "spec/events/ros2.yaml" in "\n".join(text.splitlines()[:3])


@pytest.mark.parametrize(
    ("ros2", "scope"), [(False, "ligament::trace"), (True, "ligament::trace::ros2")]
)
def test_hooks_of_both_providers_do_not_meet(ros2: bool, scope: str) -> None:
    events = load_events(EVENTS)
    hooks = render(events, "trace_events.hpp.j2", EVENTS.parent, ros2=ros2)
    assert re.findall(r"^namespace (\S+) {", hooks, re.MULTILINE)[0] == scope
    provider = render(events, "lttng_hooks.inc.j2", EVENTS.parent, ros2=ros2)
    assert f"constexpr {scope}::detail::Hooks hooks = {{" in provider


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("- name: loan", "- name: take", "event 'take' is declared twice"),
        (
            "{name: bytes, type: u64, unit: B, description: Stored size asked for.}",
            "{name: bytes, type: u32, unit: B, description: Stored size asked for.}",
            "field 'bytes' is u32 in 'loan' but u64 in 'calibration'",
        ),
        ("phase: run", "phase: walk", "'walk' is not one of"),
        ("    fields:", "    feilds:", "feilds"),
        ("schema: ligament/events/1", "schema: ligament/events/2", "was expected"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, text: str) -> None:
    with pytest.raises(EventsError, match=text):
        load_events(changed(tmp_path, old, new))


def test_the_digest_follows_layout_and_not_words(tmp_path: Path) -> None:
    original = digest(load_events(EVENTS))
    words = changed(tmp_path, "The callback returned.", "It returned.")
    assert digest(load_events(words)) == original
    layout = changed(tmp_path, "{name: count, type: u64, description: How many.}",
                     "{name: many, type: u64, description: How many.}")  # fmt: skip
    assert digest(load_events(layout)) != original


def test_an_unchanged_file_is_not_written_again(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "events.hpp"
    arguments = ["--events", str(EVENTS), "--template", "trace_events.hpp.j2", "--out", str(out)]
    assert main(arguments) == 0
    before = out.stat().st_mtime_ns
    assert main(arguments) == 0
    assert out.stat().st_mtime_ns == before


def test_what_only_records_needs_no_package_that_reads_recordings(tmp_path: Path) -> None:
    """A host of `ligament deploy --trace` may lack the extra `trace`."""
    table = tmp_path / "events.json"
    program = (
        "import sys\nfrom pathlib import Path\n"
        "sys.modules |= {'pyarrow': None, 'duckdb': None}\n"
        "from ligament.run.tracing import Recording\n"
        "from ligament.trace.hooks import write_events\n"
        "write_events(Path(sys.argv[1]))\n"
    )
    subprocess.run([sys.executable, "-c", program, table], check=True)
    assert json.loads(table.read_text())["digest"] == digest(load_events(EVENTS))
