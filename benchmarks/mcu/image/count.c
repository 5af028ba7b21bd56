/* SPDX-License-Identifier: Apache-2.0 */
/* The node of `ligament bench mcu` that counts what it does itself. Its console has a line per
 * message: "take SIZE TICKS COPIED" and "publish SIZE TICKS COPIED", and at times "stack BYTES".
 *
 * A tick is 40 ns of the Cortex-M4F's clock, 64 ns of the Cortex-R5F's. With QEMU's instruction
 * counting (-icount shift=5) an instruction takes 32 ns, whatever the computer does meanwhile.
 * COPIED, in bytes, only with COUNT_COPIES: it costs instructions. At the start it has "trace N
 * TICKS 0" and "silent N TICKS 0": what N events of a trace take while somebody listens, and while
 * nobody does. */
#include <string.h>

#include "board.h"
#include "ligament/app.h"
#include "ligament/trace.h"
#ifdef COUNT_FREERTOS
#include <FreeRTOS.h>
#include <task.h>
#endif

#define REGISTER(address) (*(volatile uint32_t*)(address))
enum { COUNTER = 0x40000004 }; /* of the M4's board: counts down, and belongs to its clock */
enum { STACK_PAINTED = 16384, PAINT = 0x5A, PAINT_GAP = 256, EVENTS = 100 };
extern uint8_t stack_top[];

static ligament_session_t* session;
static ligament_node_t node;
static ligament_publisher_t pong;
static ligament_subscription_t ping;
static uint32_t copied;

/* A measurement, ended by `told`. */
typedef struct {
  uint32_t ticks;
  uint32_t copied;
} mark_t;

static struct {
  size_t size; /* 0: nothing came */
  uint32_t ticks;
  uint32_t copied;
} answer; /* what publishing took, within the take */

#ifdef COUNT_COPIES
void* __real_memcpy(void* to, const void* from, size_t size);
void* __wrap_memcpy(void* to, const void* from, size_t size);
void* __wrap_memcpy(void* to, const void* from, size_t size) {
  copied += (uint32_t)size;
  return __real_memcpy(to, from, size);
}
#endif

static mark_t now(void) {
  mark_t mark = {0, copied};
#ifdef __ARM_ARCH_7R__
  __asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(mark.ticks)); /* the cycle counter */
#else
  mark.ticks = UINT32_MAX - REGISTER(COUNTER);
#endif
  return mark;
}

static uint32_t ticks_since(const mark_t* begin, const mark_t* end) {
  return end->ticks - begin->ticks;
}

static size_t write_number(char* to, uint32_t number) {
  char digits[12];
  size_t count = 0;
  size_t index;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  for (index = 0; index < count; ++index) {
    to[index] = digits[count - 1 - index];
  }
  return count;
}

static void tell(const char* what, size_t size, uint32_t ticks, uint32_t bytes) {
  char line[64];
  const uint32_t numbers[3] = {(uint32_t)size, ticks, bytes};
  size_t at = strlen(what);
  size_t index;
  memcpy(line, what, at);
  for (index = 0; index < 3; ++index) {
    line[at++] = ' ';
    at += write_number(line + at, numbers[index]);
  }
  line[at] = '\0';
  board_print(line);
}

static void on_ping(void* unused, ligament_cdr_t* body) {
  const mark_t begin = now();
  mark_t end;
  (void)unused;
  (void)ligament_publish(&pong, body->bytes, body->size);
  end = now();
  answer.size = body->size;
  answer.ticks = ticks_since(&begin, &end);
  answer.copied = end.copied - begin.copied;
}

/* The part of the stack that nothing has ever written to is still painted. FreeRTOS paints each
 * task's itself: this is the session's. */
static uint32_t stack_used(void) {
#ifdef COUNT_FREERTOS
  return 8192 - (uint32_t)(uxTaskGetStackHighWaterMark(NULL) * sizeof(StackType_t));
#else
  const uint8_t* at = stack_top - STACK_PAINTED;
  while (at < stack_top && *at == PAINT) {
    ++at;
  }
  return (uint32_t)(stack_top - at);
#endif
}

static void paint_stack(void) {
  volatile uint8_t* at = stack_top - STACK_PAINTED;
  uintptr_t pointer;
  __asm__ volatile("mov %0, sp" : "=r"(pointer));
  while ((uintptr_t)at < pointer - PAINT_GAP) {
    *at++ = PAINT;
  }
}

static void wait(void) {
#ifdef COUNT_FREERTOS
  vTaskDelay(5);
#else
  board_wait(board_now_us() + 5000);
#endif
}

static void count_events(const char* what) {
  const mark_t begin = now();
  mark_t end;
  for (uint32_t number = 0; number < EVENTS; ++number) {
    ligament_trace_event(LIGAMENT_TRACE_PUBLISH, 1, 2, number);
  }
  end = now();
  tell(what, EVENTS, ticks_since(&begin, &end), 0);
}

/* Into a ring of its own, in which there is room. */
static void count_trace(void) {
  static ligament_trace_ring_t ring;
  ligament_trace_open(&ring);
  count_events("silent");
  ring.host.is_on = 1;
  count_events("trace");
  ring.host.is_on = 0;
}

/* Takes what has come itself, and never gives the app its turn again. */
static int64_t work(void* unused, int64_t now_us) {
  (void)unused;
  count_trace();
  while (session != NULL) {
    const uint64_t before = session->figures.received;
    const mark_t begin = now();
    mark_t end;
    (void)ligament_session_run(session, 0);
    end = now();
    if (answer.size != 0 && session->figures.received == before + 1) {
      tell("take", answer.size, ticks_since(&begin, &end) - answer.ticks,
           end.copied - begin.copied - answer.copied);
      tell("publish", answer.size, answer.ticks, answer.copied);
      tell("stack", stack_used(), 0, 0);
    }
    answer.size = 0;
    wait();
  }
  return now_us;
}

static int create(void* unused, ligament_session_t* given) {
  const ligament_qos_t qos = ligament_qos_reliable(10);
  const ligament_message_callback_t callback = {on_ping, NULL};
  const char* type = "std_msgs::msg::dds_::String_";
  int result;
  (void)unused;
  session = given;
  result = ligament_node_create(&node, session, "/bench_core");
  result = result < 0 ? result : ligament_publisher_create(&pong, &node, "/pong", type, qos);
  return result < 0 ? result
                    : ligament_subscription_create(&ping, &node, "/ping", type, qos, callback);
}

int main(void) {
  static const ligament_app_t app = {"count", LIGAMENT_BOARD_MAP, 0x0000BE7E, create, work, NULL};
  paint_stack();
  return ligament_app_run(&app);
}
