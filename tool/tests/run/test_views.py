# SPDX-License-Identifier: Apache-2.0
"""`ligament.views` in real rclpy of two ROS 2 distributions: what is shown, lent and refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS
from test_rmw import Program, Start, each_distro, each_pair

REPO = Path(__file__).parents[3]


class ViewsProgram(Program):
    """A running program of `views_programs.py`."""

    script = Path(__file__).with_name("views_programs.py")
    python_path = str(REPO / "tool")


class ExampleProgram(Program):
    """A program that a user starts: `script` is its first word."""

    python_path = str(REPO / "tool")

    def __init__(self, distro: str, domain_id: int, words: tuple[object, ...], ours: bool) -> None:
        self.script = Path(str(words[0]))
        super().__init__(distro, domain_id, words[1:], ours)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts programs in one ROS domain of their own: `rmw_programs.py` where they are `plain`;
    with a path as first word, that program."""
    running: list[Program] = []

    def begin(distro: str, *words: object, ours: bool = True, plain: bool = False) -> Program:
        kind = Program if plain else ViewsProgram
        kind = ExampleProgram if isinstance(words[0], Path) else kind
        running.append(kind(distro, domain_id, words, ours))
        return running[-1]

    with dds_domain() as domain_id:
        yield begin
        for program in running:
            program.process.kill()
            program.process.communicate()


@each_pair
@pytest.mark.parametrize("size", [1000, 10_000_000])
def test_loans_become_views_and_messages(start: Start, pair: tuple[str, str], size: int) -> None:
    count = 5
    shows = start(pair[0], "show", count, size)
    plain = start(pair[0], "subscribe", count, size, plain=True)
    assert start(pair[1], "send", count, size, 2).result() == {"sent": count}
    told = shows.result()
    assert told["right"] == plain.result()["right"] == list(range(count))
    (place,) = told["places"]
    in_pool, dlpack_is_in_place, is_writable, beyond_page = place
    assert (in_pool, dlpack_is_in_place, is_writable) == (True, True, False)
    assert beyond_page % (4096 if size > 65536 else 128) == 0


@each_distro
def test_messages_become_views(start: Start, distro: str) -> None:
    shows = start(distro, "show", 20, 1_000_000)
    start(distro, "publish", 20, 1_000_000, 1, plain=True).result()
    assert shows.result()["right"] == list(range(20))


@each_distro
def test_two_views_of_a_sample_lie_in_one_place(start: Start, distro: str) -> None:
    assert start(distro, "same_place").result() == {"same": True, "pool": True}


@each_distro
def test_all_kinds_of_fields_are_shown_and_lent(start: Start, distro: str) -> None:
    assert start(distro, "types").result() == {"wrong": [], "enough": True}


@each_distro
def test_images_and_clouds_have_their_shape(start: Start, distro: str) -> None:
    assert start(distro, "shapes").result() == {"image": True, "cloud": True}


@each_distro
def test_poses_are_one_array(start: Start, distro: str) -> None:
    shown = [[[1.0, 2.0, 3.0], 1.0, 2]]
    assert start(distro, "poses").result() == {"equal": True, "shown": shown}


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_no_message_are_refused(start: Start, seed: int) -> None:
    assert start(DISTROS[seed % 2], "fuzz", seed, 4000).result() == {"some": True}


@each_distro
def test_a_faulty_publisher_is_named_and_passed_over(start: Start, distro: str) -> None:
    told = start(distro, "faulty").result()
    assert told["text"].startswith("'numbers': no std_msgs/msg/UInt64: ")
    assert told["seen"] == [8]


@each_distro
def test_who_holds_too_many_views_is_told_and_loses_none(start: Start, distro: str) -> None:
    told = start(distro, "hold").result()
    assert told["most"] == 3
    assert told["numbers"] == list(range(8))
    assert "'images': all messages that the subscription may show at once" in told["text"]
    assert told["text"].endswith(" / the view was released")
    assert told["array"] == told["after"] == 5000


@each_distro
def test_loans_are_published_once_or_not_at_all(start: Start, distro: str) -> None:
    told = start(distro, "lend").result()
    assert told["came"] == [4, 6]
    assert told["second"].startswith("LoanError: no sensor_msgs/msg/Image of ")
    assert told["text"].startswith("LoanError: sensor_msgs/msg/Image.encoding: strings")
    assert told["same"] == ""
    image = "LoanError: sensor_msgs/msg/Image"
    assert told["range"] == f"{image}.height: -1 is no uint32 (0 .. 4294967295)"
    assert told["field"].startswith(f"{image} has no field 'colour': its fields: data, encoding, ")
    assert told["name"] == f"{image} has no field 'widht': did you mean 'width'?"
    unset = "set height, width and step first (height, width, step are 0)"
    assert told["unset"] == f"{image}.array(): {unset}"
    stamp = "5 is no builtin_interfaces/msg/Time"
    assert told["stamp"] == told["message"] == f"LoanError: std_msgs/msg/Header.stamp: {stamp}"
    assert told["within"].startswith(
        "LoanError: builtin_interfaces/msg/Time.sec: 'now' is no int32"
    )
    assert told["number"] == f"{image}.encoding: 5 is no string"
    assert told["content"].startswith(f"{image}.data: 4 numbers of uint8 are wanted: ")
    assert told["length"] == f"{image}.data: 5.5 is neither a length nor an array of uint8"
    assert told["rows"].startswith("MalformedMessageError: no image of 9 x ")
    assert told["twice"] == "MessageReleasedError: the loan was published"


@each_distro
def test_callbacks_of_all_forms_are_called(start: Start, distro: str) -> None:
    told = start(distro, "threads").result()
    assert told == {"plain": 40, "info": 40, "async": 40}


@each_distro
def test_nothing_heavy_is_loaded(start: Start, distro: str) -> None:
    assert start(distro, "load").result() == {"heavy": [], "subscribe": "", "loan": ""}


@each_distro
def test_another_middleware_is_named_with_what_to_set(start: Start, distro: str) -> None:
    told = start(distro, "load", ours=False).result()
    for text in (told["subscribe"], told["loan"]):
        assert text.startswith("WrongMiddlewareError: this process runs on rmw_fastrtps_cpp")
        assert "RMW_IMPLEMENTATION=rmw_ligament_cpp" in text


@each_distro
@pytest.mark.parametrize("encoding", ["rgb8", "bgr8"])
def test_the_example_finds_the_colour(start: Start, distro: str, encoding: str) -> None:
    words = ["--ros-args", "-r", "image:=frames", "-p", "tolerance:=10"]
    start(distro, REPO / "examples" / "ros2" / "track_colour.py", *words)
    told = start(distro, "paint", encoding).result()
    assert told == {"point": [40.0, 15.0, 11 * 21 / (60 * 80)], "stamp": 5}


@each_distro
def test_the_programs_of_the_page_run(start: Start, distro: str, tmp_path: Path) -> None:
    page = (REPO / "docs" / "how-to" / "python-views.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    paths = [tmp_path / name for name in ("look.py", "camera.py")]
    for path, program in zip(paths, programs, strict=True):
        path.write_text(program)
    looks = [start(distro, paths[0]), start(distro, REPO / "examples" / "ros2" / "peek.py")]
    start(distro, paths[1])
    lines = []
    for program in looks:
        assert program.process.stdout is not None
        lines.append(program.process.stdout.readline())
    assert lines == [" (480, 640, 3) 128\n", " (480, 640, 3) [128. 128. 128.]\n"]
