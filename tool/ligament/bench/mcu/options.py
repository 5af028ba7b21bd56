# SPDX-License-Identifier: Apache-2.0
"""What `ligament bench mcu` is asked for, and the plan that follows."""

from __future__ import annotations

from dataclasses import dataclass

from ligament.bench.options import Lists, option, with_words

#: Of the published experiment.
PAPER_SIZES = (16, 32)
LARGER_SIZES = (256, 1024, 4096, 16384, 65536)
SIZES = (*PAPER_SIZES, *LARGER_SIZES)
LARGEST = 65536
#: A longer text takes seconds on a serial line.
LARGEST_ON_UART = 256
LARGEST_OFTEN = 32


@dataclass(frozen=True)
class Place:
    """A link, and where its round trips are measured."""

    link: str
    at: str
    #: Whose rows they are: floors are not ours.
    peer: str = "ligament"

    @property
    def title(self) -> str:
        """For people, and for `--only`."""
        return f"{self.link} at {self.at}"

    @property
    def is_ros(self) -> bool:
        """Whether an rclpy node measures."""
        return self.at not in ("shm", "ring")

    @property
    def is_published(self) -> bool:
        """Whether the picture shows each value: beside the paper's, or what it is compared with."""
        return self.link in ("rpmsg", "spin", "uart") and self.at != "ring"

    def fewer(self, messages: int, size: int) -> int:
        """What takes tens of milliseconds is said less often."""
        is_slow = self in PUBLISHED or (self.link == "uart" and size > LARGEST_OFTEN)
        return max(10, messages // 10) if is_slow else messages


#: `spin`: as `rpmsg`, with an agent that looks for a while before it sleeps.
#: `shm`: a node of ours in the pool. `rclpy`: an rclpy node with our middleware, in the pool, too.
#: `dds`: an rclpy node with its own middleware, behind the edge. `ring`: at the link itself, which
#: no node behind an agent that sleeps can be faster than.
PLACES = (
    Place("rpmsg", "shm"),
    Place("spin", "shm"),
    Place("freertos", "shm"),
    Place("r5f", "shm"),
    Place("rpmsg", "rclpy"),
    Place("rpmsg", "dds"),
    Place("udp", "shm"),
    Place("uart", "shm"),
    Place("rpmsg", "ring", "bare RPMsg"),
    Place("raw", "ring", "bare ring"),
)
#: Parts of the published path, each with those before it: a byte stream with frames over the link;
#: 100 us of sleep between two looks at it; a core that looks once per tick of 1 ms; a core that
#: waits for each acknowledgement; a tick of 10 ms.
PUBLISHED = tuple(
    Place(link, "shm") for link in ("framed", "sleeps", "ticks", "stop-wait", "slow-ticks")
)


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    messages: int = option(0, "Per size and link (0: 600, quick 100); the paper has 10000.", min=0)
    passes: int = option(0, "Turns of all links (0: 3, quick 1).", min=0)
    sizes: str = option("", "Bytes of text, a list with commas (16,32).")
    only: str = option("", "Links whose title has all these words (rpmsg shm); nothing is counted.")
    published: bool = option(
        False, "Add the published system's path, part by part: where its time went.", "--published"
    )
    plot: str = option("", "Write the probability densities as SVG.", metavar="FILE")


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    places: list[Place]
    sizes: list[int]
    messages: int
    passes: int

    def sizes_of(self, place: Place) -> list[int]:
        """Those that this link is asked for."""
        most = LARGEST_ON_UART if place.link == "uart" else LARGEST
        wanted = PAPER_SIZES if place.is_ros or place in PUBLISHED else self.sizes
        return [size for size in self.sizes if size in wanted and size <= most]


def plan_of(quick: bool, options: Options) -> Plan:
    """The plan, or all mistakes of the options."""
    lists = Lists()
    sizes = lists.numbers("--sizes", options.sizes, range(1, LARGEST + 1))
    lists.raise_mistakes()
    sizes = sizes or list(PAPER_SIZES if quick else SIZES)
    passes = options.passes or (1 if quick else 3)
    messages = options.messages or (100 if quick else 600)
    places = with_words(options.only, PLACES + (PUBLISHED if options.published else ()))
    plan = Plan(places, sizes, max(messages, passes), passes)
    return Plan([p for p in places if plan.sizes_of(p)], sizes, plan.messages, passes)
