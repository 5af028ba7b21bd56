# SPDX-License-Identifier: Apache-2.0
"""A replay of made-up work gives the times that can be worked out by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from made_up_runs import BYTES, CALL, LATENCY, NODES, TAIL, WAKE, WORKED, ends_of, line

from ligament.advise.jobs import Job, Output, Sent, Work
from ligament.advise.loops import awaited
from ligament.advise.one_core import without_preemption
from ligament.advise.replay import SLICE_NS, Replay
from ligament.advise.setting import DDS, SHM, THREAD, Kind, Setting
from ligament.advise.transform import fused, retimed, uninterrupted
from ligament.advise.waits import measure, most_at_once, parallel_nodes

ONE = dict.fromkeys(NODES, 7)
DRAWN = {
    Kind(THREAD, False): 3.0,
    Kind(THREAD, None): 5.0,
    Kind(SHM, False): 30.0,
    Kind(SHM, True): float(WAKE),
    Kind(SHM, None): float(CALL),
    Kind(SHM, True, True): 40.0,
    Kind(SHM, False, True): 4.0,
    Kind(SHM, None, True): float(CALL),
}


def drawn(kind: Kind, _: str, __: int) -> float:
    return DRAWN[kind]


def as_it_was(work: Work, cores: int = 8) -> Setting:
    return Setting(work.server_of(), work.threads, cores)


def latencies(work: Work, setting: Setting, base: Work | None = None) -> list[int]:
    own = measure(base or work, as_it_was(base or work))
    times = Replay(work, setting, own, drawn).run()
    return [times.begin_ns[job] - times.sent_ns[first] for first, job in ends_of(base or work)]


def test_a_replay_without_a_change_is_the_run() -> None:
    rng = np.random.default_rng(3)
    took = rng.integers(10, 900, (len(NODES), 41))
    work = line(40, 5000, lambda node, frame: int(took[node, frame]))
    expected = [3 * (CALL + WAKE) + int(took[1, k] + took[2, k]) for k in range(1, 41)]
    assert latencies(work, as_it_was(work)) == expected


def test_one_process_has_no_wakes_but_waits_for_its_callbacks() -> None:
    work = line(20, 5000)
    setting = Setting(ONE, {7: 1}, 8)
    # The next callback begins when the one that published has ended.
    expected = 3 * (5 + TAIL + 3) + WORKED[1] + WORKED[2]
    assert latencies(work, setting) == [expected] * 20


def test_a_process_that_has_too_much_to_do_builds_a_queue() -> None:
    """Each node has time enough alone; together they need more than the camera's period."""
    work = line(20, 900)
    assert latencies(work, as_it_was(work)) == [LATENCY] * 20
    found = latencies(work, Setting({**ONE, "/camera": 1}, {7: 1}, 8))
    # A frame needs 1016 of the thread, and one comes every 900.
    assert found[-1] > LATENCY + 15 * 116


def test_two_threads_of_a_process_work_at_once() -> None:
    work = line(20, 900)
    one = latencies(work, Setting({**ONE, "/camera": 1}, {7: 1}, 8))
    two = latencies(work, Setting({**ONE, "/camera": 1}, {7: 2}, 8))
    assert max(two) < LATENCY + 300 < one[-1]
    # Without a queue, messages go to another thread: they wait as between processes.
    slow = line(20, 5000)
    assert latencies(slow, Setting(ONE, {7: 2}, 8)) == [LATENCY] * 20


def test_on_one_core_jobs_wait_for_each_other() -> None:
    work = line(20, 900)
    found = latencies(work, Setting(work.server_of(), work.threads, 1))
    assert found[-1] > found[0] + 15 * 100
    # With time between the frames nobody waits: a publisher has sent, and its core is free.
    slow = line(20, 5000)
    single = latencies(slow, Setting(slow.server_of(), slow.threads, 1))
    assert single == [3 * (CALL + 40) + WORKED[1] + WORKED[2]] * 20


