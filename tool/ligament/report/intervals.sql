-- SPDX-License-Identifier: Apache-2.0
-- Begin and end events of one thread, paired. An end without begin, or a begin without end (the
-- event was lost, or the process was killed in it), gives no row: nothing is invented.

-- One row per finished callback. handle: subscription or timer; publisher, seq: the message that it
-- was called with (0: none; null: not known). begin_row, end_row: places in the event table, for
-- exact order. rcl_ns: when rcl had taken that message (imports).
CREATE TEMP TABLE callbacks AS
WITH marks AS (
  SELECT row, host, tid, event, handle, publisher, seq, source_ns, rcl_ns, time_ns,
         lead(event) OVER thread AS next_event, lead(handle) OVER thread AS next_handle,
         lead(time_ns) OVER thread AS end_ns, lead(row) OVER thread AS end_row
  FROM events WHERE event IN ('callback_start', 'callback_end')
  WINDOW thread AS (PARTITION BY host, tid ORDER BY row))
SELECT m.host, m.tid, m.handle, coalesce(m.publisher, l.publisher) AS publisher,
       coalesce(m.seq, l.seq) AS seq, m.time_ns AS begin_ns, m.end_ns, m.row AS begin_row, m.end_row,
       m.rcl_ns
FROM marks m LEFT JOIN links l ON l.subscription = m.handle AND l.source_ns = m.source_ns
WHERE m.event = 'callback_start' AND m.next_event = 'callback_end' AND m.next_handle = m.handle;

-- One row per finished span. outermost: not inside another span of its thread; only those are
-- summed, so that nested spans do not count twice.
CREATE TEMP TABLE spans AS
WITH marks AS (
  SELECT row, host, tid, event, span, publisher, seq, time_ns,
         lead(event) OVER same AS next_event,
         lead(time_ns) OVER same AS end_ns, lead(row) OVER same AS end_row
  FROM events WHERE event IN ('span_begin', 'span_end')
  WINDOW same AS (PARTITION BY host, tid, span ORDER BY row)),
paired AS (
  SELECT host, tid, span, publisher, seq, time_ns AS begin_ns, end_ns, row AS begin_row, end_row,
         max(end_row) OVER (PARTITION BY host, tid ORDER BY row
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_end
  FROM marks WHERE event = 'span_begin' AND next_event = 'span_end')
SELECT p.* EXCLUDE (earlier_end), s.node, s.name, coalesce(s.category, 'compute') AS category,
       coalesce(p.earlier_end < p.begin_row, true) AS outermost
FROM paired p LEFT JOIN span_names s ON s.span = p.span;

-- One row per piece of work of a device, on the host's clock. bound_ns: how wrong its times may be.
-- time_base: `device` (its own clock) or `modelled` (cycles of a simulation). inside_row: begin_row
-- of the `device` span in which its thread waited for it, or simulated it; handle: the callback in
-- which it was told; null: none.
CREATE TEMP TABLE device_spans AS
WITH devices AS (
  SELECT span, any_value(device) AS device, any_value(time_base) AS time_base
  FROM events WHERE event = 'device_name' GROUP BY span),
told AS (
  SELECT e.row, e.host, e.pid, e.tid, e.span, e.publisher, e.seq, e.device_begin_ns AS begin_ns,
         e.device_end_ns AS end_ns, e.device_bound_ns AS bound_ns, s.node, s.name,
         coalesce(s.category, 'compute') AS category, d.device,
         coalesce(d.time_base, 'device') AS time_base
  FROM events e LEFT JOIN span_names s ON s.span = e.span LEFT JOIN devices d ON d.span = e.span
  WHERE e.event = 'device_span' AND e.device_end_ns >= e.device_begin_ns),
waits AS (SELECT host, tid, begin_row, end_row FROM spans WHERE category = 'device'),
placed AS (
  SELECT t.*, CASE WHEN t.row < w.end_row THEN w.begin_row END AS inside_row
  FROM told t ASOF LEFT JOIN waits w
    ON t.host = w.host AND t.tid = w.tid AND t.row >= w.begin_row)
SELECT p.*, CASE WHEN p.row < c.end_row THEN c.handle END AS handle
FROM placed p ASOF LEFT JOIN callbacks c
  ON p.host = c.host AND p.tid = c.tid AND p.row >= c.begin_row;

-- A wait in which no device told anything is all that is known of its work.
UPDATE spans SET category = 'compute'
WHERE category = 'device'
  AND begin_row NOT IN (SELECT inside_row FROM device_spans WHERE inside_row IS NOT NULL);

-- One row per stretch of a thread in which it simulated a device. modelled_ns: how long the device
-- would have worked, whatever the simulator took. handle: the callback that it was in.
CREATE TEMP TABLE simulations AS
WITH ordered AS (
  SELECT inside_row, begin_ns, end_ns,
         max(end_ns) OVER (PARTITION BY inside_row ORDER BY begin_ns, end_ns
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns
  FROM device_spans WHERE time_base = 'modelled' AND inside_row IS NOT NULL),
worked AS (
  SELECT inside_row, sum(greatest(0, end_ns - greatest(begin_ns, coalesce(until_ns, begin_ns))))
         AS modelled_ns
  FROM ordered GROUP BY inside_row),
placed AS (
  SELECT s.host, s.tid, s.begin_ns, s.end_ns, s.begin_row, w.modelled_ns
  FROM worked w JOIN spans s ON s.begin_row = w.inside_row WHERE s.end_ns > s.begin_ns)
SELECT p.*, CASE WHEN p.begin_row < c.end_row THEN c.handle END AS handle
FROM placed p ASOF LEFT JOIN callbacks c
  ON p.host = c.host AND p.tid = c.tid AND p.begin_row >= c.begin_row;

-- One row per value that an author told with a span. begin_row: the span's, as in `spans`.
CREATE TEMP TABLE span_values AS
WITH value_names AS (
  SELECT argument, any_value(span) AS span, any_value(name) AS name
  FROM events WHERE event = 'value_name' GROUP BY argument),
told AS (
  SELECT e.row, e.host, e.tid, n.span, n.name, e.value
  FROM events e JOIN value_names n ON n.argument = e.argument WHERE e.event = 'span_value')
SELECT s.begin_row, t.span, s.node, t.name, t.value
FROM told t ASOF JOIN spans s
  ON t.host = s.host AND t.tid = s.tid AND t.span = s.span AND t.row >= s.begin_row
WHERE t.row < s.end_row;

-- What runs on devices and is no node's work, on the host's clock. kind: `task` or `interrupt`.
CREATE TEMP TABLE track_names AS
SELECT track, any_value(device) AS device, any_value(name) AS name, any_value(kind) AS kind
FROM events WHERE event = 'track_name' GROUP BY track;
CREATE TEMP TABLE track_spans AS
SELECT e.row, e.host, e.pid, e.track, t.device, t.name, t.kind, e.device_begin_ns AS begin_ns,
       e.device_end_ns AS end_ns, e.device_bound_ns AS bound_ns
FROM events e LEFT JOIN track_names t ON t.track = e.track
WHERE e.event = 'track_span' AND e.device_end_ns >= e.device_begin_ns;
