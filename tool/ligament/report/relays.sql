-- SPDX-License-Identifier: Apache-2.0
-- Messages that came through edges. In the pool of its subscription such a message has the name that
-- the edge there gave it; its source timestamp came with it. So (topic, source timestamp) tells which
-- publication it was, and from here on the events carry that one's name. What fits two publications
-- is linked to none, and what fits none (a publisher that was not traced) keeps the edge's name.

-- publisher, seq: as the edge named the message; origin_publisher, origin_seq: as its publisher did.
CREATE TEMP TABLE relays AS
WITH came AS (
  SELECT DISTINCT e.publisher, e.seq, e.source_ns, s.topic
  FROM events e JOIN subscriptions s ON s.subscription = e.subscription
  WHERE e.event = 'relayed'),
published AS (
  SELECT p.topic, e.source_ns, any_value(e.publisher) AS publisher, any_value(e.seq) AS seq
  FROM events e JOIN publishers p ON p.publisher = e.publisher
  WHERE e.event = 'publish' AND e.source_ns <> 0
  GROUP BY p.topic, e.source_ns HAVING count(*) = 1)
SELECT c.publisher, c.seq, p.publisher AS origin_publisher, p.seq AS origin_seq
FROM came c JOIN published p ON p.topic = c.topic AND p.source_ns = c.source_ns;
