// SPDX-License-Identifier: Apache-2.0
#include <rmw/allocators.h>
#include <rmw/get_network_flow_endpoints.h>
#include <rmw/rmw.h>
#include <rmw/validate_full_topic_name.h>

#include <cstring>

#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

namespace pool = ligament::pool;

/// Empty where the name is one that ROS 2 allows, or where nobody asked for that.
std::string fault_of_topic(const char* topic, const rmw_qos_profile_t& qos) {
  int result = 0;
  if (qos.history == RMW_QOS_POLICY_HISTORY_UNKNOWN ||
      qos.reliability == RMW_QOS_POLICY_RELIABILITY_UNKNOWN ||
      qos.durability == RMW_QOS_POLICY_DURABILITY_UNKNOWN ||
      qos.liveliness == RMW_QOS_POLICY_LIVELINESS_UNKNOWN) {
    return "a QoS policy is 'unknown', which no endpoint can have";
  }
  if (qos.avoid_ros_namespace_conventions) {
    return *topic == 0 ? "the topic's name is empty" : "";
  }
  if (rmw_validate_full_topic_name(topic, &result, nullptr) != RMW_RET_OK) {
    return "the topic's name cannot be checked";
  }
  return result == RMW_TOPIC_VALID ? std::string()
                                   : std::string("'") + topic + "' is no full name of a topic: " +
                                         rmw_full_topic_name_validation_result_string(result);
}

namespace {

/// Loans that a publisher of plain messages may have out at once, and one to publish from.
constexpr std::uint32_t most_loans = 4;

rmw_ret_t refuse_loan() {
  return fail("only types of fixed size, without booleans, can be lent", RMW_RET_UNSUPPORTED);
}

std::string why(pool::LoanError error) { return std::string(pool::to_string(error)); }

std::unique_ptr<Publisher> open_publisher(Node& node, const rosidl_message_type_support_t& type,
                                          const std::string& topic,
                                          const rmw_qos_profile_t& wanted) {
  auto publisher = std::make_unique<Publisher>(node);
  publisher->type = MessageType::of(&type);
  if (publisher->type == nullptr) {
    return nullptr;
  }
  publisher->qos = qos_facing(node.context, topic, pool::EndpointKind::reader, wanted);
  const MessageType& message = *publisher->type;
  pool::WriterOptions options;
  options.max_loans = message.is_plain() ? most_loans : 1;
  options.prefault = false;  // the first message, which alone says how large they are, waits less
  options.waiter = &node.context.waits().waiter();
  if (publisher->qos.depth < 10 &&
      publisher->qos.durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL) {
    options.ring =
        10;  // as writer_qos, which cannot say it here: late ones get the history's depth
  }
  const pool::EndpointDescription end{topic, message.name(), node.full_name, message.hash(),
                                      writer_qos(publisher->qos)};
  auto writer = node.context.domain().create_writer(end, options);
  if (!writer) {
    (void)fail("publisher of node '" + node.full_name + "': " + writer.error().text);
    return nullptr;
  }
  publisher->writer = std::move(*writer);
  publisher->events.writer = publisher->writer.get();
  publisher->shown = status::show(*publisher->writer, publisher->counts, end);
  tracing::tell(*publisher->writer, end);
  std::uint64_t process = 0;
  std::memcpy(&process, publisher->writer->gid().data(), sizeof process);
  node.context.process.store(process);
  node.context.domain().match_now();
  return publisher;
}

}  // namespace

rmw_ret_t publish(pool::Writer& writer, const MessageType& type, const void* message,
                  const pool::PublishInfo& info, status::Counts* counts) {
  const std::int64_t began_ns = tracing::begin_ns();
  const Measure measure = type.measure(message);
  if (!measure.fits) {
    if (counts != nullptr) {
      counts->failed.fetch_add(1, std::memory_order_relaxed);
    }
    return fail("a string or sequence of the " + type.name() + " is longer than its bound");
  }
  auto loan = writer.loan(measure.size, measure.aligned_offset);
  if (!loan) {
    return fail("the " + type.name() + " of " + std::to_string(measure.size) +
                    " bytes is not published: " + why(loan.error()),
                loan.error() == pool::LoanError::out_of_memory ? RMW_RET_BAD_ALLOC : RMW_RET_ERROR);
  }
  type.write(message, loan->payload());
  if (counts != nullptr) {
    counts->add(measure.size);
  }
  return publish(writer, std::move(*loan), began_ns, info);
}