@pytest.mark.parametrize(("arrives", "begins"), [(5_000_000, 5_000_000), (1_000_000, SLICE_NS)])
def test_a_long_job_gives_up_its_core_after_a_slice(arrives: int, begins: int) -> None:
    """What it sends before is as it was, what it sends afterwards is as much later."""
    took, wait = 12_000_000, 400_000
    outputs = [Output((1, 0), 2_000_000, CALL), Output((1, 1), 8_000_000, CALL)]
    long = Job("/long", 1, 1, 0, took, None, 0, 10_000_000, outputs)
    short = Job("/short", 2, 2, arrives, arrives + wait, None, 0, wait)
    ends = (2_000_000 + CALL, 10_000_000 + 2 * CALL)
    sent = {(1, k): Sent(f"/{k}", "/long", 0, end, BYTES) for k, end in enumerate(ends)}
    work = Work([long, short], sent, {}, {1: 1, 2: 1})
    alone, shared = (Setting(work.server_of(), work.threads, cores) for cores in (2, 1))
    before = Replay(work, alone, measure(work, alone), drawn).run()
    assert before.begin_ns == {0: 0, 1: arrives}
    found = Replay(work, shared, measure(work, alone), drawn).run()
    assert found.begin_ns == {0: 0, 1: begins}
    assert found.sent_ns[1, 0] == before.sent_ns[1, 0]
    assert found.sent_ns[1, 1] == before.sent_ns[1, 1] + wait
    # In one process its thread is what the other one waits for.
    one = Setting(dict.fromkeys(("/long", "/short"), 1), {1: 1}, 1)
    assert Replay(work, one, measure(work, alone), drawn).run().begin_ns[1] == took


def test_a_reader_that_takes_the_core_makes_its_publisher_no_slower() -> None:
    """Each reader begins in the publish call, whose end is seen only after the reader's."""
    work = line(20, 5000, wake=-5)
    jobs = list(work.jobs)
    for at in range(len(jobs) - 2, -1, -1):
        if jobs[at].outputs:
            last = jobs[at + 1].end_ns
            out = jobs[at].outputs[0]
            late = last - jobs[at].begin_ns - out.gap_ns
            jobs[at] = replace(jobs[at], outputs=[replace(out, call_ns=late)], end_ns=last + TAIL)
            work.sent[out.message] = replace(work.sent[out.message], end_ns=last)
    found = without_preemption(replace(work, jobs=jobs))
    for at in range(0, len(jobs), 4):
        one = found.jobs[at + 1]
        assert (one.outputs[0].gap_ns, one.outputs[0].call_ns, one.tail_ns) == (600, CALL - 5, TAIL)
    setting = as_it_was(found, cores=1)
    times = Replay(found, setting, measure(found, setting), drawn).run()
    taken = [times.begin_ns[job] - times.sent_ns[first] for first, job in ends_of(found)]
    assert taken == [3 * (CALL - 5) + WORKED[1] + WORKED[2]] * 20


def test_a_message_through_dds_is_of_another_kind() -> None:
    work = line(20, 5000)
    setting = Setting(work.server_of(), work.threads, 8, dds=True)
    with pytest.raises(KeyError) as lacking:
        latencies(work, setting)
    assert lacking.value.args[0] == Kind(DDS, None, False, "/raw")


def test_the_waits_of_a_run_are_found_by_kind() -> None:
    work = line(20, 5000)
    found = measure(work, as_it_was(work))
    assert {kind: set(values) for kind, values in found.samples.items()} == {
        Kind(SHM, True): {float(WAKE)},
        Kind(SHM, None): {float(CALL)},
    }


def test_waiting_for_a_busy_node_is_no_wait_of_the_way() -> None:
    """The second of two messages comes while the node works: it is counted from the node's end."""
    work = line(2, 5000)
    early = work.jobs[4]
    first = work.jobs[1]
    shift = first.begin_ns + 300 - (early.end_ns - TAIL)
    moved = replace(early, begin_ns=early.begin_ns + shift, end_ns=early.end_ns + shift)
    message = early.outputs[0].message
    second = replace(work.jobs[5], begin_ns=first.end_ns + 7, end_ns=first.end_ns + 507, outputs=[])
    jobs = [*work.jobs[:4], moved, second]
    sent = {m: s for m, s in work.sent.items() if s.job < 5}
    sent[message] = replace(sent[message], end_ns=sent[message].end_ns + shift)
    trimmed = Work(jobs, sent, {m: [k for k in ks if k < 6] for m, ks in work.takers.items()},
                   work.threads)  # fmt: skip
    found = measure(trimmed, as_it_was(trimmed))
    assert found.waits[5] == (Kind(SHM, False), 7)


