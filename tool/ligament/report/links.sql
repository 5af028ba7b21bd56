-- SPDX-License-Identifier: Apache-2.0
-- Imports: which message a take through the middleware was. The take tells the topic and the source
-- timestamp, which travels with the message; so hosts and their clocks do not matter. What fits two
-- publications is linked to none. Empty for our own runs, whose takes tell the publisher themselves.

-- One row per message that was given to the middleware. send_ns: when; source_ns: null before Jazzy;
-- sent_ns: by when it was sent, where source_ns is not told.
CREATE TEMP TABLE sends AS
SELECT s.publisher, s.seq, s.time_ns AS send_ns, s.source_ns, e.time_ns AS sent_ns, p.topic
FROM (SELECT * FROM events WHERE event = 'send') s
LEFT JOIN (SELECT * FROM events WHERE event = 'send_end') e
  ON e.publisher = s.publisher AND e.seq = s.seq
LEFT JOIN publishers p ON p.publisher = s.publisher;

-- subscription, source_ns: the take; publisher, seq: the message.
CREATE TEMP TABLE links AS
WITH wanted AS (
  SELECT DISTINCT e.subscription, e.source_ns, s.topic
  FROM events e JOIN subscriptions s ON s.subscription = e.subscription
  WHERE e.event = 'take' AND e.publisher IS NULL AND e.source_ns IS NOT NULL),
stamped AS (
  SELECT topic, source_ns, any_value(publisher) AS publisher, any_value(seq) AS seq
  FROM sends WHERE source_ns IS NOT NULL GROUP BY topic, source_ns HAVING count(*) = 1)
SELECT w.subscription, w.source_ns, s.publisher, s.seq
FROM wanted w JOIN stamped s ON s.topic = w.topic AND s.source_ns = w.source_ns;

-- Before Jazzy the send does not tell the source timestamp. The middleware takes it inside the
-- call, so it lies between `send` and the thread's next event, on the recording's real time; the
-- margin of 1 us is for the error of that time, and less than any publish call takes. One publication of the topic must fit, and one only.
INSERT INTO links
WITH wanted AS (
  SELECT DISTINCT e.subscription, e.source_ns, p.publisher
  FROM events e JOIN subscriptions s ON s.subscription = e.subscription
  JOIN publishers p ON p.topic = s.topic
  WHERE e.event = 'take' AND e.publisher IS NULL AND e.source_ns IS NOT NULL
    AND EXISTS (SELECT 1 FROM sends x WHERE x.publisher = p.publisher AND x.source_ns IS NULL)),
windows AS (
  SELECT publisher, seq, send_ns + r.real_time_offset_ns - 1000 AS low,
         sent_ns + r.real_time_offset_ns + 1000 AS high
  FROM sends, recording r WHERE source_ns IS NULL AND sent_ns IS NOT NULL),
fitting AS (
  SELECT w.subscription, w.source_ns, x.publisher, x.seq
  FROM wanted w ASOF JOIN windows x ON x.publisher = w.publisher AND w.source_ns >= x.low
  WHERE w.source_ns <= x.high)
SELECT subscription, source_ns, any_value(publisher), any_value(seq)
FROM fitting GROUP BY subscription, source_ns HAVING count(*) = 1;
