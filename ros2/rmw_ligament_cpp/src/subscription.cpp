// SPDX-License-Identifier: Apache-2.0
#include <rmw/allocators.h>
#include <rmw/dynamic_message_type_support.h>
#include <rmw/get_network_flow_endpoints.h>
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

std::unique_ptr<Subscription> open_subscription(Node& node,
                                                const rosidl_message_type_support_t& type,
                                                const std::string& topic,
                                                const rmw_qos_profile_t& wanted) {
  auto subscription = std::make_unique<Subscription>(node);
  subscription->type = MessageType::of(&type);
  if (subscription->type == nullptr) {
    return nullptr;
  }
  subscription->qos = qos_facing(node.context, topic, pool::EndpointKind::writer, wanted);
  const MessageType& message = *subscription->type;
  const pool::EndpointDescription end{topic, message.name(), node.full_name, message.hash(),
                                      reader_qos(subscription->qos)};
  auto reader = node.context.domain().create_reader(end, node.context.waits().waiter());
  if (!reader) {
    (void)fail("subscription of node '" + node.full_name + "': " + reader.error().text);
    return nullptr;
  }
  subscription->reader = std::move(*reader);
  subscription->events.reader = subscription->reader.get();
  subscription->shown = status::show(*subscription->reader, subscription->counts, end);
  tracing::tell(*subscription->reader, end);
  node.context.domain().match_now();
  return subscription;
}

std::int64_t real_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

/// Those of this process are not, where that was asked for.
bool is_wanted(const Subscription& own, const pool::SampleInfo& info) {
  std::uint64_t process = 0;
  std::memcpy(&process, info.gid.data(), sizeof process);
  return !own.ignores_own || process != own.context.process.load();
}

void describe(const pool::SampleInfo& from, rmw_message_info_t& info) {
  info = rmw_get_zero_initialized_message_info();
  info.source_timestamp = from.source_timestamp_ns;
  info.received_timestamp = real_now_ns();
  info.publication_sequence_number = from.sequence;
  info.reception_sequence_number = RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED;
  info.publisher_gid.implementation_identifier = identifier;
  std::memcpy(info.publisher_gid.data, from.gid.data(), from.gid.size());
}

std::optional<pool::HeldSample> next_sample(Subscription& own, rmw_ret_t& result) {
  result = RMW_RET_OK;
  auto sample = next_wanted(own);
  if (!sample) {
    result = fail("all messages that the subscription may keep are lent: return some");
    return std::nullopt;
  }
  if (*sample) {
    tracing::tell_taken(*own.reader, (**sample).info());
  }
  return std::move(*sample);
}

