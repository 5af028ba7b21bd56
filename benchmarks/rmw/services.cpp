// SPDX-License-Identifier: Apache-2.0
#include <diagnostic_msgs/srv/add_diagnostics.h>
#include <rcl/client.h>
#include <rcl/graph.h>
#include <rcl/service.h>
#include <rosidl_runtime_c/string_functions.h>

#include "messages.hpp"
#include "printing.hpp"
#include "rcl_node.hpp"
#include "roles.hpp"

namespace bench {

namespace {

constexpr const char* name = "bench_rmw/service";
constexpr std::int64_t patience_ns = 20'000 * millisecond;

/// A string each way.
using Request = diagnostic_msgs__srv__AddDiagnostics_Request;
using Response = diagnostic_msgs__srv__AddDiagnostics_Response;

const rosidl_service_type_support_t* type() {
  return ROSIDL_GET_SRV_TYPE_SUPPORT(diagnostic_msgs, srv, AddDiagnostics);
}

void assign(rosidl_runtime_c__String& string, const std::string& text) {
  if (!rosidl_runtime_c__String__assignn(&string, text.data(), text.size())) {
    give_up("no memory for a message");
  }
}

void await_server(Node& node, const rcl_client_t& client) {
  const std::int64_t deadline = now_ns() + patience_ns;
  for (bool is_there = false; !is_there; sleep_until(now_ns() + 2 * millisecond)) {
    must(rcl_service_server_is_available(node.get(), &client, &is_there), "server");
    if (!is_there && (now_ns() > deadline || node.is_to_end())) {
      give_up("no server was found");
    }
  }
  sleep_until(now_ns() + 200 * millisecond);  // the other side has matched, too
}

/// One call, from sending to the response that was taken; gives up where it has not come.
void call_once(const rcl_client_t& client, WaitSet& wait_set, const Request& request,
               Response& response) {
  std::int64_t number = 0;
  must(rcl_send_request(&client, &request, &number), "request");
  for (;;) {
    rmw_service_info_t header{};
    const rcl_ret_t result = rcl_take_response_with_info(&client, &header, &response);
    if (result == RCL_RET_OK && header.request_id.sequence_number == number) {
      return;
    }
    if (result != RCL_RET_OK && result != RCL_RET_CLIENT_TAKE_FAILED) {
      must(result, "response");
    }
    if (!wait_set.wait(patience_ns)) {
      give_up("no response came");
    }
  }
}

std::vector<std::int64_t> call_all(const Options& options, const rcl_client_t& client,
                                   WaitSet& wait_set) {
  std::vector<std::int64_t> times;
  Request request{};
  Response response{};
  if (!diagnostic_msgs__srv__AddDiagnostics_Request__init(&request) ||
      !diagnostic_msgs__srv__AddDiagnostics_Response__init(&response)) {
    give_up("no memory for a message");
  }
  for (std::int64_t k = 0; k < options.warmup + options.messages; ++k) {
    sleep_until(now_ns() + options.pacing_us * 1000);
    assign(request.load_namespace, text_of({0, k}, options.bytes));
    const std::int64_t begin = now_ns();
    call_once(client, wait_set, request, response);
    const std::int64_t end = now_ns();
    Stamp stamp;
    if (!read_text(response.message.data, static_cast<std::int64_t>(response.message.size),
                   options.bytes, stamp) ||
        stamp.number != k) {
      give_up("a response is not what was asked for");
    }
    if (k >= options.warmup) {
      times.push_back(end - begin);
    }
  }
  diagnostic_msgs__srv__AddDiagnostics_Request__fini(&request);
  diagnostic_msgs__srv__AddDiagnostics_Response__fini(&response);
  return times;
}

void answer_all(const rcl_service_t& service, Request& request, Response& response) {
  for (;;) {
    rmw_service_info_t header{};
    const rcl_ret_t result = rcl_take_request_with_info(&service, &header, &request);
    if (result == RCL_RET_SERVICE_TAKE_FAILED) {
      return;
    }
    must(result, "request");
    response.success = true;
    if (!rosidl_runtime_c__String__copy(&request.load_namespace, &response.message)) {
      give_up("no memory for a message");
    }
    must(rcl_send_response(&service, &header.request_id, &response), "response");
  }
}

}  // namespace

void serve(const Options& /*options*/) {
  Node node("bench_server");
  rcl_service_t service = rcl_get_zero_initialized_service();
  const rcl_service_options_t service_options = rcl_service_get_default_options();
  must(rcl_service_init(&service, node.get(), type(), name, &service_options), "service");
  Request request{};
  Response response{};
  if (!diagnostic_msgs__srv__AddDiagnostics_Request__init(&request) ||
      !diagnostic_msgs__srv__AddDiagnostics_Response__init(&response)) {
    give_up("no memory for a message");
  }
  {
    WaitSet wait_set(node, {.subscriptions = {}, .clients = {}, .services = {&service}});
    print_ready();
    while (wait_set.wait(-1)) {
      answer_all(service, request, response);
    }
  }
  diagnostic_msgs__srv__AddDiagnostics_Request__fini(&request);
  diagnostic_msgs__srv__AddDiagnostics_Response__fini(&response);
  must(rcl_service_fini(&service, node.get()), "service");
}

void call(const Options& options) {
  Node node("bench_client");
  rcl_client_t client = rcl_get_zero_initialized_client();
  const rcl_client_options_t client_options = rcl_client_get_default_options();
  must(rcl_client_init(&client, node.get(), type(), name, &client_options), "client");
  await_server(node, client);
  std::vector<std::int64_t> times;
  {
    WaitSet wait_set(node, {.subscriptions = {}, .clients = {&client}, .services = {}});
    times = call_all(options, client, wait_set);
  }
  must(rcl_client_fini(&client, node.get()), "client");
  print_measured("call", "\"latency_ns\":" + json_list(times));
}

}  // namespace bench
