// SPDX-License-Identifier: Apache-2.0
/// Servers and clients: two topics of the pool (spec/wire/service.md).
#include <rmw/allocators.h>
#include <rmw/rmw.h>

#include <chrono>
#include <cstring>

#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

namespace pool = ligament::pool;

namespace {

std::string request_topic(const std::string& service) { return "rq" + service + "Request"; }
std::string reply_topic(const std::string& service) { return "rr" + service + "Reply"; }

/// What comes in is opened first: whoever sees the way out of this process can answer it.
bool open_ends(Exchange& exchange, Node& node, const std::string& in, const std::string& out) {
  const auto describe = [&](const std::string& topic, const MessageType& type) {
    return pool::EndpointDescription{topic, type.name(), node.full_name, type.hash(),
                                     service_qos(exchange.qos)};
  };
  auto reader = node.context.domain().create_reader(describe(in, *exchange.in_type),
                                                    node.context.waits().waiter());
  if (!reader) {
    (void)fail("service end of node '" + node.full_name + "': " + reader.error().text);
    return false;
  }
  pool::WriterOptions options;
  options.max_loans = 1;
  options.max_blocking_ns = pool::service_blocking_ns;
  options.prefault = false;
  options.waiter = &node.context.waits().waiter();
  auto writer = node.context.domain().create_writer(describe(out, *exchange.out_type), options);
  if (!writer) {
    (void)fail("service end of node '" + node.full_name + "': " + writer.error().text);
    return false;
  }
  exchange.reader = std::move(*reader);
  exchange.writer = std::move(*writer);
  tracing::tell(*exchange.reader, describe(in, *exchange.in_type));
  tracing::tell(*exchange.writer, describe(out, *exchange.out_type));
  node.context.domain().match_now();
  return true;
}

bool is_met(const Exchange& client) {
  return client.writer->matched_readers() != 0 && client.reader->matched_writers() != 0;
}

/// A server in another process has to look at the new client first. Clients ask at once whether it
/// is there, and if not, sleep for long (rclpy: 250 ms, rclcpp: 100 ms).
void await_server(const Exchange& client) {
  constexpr std::int64_t patience_ns = 20'000'000;  // it may be stopped
  if (client.writer->matched_readers() != 0) {
    (void)client.context.waits().wait([&client] { return is_met(client); },
                                      pool::monotonic_now_ns() + patience_ns);
  }
}

std::unique_ptr<Exchange> open_exchange(Node& node, const rosidl_service_type_support_t& type,
                                        const std::string& name, const rmw_qos_profile_t& qos,
                                        bool is_client) {
  auto exchange = std::make_unique<Exchange>(node);
  auto types = MessageType::of(&type);
  if (types.request == nullptr || types.response == nullptr) {
    return nullptr;
  }
  exchange->is_client = is_client;
  exchange->qos = actual_service_qos(qos);
  exchange->in_type = std::move(is_client ? types.response : types.request);
  exchange->out_type = std::move(is_client ? types.request : types.response);
  const std::string in = is_client ? reply_topic(name) : request_topic(name);
  const std::string out = is_client ? request_topic(name) : reply_topic(name);
  if (!open_ends(*exchange, node, in, out)) {
    return nullptr;
  }
  if (is_client) {
    exchange->writer->set_meanwhile([client = exchange.get()] { client->take_meanwhile(); });
    exchange->reader->rest();
    await_server(*exchange);
  }
  return exchange;
}

/// Null, with an error, where it cannot be opened.
std::unique_ptr<Exchange> make_exchange(const rmw_node_t& node,
                                        const rosidl_service_type_support_t& type, const char* name,
                                        const rmw_qos_profile_t& qos, bool is_client) {
  if (const auto fault = fault_of_topic(name, qos); !fault.empty()) {
    (void)fail(fault, RMW_RET_INVALID_ARGUMENT);
    return nullptr;
  }
  return open_exchange(*static_cast<Node*>(node.data), type, name, qos, is_client);
}

rmw_ret_t take(Exchange& exchange, rmw_service_info_t& header, void* message, bool& taken) {
  taken = false;
  const auto sample = exchange.take();
  if (!sample) {
    return RMW_RET_OK;
  }
  if (!exchange.in_type->read(sample->payload(), message)) {
    return fail("a message of " + std::to_string(sample->payload().size()) + " bytes is no " +
                exchange.in_type->name());
  }
  const pool::SampleInfo info = sample->info();
  tracing::tell_taken(*exchange.reader, info);
  header.source_timestamp = info.source_timestamp_ns;
  header.received_timestamp = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  header.request_id.sequence_number = info.request.sequence;
  std::memcpy(header.request_id.writer_guid, info.request.client.data(),
              info.request.client.size());
  taken = true;
  return RMW_RET_OK;
}

void destroy(Exchange* exchange) {
  if (!is_forked_child()) {
    exchange->context.callbacks().forget(exchange);
    delete exchange;
  }
}

/// A client is told of the responses to others, too: rmw's callbacks may be called for nothing.
rmw_ret_t set_callback(Exchange& own, rmw_event_callback_t callback, const void* user_data) {
  return guarded([&] {
    own.context.callbacks().set({&own, 0}, callback, user_data,
                                [&own] { return own.reader->arrived(); });
    return RMW_RET_OK;
  });
}

}  // namespace

