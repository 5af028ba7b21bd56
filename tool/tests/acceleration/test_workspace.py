# SPDX-License-Identifier: Apache-2.0
"""Platforms of a workspace: found, selected at once or not at all, refused with what to do."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import pytest
from workspaces import BOARD, add_board, add_published, call

from ligament.acceleration.workspace import Workspace
from ligament.cli.main import main
from ligament.errors import InputError
from ligament.mapping.files import load_platform, platform_names
from ligament.resources import examples_dir


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a space and letters beyond ASCII in its path."""
    folder = tmp_path / "my wörk späce"
    (folder / "src").mkdir(parents=True)
    return folder


def told(capsys: pytest.CaptureFixture[str], begin: str = "") -> dict:
    """The JSON that was printed, from its first character on."""
    said = capsys.readouterr().out
    return json.loads(said[said.index(begin) :])


def test_an_empty_workspace_lists_what_ships_and_has_nothing_selected(root, capsys):
    assert call(root, "list", "--json") == 0
    found = told(capsys)
    assert found["selected"] is None
    assert [row["name"] for row in found["platforms"]] == sorted(platform_names())
    assert {row["origin"] for row in found["platforms"]} == {"built-in"}
    assert not (root / "acceleration").exists()
    assert call(root, "board") == 2
    assert "no platform is selected" in capsys.readouterr().err


def test_a_built_in_platform_is_selected_by_its_name_in_one_line(root, capsys):
    assert call(root, "select", "kv260") == 0
    assert "selected kv260 (built-in)" in capsys.readouterr().out
    link = root / "acceleration" / "firmware" / "select"
    assert not link.is_symlink()
    assert link.read_text() == "kv260\n"
    assert call(root, "board") == 0
    assert capsys.readouterr().out.splitlines()[0] == "KV260"
    assert call(root, "platform", "--json") == 0
    found = told(capsys)
    assert found["platform"]["devices"]["fpga0"]["budgets"]["lut"] == 117120
    assert [entry["file"].rpartition("/")[2] for entry in found["missing_files"]] == ["platform"]


def test_graphs_are_mapped_to_platforms_of_the_workspace_by_name(root, monkeypatch):
    """And to its own one of a name that ships, as `list` shows it."""
    for name in ("mine", "kv260"):
        add_board(root, name)
    assert load_platform("kv260").board != "My Board"
    with pytest.raises(InputError):
        load_platform("mine")
    monkeypatch.chdir(root)
    assert [load_platform(name).board for name in ("mine", "kv260")] == ["My Board"] * 2
    assert load_platform("zcu104").board != "My Board"
    with pytest.raises(InputError) as refused:
        load_platform("min")
    assert "'mine'" in refused.value.problems[0].hint


def test_a_platform_of_the_workspace_is_a_relative_link_that_moves_with_it(root, capsys):
    add_board(root, "mine")
    assert call(root, "select", "mine") == 0
    link = root / "acceleration" / "firmware" / "select"
    assert os.readlink(link) == "mine"
    moved = root.with_name("moved")
    root.rename(moved)
    capsys.readouterr()
    assert call(moved, "platform") == 0
    assert capsys.readouterr().out.startswith("mine 1.2.3\n  workspace: ")
    assert (moved / "acceleration" / "firmware" / "select" / "platform.yaml").is_file()


def test_a_wrong_name_changes_nothing_and_the_nearest_is_named(root, capsys):
    add_board(root, "mine")
    call(root, "select", "mine")
    for wrong in ("mne", "kv26", "../mine", ""):
        assert call(root, "select", wrong) == 2
    said = capsys.readouterr().err
    assert "did you mean 'mine'?" in said
    assert "did you mean 'kv260'?" in said
    assert Workspace(root).selected_name() == "mine"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("kind: cpu", "kind: cup", "devices.cpu0.kind is 'cup'"),
        ("memory: ram", "memory: rom", "there is no memory 'rom'"),
        ("{name}", "another", "the platform 'another' lies in the folder 'mine'"),
        ("version: 1.2.3", "version: [", "while parsing"),
        ("kernel/Image", "../Image", "is '../Image'"),
        ("kernel/Image", "/Image", "is '/Image'"),
        ("sha256: ", "sha265: ", "unknown field 'sha265'"),
    ],
)
def test_a_broken_manifest_is_refused_with_its_line_and_changes_nothing(
    root, capsys, before, after, expected
):
    assert before in BOARD
    folder = add_board(root, "mine", BOARD.replace(before, after))
    call(root, "select", "host")
    capsys.readouterr()
    assert call(root, "select", "mine") == 2
    said = capsys.readouterr().err
    assert expected in said
    assert f"{os.path.relpath(folder)}/platform.yaml:" in said or "platform.yaml:" in said
    assert Workspace(root).selected_name() == "host"


