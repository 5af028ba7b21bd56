-- SPDX-License-Identifier: Apache-2.0
-- Who is who: start-up events as small tables. `events` is the event table with its row number.
-- A name that was emitted by several processes stands once.

-- node: handle; name: node id.
CREATE TEMP TABLE nodes AS
SELECT node, any_value(name) AS name FROM events WHERE event = 'node_init' GROUP BY node;

-- topic: handle; name: topic id; message: message type.
CREATE TEMP TABLE topics AS
SELECT topic, any_value(name) AS name, any_value(message) AS message
FROM events WHERE event = 'topic_init' GROUP BY topic;

-- publisher: id that samples carry; node_name, topic_name: ids, null if their start-up event was lost.
CREATE TEMP TABLE publishers AS
SELECT p.publisher, any_value(p.node) AS node, any_value(n.name) AS node_name,
       any_value(t.name) AS topic_name, any_value(t.message) AS message
FROM events p LEFT JOIN nodes n ON n.node = p.node LEFT JOIN topics t ON t.topic = p.topic
WHERE p.event = 'publisher_init' GROUP BY p.publisher;

-- subscription: handle; as publishers.
CREATE TEMP TABLE subscriptions AS
SELECT s.subscription, any_value(s.node) AS node, any_value(n.name) AS node_name,
       any_value(t.name) AS topic_name, any_value(t.message) AS message
FROM events s LEFT JOIN nodes n ON n.node = s.node LEFT JOIN topics t ON t.topic = s.topic
WHERE s.event = 'subscription_init' GROUP BY s.subscription;

-- span: handle; name and category as the author gave them.
CREATE TEMP TABLE span_names AS
SELECT span, any_value(node) AS node, any_value(name) AS name, any_value(category) AS category
FROM events WHERE event = 'span_name' GROUP BY span;

-- pid: process; cost_ns: measured time of one event in it.
CREATE TEMP TABLE probe_costs AS
SELECT host, pid, any_value(cost_ns) AS cost_ns
FROM events WHERE event = 'probe_cost' GROUP BY host, pid;