void Incoming::copy() {
  const std::span<const std::byte> bytes = sample_->payload();
  copy_.assign(bytes.begin(), bytes.end());
  info_ = sample_->info();
  sample_.reset();
}

std::optional<Incoming> Exchange::find() {
  for (;;) {
    auto sample = reader->take();
    if (!sample || !*sample) {
      return std::nullopt;
    }
    const pool::RequestIdentity& request = (**sample).info().request;
    const bool is_ours =
        is_client ? request.client == writer->gid() : request != pool::RequestIdentity{};
    if (is_ours) {
      if (is_client) {
        forget(request.sequence);
      }
      return Incoming(std::move(**sample));
    }
  }
}

void Exchange::await(std::int64_t number) {
  constexpr std::size_t most = 1024;  // a server that has died answers none
  const std::lock_guard guard(mine_mutex);
  if (awaited.size() == most) {
    awaited.erase(awaited.begin());
  }
  awaited.push_back(number);
  if (awaited.size() == 1) {
    reader->resume();
  }
}

void Exchange::await_no_more(std::int64_t number) {
  const std::lock_guard guard(mine_mutex);
  forget(number);
}

/// Under mine_mutex.
void Exchange::forget(std::int64_t number) {
  if (std::erase(awaited, number) != 0 && awaited.empty()) {
    reader->rest();
  }
}

bool Exchange::is_ready() {
  const std::lock_guard guard(mine_mutex);
  if (mine.empty()) {
    if (auto found = find()) {
      mine.push_back(std::move(*found));
    }
  }
  return !mine.empty();
}

std::optional<Incoming> Exchange::take() {
  if (!is_ready()) {
    return std::nullopt;
  }
  const std::lock_guard guard(mine_mutex);
  if (mine.empty()) {
    return std::nullopt;  // another thread has taken it
  }
  std::optional<Incoming> first(std::move(mine.front()));
  mine.pop_front();
  return first;
}

/// As copies: nobody waits for who holds samples. Not endlessly: who sends so many and takes none
/// is waited for as others are.
void Exchange::take_meanwhile() {
  constexpr std::size_t most = 4096;
  const std::lock_guard guard(mine_mutex);
  try {
    while (mine.size() < most) {
      auto found = find();
      if (!found) {
        return;
      }
      mine.push_back(std::move(*found));
      mine.back().copy();
    }
  } catch (const std::bad_alloc&) {  // what is there stays there
  }
}

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_client_t* rmw_create_client(const rmw_node_t* node,
                                const rosidl_service_type_support_t* type_support,
                                const char* service_name, const rmw_qos_profile_t* qos_policies) {
  RMW_LIGAMENT_CHECK_OR_NULL(node);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(service_name, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos_policies, nullptr);
  return guarded_make([&]() -> rmw_client_t* {
    auto exchange = make_exchange(*node, *type_support, service_name, *qos_policies, true);
    if (exchange == nullptr) {
      return nullptr;
    }
    Text name = copy_text(service_name);
    auto* handle = require(rmw_client_allocate());
    *handle = {identifier, exchange.release(), name.release()};
    return handle;
  });
}

rmw_ret_t rmw_destroy_client(rmw_node_t* node, rmw_client_t* client) {
  RMW_LIGAMENT_CHECK(node);
  RMW_LIGAMENT_CHECK(client);
  destroy(static_cast<Exchange*>(client->data));
  rmw_free(const_cast<char*>(client->service_name));
  rmw_client_free(client);
  return RMW_RET_OK;
}

rmw_ret_t rmw_send_request(const rmw_client_t* client, const void* ros_request,
                           int64_t* sequence_id) {
  RMW_LIGAMENT_CHECK(client);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_request, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(sequence_id, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Exchange*>(client->data);
    const std::lock_guard guard(own.mutex);
    const std::int64_t number = own.last_number + 1;
    own.await(number);
    const rmw_ret_t result = guarded([&] {
      return publish(*own.writer, *own.out_type, ros_request, {0, {own.writer->gid(), number}, {}});
    });
    if (result == RMW_RET_OK) {
      own.last_number = *sequence_id = number;
    } else {
      own.await_no_more(number);
    }
    return result;
  });
}

rmw_ret_t rmw_take_response(const rmw_client_t* client, rmw_service_info_t* request_header,
                            void* ros_response, bool* taken) {
  RMW_LIGAMENT_CHECK(client);
  RMW_CHECK_ARGUMENT_FOR_NULL(request_header, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_response, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(taken, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    return take(*static_cast<Exchange*>(client->data), *request_header, ros_response, *taken);
  });
}