namespace {

void tell(const pool::SampleInfo& from, rmw_message_info_t* info) {
  if (info != nullptr) {
    describe(from, *info);
  }
}

rmw_ret_t take(Subscription& own, void* message, bool* taken, rmw_message_info_t* info) {
  *taken = false;
  rmw_ret_t result = RMW_RET_OK;
  const auto sample = next_sample(own, result);
  if (!sample) {
    return result;
  }
  if (!own.type->read(sample->payload(), message)) {
    own.counts.failed.fetch_add(1, std::memory_order_relaxed);
    return fail("a message of " + std::to_string(sample->payload().size()) + " bytes is no " +
                own.type->name());
  }
  own.counts.add(sample->payload().size());
  tell(sample->info(), info);
  *taken = true;
  return RMW_RET_OK;
}

rmw_ret_t take_serialized(Subscription& own, rmw_serialized_message_t* message, bool* taken,
                          rmw_message_info_t* info) {
  *taken = false;
  rmw_ret_t result = RMW_RET_OK;
  const auto sample = next_sample(own, result);
  if (!sample) {
    return result;
  }
  const auto bytes = sample->payload();
  if (message->buffer_capacity < bytes.size()) {
    const rcutils_ret_t resized = rmw_serialized_message_resize(message, bytes.size());
    if (resized != RCUTILS_RET_OK) {
      return RMW_RET_BAD_ALLOC;  // it has set the text
    }
  }
  std::memcpy(message->buffer, bytes.data(), bytes.size());
  message->buffer_length = bytes.size();
  tell(sample->info(), info);
  *taken = true;
  return RMW_RET_OK;
}

rmw_ret_t refuse_loan() {
  return fail("only types of fixed size, without booleans, can be lent", RMW_RET_UNSUPPORTED);
}

rmw_ret_t take_lent(const rmw_subscription_t& handle, void** message, bool* taken,
                    rmw_message_info_t* info) {
  if (!handle.can_loan_messages) {
    return refuse_loan();
  }
  auto& own = *static_cast<Subscription*>(handle.data);
  *taken = false;
  rmw_ret_t result = RMW_RET_OK;
  auto sample = next_sample(own, result);
  if (!sample) {
    return result;
  }
  const auto bytes = sample->payload();
  if (bytes.size() != encapsulation_size + own.type->plain_size() || bytes[0] != std::byte{0} ||
      bytes[1] != std::byte{1}) {
    return fail("a message of " + std::to_string(bytes.size()) + " bytes is no " +
                own.type->name());
  }
  tell(sample->info(), info);
  // The pool is mapped read-only: a callback that writes to what it was lent ends with SIGSEGV.
  *message = const_cast<std::byte*>(bytes.data()) + encapsulation_size;
  const std::lock_guard guard(own.mutex);
  own.lent.emplace(*message, std::move(*sample));
  *taken = true;
  return RMW_RET_OK;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

#define RMW_LIGAMENT_CHECK_TAKE(subscription, message, taken)     \
  RMW_LIGAMENT_CHECK(subscription);                               \
  RMW_CHECK_ARGUMENT_FOR_NULL(message, RMW_RET_INVALID_ARGUMENT); \
  RMW_CHECK_ARGUMENT_FOR_NULL(taken, RMW_RET_INVALID_ARGUMENT)

extern "C" {

rmw_subscription_t* rmw_create_subscription(
    const rmw_node_t* node, const rosidl_message_type_support_t* type_support,
    const char* topic_name, const rmw_qos_profile_t* qos_policies,
    const rmw_subscription_options_t* subscription_options) {
  RMW_LIGAMENT_CHECK_OR_NULL(node);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_name, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos_policies, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(subscription_options, nullptr);
  return guarded_make([&]() -> rmw_subscription_t* {
    if (const auto fault = fault_of_topic(topic_name, *qos_policies); !fault.empty()) {
      (void)fail(fault, RMW_RET_INVALID_ARGUMENT);
      return nullptr;
    }
    if (subscription_options->require_unique_network_flow_endpoints ==
        RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_STRICTLY_REQUIRED) {
      (void)fail("unique network flow endpoints are required, but a topic of the pool has none");
      return nullptr;
    }
    auto subscription = open_subscription(*static_cast<Node*>(node->data), *type_support,
                                          topic_name, *qos_policies);
    if (subscription == nullptr) {
      return nullptr;
    }
    subscription->ignores_own = subscription_options->ignore_local_publications;
    const auto* filter = subscription_options->content_filter_options;
    if (filter != nullptr && set_filter(*subscription, *filter) != RMW_RET_OK) {
      return nullptr;
    }
    const bool is_filtered = subscription->filter != nullptr;
    Text name = copy_text(topic_name);
    auto* handle = require(rmw_subscription_allocate());
    const bool can_lend = subscription->type->is_plain();
    *handle = {identifier, subscription.release(), name.release(), *subscription_options, can_lend,
               is_filtered};
    handle->options.content_filter_options = nullptr;  // the caller's, who may free it now
    return handle;
  });
}

rmw_ret_t rmw_destroy_subscription(rmw_node_t* node, rmw_subscription_t* subscription) {
  RMW_LIGAMENT_CHECK(node);
  RMW_LIGAMENT_CHECK(subscription);
  auto* own = static_cast<Subscription*>(subscription->data);
  if (!is_forked_child()) {
    own->context.callbacks().forget(own);
    own->context.callbacks().forget(static_cast<EventSource*>(&own->events));
    delete own;
  }
  rmw_free(const_cast<char*>(subscription->topic_name));
  rmw_subscription_free(subscription);
  return RMW_RET_OK;
}

rmw_ret_t rmw_take_with_info(const rmw_subscription_t* subscription, void* ros_message, bool* taken,
                             rmw_message_info_t* message_info,
                             rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, ros_message, taken);
  RMW_CHECK_ARGUMENT_FOR_NULL(message_info, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    return take(*static_cast<Subscription*>(subscription->data), ros_message, taken, message_info);
  });
}

rmw_ret_t rmw_take(const rmw_subscription_t* subscription, void* ros_message, bool* taken,
                   rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, ros_message, taken);
  return guarded([&] {
    return take(*static_cast<Subscription*>(subscription->data), ros_message, taken, nullptr);
  });
}

