/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's time of day. */
#include "wire.h"

static void put_time(ligament_cdr_t* to, int64_t ns) {
  ligament_cdr_put_u32(to, (uint32_t)(ns / 1000000000));
  ligament_cdr_put_u32(to, (uint32_t)(ns % 1000000000));
}

static int64_t get_time(ligament_cdr_t* from) {
  const int32_t seconds = (int32_t)ligament_cdr_get_u32(from);
  return (int64_t)seconds * 1000000000 + ligament_cdr_get_u32(from);
}

/* Half of the way there and back is the most that the two clocks can differ from what is said. */
void lig_on_time(ligament_session_t* session, ligament_cdr_t* payload) {
  const int64_t transmitted = get_time(payload);
  const int64_t received = get_time(payload);
  const int64_t originated = get_time(payload);
  const int64_t now = lig_now_us(session) * 1000;
  if (payload->has_failed || originated != session->time_sent_us * 1000) {
    return; /* of an earlier question */
  }
  session->time_sent_us = -1;
  const int64_t error = ((now - originated) - (transmitted - received)) / 2;
  if (session->time_error_ns < 0 || error < session->time_error_ns) {
    session->time_error_ns = error < 0 ? 0 : error;
    session->time_offset_ns = (received - originated) / 2 + (transmitted - now) / 2;
  }
}

int ligament_time_sync(ligament_session_t* session, uint32_t timeout_ms) {
  ligament_cdr_t payload;
  const int64_t until = lig_now_us(session) + (int64_t)timeout_ms * 1000;
  session->time_error_ns = -1;
  int64_t patience_us = 100000; /* more each time, for a link that is slower than that */
  for (int round = 0; round < 8 && lig_now_us(session) < until; ++round) {
    session->time_sent_us = lig_now_us(session);
    (void)lig_begin(session, LIG_NO_STREAM, LIG_TIMESTAMP, 0, &payload);
    put_time(&payload, session->time_sent_us * 1000);
    int result = lig_end(session, LIG_NO_STREAM, &payload);
    const int64_t again = session->time_sent_us + patience_us;
    while (result >= 0 && session->time_sent_us >= 0 && lig_now_us(session) < again &&
           lig_now_us(session) < until) {
      result = lig_poll(session, 5);
    }
    if (result < 0) {
      return result;
    }
    patience_us *= session->time_sent_us >= 0 ? 2 : 1;
  }
  return session->time_error_ns < 0 ? LIGAMENT_ERROR_TIMEOUT : 0;
}

int64_t ligament_time_now_ns(const ligament_session_t* session) {
  return lig_now_us(session) * 1000 + session->time_offset_ns;
}
