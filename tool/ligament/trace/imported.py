# SPDX-License-Identifier: Apache-2.0
"""`ligament trace import`: a recording of an unmodified rclcpp system becomes an event table.

The folder that is written can be given to `ligament report` as a run's folder can. The recording
itself is only read.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ligament import __version__
from ligament.artefacts import DEFAULT_OUT, read_json_object, write_json
from ligament.errors import InputError, Problem
from ligament.trace.convert import Conversion, convert
from ligament.trace.salvage import copy_whole, find_cuts
from ligament.trace.stage import Traced, with_timeline

SCHEMA = "ligament/imported/1"
PROVIDER = "ros2"
GRAPH = "imported"


def import_recording(
    recording: Path, *, name: str | None = None, graph: str = GRAPH, out: Path | None = None
) -> Traced:
    """Convert a recording of ros2_tracing into `out` (default: build/<graph>/<name>).

    A recording of the same name may be imported there again; an import of another one stays.
    """
    if not recording.is_dir():
        raise InputError(
            Problem(
                "recording-missing",
                f"{recording} is no folder",
                hint="name the folder that `ros2 trace` wrote; it holds `ust/.../metadata`",
            )
        )
    variant = name or recording.resolve().name
    folder = import_folder(recording, name=name, graph=graph, out=out)
    _refuse_overwriting(folder, recording)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        conversion = _convert(recording, folder / "events.parquet")
    except InputError:
        if not any(folder.iterdir()):
            shutil.rmtree(folder)
        raise
    write_json(folder / "import.json", _describe(conversion, recording, graph, variant))
    return with_timeline(folder, conversion)


def import_folder(recording: Path, *, name: str | None, graph: str, out: Path | None) -> Path:
    """Where an import goes."""
    return out or DEFAULT_OUT / graph / (name or recording.resolve().name)


def _convert(recording: Path, table: Path) -> Conversion:
    """Of a recording that is cut off, its whole packets."""
    cuts = find_cuts(recording)
    if not cuts:
        return convert(recording, table, provider=PROVIDER, salvage=True)
    said = "; ".join(cut.sentence for cut in cuts)
    with tempfile.TemporaryDirectory() as folder:
        whole = copy_whole(recording, cuts, Path(folder))
        conversion = convert(whole, table, provider=PROVIDER, salvage=True, known_error=said)
    return conversion


def _refuse_overwriting(folder: Path, recording: Path) -> None:
    if (folder / "run.json").exists() or folder.resolve() == recording.resolve():
        raise InputError(
            Problem(
                "out-in-use",
                f"{folder} is {'a run' if (folder / 'run.json').exists() else 'the recording'}; "
                "the import would be mixed with it",
                hint="name another folder: --out FOLDER",
            )
        )
    before = imported_into(folder)
    if before is not None and before != recording.resolve().name:
        raise InputError(
            Problem(
                "out-in-use",
                f"{folder} is the import of another recording, '{before}'",
                hint="choose another --name or --out, or remove the folder",
            )
        )


def imported_into(folder: Path) -> str | None:
    """The folder's name of the recording whose import lies there; None: none does."""
    file = folder / "import.json"
    return str(read_json_object(file).get("recording")) if file.is_file() else None


def _describe(conversion: Conversion, recording: Path, graph: str, variant: str) -> dict[str, Any]:
    raw = pq.read_metadata(conversion.path).metadata[b"ligament"]
    metadata: dict[str, Any] = json.loads(raw)
    return {
        "schema": SCHEMA,
        "graph": graph,
        "variant": variant,
        "run_id": variant,
        "state": "truncated" if conversion.error else "imported",
        "provider": PROVIDER,
        "recording": recording.resolve().name,
        "trace": {
            "events_discarded": conversion.discarded_events + conversion.unknown_losses,
            "packets_lost": conversion.discarded_packets,
        },
        "context": {
            "machine": {"hosts": metadata.get("hosts", [])},
            "commit": None,
            "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
            "versions": {"ligament": __version__},
        },
    }
