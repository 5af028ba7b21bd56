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