def test_fused_nodes_have_no_hop_between_them() -> None:
    work = line(20, 5000)
    joined, gone = fused(work, {"/rectify", "/resize"}, "/both")
    server_of = {**work.server_of(), "/both": 2}
    setting = Setting(server_of, work.threads, 8, gone=gone)
    # The second job runs in place of the publish call of the first, whose rest comes after it.
    assert latencies(joined, setting, work) == [2 * (CALL + WAKE) + WORKED[1] + WORKED[2]] * 20
    both = joined.jobs[1]
    assert (both.node, both.compute_ns, both.tail_ns) == ("/both", 900, 2 * TAIL)


def test_what_others_take_of_fused_nodes_is_still_published() -> None:
    work = line(20, 5000)
    for at, job in enumerate(work.jobs):
        if job.node == "/sink" and job.trigger:
            work.takers[(101, job.trigger[1])].append(at)
    joined, gone = fused(work, {"/rectify", "/resize"}, "/both")
    assert [out.message[0] for out in joined.jobs[1].outputs] == [101, 102]
    assert len(gone) == 20


def test_a_node_elsewhere_takes_another_time() -> None:
    work = line(20, 5000)
    moved = retimed(work, "/rectify", lambda _: 2000)
    assert latencies(moved, as_it_was(work), work) == [LATENCY + 1400] * 20


def test_interruptions_are_taken_from_the_slow_callbacks() -> None:
    work = line(20, 5000, lambda node, frame: 600 + 400 * (node == 1 and frame % 5 == 0))
    quiet = uninterrupted(work, {"/rectify": 4 * 400})
    assert {job.outputs[0].gap_ns for job in quiet.jobs if job.node == "/rectify"} == {600}
    half = uninterrupted(work, {"/rectify": 4 * 200})
    assert {job.outputs[0].gap_ns for job in half.jobs if job.node == "/rectify"} == {600, 800}


def test_callbacks_of_one_node_run_at_once_only_where_they_did() -> None:
    work = line(4, 5000)
    assert parallel_nodes(work) == frozenset()
    work.jobs.append(replace(work.jobs[1], thread=9))
    assert parallel_nodes(work) == frozenset({"/rectify"})


def test_how_many_jobs_shared_the_cores_is_found() -> None:
    assert most_at_once(line(20, 5000)) == 1
    # With a period of 250 three frames are on their way at once; at times all four nodes work.
    assert most_at_once(line(20, 320, lambda node, _: 310)) >= 3


def test_a_reader_may_run_before_the_publish_call_returns() -> None:
    work = line(20, 5000, wake=-5)
    expected = 3 * (CALL - 5) + WORKED[1] + WORKED[2]
    assert latencies(work, as_it_was(work)) == [expected] * 20


def test_samples_are_without_the_warm_up() -> None:
    work = line(20, 5000)
    found = measure(work, as_it_was(work), 5000 * 11)
    assert {len(values) for values in found.samples.values()} == {3 * 10}
    assert len(found.waits) == 3 * 20