rmw_ret_t rmw_take_sequence(const rmw_subscription_t* subscription, size_t count,
                            rmw_message_sequence_t* message_sequence,
                            rmw_message_info_sequence_t* message_info_sequence, size_t* taken,
                            rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, message_sequence, taken);
  RMW_CHECK_ARGUMENT_FOR_NULL(message_info_sequence, RMW_RET_INVALID_ARGUMENT);
  if (count == 0 || count > message_sequence->capacity || count > message_info_sequence->capacity) {
    return fail("the sequences have room for fewer messages than asked for, or none are asked for",
                RMW_RET_INVALID_ARGUMENT);
  }
  return guarded([&] {
    auto& own = *static_cast<Subscription*>(subscription->data);
    *taken = 0;
    rmw_ret_t result = RMW_RET_OK;
    for (bool is_taken = true; is_taken && *taken < count && result == RMW_RET_OK;) {
      result = take(own, message_sequence->data[*taken], &is_taken,
                    &message_info_sequence->data[*taken]);
      *taken += is_taken ? 1 : 0;
    }
    message_sequence->size = *taken;
    message_info_sequence->size = *taken;
    return result;
  });
}

rmw_ret_t rmw_take_serialized_message_with_info(const rmw_subscription_t* subscription,
                                                rmw_serialized_message_t* serialized_message,
                                                bool* taken, rmw_message_info_t* message_info,
                                                rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, serialized_message, taken);
  RMW_CHECK_ARGUMENT_FOR_NULL(message_info, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    return take_serialized(*static_cast<Subscription*>(subscription->data), serialized_message,
                           taken, message_info);
  });
}

rmw_ret_t rmw_take_serialized_message(const rmw_subscription_t* subscription,
                                      rmw_serialized_message_t* serialized_message, bool* taken,
                                      rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, serialized_message, taken);
  return guarded([&] {
    return take_serialized(*static_cast<Subscription*>(subscription->data), serialized_message,
                           taken, nullptr);
  });
}

rmw_ret_t rmw_take_loaned_message_with_info(const rmw_subscription_t* subscription,
                                            void** loaned_message, bool* taken,
                                            rmw_message_info_t* message_info,
                                            rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, loaned_message, taken);
  RMW_CHECK_ARGUMENT_FOR_NULL(message_info, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] { return take_lent(*subscription, loaned_message, taken, message_info); });
}

rmw_ret_t rmw_take_loaned_message(const rmw_subscription_t* subscription, void** loaned_message,
                                  bool* taken, rmw_subscription_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK_TAKE(subscription, loaned_message, taken);
  return guarded([&] { return take_lent(*subscription, loaned_message, taken, nullptr); });
}

