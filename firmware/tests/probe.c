/* SPDX-License-Identifier: Apache-2.0 */
/* A client on this computer for tests: publishes, subscribes, serves and calls as its words say,
 * and prints one line for each thing that happens.
 *
 *   ligament-xrce-probe udp:HOST:PORT | serial:DEVICE  KEY  COMMAND...
 *
 *     publish TOPIC COUNT SIZE PAUSE_MS reliable|best
 *         std_msgs/String of SIZE letters
 *
 *     echo FROM TO SECONDS reliable|best COUNT
 *         publishes on TO what comes on FROM, until COUNT have come or SECONDS are over
 *
 *     serve SERVICE SECONDS COUNT
 *     call SERVICE COUNT
 *         std_srvs/SetBool
 *
 *     parameters SECONDS COUNT
 *         some of each kind, until COUNT have changed or SECONDS are over
 *
 *     time
 *         time sync
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ligament/parameters.h"
#include "ligament/xrce.h"
#include "posix.h"

enum { MTU = 512, SLOTS = 8, LARGEST = 70000 };
#define STRING_TYPE "std_msgs::msg::dds_::String_"
static const ligament_service_types_t set_bool = {"std_srvs::srv::dds_::SetBool_Request_",
                                                  "std_srvs::srv::dds_::SetBool_Response_"};

static uint8_t memory[LIGAMENT_MEMORY_SIZE(MTU, SLOTS, SLOTS)];
static uint8_t assembly[LARGEST];
static uint8_t body_memory[LARGEST];
static ligament_session_t session;
static ligament_node_t node;
static ligament_publisher_t publisher;
static ligament_subscription_t subscription;
static ligament_server_t server;
static ligament_client_t client;
static int replies;
static int left = -1; /* messages to wait for; negative: as long as it was told */

static int fail(const char* what, int code) {
  printf("failed %s: %d, status %02x\n", what, code, session.last_status);
  return 1;
}

static ligament_qos_t qos_of(const char* word) {
  return strcmp(word, "reliable") == 0 ? ligament_qos_reliable(64) : ligament_qos_best_effort(10);
}

/* Seconds of running; 0 or an error. */
static int run_for(double seconds) {
  const int64_t until =
      session.options.port.now_us(session.options.port.context) + (int64_t)(seconds * 1e6);
  while (left != 0 && session.options.port.now_us(session.options.port.context) < until) {
    const int result = ligament_session_run(&session, 5);
    if (result == LIGAMENT_ERROR_LOST) {
      printf("lost\n");
      fflush(stdout);
      while (ligament_session_restore(&session) < 0) {
      }
      printf("restored\n");
      fflush(stdout);
    } else if (result < 0) {
      return fail("run", result);
    }
  }
  return 0;
}

/* With room in the window, however long that takes. */
static int publish_text(const char* text, size_t size) {
  ligament_cdr_t body = ligament_cdr_over(body_memory, sizeof body_memory);
  ligament_cdr_put_u32(&body, (uint32_t)(size + 1));
  ligament_cdr_put_bytes(&body, text, size);
  ligament_cdr_put_u8(&body, 0);
  for (;;) {
    const int result = ligament_publish(&publisher, body.bytes, body.at);
    if (result != LIGAMENT_ERROR_FULL) {
      return result;
    }
    (void)ligament_session_run(&session, 1);
  }
}

static int publish(char** words) {
  static char text[LARGEST];
  const int count = atoi(words[1]);
  const size_t size = (size_t)atoi(words[2]);
  int result =
      ligament_publisher_create(&publisher, &node, words[0], STRING_TYPE, qos_of(words[4]));
  if (result < 0 || size < 12 || size >= sizeof text) {
    return fail("publisher", result);
  }
  printf("ready\n");
  fflush(stdout);
  session.options.block_ms = 5000;
  for (int i = 0; i < count; ++i) {
    memset(text, 'a' + i % 26, size);
    (void)snprintf(text, sizeof text, "%d ", i);
    text[strlen(text)] = '.';
    result = publish_text(text, size);
    if (result < 0) {
      return fail("publish", result);
    }
    if (atoi(words[3]) != 0 && run_for(atoi(words[3]) / 1e3) != 0) {
      return 1;
    }
  }
  result = ligament_session_flush(&session, 20000);
  return result < 0 ? fail("flush", result) : 0;
}

