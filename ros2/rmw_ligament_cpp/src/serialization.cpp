// SPDX-License-Identifier: Apache-2.0
/// Messages to and from bytes without a topic; what else belongs to no entity.
#include <rmw/features.h>
#include <rmw/rmw.h>

#include "identifier.hpp"
#include "message_type.hpp"

using namespace rmw_ligament_cpp;

extern "C" {

const char* rmw_get_serialization_format() { return "cdr"; }

rmw_ret_t rmw_serialize(const void* ros_message, const rosidl_message_type_support_t* type_support,
                        rmw_serialized_message_t* serialized_message) {
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(serialized_message, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    const auto type = MessageType::of(type_support);
    if (type == nullptr) {
      return RMW_RET_ERROR;
    }
    const Measure measure = type->measure(ros_message);
    if (!measure.fits) {
      return fail("a string or sequence of the " + type->name() + " is longer than its bound");
    }
    if (serialized_message->buffer_capacity < measure.size &&
        rmw_serialized_message_resize(serialized_message, measure.size) != RCUTILS_RET_OK) {
      return RMW_RET_BAD_ALLOC;
    }
    serialized_message->buffer_length = measure.size;
    type->write(ros_message,
                {reinterpret_cast<std::byte*>(serialized_message->buffer), measure.size});
    return RMW_RET_OK;
  });
}

rmw_ret_t rmw_deserialize(const rmw_serialized_message_t* serialized_message,
                          const rosidl_message_type_support_t* type_support, void* ros_message) {
  RMW_CHECK_ARGUMENT_FOR_NULL(serialized_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_support, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    const auto type = MessageType::of(type_support);
    if (type == nullptr) {
      return RMW_RET_ERROR;
    }
    const bool is_read = type->read({reinterpret_cast<const std::byte*>(serialized_message->buffer),
                                     serialized_message->buffer_length},
                                    ros_message);
    return is_read ? RMW_RET_OK : fail("these bytes are no " + type->name());
  });
}

rmw_ret_t rmw_get_serialized_message_size(const rosidl_message_type_support_t* /*type_support*/,
                                          const rosidl_runtime_c__Sequence__bound* /*bounds*/,
                                          size_t* /*size*/) {
  return fail("the size of a message is known when there is one", RMW_RET_UNSUPPORTED);
}

/// The pool logs nothing: what it has to say are problems and statuses.
rmw_ret_t rmw_set_log_severity(rmw_log_severity_t /*severity*/) { return RMW_RET_OK; }

bool rmw_feature_supported(rmw_feature_t feature) {
  return feature == RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER;
}

}  // extern "C"