def test_a_broken_platform_is_listed_and_the_exit_code_says_so(root, capsys):
    add_board(root, "mine", BOARD.replace("kind: cpu", "kind: cup"))
    (root / "acceleration" / "firmware" / "nothing").mkdir()
    assert call(root, "list", "--json") == 2
    rows = {row["name"]: row for row in told(capsys)["platforms"]}
    assert rows["mine"]["origin"] == rows["nothing"]["origin"] == "broken"
    assert rows["mine"]["problems"][0]["location"]["line"] == 6
    assert "no platform" in rows["nothing"]["text"]
    assert rows["host"]["origin"] == "built-in"


def test_a_board_of_the_published_convention_is_read_and_what_it_lacks_is_said(root, capsys):
    add_published(root)
    assert call(root, "select", "old") == 0
    capsys.readouterr()
    assert call(root, "board") == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0] == "kr260"
    assert "soc: xck26-sfvc784-2LV-c" in said
    assert "shell_type XRT_FLAT" in said
    assert call(root, "platform") == 0
    said = capsys.readouterr().out
    assert "vendor's platform: kr260_shell" in said
    assert "lacks: devices; no graph can be mapped to it" in said
    assert call(root, "version", "vitis") == (0 if shutil.which("vitis_hls") else 1)
    assert "vitis_hls" in capsys.readouterr().out


def test_a_link_that_a_published_tool_has_left_is_read(root):
    folder = add_published(root)
    (folder.parent / "select").symlink_to(folder)  # absolute, as it makes it
    assert Workspace(root).selected().document["board"]["name"] == "kr260"


@pytest.mark.parametrize("text", ["", "../kv260\n", "a b\n", "\xff" * 300])
def test_a_selection_that_is_none_says_what_to_do(root, capsys, text):
    firmware = root / "acceleration" / "firmware"
    firmware.mkdir(parents=True)
    (firmware / "select").write_text(text, encoding="latin-1")
    assert call(root, "board") == 2
    assert "remove it, then `ligament acceleration select NAME`" in capsys.readouterr().err
    assert call(root, "select", "host") == 0


def test_a_folder_in_the_place_of_the_selection_is_left_alone(root, capsys):
    place = root / "acceleration" / "firmware" / "select"
    place.mkdir(parents=True)
    (place / "mine").write_text("mine")
    assert call(root, "select", "host") == 2
    assert "is a folder" in capsys.readouterr().err
    assert (place / "mine").read_text() == "mine"


def test_a_selected_platform_that_went_is_named(root, capsys):
    shutil.rmtree(_select(root, "mine"))
    assert call(root, "list") == 0
    assert "selected, and not there: mine" in capsys.readouterr().out
    assert call(root, "board") == 2
    assert "there is no platform 'mine'" in capsys.readouterr().err


def _select(root: Path, name: str) -> Path:
    folder = add_board(root, name)
    call(root, "select", name)
    return folder


def test_a_missing_workspace_is_named(tmp_path, capsys):
    assert call(tmp_path / "none", "list") == 2
    assert "there is no workspace" in capsys.readouterr().err
    assert call(tmp_path / "none", "list", "--json") == 2
    assert told(capsys)["problems"][0]["code"] == "workspace-missing"


def test_where_nothing_may_be_written_nothing_changes(root, capsys):
    (root / "acceleration").mkdir()
    (root / "acceleration" / "firmware").symlink_to("/proc/self")  # nobody may write there
    assert call(root, "select", "kv260") == 1
    said = capsys.readouterr().err
    assert "nothing was changed" in said
    assert "make the workspace writable" in said


