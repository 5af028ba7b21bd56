-- SPDX-License-Identifier: Apache-2.0
-- Messages by identity (publisher, seq): who published them, who took them, and which message a
-- publication was caused by.

-- One row per taken message and subscription; publisher, seq: null where they are not known.
-- Imports also know ready_ns: when the executor last began to look for work; execute_ns: when it
-- began to execute it; intra: whether it stayed in its process.
CREATE TEMP TABLE takes AS
SELECT e.subscription, coalesce(e.publisher, l.publisher) AS publisher,
       coalesce(e.seq, l.seq) AS seq, e.time_ns AS take_ns, e.host, e.tid, e.row, s.node,
       e.ready_ns, e.execute_ns, e.intra
FROM (SELECT * FROM events WHERE event = 'take') e
LEFT JOIN subscriptions s ON s.subscription = e.subscription
LEFT JOIN links l ON l.subscription = e.subscription AND l.source_ns = e.source_ns;

-- One row per published message. begin_ns: when the call began (the event's own time where that was
-- not measured); end_ns: when the entry was visible; an import does not know that: there it is when
-- the middleware was called. rcl_ns: when rcl was called (imports).
-- cause_publisher, cause_seq: the message that the surrounding callback worked on, by the identity
-- that its last span before the publication gave, else the message that it was called with; null:
-- the publication came from a timer or from outside any callback. callback_end: when the
-- surrounding callback ended, callback_handle: whose it was; null: there is none.
CREATE TEMP TABLE publications AS
WITH published AS (
  SELECT e.row, e.host, e.tid, e.publisher, e.seq, e.bytes, e.time_ns AS rcl_ns,
         coalesce(s.send_ns, e.time_ns) AS end_ns,
         CASE WHEN e.begin_ns > 0 THEN least(e.begin_ns, e.time_ns) ELSE e.time_ns END AS begin_ns,
         p.node
  FROM (SELECT * FROM events WHERE event = 'publish') e
  LEFT JOIN publishers p ON p.publisher = e.publisher
  LEFT JOIN sends s ON s.publisher = e.publisher AND s.seq = e.seq),
inside AS (
  SELECT p.*, c.begin_row AS callback_row, c.end_row AS callback_end, c.end_ns AS callback_end_ns,
         c.handle AS callback_handle,
         c.publisher AS called_publisher, c.seq AS called_seq
  FROM published p ASOF LEFT JOIN callbacks c
    ON p.host = c.host AND p.tid = c.tid AND p.row >= c.begin_row),
identified AS (SELECT host, tid, publisher, seq, begin_row FROM spans WHERE publisher <> 0),
worked AS (
  SELECT i.*, s.begin_row AS span_row, s.publisher AS span_publisher, s.seq AS span_seq
  FROM inside i ASOF LEFT JOIN identified s
    ON i.host = s.host AND i.tid = s.tid AND i.row >= s.begin_row)
SELECT row, host, tid, publisher, seq, bytes, begin_ns, rcl_ns, end_ns, node,
       CASE WHEN row <= callback_end THEN callback_end_ns END AS callback_end_ns,
       CASE WHEN row <= callback_end THEN callback_handle END AS callback_handle,
       CASE WHEN coalesce(row > callback_end, true) THEN NULL
            WHEN span_row > callback_row THEN span_publisher
            ELSE nullif(called_publisher, 0) END AS cause_publisher,
       CASE WHEN coalesce(row > callback_end, true) THEN NULL
            WHEN span_row > callback_row THEN span_seq
            WHEN called_publisher <> 0 THEN called_seq END AS cause_seq
FROM worked;

-- How often each publisher's messages were taken by each subscription.
CREATE TEMP TABLE hops AS
SELECT publisher, subscription, count(*) AS messages, min(take_ns) AS first_ns, max(take_ns) AS last_ns
FROM takes WHERE publisher IS NOT NULL GROUP BY publisher, subscription;

-- How often a publisher's message was caused by a message of another publisher, by the callback in
-- which it was published.
CREATE TEMP TABLE causes AS
SELECT cause_publisher, callback_handle, publisher, count(*) AS messages
FROM publications WHERE cause_publisher IS NOT NULL GROUP BY ALL;

-- Publishers that also publish without a cause: where chains begin.
CREATE TEMP TABLE sources AS
SELECT publisher, count(*) AS messages
FROM publications WHERE cause_publisher IS NULL GROUP BY ALL;

-- Simulated time: from time_ns on, ROS time was ros_ns. That is when the message of /clock was
-- published, where the recording has it; else when the first node heard of it. pid: a process in
-- which it was heard.
CREATE TEMP TABLE ros_times AS
SELECT min(coalesce(p.begin_ns, e.time_ns)) AS time_ns, e.ros_ns, any_value(e.pid) AS pid
FROM (SELECT * FROM events WHERE event = 'ros_time') e
LEFT JOIN publications p ON p.publisher = e.publisher AND p.seq = e.seq
GROUP BY e.publisher, e.seq, e.ros_ns;
