/* SPDX-License-Identifier: Apache-2.0 */
/* On FreeRTOS: a default task starts two others and ends. The RPMsg task sleeps until the bell, and
 * puts what came into a message buffer. The session's task reads from that buffer, and writes into
 * the link itself.
 *
 *   bell -> RPMsg task -> message buffer -> session's task -> link -> host
 */
#include <FreeRTOS.h>
#include <message_buffer.h>
#include <semphr.h>
#include <stdbool.h>
#include <string.h>
#include <task.h>

#include "board.h"
#include "rpmsg_port.h"
#include "system.h"

#ifndef LIGAMENT_APP_STACK
#define LIGAMENT_APP_STACK 8192
#endif

enum { INBOX = 4 * (LIGAMENT_APP_MTU + 4), LINK_STACK = 2048, DEFAULT_STACK = 1024 };
enum { DEFAULT_PRIORITY = 1, SESSION_PRIORITY = 2, LINK_PRIORITY = 3 };
enum { HELD = 4, MARK = 1 };
enum { WAKE = 1 }; /* of the notifications: 0 is the message buffer's */

#define WORDS(bytes) ((bytes) / sizeof(StackType_t))

static struct {
  StaticTask_t memory;
  TaskHandle_t task;
} starter, linker, runner;
static StackType_t starter_stack[WORDS(DEFAULT_STACK)];
static StackType_t linker_stack[WORDS(LINK_STACK)];
static StackType_t runner_stack[WORDS(LIGAMENT_APP_STACK)];

static ligament_rpmsg_t link; /* both tasks': under the lock */
static StaticSemaphore_t lock_memory;
static SemaphoreHandle_t lock;
static uint8_t inbox_bytes[INBOX + 1];
static StaticMessageBuffer_t inbox_memory;
static MessageBufferHandle_t inbox;
static volatile bool is_left; /* a message stays in the ring, as the inbox is full */
static int (*session_body)(void);

static void take_lock(void) { (void)xSemaphoreTake(lock, portMAX_DELAY); }
static void give_lock(void) { (void)xSemaphoreGive(lock); }

/* Messages that stay in the slab, in the order of their marks in the inbox. A mark is one byte, and
 * no message: those have a header. Under the lock. */
typedef struct {
  const uint8_t* data;
  size_t size;
  uint32_t epoch;
} held_t;
static held_t held[HELD];
static size_t held_next;
static size_t held_count;
static held_t reading; /* the session's task */

/* --- the RPMsg task --------------------------------------------------------------------------- */

static int leave(void) {
  is_left = true;
  return LIGAMENT_RPMSG_LATER;
}

static int hold(const uint8_t* data, size_t size) {
  static const uint8_t mark = 0;
  const held_t one = {data, size, link.epoch};
  if (held_count == HELD || xMessageBufferSend(inbox, &mark, sizeof mark, 0) == 0) {
    return leave();
  }
  held[(held_next + held_count++) % HELD] = one;
  return LIGAMENT_RPMSG_HELD;
}

static int on_message(void* context, uint32_t source, const uint8_t* data, size_t size) {
  ligament_rpmsg_endpoint_t* endpoint = context;
  endpoint->peer = source; /* an agent may come back at another address */
  if (size <= MARK || size > LIGAMENT_APP_MTU) {
    return LIGAMENT_RPMSG_DONE;
  }
  if (ligament_rpmsg_can_hold(&link, data)) {
    return hold(data, size);
  }
  return xMessageBufferSend(inbox, data, size, 0) == size ? LIGAMENT_RPMSG_DONE : leave();
}

static ligament_rpmsg_endpoint_t endpoint = {
    LIGAMENT_RPMSG_XRCE_CHANNEL, 0, 0, on_message, &endpoint, NULL};

static void wake_from_interrupt(TaskHandle_t task) {
  BaseType_t is_higher = pdFALSE;
  vTaskNotifyGiveIndexedFromISR(task, WAKE, &is_higher);
  portYIELD_FROM_ISR(is_higher);
}
static void on_bell(void) { wake_from_interrupt(linker.task); }
static void on_alarm(void) { wake_from_interrupt(runner.task); }

static void run_link(void* unused) {
  (void)unused;
  for (;;) {
    int taken = 1;
    while (taken > 0) {
      take_lock();
      taken = ligament_rpmsg_poll(&link);
      give_lock();
    }
    (void)xTaskNotifyGiveIndexed(runner.task, WAKE);
    (void)ulTaskNotifyTakeIndexed(WAKE, pdTRUE, portMAX_DELAY);
  }
}

/* --- the session's task ----------------------------------------------------------------------- */

static int send(void* unused, const uint8_t* message, size_t size) {
  int sent;
  (void)unused;
  take_lock();
  sent = ligament_rpmsg_send(&link, &endpoint, message, size);
  give_lock();
  /* No agent, no room: lost on the way, which the client's streams know how to mend. */
  return sent == LIGAMENT_RPMSG_TOO_LARGE ? sent : 0;
}

static uint8_t* lend(void* unused, size_t size) {
  uint8_t* memory = NULL;
  (void)unused;
  if (ligament_rpmsg_port_lends(&link, size)) {
    take_lock();
    memory = ligament_rpmsg_lend(&link, size);
    give_lock();
  }
  return memory;
}

