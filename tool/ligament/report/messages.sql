-- SPDX-License-Identifier: Apache-2.0
-- Messages by identity (publisher, seq): who published them, who took them, and which message a
-- publication was caused by.

-- One row per taken message and subscription.
CREATE TEMP TABLE takes AS
SELECT e.subscription, e.publisher, e.seq, e.time_ns AS take_ns, e.host, e.tid, e.row, s.node
FROM events e LEFT JOIN subscriptions s ON s.subscription = e.subscription
WHERE e.event = 'take';

-- One row per published message. begin_ns: when the call began (the event's own time where that was
-- not measured); end_ns: when the entry was visible.
-- cause_publisher, cause_seq: the message that the surrounding callback worked on, by the identity
-- that its last span before the publication gave, else the message that it was called with; null:
-- the publication came from a timer or from outside any callback.
CREATE TEMP TABLE publications AS
WITH published AS (
  SELECT e.row, e.host, e.tid, e.publisher, e.seq, e.bytes, e.time_ns AS end_ns,
         CASE WHEN e.begin_ns > 0 THEN least(e.begin_ns, e.time_ns) ELSE e.time_ns END AS begin_ns,
         p.node
  FROM events e LEFT JOIN publishers p ON p.publisher = e.publisher
  WHERE e.event = 'publish'),
inside AS (
  SELECT p.*, c.begin_row AS callback_row, c.end_row AS callback_end,
         c.publisher AS called_publisher, c.seq AS called_seq
  FROM published p ASOF LEFT JOIN callbacks c
    ON p.host = c.host AND p.tid = c.tid AND p.row >= c.begin_row),
identified AS (SELECT host, tid, publisher, seq, begin_row FROM spans WHERE publisher <> 0),
worked AS (
  SELECT i.*, s.begin_row AS span_row, s.publisher AS span_publisher, s.seq AS span_seq
  FROM inside i ASOF LEFT JOIN identified s
    ON i.host = s.host AND i.tid = s.tid AND i.row >= s.begin_row)
SELECT row, host, tid, publisher, seq, bytes, begin_ns, end_ns, node,
       CASE WHEN coalesce(row > callback_end, true) THEN NULL
            WHEN span_row > callback_row THEN span_publisher
            ELSE nullif(called_publisher, 0) END AS cause_publisher,
       CASE WHEN coalesce(row > callback_end, true) THEN NULL
            WHEN span_row > callback_row THEN span_seq
            WHEN called_publisher <> 0 THEN called_seq END AS cause_seq
FROM worked;

-- How often each publisher's messages were taken by each subscription.
CREATE TEMP TABLE hops AS
SELECT publisher, subscription, count(*) AS messages FROM takes GROUP BY ALL;

-- How often a publisher's message was caused by a message of another publisher.
CREATE TEMP TABLE causes AS
SELECT cause_publisher, publisher, count(*) AS messages
FROM publications WHERE cause_publisher IS NOT NULL GROUP BY ALL;

-- Publishers that also publish without a cause: where chains begin.
CREATE TEMP TABLE sources AS
SELECT publisher, count(*) AS messages
FROM publications WHERE cause_publisher IS NULL GROUP BY ALL;