rmw_ret_t publish(pool::Writer& writer, pool::Loan&& loan, std::int64_t began_ns,
                  const pool::PublishInfo& info) {
  const std::size_t bytes = loan.payload().size();
  const auto published = writer.publish(std::move(loan), info);
  if (!published) {
    return fail("the loan is of another publisher");
  }
  tracing::tell_published(writer, *published, bytes, began_ns);
  return RMW_RET_OK;
}

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_publisher_t* rmw_create_publisher(const rmw_node_t* node,
                                      const rosidl_message_type_support_t* type_support,
                                      const char* topic_name, const rmw_qos_profile_t* qos_profile,
                                      const rmw_publisher_options_t* publisher_options) {
  RMW_LIGAMENT_CHECK_OR_NULL(node);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_name, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos_profile, nullptr);
  RMW_CHECK_ARGUMENT_FOR_NULL(publisher_options, nullptr);
  return guarded_make([&]() -> rmw_publisher_t* {
    if (const auto fault = fault_of_topic(topic_name, *qos_profile); !fault.empty()) {
      (void)fail(fault, RMW_RET_INVALID_ARGUMENT);
      return nullptr;
    }
    if (publisher_options->require_unique_network_flow_endpoints ==
        RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_STRICTLY_REQUIRED) {
      (void)fail("unique network flow endpoints are required, but a topic of the pool has none");
      return nullptr;
    }
    auto publisher =
        open_publisher(*static_cast<Node*>(node->data), *type_support, topic_name, *qos_profile);
    if (publisher == nullptr) {
      return nullptr;
    }
    Text name = copy_text(topic_name);
    auto* handle = require(rmw_publisher_allocate());
    const bool can_lend = publisher->type->is_plain();
    *handle = {identifier, publisher.release(), name.release(), *publisher_options, can_lend};
    return handle;
  });
}

rmw_ret_t rmw_destroy_publisher(rmw_node_t* node, rmw_publisher_t* publisher) {
  RMW_LIGAMENT_CHECK(node);
  RMW_LIGAMENT_CHECK(publisher);
  auto* own = static_cast<Publisher*>(publisher->data);
  if (!is_forked_child()) {
    own->context.callbacks().forget(static_cast<EventSource*>(&own->events));
    delete own;
  }
  rmw_free(const_cast<char*>(publisher->topic_name));
  rmw_publisher_free(publisher);
  return RMW_RET_OK;
}

rmw_ret_t rmw_publish(const rmw_publisher_t* publisher, const void* ros_message,
                      rmw_publisher_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    const std::lock_guard guard(own.mutex);
    return publish(*own.writer, *own.type, ros_message, {}, &own.counts);
  });
}

rmw_ret_t rmw_publish_serialized_message(const rmw_publisher_t* publisher,
                                         const rmw_serialized_message_t* serialized_message,
                                         rmw_publisher_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(serialized_message, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    const auto* bytes = serialized_message->buffer;
    const std::size_t size = serialized_message->buffer_length;
    if (size < encapsulation_size || bytes[0] != 0 || bytes[1] != 1) {
      return fail("the serialised message does not begin as little-endian CDR does (0, 1)");
    }
    const std::lock_guard guard(own.mutex);
    const std::int64_t began_ns = tracing::begin_ns();
    auto loan = own.writer->loan(size, encapsulation_size);
    if (!loan) {
      return fail("the serialised message of " + std::to_string(size) +
                  " bytes is not published: " + why(loan.error()));
    }
    std::memcpy(loan->payload().data(), bytes, size);
    return publish(*own.writer, std::move(*loan), began_ns);
  });
}

rmw_ret_t rmw_borrow_loaned_message(const rmw_publisher_t* publisher,
                                    const rosidl_message_type_support_t* type_support,
                                    void** ros_message) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  if (!publisher->can_loan_messages) {
    return refuse_loan();
  }
  if (*ros_message != nullptr) {
    return fail("the pointer to fill is not null", RMW_RET_INVALID_ARGUMENT);
  }
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    const std::lock_guard guard(own.mutex);
    // The memory of the struct, whose end may be padding, which is not part of the message.
    auto loan = own.writer->loan(encapsulation_size + own.type->memory_size(), encapsulation_size);
    if (!loan) {
      return fail("no message is lent: " + why(loan.error()));
    }
    void* const message = loan->payload().data() + encapsulation_size;
    own.type->initialise(message);
    own.lent.emplace(message, std::move(*loan));
    *ros_message = message;
    return RMW_RET_OK;
  });
}

