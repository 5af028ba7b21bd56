# SPDX-License-Identifier: Apache-2.0
"""Which waveform is asked for, and what of that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.pipeline import Request, mapped
from ligament.run.wave import Wave, check_wave, not_written, parse_wave

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "graph.yaml"


def test_one_message_or_several_with_nodes() -> None:
    assert parse_wave(None, ()) is None
    assert parse_wave("3", ()) == Wave(3, 3)
    wave = parse_wave("3-12", ("first", "/second"))
    assert wave == Wave(3, 12, ("/first", "/second"))
    assert wave.environment() == {
        "LIGAMENT_WAVE": "3-12",
        "LIGAMENT_WAVE_NODES": "/first /second",
    }


@pytest.mark.parametrize("text", ["", "0", "-1", "3-2", "1-", "all", "1,2", "0-3"])
def test_what_is_no_message_is_told(text: str) -> None:
    with pytest.raises(InputError, match="is no message"):
        parse_wave(text, ())


def test_a_run_without_the_asked_messages_says_which() -> None:
    assert not_written(Wave(3, 3)).startswith("--wave 3: no waveform was written")
    assert not_written(Wave(3, 12)).startswith("--wave 3 to 12: no waveform was written")


def test_nodes_without_a_waveform_are_told() -> None:
    with pytest.raises(InputError, match="none is asked for"):
        parse_wave(None, ("first",))


def request_of(tmp_path: Path, variant: str, waveforms: bool = True) -> Request:
    return Request(EXAMPLE, variant, "fpga_sim", tmp_path, waveforms=waveforms)


def test_the_mapping_says_that_models_can_write_their_signals(tmp_path: Path) -> None:
    _, mapping = mapped(request_of(tmp_path, "hardware"))
    assert mapping.hardware["fpga0"]["waveforms"] == 1
    written = json.loads((tmp_path / "threshold" / "hardware" / "mapping.json").read_text())
    assert written["hardware"]["fpga0"]["waveforms"] == 1
    _, mapping = mapped(request_of(tmp_path, "hardware", waveforms=False))
    assert "waveforms" not in mapping.hardware["fpga0"]


def test_a_variant_without_a_simulated_fpga_has_no_waveform(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no node of the variant 'software' is in a simulated"):
        mapped(request_of(tmp_path, "software"))


def test_a_build_without_waveforms_or_node_is_told(tmp_path: Path) -> None:
    build = tmp_path / "threshold" / "hardware" / "build.json"
    mapped(request_of(tmp_path, "hardware", waveforms=False))
    with pytest.raises(InputError, match="was built without waveforms"):
        check_wave(Wave(1, 1), build)
    mapped(request_of(tmp_path, "hardware"))
    check_wave(Wave(1, 1, ("/threshold",)), build)
    with pytest.raises(InputError, match="no node '/treshold'") as told:
        check_wave(Wave(1, 1, ("/treshold",)), build)
    assert "/threshold" in str(told.value)
