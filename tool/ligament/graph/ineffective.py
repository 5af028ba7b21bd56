# SPDX-License-Identifier: Apache-2.0
"""Quality of service that is allowed, as in DDS, but gives one of the two ends nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.graph.model import Topic


def ineffective(topics: Mapping[str, Topic]) -> list[str]:
    """Return a warning per wish of an end that can have no effect on its topic."""
    return [text for topic in topics.values() for text in (*_keep_all(topic), *_lifespan(topic))]


def _keep_all(topic: Topic) -> Iterator[str]:
    """A publisher waits only where both ends keep all and are reliable."""
    for one, others in (
        (topic.publishers, topic.subscriptions),
        (topic.subscriptions, topic.publishers),
    ):
        other = {(o.qos.history, o.qos.reliability) for o in others}
        for end in one:
            if end.qos.history != "keep_all" or not others:
                continue
            if end.qos.reliability != "reliable":
                why = "it is best_effort"
            elif ("keep_all", "reliable") not in other:
                why = "no end opposite is reliable with keep_all"
            else:
                continue
            yield (
                f"history keep_all of '{end.node}' on '{topic.id}' makes no publisher wait, so "
                f"messages can be overwritten: {why}"
            )


def _lifespan(topic: Topic) -> Iterator[str]:
    """A lifespan is the publisher's; where the topic says it, it says so to both ends."""
    if topic.qos_declared.get("lifespan_ms"):
        return
    for end in topic.subscriptions:
        if end.qos.lifespan_ms:
            yield (
                f"lifespan_ms of '{end.node}' on '{topic.id}' has no effect: it is the publisher's "
                "to say how long its messages live"
            )
