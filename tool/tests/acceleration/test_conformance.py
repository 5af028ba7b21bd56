# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: each verdict is of what ran, and the page is made of the results."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from image_workspaces import make, needs_image_tools
from workspaces import BOARD, add_board, call

from ligament.acceleration import capabilities
from ligament.acceleration.capabilities import CAPABILITIES, NO, NOT_HERE, YES, Context, Verdict
from ligament.acceleration.capability_page import page
from ligament.acceleration.checks import images
from ligament.acceleration.workspace import Workspace
from ligament.errors import FailureError
from ligament.graph.loader import read_document
from ligament.resources import node_packages_dir

SHIPPED = node_packages_dir().parent / "docs" / "reference" / "capabilities.json"
CLAIMS = BOARD + "capabilities: [{claims}]\n"


def rows(root: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict:
    assert call(root, "conformance", "--json", *words) == code
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


def claiming(root: Path, *claims: str) -> None:
    add_board(root, "mine", CLAIMS.replace("{claims}", ", ".join(claims)))
    Workspace(root).select("mine")


def test_every_check_is_of_a_capability():
    assert capabilities.checks().keys() <= {c.name for c in CAPABILITIES}
    assert len({c.name for c in CAPABILITIES}) == len(CAPABILITIES)


def test_what_nothing_does_is_a_no_and_fails_where_it_is_claimed(tmp_path, capsys, monkeypatch):
    claiming(tmp_path, "netboot-keys", "verb-help")
    monkeypatch.setattr(
        capabilities, "checks", lambda: {"verb-help": lambda _: Verdict(YES, "it does")}
    )
    found = rows(tmp_path, capsys, code=1)
    assert list(found) == [c.name for c in CAPABILITIES]
    assert (found["netboot-keys"]["state"], found["netboot-keys"]["claimed"]) == (NO, True)
    assert found["verb-help"]["state"] == YES
    assert rows(tmp_path, capsys, "--only", "verb-help").keys() == {"verb-help"}


@pytest.mark.parametrize(
    ("raised", "evidence"),
    [
        (FailureError("it broke", command=["ligament", "run"]), "it broke"),
        (FileNotFoundError("no record"), "no record"),
        (KeyError("spans"), "spans"),
        (IndexError("list index out of range"), "out of range"),
    ],
)
def test_a_check_that_fails_is_a_no_that_says_why(tmp_path, raised, evidence):
    def check(_: Context) -> Verdict:
        raise raised

    context = Context(Workspace(tmp_path).platform("host"), tmp_path)
    verdict = capabilities.judge(CAPABILITIES[:1], {CAPABILITIES[0].name: check}, context)
    assert verdict[CAPABILITIES[0].name].state == NO
    assert evidence in verdict[CAPABILITIES[0].name].evidence


def test_what_the_machine_lacks_is_neither_yes_nor_no(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    claiming(tmp_path, "generic-macro")
    found = rows(tmp_path, capsys, "--only", "generic-macro", "--only", "ament")
    assert {row["state"] for row in found.values()} == {NOT_HERE}
    assert "this machine lacks" in found["ament"]["evidence"]


def test_the_help_of_verbs_is_looked_at(tmp_path, capsys, monkeypatch):
    add_board(tmp_path, "mine")
    Workspace(tmp_path).select("mine")
    assert rows(tmp_path, capsys, "--only", "verb-help")["verb-help"]["state"] == YES
    from ligament.acceleration.verbs import board

    monkeypatch.setattr(board, "__doc__", "")
    found = rows(tmp_path, capsys, "--only", "verb-help")["verb-help"]
    assert (found["state"], found["evidence"]) == (NO, "unexplained: board")


@pytest.mark.timeout(600)
def test_the_draft_s_macro_is_built_and_its_fault_is_found(tmp_path, capsys, monkeypatch):
    add_board(tmp_path, "mine")
    Workspace(tmp_path).select("mine")
    words = ("--only", "generic-macro", "--folder", str(tmp_path / "work"))
    found = rows(tmp_path, capsys, *words)["generic-macro"]
    assert (found["state"], found["evidence"]) == (
        YES, "a target that built and installed libscale-native.a",
    )  # fmt: skip
    from ligament.acceleration.checks import building

    monkeypatch.setattr(building, "_LISTS", building._LISTS.replace("FILE scale", "FILE scales"))
    found = rows(tmp_path, capsys, *words)["generic-macro"]
    assert found["state"] == NO
    assert "scales.cpp" in found["evidence"] + (tmp_path / "work/conformance.log").read_text()


def test_images_of_a_workspace_s_own_platform_are_made_beside_it(tmp_path, capsys):
    needs_image_tools()
    root = make(tmp_path / "ws")
    capsys.readouterr()
    words = ("--only", "raw-image", "--folder", str(tmp_path / "work"))
    found = rows(root, capsys, *words)["raw-image"]
    assert (found["state"], found["evidence"][-20:]) == (YES, "twice the same bytes"), found
    assert (tmp_path / "work/acceleration/images/toy.img").is_file()
    assert not (root / "acceleration/images").exists()
    (root / "acceleration/firmware/toy/blob.bin").write_bytes(b"another")
    found = rows(root, capsys, "--only", "raw-image")["raw-image"]
    assert found["state"] == NO
    assert "is damaged, or another file than was meant" in found["evidence"]
    assert "log:" not in found["evidence"]  # it is gone with its folder


@pytest.mark.parametrize(
    ("name", "said", "state"),
    [
        ("vanilla", "6.1.0 #1 SMP", YES),
        ("vanilla", "6.1.0 #1 SMP PREEMPT_RT", NO),
        ("vanilla", "", NO),
        ("preempt_rt", "6.1.0 #1 SMP", NO),
        ("preempt_rt", "6.1.0 #1 SMP PREEMPT_RT", YES),
    ],
)
def test_the_kernel_that_booted_is_the_one_that_was_asked_for(
    tmp_path, monkeypatch, name, said, state
):
    context = Context(Workspace(make(tmp_path / "ws")).platform("toy"), tmp_path)
    monkeypatch.setattr(images, "_lacks", lambda *_, **__: None)
    monkeypatch.setattr(images, "_image", lambda _: "toy.img")
    monkeypatch.setattr(images, "_verb", lambda *_: {"output": said})
    image = SimpleNamespace(record={"kernel": name}, boot={"vmlinuz": b"kernel"})
    monkeypatch.setattr(images, "read_image", lambda _: image)
    assert images._kernel(context, name).state == state


def test_a_machine_that_cannot_fetch_says_nothing_of_the_platform(tmp_path):
    def check(_: Context) -> Verdict:
        raise FailureError("exit code 1: apt cannot fetch its lists")

    context = Context(Workspace(tmp_path).platform("host"), tmp_path)
    assert images._with_packages(check)(context).state == NOT_HERE


def test_the_page_s_platforms_are_those_of_the_script():
    script = (SHIPPED.parents[2] / "dev" / "conformance").read_text()
    listed = script.partition("set -- ")[2].partition(";")[0].split()
    assert set(json.loads(SHIPPED.read_text())["platforms"]) <= set(listed)
    assert "qemu-arm64" in listed  # the one that boots


def test_a_capability_that_there_is_not_names_the_nearest(tmp_path, capsys):
    claiming(tmp_path, "node-kernel")
    assert call(tmp_path, "conformance") == 2
    said = capsys.readouterr().err
    assert "did you mean 'node-kernels'?" in said
    assert "platform.yaml:17:" in said
    assert call(tmp_path, "conformance", "host", "--only", "amnt") == 2
    assert "did you mean 'ament'?" in capsys.readouterr().err


def test_results_of_platforms_come_together_in_a_file_and_its_page(tmp_path, capsys, monkeypatch):
    add_board(tmp_path, "mine")
    file = tmp_path / "found.json"
    for name in ("mine", "host"):
        words = (name, "--only", "network-kernels", "--only", "verb-help")
        assert call(tmp_path, "conformance", *words, "--results", file) == 0
    assert call(tmp_path, "conformance", "mine", "--only", "raw-image", "--results", file) == 0
    document = read_document(file, "capabilities").data
    assert [row["name"] for row in document["platforms"]["mine"]["rows"]][:2] == [
        "network-kernels", "raw-image",
    ]  # fmt: skip
    text = file.with_suffix(".md").read_text()
    assert "| 1.iii | kernels at level 3: in DDS and the network | no | no |" in text
    assert "| 5.i | each verb explains itself | tested | tested |" in text
    assert "`host` | `mine` |" in text
    # A file of an earlier tool, whose rows have no standing.
    told = json.loads(file.read_text())
    for row in told["platforms"]["mine"]["rows"]:
        del row["standing"]
    file.write_text(json.dumps(told))
    assert call(tmp_path, "conformance", *words, "--results", file) == 0
    assert file.with_suffix(".md").read_text() == text
    # What is no results is refused before anything is tested.
    file.write_text("{}")
    monkeypatch.setattr(capabilities, "judge", lambda *_: pytest.fail("it was tested"))
    assert call(tmp_path, "conformance", *words, "--results", file) == 2


def test_a_dry_run_tests_nothing(tmp_path, capsys):
    assert call(tmp_path, "conformance", "fpga_sim", "--dry-run") == 0
    assert "1.i     node-kernels: tested" in capsys.readouterr().out


def test_the_page_that_ships_is_made_of_the_results_that_ship():
    document = read_document(SHIPPED, "capabilities").data
    assert SHIPPED.with_suffix(".md").read_text() == page(document, SHIPPED.name)
