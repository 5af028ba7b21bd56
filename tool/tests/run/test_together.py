# SPDX-License-Identifier: Apache-2.0
"""Several runs of one build that start together do not get in each other's way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ligament.artefacts import write_text
from ligament.run.plan import new_run_folder

AT_ONCE = 16


def test_each_run_gets_its_own_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        folders = list(pool.map(new_run_folder, [tmp_path / "runs"] * AT_ONCE))
    assert len(set(folders)) == AT_ONCE
    assert all((folder / "outputs").is_dir() for folder in folders)


def test_an_artefact_that_many_write_is_one_of_their_texts_whole(tmp_path: Path) -> None:
    target = tmp_path / "graph.json"
    texts = [str(number) * 100_000 for number in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda text: write_text(target, text), texts))
    assert target.read_text() in texts
    assert list(tmp_path.iterdir()) == [target]
