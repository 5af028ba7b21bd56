/* SPDX-License-Identifier: Apache-2.0 */
/* The node of `ligament bench mcu` that counts what it does itself. Its console has a line per
 * message: "take SIZE TICKS COPIED" and "publish SIZE TICKS COPIED", and at times "stack BYTES".
 *
 * A tick is 40 ns of the core's clock. With QEMU's instruction counting (-icount shift=5) an
 * instruction takes 32 ns, whatever the computer does meanwhile. COPIED, in bytes, only with
 * COUNT_COPIES: it costs instructions. */
#include <string.h>

#include "board.h"
#include "ligament/app.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))
enum { STEP_CONTROL = 0xE000E010, STEP_RELOAD = 0xE000E014, STEP_VALUE = 0xE000E018 }; /* SysTick */
enum { CORES_CLOCK = 5, LAP = 0xFFFFFF };
enum { STACK_PAINTED = 16384, STACK_TOP = 0x20400000, PAINT = 0x5A, PAINT_GAP = 256 };

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
  const mark_t mark = {LAP - REGISTER(STEP_VALUE), copied};
  return mark;
}

static uint32_t ticks_since(const mark_t* begin, const mark_t* end) {
  return (end->ticks - begin->ticks) & LAP;
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

/* The part of the stack that nothing has ever written to is still painted. */
static uint32_t stack_used(void) {
  const uint8_t* at = (const uint8_t*)(STACK_TOP - STACK_PAINTED);
  while (at < (const uint8_t*)STACK_TOP && *at == PAINT) {
    ++at;
  }
  return (uint32_t)((const uint8_t*)STACK_TOP - at);
}

static void paint_stack(void) {
  volatile uint8_t* at = (volatile uint8_t*)(STACK_TOP - STACK_PAINTED);
  uintptr_t pointer;
  __asm__ volatile("mov %0, sp" : "=r"(pointer));
  while ((uintptr_t)at < pointer - PAINT_GAP) {
    *at++ = PAINT;
  }
}

/* Takes what has come itself, and never gives the app its turn again. */
static int64_t work(void* unused, int64_t now_us) {
  (void)unused;
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
    board_wait(board_now_us() + 5000);
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
  REGISTER(STEP_RELOAD) = LAP;
  REGISTER(STEP_VALUE) = 0;
  REGISTER(STEP_CONTROL) = CORES_CLOCK;
  return ligament_app_run(&app);
}