rmw_service_t* rmw_create_service(const rmw_node_t* node,
                                  const rosidl_service_type_support_t* type_support,
                                  const char* service_name, const rmw_qos_profile_t* qos_profile) {
  RMW_LIGAMENT_CHECK_OR_NULL(node);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(service_name, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos_profile, nullptr);
  return guarded_make([&]() -> rmw_service_t* {
    auto exchange = make_exchange(*node, *type_support, service_name, *qos_profile, false);
    if (exchange == nullptr) {
      return nullptr;
    }
    Text name = copy_text(service_name);
    auto* handle = require(rmw_service_allocate());
    *handle = {identifier, exchange.release(), name.release()};
    return handle;
  });
}

rmw_ret_t rmw_destroy_service(rmw_node_t* node, rmw_service_t* service) {
  RMW_LIGAMENT_CHECK(node);
  RMW_LIGAMENT_CHECK(service);
  destroy(static_cast<Exchange*>(service->data));
  rmw_free(const_cast<char*>(service->service_name));
  rmw_service_free(service);
  return RMW_RET_OK;
}

rmw_ret_t rmw_take_request(const rmw_service_t* service, rmw_service_info_t* request_header,
                           void* ros_request, bool* taken) {
  RMW_LIGAMENT_CHECK(service);
  RMW_CHECK_ARGUMENT_FOR_NULL(request_header, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_request, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(taken, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    return take(*static_cast<Exchange*>(service->data), *request_header, ros_request, *taken);
  });
}

rmw_ret_t rmw_send_response(const rmw_service_t* service, rmw_request_id_t* request_header,
                            void* ros_response) {
  RMW_LIGAMENT_CHECK(service);
  RMW_CHECK_ARGUMENT_FOR_NULL(request_header, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_response, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Exchange*>(service->data);
    ligament::pool::RequestIdentity request;
    std::memcpy(request.client.data(), request_header->writer_guid, request.client.size());
    request.sequence = request_header->sequence_number;
    const std::lock_guard guard(own.mutex);
    return publish(*own.writer, *own.out_type, ros_response, {0, request, {}});
  });
}

rmw_ret_t rmw_service_server_is_available(const rmw_node_t* node, const rmw_client_t* client,
                                          bool* is_available) {
  RMW_LIGAMENT_CHECK(node);
  RMW_LIGAMENT_CHECK(client);
  RMW_CHECK_ARGUMENT_FOR_NULL(is_available, RMW_RET_INVALID_ARGUMENT);
  *is_available = is_met(*static_cast<Exchange*>(client->data));
  return RMW_RET_OK;
}

rmw_ret_t rmw_get_gid_for_client(const rmw_client_t* client, rmw_gid_t* gid) {
  RMW_LIGAMENT_CHECK(client);
  RMW_CHECK_ARGUMENT_FOR_NULL(gid, RMW_RET_INVALID_ARGUMENT);
  gid->implementation_identifier = identifier;
  const auto& own = static_cast<Exchange*>(client->data)->writer->gid();
  std::memcpy(gid->data, own.data(), own.size());
  return RMW_RET_OK;
}

#define RMW_LIGAMENT_ACTUAL_QOS(function, kind)                    \
  rmw_ret_t function(const kind* handle, rmw_qos_profile_t* qos) { \
    RMW_LIGAMENT_CHECK(handle);                                    \
    RMW_CHECK_ARGUMENT_FOR_NULL(qos, RMW_RET_INVALID_ARGUMENT);    \
    *qos = static_cast<Exchange*>(handle->data)->qos;              \
    return RMW_RET_OK;                                             \
  }
RMW_LIGAMENT_ACTUAL_QOS(rmw_client_request_publisher_get_actual_qos, rmw_client_t)
RMW_LIGAMENT_ACTUAL_QOS(rmw_client_response_subscription_get_actual_qos, rmw_client_t)
RMW_LIGAMENT_ACTUAL_QOS(rmw_service_request_subscription_get_actual_qos, rmw_service_t)
RMW_LIGAMENT_ACTUAL_QOS(rmw_service_response_publisher_get_actual_qos, rmw_service_t)

rmw_ret_t rmw_service_set_on_new_request_callback(rmw_service_t* service,
                                                  rmw_event_callback_t callback,
                                                  const void* user_data) {
  RMW_LIGAMENT_CHECK(service);
  return set_callback(*static_cast<Exchange*>(service->data), callback, user_data);
}

rmw_ret_t rmw_client_set_on_new_response_callback(rmw_client_t* client,
                                                  rmw_event_callback_t callback,
                                                  const void* user_data) {
  RMW_LIGAMENT_CHECK(client);
  return set_callback(*static_cast<Exchange*>(client->data), callback, user_data);
}

}  // extern "C"