static void on_text(void* context, ligament_cdr_t* body) {
  (void)context;
  static char text[LARGEST];
  ligament_cdr_get_text(body, text, sizeof text);
  const size_t size = strlen(text);
  --left;
  printf("got %lu %.20s%s\n", (unsigned long)size, text, body->has_failed ? " BROKEN" : "");
  fflush(stdout);
  ligament_cdr_t again = ligament_cdr_over(body_memory, sizeof body_memory);
  ligament_cdr_put_text(&again, text);
  const int result = ligament_publish(&publisher, again.bytes, again.at);
  if (result < 0) {
    (void)fail("echo", result);
  }
}

static int echo(char** words) {
  const ligament_qos_t qos = qos_of(words[3]);
  const ligament_message_callback_t callback = {on_text, NULL};
  int result = ligament_publisher_create(&publisher, &node, words[1], STRING_TYPE, qos);
  result = result < 0 ? result
                      : ligament_subscription_create(&subscription, &node, words[0], STRING_TYPE,
                                                     qos, callback);
  if (result < 0) {
    return fail("echo", result);
  }
  printf("ready\n");
  fflush(stdout);
  left = atoi(words[4]);
  return run_for(atof(words[2]));
}

static void on_request(void* context, const ligament_request_id_t* id, ligament_cdr_t* request) {
  (void)context;
  uint8_t memory_of_reply[64];
  const bool value = ligament_cdr_get_bool(request);
  ligament_cdr_t reply = ligament_cdr_over(memory_of_reply, sizeof memory_of_reply);
  ligament_cdr_put_u8(&reply, value);
  ligament_cdr_put_text(&reply, value ? "on" : "off");
  --left;
  printf("request %d\n", value);
  fflush(stdout);
  const int result = ligament_server_reply(&server, id, reply.bytes, reply.at);
  if (result < 0) {
    (void)fail("reply", result);
  }
}

static int serve(char** words) {
  const ligament_request_callback_t callback = {on_request, NULL};
  const int result = ligament_server_create(&server, &node, words[0], set_bool, callback);
  if (result < 0) {
    return fail("server", result);
  }
  printf("ready\n");
  fflush(stdout);
  left = atoi(words[2]);
  const int code = run_for(atof(words[1]));
  return code != 0 ? code : ligament_session_flush(&session, 20000) < 0;
}

static void on_reply(void* context, uint16_t number, ligament_cdr_t* reply) {
  (void)context;
  char text[64];
  const bool success = ligament_cdr_get_bool(reply);
  ligament_cdr_get_text(reply, text, sizeof text);
  printf("reply %d: %d %s%s\n", number, success, text, reply->has_failed ? " BROKEN" : "");
  fflush(stdout);
  ++replies;
}

static int call(char** words) {
  const ligament_reply_callback_t callback = {on_reply, NULL};
  int result = ligament_client_create(&client, &node, words[0], set_bool, callback);
  if (result < 0) {
    return fail("client", result);
  }
  const int count = atoi(words[1]);
  for (int i = 0; i < count; ++i) {
    const uint8_t value = (uint8_t)(i % 2);
    result = ligament_client_call(&client, &value, 1);
    printf("called\n");
    fflush(stdout);
    const int64_t until = session.options.port.now_us(session.options.port.context) + 30000000;
    while (result >= 0 && replies <= i &&
           session.options.port.now_us(session.options.port.context) < until) {
      (void)ligament_session_run(&session, 10);
    }
  }
  return result < 0 ? fail("call", result) : replies == count ? 0 : 1;
}

static int64_t rate = 100;
static double gain = 0.5;
static bool is_on;
static char frame[16] = "imu";
static int64_t serial_number = 7;
static const ligament_parameter_t table[] = {
    {"rate", "Messages per second", LIGAMENT_PARAMETER_INTEGER, false, &rate, 0, {1}, {1000}},
    {"gains.p", NULL, LIGAMENT_PARAMETER_DOUBLE, false, &gain, 0, {.real = -1}, {.real = 1}},
    {"is_on", NULL, LIGAMENT_PARAMETER_BOOL, false, &is_on, 0, {0}, {0}},
    {"frame", NULL, LIGAMENT_PARAMETER_TEXT, false, frame, sizeof frame, {0}, {0}},
    {"serial", NULL, LIGAMENT_PARAMETER_INTEGER, true, &serial_number, 0, {0}, {0}},
};
enum { PARAMETERS = sizeof table / sizeof table[0] };
static uint8_t parameter_memory[LIGAMENT_PARAMETERS_MEMORY(PARAMETERS, 40)];