def test_a_dry_run_changes_nothing(root, capsys):
    assert call(root, "select", "kv260", "--dry-run") == 0
    assert "would select kv260" in capsys.readouterr().out
    assert not (root / "acceleration").exists()


def test_two_that_select_at_once_leave_one_whole_selection(root):
    for name in ("one", "two"):
        add_board(root, name)
    seen, faults = set(), []

    def select(name: str) -> None:
        for _ in range(30):
            Workspace(root).select(name)

    def look() -> None:
        while any(worker.is_alive() for worker in workers):
            try:
                seen.add(Workspace(root).selected_name())
            except (InputError, OSError) as error:
                faults.append(error)

    workers = [threading.Thread(target=select, args=(n,)) for n in ("one", "two", "kv260")]
    Workspace(root).select("one")
    watcher = threading.Thread(target=look)
    for thread in (*workers, watcher):
        thread.start()
    for thread in (*workers, watcher):
        thread.join()
    assert not faults
    assert seen <= {"one", "two", "kv260"}
    assert sorted(p.name for p in (root / "acceleration" / "firmware").iterdir()) == [
        "one", "select", "two",
    ]  # fmt: skip


def test_two_workspaces_have_a_selection_each(tmp_path):
    for name in ("kv260", "zcu104"):
        (tmp_path / name).mkdir()
        Workspace(tmp_path / name).select(name)
    assert Workspace(tmp_path / "kv260").selected().name == "kv260"
    assert Workspace(tmp_path / "zcu104").selected().name == "zcu104"


def test_files_of_a_built_in_platform_lie_in_the_workspace(root, capsys):
    platform = Workspace(root).platform("kv260")
    with pytest.raises(InputError) as raised:
        platform.file("platform")
    (problem,) = raised.value.problems
    assert problem.expected == str(root / "acceleration" / "firmware" / "kv260" / "platform")
    assert "kria-vitis-platforms" in problem.hint
    add_published(root, "kv260")  # also a folder of the published convention
    found = Workspace(root).platform("kv260")
    assert (found.origin, found.document["board"]["name"]) == ("built-in", "KV260")
    assert found.file("platform").is_dir()
    assert call(root, "select", "kv260") == 0
    assert call(root, "platform", "--json") == 0
    said = told(capsys, "{")
    assert said["vendor_platforms"] == ["kr260_shell"]
    assert said["missing_files"] == []


def test_a_file_s_checksum_is_compared(root):
    folder = add_board(root, "mine")
    (folder / "kernel").mkdir()
    (folder / "kernel" / "Image").write_text("kernel\n")
    platform = Workspace(root).platform("mine")
    assert platform.checked("kernel/Image") == folder / "kernel" / "Image"
    (folder / "kernel" / "Image").write_text("kernel.\n")
    with pytest.raises(InputError) as raised:
        platform.checked("kernel/Image")
    assert [p.code for p in raised.value.problems] == ["platform-file-checksum"]


@pytest.mark.parametrize("path", ["../mine/platform.yaml", "/etc/passwd", "", "a/../../b"])
def test_a_path_out_of_the_platform_is_refused(root, path):
    add_board(root, "mine")
    with pytest.raises(InputError) as raised:
        Workspace(root).platform("mine").file(path)
    assert [p.code for p in raised.value.problems] == ["platform-path"]


def test_verbs_that_map_take_the_selected_platform_and_say_so(tmp_path, monkeypatch, capsys):
    graph = str(examples_dir() / "threshold")
    monkeypatch.chdir(tmp_path)
    words = ["map", graph, "--variant", "hardware", "--plan"]
    assert main(words) == 2, "host has no FPGA"
    assert main(["acceleration", "select", "fpga_sim"]) == 0
    capsys.readouterr()
    assert main(words) == 0
    assert "platform: fpga_sim (selected in this workspace)" in capsys.readouterr().err
    mapping = tmp_path / "build" / "threshold" / "hardware" / "mapping.json"
    assert json.loads(mapping.read_text())["platform"] == "fpga_sim"
    # What is named counts, and a mapping that is there has one.
    assert main([*words, "--platform", "host"]) == 2
    assert "platform:" not in capsys.readouterr().err.splitlines()[0]
    assert main(["generate", graph, "--mapping", str(mapping)]) == 0
    assert "platform:" not in capsys.readouterr().err
