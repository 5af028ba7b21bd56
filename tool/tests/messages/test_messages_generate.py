# SPDX-License-Identifier: Apache-2.0
"""Generated trees: golden files, and that nothing is rewritten without need.

LIGAMENT_RERECORD=1 writes the golden files anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from ligament.messages import load_store
from ligament.messages.__main__ import main
from ligament.messages.cpp import render_all
from ligament.messages.tables import type_tables
from ligament.resources import spec_dir

GOLDEN = Path(__file__).parents[1] / "golden" / "messages"
EVERY_FEATURE = Path(__file__).parents[3] / "runtime/tests/message/every_feature_msgs"
FILES = [
    "ligament/std_msgs/msg/header.hpp",
    "ligament/sensor_msgs/msg/point_cloud2.hpp",
    "ligament/every_feature_msgs/msg/texts.hpp",
    "ligament/every_feature_msgs/msg/awkward_names.hpp",
    "ligament/every_feature_msgs/msg/constants.hpp",
    "ligament/every_feature_msgs/srv/nothing.hpp",
    "ligament/every_feature_msgs/action/work.hpp",
    "ligament/alias/sensor_msgs/msg/point_cloud2.hpp",
]


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    store = load_store("jazzy", [EVERY_FEATURE])
    return render_all(store, store.closure(store))


@pytest.mark.parametrize("name", FILES)
def test_golden(name: str, rendered: dict[str, str]) -> None:
    path = GOLDEN / name
    if os.environ.get("LIGAMENT_RERECORD") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendered[name])
    assert rendered[name] == path.read_text()


def test_golden_tree_holds_nothing_else() -> None:
    found = [p.relative_to(GOLDEN).as_posix() for p in GOLDEN.rglob("*.hpp")]
    assert sorted(found) == sorted(FILES)


def test_same_input_same_bytes(rendered: dict[str, str]) -> None:
    store = load_store("jazzy", [EVERY_FEATURE])
    assert render_all(store, store.closure(store)) == rendered


def run(*arguments: object) -> int:
    return main([str(a) for a in arguments])


def test_second_run_touches_nothing_and_stale_headers_go(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["generate", "--out", out, "--types", "std_msgs/msg/Header"]
    assert run(*arguments) == 0
    header = out / "ligament/std_msgs/msg/header.hpp"
    assert (out / "ligament/builtin_interfaces/msg/time.hpp").is_file()
    stamp = header.stat().st_mtime_ns
    stale = out / "ligament/std_msgs/msg/gone.hpp"
    stale.write_text("old")
    assert run(*arguments) == 0
    assert header.stat().st_mtime_ns == stamp
    assert not stale.exists()


def test_packages_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("generate", "--out", out, "--packages-only", "--package-dir", EVERY_FEATURE) == 0
    assert sorted(p.name for p in (out / "ligament").iterdir()) == ["alias", "every_feature_msgs"]


def test_a_mistake_ends_with_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("generate", "--out", tmp_path, "--types", "std_msgs/msg/Heder") == 2
    assert "did you mean 'std_msgs/msg/Header'?" in capsys.readouterr().err
    assert run("generate", "--out", tmp_path, "--distro", "melodic") == 2


def test_an_unwritable_folder_ends_with_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert run("tables", "--out", tmp_path / "file/types.json") == 1
    assert "cannot write" in capsys.readouterr().err


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    assert run("tables", "--out", path, "--package-dir", EVERY_FEATURE) == 0
    tables = json.loads(path.read_text())
    schema = json.loads((spec_dir() / "interfaces" / "types.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(tables)
    assert tables["schema"] == "ligament/types/1"
    image = tables["messages"]["sensor_msgs/msg/Image"]
    assert image["chosen"] == "data"
    assert image["type_hash"].startswith("RIHS01_d31d41a9")
    assert image["fields"][-1] == {
        "name": "data",
        "element": "uint8",
        "multiplicity": "sequence",
        "count": 0,
        "string_bound": 0,
        "default": None,
    }
    texts = {f["name"]: f for f in tables["messages"]["every_feature_msgs/msg/Texts"]["fields"]}
    assert texts["text_pair"]["default"] == ["one", 'two, and "more"']
    assert "every_feature_msgs/action/Work" in tables["actions"]
    assert "std_srvs/srv/SetBool" in tables["services"]


def test_tables_hold_only_what_was_asked_for() -> None:
    store = load_store()
    tables = type_tables(store, store.closure([store.message("std_msgs/msg/Header")]), "jazzy")
    assert sorted(tables["messages"]) == ["builtin_interfaces/msg/Time", "std_msgs/msg/Header"]
    assert tables["services"] == {}


def test_list_names_what_would_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["generate", "--out", tmp_path, "--types", "std_msgs/msg/Bool"]
    assert run(*arguments, "--list") == 0
    listed = capsys.readouterr().out.split()
    assert not list(tmp_path.iterdir())
    assert run(*arguments) == 0
    assert listed == sorted(str(p) for p in tmp_path.rglob("*.hpp"))
