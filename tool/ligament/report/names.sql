-- SPDX-License-Identifier: Apache-2.0
-- Who is who: start-up events as small tables. `events` is the event table with its row number.
-- A name that was emitted by several processes stands once.

-- node: handle; name: node id.
CREATE TEMP TABLE nodes AS
SELECT node, any_value(name) AS name FROM events WHERE event = 'node_init' GROUP BY node;

-- handle: the subscription whose callback it is; message: the message type that stands in the
-- function's name; null where it holds none or several.
CREATE TEMP TABLE callback_types AS
WITH found AS (
  SELECT handle, list_distinct(regexp_extract_all(name, '(\w+::msg::\w+?)(?:_<|\b)', 1)) AS types
  FROM events WHERE event = 'callback_name')
SELECT handle, CASE WHEN len(types) = 1 THEN replace(types[1], '::', '/') END AS message FROM found;

-- topic: handle; name: topic id; message: message type; null where nothing tells it.
CREATE TEMP TABLE topics AS
WITH told AS (
  SELECT s.topic, CASE WHEN count(DISTINCT c.message) = 1 THEN any_value(c.message) END AS message
  FROM events s JOIN callback_types c ON c.handle = s.subscription
  WHERE s.event = 'subscription_init' GROUP BY s.topic)
SELECT e.topic, any_value(e.name) AS name,
       coalesce(any_value(e.message), any_value(t.message)) AS message
FROM events e LEFT JOIN told t ON t.topic = e.topic
WHERE e.event = 'topic_init' GROUP BY e.topic;

-- node_name, topic_name: ids, null if their start-up event was lost.
CREATE TEMP TABLE endpoints AS
SELECT e.event, e.publisher, e.subscription, any_value(e.node) AS node,
       any_value(n.name) AS node_name, any_value(e.topic) AS topic, any_value(t.name) AS topic_name,
       any_value(t.message) AS message, any_value(e.depth) AS depth
FROM events e LEFT JOIN nodes n ON n.node = e.node LEFT JOIN topics t ON t.topic = e.topic
WHERE e.event IN ('publisher_init', 'subscription_init')
GROUP BY e.event, e.publisher, e.subscription;

-- publisher: id that samples carry.
CREATE TEMP TABLE publishers AS
SELECT * EXCLUDE (event, subscription) FROM endpoints WHERE event = 'publisher_init';

-- subscription: handle.
CREATE TEMP TABLE subscriptions AS
SELECT * EXCLUDE (event, publisher) FROM endpoints WHERE event = 'subscription_init';

-- handle: timer; period_ns: null if unknown.
CREATE TEMP TABLE timers AS
SELECT e.handle, any_value(n.name) AS node_name, any_value(e.period_ns) AS period_ns
FROM events e LEFT JOIN nodes n ON n.node = e.node
WHERE e.event = 'timer_init' GROUP BY e.handle;

-- handle: service; name: service id. Imports only.
CREATE TEMP TABLE services AS
SELECT e.handle, any_value(n.name) AS node_name, any_value(e.name) AS name
FROM events e LEFT JOIN nodes n ON n.node = e.node
WHERE e.event = 'service_init' GROUP BY e.handle;

-- span: handle; name and category as the author gave them.
CREATE TEMP TABLE span_names AS
SELECT span, any_value(node) AS node, any_value(name) AS name, any_value(category) AS category
FROM events WHERE event = 'span_name' GROUP BY span;

-- pid: process; cost_ns: measured time of one event in it.
CREATE TEMP TABLE probe_costs AS
SELECT host, pid, any_value(cost_ns) AS cost_ns
FROM events WHERE event = 'probe_cost' GROUP BY host, pid;
