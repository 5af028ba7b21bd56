# SPDX-License-Identifier: Apache-2.0
"""C99 of messages: it compiles without a warning, and reads and writes what others do."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from ligament.messages import load_store
from ligament.messages.c99 import header_of, render_c99, struct_of
from ligament.messages.errors import DefinitionError
from ligament.messages.files import write_tree
from ligament.messages.hdl import read_bounds

CORE = Path(__file__).parents[3] / "firmware" / "core"
FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror",
         "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip
TYPES = (
    "std_msgs/msg/String", "std_msgs/msg/Empty", "sensor_msgs/msg/Imu", "nav_msgs/msg/Odometry",
    "sensor_msgs/msg/JointState", "sensor_msgs/msg/RegionOfInterest",
    "diagnostic_msgs/msg/KeyValue",
)  # fmt: skip
#: Reads a body of the n-th type and writes it again; a body that is none ends with 3.
MAIN = """
#include <stdio.h>
#include <stdlib.h>
{includes}
static unsigned char in[70000], out[70000];
#define TRY(number, type) \\
  if (atoi(words[1]) == number) {{ \\
    static type m; \\
    type##_init(&m); \\
    type##_get(&from, &m); \\
    if (!from.has_failed) {{ type##_put(&to, &m); }} \\
  }}
int main(int count, char **words) {{
  const size_t size = count == 2 ? fread(in, 1, sizeof in, stdin) : 0;
  ligament_cdr_t from = ligament_cdr_over(in, size);
  ligament_cdr_t to = ligament_cdr_over(out, sizeof out);
{tries}
  if (from.has_failed || to.has_failed) {{ return 3; }}
  return fwrite(out, 1, to.at, stdout) == to.at ? 0 : 4;
}}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All types in one program."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (apt install gcc)")
    folder = tmp_path_factory.mktemp("c99")
    store = load_store("jazzy", [])
    files = render_c99(store, [store.message(t) for t in TYPES], read_bounds([]))
    write_tree(folder / "include", files)
    text = MAIN.format(
        includes="\n".join(f'#include "{header_of(t)}"' for t in TYPES),
        tries="\n".join(f"  TRY({n}, {struct_of(t)})" for n, t in enumerate(TYPES)),
    )
    (folder / "main.c").write_text(text, encoding="utf-8")
    subprocess.run(
        [compiler, *FLAGS, f"-I{folder / 'include'}", f"-I{CORE / 'include'}",
         str(folder / "main.c"), str(CORE / "src" / "cdr.c"), "-o", str(folder / "program")],
        check=True,
    )  # fmt: skip
    return folder / "program"


def run(program: Path, number: int, body: bytes) -> subprocess.CompletedProcess[bytes]:
    """What it makes of a body."""
    return subprocess.run([str(program), str(number)], input=body, capture_output=True, check=False)


class Filler:
    """Values for any message of rosbags."""

    def __init__(self) -> None:
        self.types = get_typestore(Stores.ROS2_JAZZY)
        self.chance = np.random.default_rng(5)

    def message(self, name: str) -> Any:
        """A message with chance values, its sequences of any short length."""
        fields = self.types.fielddefs[name][1]
        return self.types.types[name](*(self.value(kind) for _, kind in fields))

    def value(self, kind: Any) -> Any:
        """Of one field, as rosbags describes it: (1, primitive), (2, name), (3, ...), (4, ...)."""
        node, detail = int(kind[0]), kind[1]
        if node == 2:
            return self.message(detail)
        if node == 1:
            return self.primitive(detail[0])
        element, size = detail
        count = size if node == 3 else int(self.chance.integers(0, 9))
        if int(element[0]) == 1 and element[1][0] != "string":
            values = [self.primitive(element[1][0]) for _ in range(count)]
            return np.array(values, dtype=element[1][0])
        return [self.value(element) for _ in range(count)]

    def primitive(self, name: str) -> Any:
        """A chance value."""
        if name == "string":
            return "abcdefghijkl"[: int(self.chance.integers(0, 12))]
        if name == "bool":
            return bool(self.chance.integers(0, 2))
        if name.startswith("float"):
            return float(np.float32(self.chance.normal()))
        limits = np.iinfo(name)
        return int(self.chance.integers(limits.min, limits.max, dtype=name))


@pytest.mark.parametrize("number", range(len(TYPES)), ids=TYPES)
def test_bodies_are_those_of_others(program: Path, number: int) -> None:
    filler = Filler()
    for _ in range(10):
        message = filler.message(TYPES[number])
        body = bytes(filler.types.serialize_cdr(message, TYPES[number]))[4:]
        done = run(program, number, body)
        assert done.returncode == 0, done.stderr
        padded = done.stdout + bytes(-len(done.stdout) % 4)
        assert padded.rstrip(b"\0") == body.rstrip(b"\0")
        assert len(done.stdout) <= len(body)


@pytest.mark.parametrize("number", range(len(TYPES)), ids=TYPES)
def test_a_body_that_is_cut_is_refused(program: Path, number: int) -> None:
    filler = Filler()
    body = bytes(filler.types.serialize_cdr(filler.message(TYPES[number]), TYPES[number]))[4:]
    shortened = [body[:size] for size in range(0, max(len(body) - 8, 0), 7)]
    assert all(run(program, number, short).returncode == 3 for short in shortened)


def test_what_exceeds_a_bound_is_refused(program: Path) -> None:
    number = TYPES.index("diagnostic_msgs/msg/KeyValue")
    filler = Filler()
    name = TYPES[number]
    long = filler.types.types[name]("k" * 65, "v")
    longest = filler.types.types[name]("k" * 64, "v")
    for message, code in ((long, 3), (longest, 0)):
        body = bytes(filler.types.serialize_cdr(message, name))[4:]
        assert run(program, number, body).returncode == code


def test_the_bound_of_a_body_holds(program: Path) -> None:
    store = load_store("jazzy", [])
    text = render_c99(store, [store.message("std_msgs/msg/String")], read_bounds([]))
    most = re.search(r"_MOST (\d+)", text["std_msgs/msg/string.h"])
    bound = read_bounds([]).entries["std_msgs/msg/String"]["data"]
    assert most is not None and isinstance(bound, int)
    assert int(most[1]) >= 4 + bound + 1
    assert '_TYPE "std_msgs::msg::dds_::String_"' in text["std_msgs/msg/string.h"]


def test_defaults_and_constants(tmp_path: Path) -> None:
    package = tmp_path / "own_msgs"
    (package / "msg").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>own_msgs</name></package>")
    (package / "msg" / "Preset.msg").write_text(
        'int8 LOW=-128\nint64 FAR=-9223372036854775808\nstring NAME="a\\"b"\n'
        "float32 gain 1.5\nbool on true\nstring<=8 name 'imu'\nint16[3] trim [1, -2, 3]\n"
        "uint8[<=4] tail [7, 8]\nuint64 big 18446744073709551615\n"
    )
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (apt install gcc)")
    store = load_store("jazzy", [package])
    write_tree(tmp_path, render_c99(store, [store.message("own_msgs/msg/Preset")], read_bounds([])))
    main = tmp_path / "main.c"
    main.write_text(
        '#include "own_msgs/msg/preset.h"\n'
        "int main(void) {\n  own_msgs__msg__Preset m;\n  own_msgs__msg__Preset_init(&m);\n"
        '  return m.gain == 1.5f && m.on && strcmp(m.name, "imu") == 0 && m.trim[1] == -2 &&\n'
        "    m.tail.count == 2 && m.tail.values[1] == 8 && m.big == UINT64_MAX &&\n"
        "    OWN_MSGS__MSG__PRESET__LOW == -128 && OWN_MSGS__MSG__PRESET__FAR == INT64_MIN\n"
        "    ? 0 : 1;\n}\n"
    )
    subprocess.run(
        [compiler, *FLAGS, f"-I{tmp_path}", f"-I{CORE / 'include'}", str(main),
         str(CORE / "src" / "cdr.c"), "-o", str(tmp_path / "main")],
        check=True,
    )  # fmt: skip
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0


def test_a_wide_string_is_refused() -> None:
    store = load_store("jazzy", [])
    wide = store.message("example_interfaces/msg/WString")
    with pytest.raises(DefinitionError, match="wide string"):
        render_c99(store, [wide], read_bounds([]))