static const char* check_parameter(void* context, const ligament_parameter_t* parameter,
                                   const ligament_parameter_value_t* wanted) {
  (void)context;
  return parameter->value == &rate && wanted->integer == 13 ? "13 brings bad luck" : NULL;
}

static void on_parameter(void* context, const ligament_parameter_t* parameter) {
  (void)context;
  --left;
  printf("changed %s: %lld %.2f %d %s\n", parameter->name, (long long)rate, gain, is_on, frame);
  fflush(stdout);
}

static int serve_parameters(char** words) {
  static ligament_parameters_t parameters = {.table = table,
                                             .count = PARAMETERS,
                                             .memory = parameter_memory,
                                             .memory_size = sizeof parameter_memory,
                                             .check = check_parameter,
                                             .on_change = on_parameter};
  int result = ligament_parameters_create(&parameters, &node);
  printf("ready\n");
  fflush(stdout);
  left = atoi(words[1]);
  int code = result < 0 ? 1 : 0;
  for (int i = 0; code == 0 && left != 0 && i < atoi(words[0]) * 100; ++i) {
    code = run_for(0.01);
    result = result < 0 ? result : ligament_parameters_run(&parameters);
  }
  result = result < 0 ? result : ligament_parameters_run(&parameters);
  result = result < 0 ? result : ligament_session_flush(&session, 20000);
  return result < 0 ? fail("parameters", result) : code != 0 || parameters.dropped != 0;
}

static int time_sync(void) {
  const int result = ligament_time_sync(&session, 20000);
  printf("time %lld error %lld\n", (long long)ligament_time_now_ns(&session),
         (long long)session.time_error_ns);
  return result < 0 ? fail("time", result) : 0;
}

static int command(int count, char** words) {
  if (count == 6 && strcmp(words[0], "publish") == 0) {
    return publish(words + 1);
  }
  if (count == 6 && strcmp(words[0], "echo") == 0) {
    return echo(words + 1);
  }
  if (count == 4 && strcmp(words[0], "serve") == 0) {
    return serve(words + 1);
  }
  if (count == 3 && strcmp(words[0], "call") == 0) {
    return call(words + 1);
  }
  if (count == 3 && strcmp(words[0], "parameters") == 0) {
    return serve_parameters(words + 1);
  }
  return count == 1 && strcmp(words[0], "time") == 0 ? time_sync() : fail("words", 0);
}

static int open_link(ligament_posix_t* link, char* where) {
  if (strncmp(where, "serial:", 7) == 0) {
    return ligament_posix_serial(link, where + 7, 0);
  }
  char* host = where + 4;
  char* port = strrchr(host, ':');
  if (strncmp(where, "udp:", 4) != 0 || port == NULL || port < host) {
    return -1;
  }
  *port = '\0';
  return ligament_posix_udp(link, host, (uint16_t)atoi(port + 1));
}

int main(int count, char** words) {
  static ligament_posix_t link;
  if (count < 4 || open_link(&link, words[1]) < 0) {
    return fail("link", 0);
  }
  ligament_session_options_t options =
      ligament_session_defaults(ligament_posix_port(&link), (uint32_t)strtoul(words[2], NULL, 16));
  options.memory = memory;
  options.mtu = MTU;
  options.out_slots = SLOTS;
  options.in_slots = SLOTS;
  options.assembly = assembly;
  options.assembly_size = sizeof assembly;
  options.answer_ms = 5000;
  options.lost_after_ms = 5000;
  int result = ligament_session_open(&session, &options);
  result = result < 0 ? result : ligament_node_create(&node, &session, "/mcu/probe");
  if (result < 0) {
    return fail("session", result);
  }
  const int code = command(count - 3, words + 3);
  (void)ligament_session_close(&session);
  printf("sent %llu repeated %llu received %llu dropped %llu lost %llu\n",
         (unsigned long long)session.figures.sent, (unsigned long long)session.figures.repeated,
         (unsigned long long)session.figures.received, (unsigned long long)session.figures.dropped,
         (unsigned long long)session.figures.lost);
  return code;
}