rmw_ret_t rmw_return_loaned_message_from_subscription(const rmw_subscription_t* subscription,
                                                      void* loaned_message) {
  RMW_LIGAMENT_CHECK(subscription);
  if (!subscription->can_loan_messages) {
    return refuse_loan();
  }
  RMW_CHECK_ARGUMENT_FOR_NULL(loaned_message, RMW_RET_INVALID_ARGUMENT);
  auto& own = *static_cast<Subscription*>(subscription->data);
  const std::lock_guard guard(own.mutex);
  return own.lent.erase(loaned_message) != 0
             ? RMW_RET_OK
             : fail("this message was not lent by this subscription", RMW_RET_INVALID_ARGUMENT);
}

rmw_ret_t rmw_subscription_count_matched_publishers(const rmw_subscription_t* subscription,
                                                    size_t* publisher_count) {
  RMW_LIGAMENT_CHECK(subscription);
  RMW_CHECK_ARGUMENT_FOR_NULL(publisher_count, RMW_RET_INVALID_ARGUMENT);
  *publisher_count = static_cast<Subscription*>(subscription->data)->reader->matched_writers();
  return RMW_RET_OK;
}

rmw_ret_t rmw_subscription_get_actual_qos(const rmw_subscription_t* subscription,
                                          rmw_qos_profile_t* qos) {
  RMW_LIGAMENT_CHECK(subscription);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos, RMW_RET_INVALID_ARGUMENT);
  *qos = static_cast<Subscription*>(subscription->data)->qos;
  return RMW_RET_OK;
}

rmw_ret_t rmw_subscription_set_on_new_message_callback(rmw_subscription_t* subscription,
                                                       rmw_event_callback_t callback,
                                                       const void* user_data) {
  RMW_LIGAMENT_CHECK(subscription);
  auto* own = static_cast<Subscription*>(subscription->data);
  return guarded([&] {
    own->context.callbacks().set({own, 0}, callback, user_data,
                                 [own] { return own->reader->arrived(); });
    return RMW_RET_OK;
  });
}

rmw_ret_t rmw_init_subscription_allocation(const rosidl_message_type_support_t* /*type_support*/,
                                           const rosidl_runtime_c__Sequence__bound* /*bounds*/,
                                           rmw_subscription_allocation_t* /*allocation*/) {
  return fail("memory of subscriptions cannot be allocated ahead: it is the pool's",
              RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_fini_subscription_allocation(rmw_subscription_allocation_t* /*allocation*/) {
  return fail("memory of subscriptions cannot be allocated ahead: it is the pool's",
              RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_subscription_get_network_flow_endpoints(
    const rmw_subscription_t* /*subscription*/, rcutils_allocator_t* /*allocator*/,
    rmw_network_flow_endpoint_array_t* /*network_flow_endpoint_array*/) {
  return fail("a topic of the pool has no network flow", RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_take_dynamic_message(const rmw_subscription_t* /*subscription*/,
                                   rosidl_dynamic_typesupport_dynamic_data_t* /*message*/,
                                   bool* /*taken*/, rmw_subscription_allocation_t* /*allocation*/) {
  return fail("rmw_ligament_cpp has no dynamic messages", RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_take_dynamic_message_with_info(const rmw_subscription_t* /*subscription*/,
                                             rosidl_dynamic_typesupport_dynamic_data_t* /*message*/,
                                             bool* /*taken*/, rmw_message_info_t* /*message_info*/,
                                             rmw_subscription_allocation_t* /*allocation*/) {
  return fail("rmw_ligament_cpp has no dynamic messages", RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_serialization_support_init(const char* /*serialization_lib_name*/,
                                         rcutils_allocator_t* /*allocator*/,
                                         rosidl_dynamic_typesupport_serialization_support_t*
                                         /*serialization_support*/) {
  return fail("rmw_ligament_cpp has no dynamic messages", RMW_RET_UNSUPPORTED);
}

}  // extern "C"