static int send_lent(void* unused, uint8_t* memory, size_t size) {
  (void)unused;
  take_lock();
  (void)ligament_rpmsg_send_lent(&link, &endpoint, memory, size);
  give_lock();
  return 0; /* as `send` */
}

static void give_back(void* unused, uint8_t* memory) {
  (void)unused;
  take_lock();
  ligament_rpmsg_give_back(&link, memory);
  give_lock();
}

/* What was held of a host that is gone is not ours any more. */
static void release(void) {
  if (reading.data != NULL) {
    take_lock();
    if (reading.epoch == link.epoch) {
      ligament_rpmsg_release(&link, reading.data);
    }
    give_lock();
    reading.data = NULL;
  }
}

static void take_held(void) {
  take_lock();
  reading = held[held_next];
  held_next = (held_next + 1) % HELD;
  --held_count;
  give_lock();
}

static int receive_in_place(void* unused, uint8_t** message, size_t capacity, uint32_t wait_ms) {
  size_t size;
  (void)unused;
  release();
  size = xMessageBufferReceive(inbox, *message, capacity, pdMS_TO_TICKS(wait_ms));
  if (size == MARK) {
    take_held();
    *message = (uint8_t*)(uintptr_t)reading.data; /* nobody writes there */
    size = reading.size <= capacity ? reading.size : 0;
  }
  if (is_left) {
    is_left = false;
    (void)xTaskNotifyGiveIndexed(linker.task, WAKE);
  }
  return (int)size;
}

static int receive(void* context, uint8_t* message, size_t capacity, uint32_t wait_ms) {
  uint8_t* at = message;
  const int size = receive_in_place(context, &at, capacity, wait_ms);
  if (at != message) {
    memcpy(message, at, (size_t)size);
  }
  return size;
}

static int64_t now_us(void* unused) {
  (void)unused;
  return board_now_us();
}

ligament_port_t system_port(void) {
  const ligament_port_t port = {NULL,      send,      receive,          now_us, lend,
                                send_lent, give_back, receive_in_place, NULL};
  return port;
}

uint32_t system_connection(void) {
  uint32_t connection;
  take_lock();
  connection =
      link.state == LIGAMENT_RPMSG_RUNNING && endpoint.peer != LIGAMENT_RPMSG_ANY ? link.epoch : 0;
  give_lock();
  return connection;
}

void system_forget(void) {
  take_lock();
  endpoint.peer = LIGAMENT_RPMSG_ANY;
  give_lock();
}

/* The alarm is finer than the ticks. */
void system_wait(int64_t until_us) {
  if (until_us > board_now_us() && xMessageBufferIsEmpty(inbox)) {
    board_alarm(until_us);
    (void)ulTaskNotifyTakeIndexed(WAKE, pdTRUE, portMAX_DELAY);
  }
}

static void run_session(void* unused) {
  (void)unused;
  system_end(session_body());
}

/* --- start and faults ------------------------------------------------------------------------- */

static void run_default(void* unused) {
  (void)unused;
  vTaskSuspendAll(); /* each of the two wakes the other */
  runner.task = xTaskCreateStatic(run_session, "session", WORDS(LIGAMENT_APP_STACK), NULL,
                                  SESSION_PRIORITY, runner_stack, &runner.memory);
  linker.task = xTaskCreateStatic(run_link, "rpmsg", WORDS(LINK_STACK), NULL, LINK_PRIORITY,
                                  linker_stack, &linker.memory);
  board_on_bell(on_bell);
  board_on_alarm(on_alarm);
  (void)xTaskResumeAll();
  vTaskDelete(NULL);
}

/* Another task may have the lock, and never runs again. */
static void on_fault(const ligament_fault_t* fault) { ligament_rpmsg_crash(&link, fault); }

void system_crash(const ligament_fault_t* fault) {
  portDISABLE_INTERRUPTS();
  on_fault(fault);
  board_stop();
}

void ligament_freertos_assert(const char* file, int line) {
  const ligament_fault_t fault = {LIGAMENT_FAULT_ASSERTION, 0, (uint32_t)line};
  board_print(file);
  system_crash(&fault);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char* name) {
  const ligament_fault_t fault = {LIGAMENT_FAULT_STACK, 0, 0};
  (void)task;
  board_print(name);
  system_crash(&fault);
}

void vApplicationIdleHook(void) { board_idle(); }

int system_run(const ligament_rpmsg_config_t* config, int (*body)(void)) {
  int result = ligament_rpmsg_start(&link, config);
  result = result != 0 ? result : ligament_rpmsg_open(&link, &endpoint);
  if (result != 0) {
    return result;
  }
  session_body = body;
  lock = xSemaphoreCreateMutexStatic(&lock_memory);
  inbox = xMessageBufferCreateStatic(sizeof inbox_bytes, inbox_bytes, &inbox_memory);
  board_on_fault(on_fault);
  starter.task = xTaskCreateStatic(run_default, "default", WORDS(DEFAULT_STACK), NULL,
                                   DEFAULT_PRIORITY, starter_stack, &starter.memory);
  vTaskStartScheduler();
  return LIGAMENT_RPMSG_INVALID; /* it does not come back */
}