def driven(frames: int, period: int | None, lag: int = 1000) -> Work:
    """A simulator's thread that sends images, and a node that answers each with a command.

    With a `period` it sends by the clock, without one it waits for the command to the one before.
    """
    jobs: list[Job] = []
    sent: dict[tuple[int, int], Sent] = {}
    takers: dict[tuple[int, int], list[int]] = {}
    begin = 0
    for frame in range(frames):
        image, command = (1, frame), (2, frame)
        worked = 300 + 37 * (frame % 7)
        jobs.append(Job("/sim", -10, -10, begin, begin + 20, None, 0, 0, [Output(image, 0, 20)]))
        answer = begin + 20 + WAKE
        done = answer + worked + CALL
        outputs = [Output(command, worked, CALL)]
        jobs.append(Job("/node", 5, 5, answer, done, image, 6, worked, outputs))
        jobs.append(Job("/sim", 9, 9, done + WAKE, done + WAKE + 30, command, 7))
        sent[image] = Sent("/image", "/sim", 3 * frame, begin + 20, BYTES)
        sent[command] = Sent("/command", "/node", 3 * frame + 1, done, 64)
        takers |= {image: [3 * frame + 1], command: [3 * frame + 2]}
        begin = begin + period if period else done + WAKE + 30 + lag
    work = Work(jobs, sent, takers, {5: 1, 9: 1})
    return replace(work, awaited=awaited(work))


def test_who_waits_for_an_answer_is_told_from_who_has_a_period() -> None:
    assert list(driven(40, None).awaited.items()) == [
        (3 * k - 1, [(3 * k, 1000)]) for k in range(1, 40)
    ]
    assert driven(40, 2000).awaited == {}


@pytest.mark.parametrize("period", [None, 2000])
def test_a_source_that_waits_is_slowed_down_and_never_ahead(period: int | None) -> None:
    work = driven(40, period)
    slow = retimed(work, "/node", lambda job: 10 * job.compute_ns)
    times = Replay(slow, as_it_was(slow), measure(work, as_it_was(work)), drawn).run()
    delays = [times.begin_ns[3 * k + 1] - times.sent_ns[(1, k)] for k in range(40)]
    assert len(times.begin_ns) == 120
    if period is None:
        assert delays == [20 + WAKE] * 40
    else:  # the node is slower than the camera: images queue up
        assert all(after > before for before, after in itertools.pairwise(delays))


def driven_by_two(frames: int) -> Work:
    """As `driven`, but a slower node answers as well, now and then the faster one of the two."""
    jobs: list[Job] = []
    sent: dict[tuple[int, int], Sent] = {}
    takers: dict[tuple[int, int], list[int]] = {}
    begin = 0
    for frame in range(frames):
        image, number = (1, frame), 5 * frame
        jobs.append(Job("/sim", -10, -10, begin, begin + 20, None, 0, 0, [Output(image, 0, 20)]))
        sent[image] = Sent("/image", "/sim", number, begin + 20, BYTES)
        takers[image] = [number + 1, number + 3]
        ends = []
        for k, worked in ((0, 300 + 37 * (frame % 7)), (1, 200 + 900 * (frame % 5))):
            answer, name = (2 + k, frame), ("/node", "/slam")[k]
            taken = begin + 20 + WAKE
            done = taken + worked + CALL
            outputs = [Output(answer, worked, CALL)]
            jobs.append(Job(name, 5 + k, 5 + k, taken, done, image, 6, worked, outputs))
            ends.append(done + WAKE + 30)
            jobs.append(Job("/sim", 9, 9, done + WAKE, ends[-1], answer, 7 + k))
            sent[answer] = Sent(("/command", "/pose")[k], name, number + 1 + 2 * k, done, 64)
            takers[answer] = [number + 2 + 2 * k]
        begin = max(ends) + 1000
    work = Work(jobs, sent, takers, {5: 1, 6: 1, 9: 2})
    return replace(work, awaited=awaited(work))


@pytest.mark.parametrize("slower", ["/node", "/slam"])
def test_a_source_that_waits_for_two_answers_waits_for_the_later_one(slower: str) -> None:
    work = driven_by_two(40)
    assert sorted(work.awaited.items()) == [
        (5 * k - 5 + answer, [(5 * k, 1000)]) for k in range(1, 40) for answer in (2, 4)
    ]
    slow = retimed(work, slower, lambda job: 10 * job.compute_ns)
    times = Replay(slow, as_it_was(slow), measure(work, as_it_was(work)), drawn).run()
    assert len(times.begin_ns) == 200
    taken = {"/node": 1, "/slam": 3}[slower]
    delays = [times.begin_ns[5 * k + taken] - times.sent_ns[(1, k)] for k in range(40)]
    assert delays == [20 + WAKE] * 40