rmw_ret_t rmw_return_loaned_message_from_publisher(const rmw_publisher_t* publisher,
                                                   void* loaned_message) {
  RMW_LIGAMENT_CHECK(publisher);
  if (!publisher->can_loan_messages) {
    return refuse_loan();
  }
  RMW_CHECK_ARGUMENT_FOR_NULL(loaned_message, RMW_RET_INVALID_ARGUMENT);
  auto& own = *static_cast<Publisher*>(publisher->data);
  const std::lock_guard guard(own.mutex);
  return own.lent.erase(loaned_message) != 0
             ? RMW_RET_OK
             : fail("this message was not lent by this publisher", RMW_RET_INVALID_ARGUMENT);
}

rmw_ret_t rmw_publish_loaned_message(const rmw_publisher_t* publisher, void* ros_message,
                                     rmw_publisher_allocation_t* /*allocation*/) {
  RMW_LIGAMENT_CHECK(publisher);
  if (!publisher->can_loan_messages) {
    return refuse_loan();
  }
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    const std::lock_guard guard(own.mutex);
    const std::int64_t began_ns = tracing::begin_ns();
    const auto lent = own.lent.find(ros_message);
    if (lent == own.lent.end()) {
      return fail("this message was not lent by this publisher", RMW_RET_INVALID_ARGUMENT);
    }
    ligament::pool::Loan loan = std::move(lent->second);
    own.lent.erase(lent);
    constexpr std::uint8_t little_endian_cdr[encapsulation_size] = {0, 1, 0, 0};
    std::memcpy(loan.payload().data(), little_endian_cdr, encapsulation_size);
    loan.resize(encapsulation_size + own.type->plain_size());
    return publish(*own.writer, std::move(loan), began_ns);
  });
}

rmw_ret_t rmw_publisher_count_matched_subscriptions(const rmw_publisher_t* publisher,
                                                    size_t* subscription_count) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(subscription_count, RMW_RET_INVALID_ARGUMENT);
  *subscription_count = static_cast<Publisher*>(publisher->data)->writer->matched_readers();
  return RMW_RET_OK;
}

rmw_ret_t rmw_publisher_get_actual_qos(const rmw_publisher_t* publisher, rmw_qos_profile_t* qos) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos, RMW_RET_INVALID_ARGUMENT);
  *qos = static_cast<Publisher*>(publisher->data)->qos;
  return RMW_RET_OK;
}

rmw_ret_t rmw_publisher_assert_liveliness(const rmw_publisher_t* publisher) {
  RMW_LIGAMENT_CHECK(publisher);
  static_cast<Publisher*>(publisher->data)->writer->assert_liveliness();
  return RMW_RET_OK;
}

/// What was published lies where its subscriptions take it: there is nothing to wait for.
rmw_ret_t rmw_publisher_wait_for_all_acked(const rmw_publisher_t* publisher,
                                           rmw_time_t /*wait_timeout*/) {
  RMW_LIGAMENT_CHECK(publisher);
  return RMW_RET_OK;
}

rmw_ret_t rmw_get_gid_for_publisher(const rmw_publisher_t* publisher, rmw_gid_t* gid) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(gid, RMW_RET_INVALID_ARGUMENT);
  gid->implementation_identifier = identifier;
  const auto& own = static_cast<Publisher*>(publisher->data)->writer->gid();
  static_assert(sizeof own == RMW_GID_STORAGE_SIZE);
  std::memcpy(gid->data, own.data(), own.size());
  return RMW_RET_OK;
}

rmw_ret_t rmw_compare_gids_equal(const rmw_gid_t* gid1, const rmw_gid_t* gid2, bool* result) {
  RMW_LIGAMENT_CHECK(gid1);
  RMW_LIGAMENT_CHECK(gid2);
  RMW_CHECK_ARGUMENT_FOR_NULL(result, RMW_RET_INVALID_ARGUMENT);
  *result = std::memcmp(gid1->data, gid2->data, RMW_GID_STORAGE_SIZE) == 0;
  return RMW_RET_OK;
}

rmw_ret_t rmw_init_publisher_allocation(const rosidl_message_type_support_t* /*type_support*/,
                                        const rosidl_runtime_c__Sequence__bound* /*bounds*/,
                                        rmw_publisher_allocation_t* /*allocation*/) {
  return fail("memory of publishers cannot be allocated ahead: it is the pool's",
              RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_fini_publisher_allocation(rmw_publisher_allocation_t* /*allocation*/) {
  return fail("memory of publishers cannot be allocated ahead: it is the pool's",
              RMW_RET_UNSUPPORTED);
}
rmw_ret_t rmw_publisher_get_network_flow_endpoints(
    const rmw_publisher_t* /*publisher*/, rcutils_allocator_t* /*allocator*/,
    rmw_network_flow_endpoint_array_t* /*network_flow_endpoint_array*/) {
  return fail("a topic of the pool has no network flow", RMW_RET_UNSUPPORTED);
}

}  // extern "C"
