// SPDX-License-Identifier: Apache-2.0
/// From the introspection type supports (C and C++) to our tables.
#include "message_type.hpp"

#include <rcutils/error_handling.h>
#include <rmw/error_handling.h>
#include <rosidl_runtime_c/string.h>
#include <rosidl_runtime_c/u16string.h>
#include <rosidl_typesupport_introspection_c/field_types.h>
#include <rosidl_typesupport_introspection_c/identifier.h>
#include <rosidl_typesupport_introspection_c/message_introspection.h>
#include <rosidl_typesupport_introspection_c/service_introspection.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <rosidl_typesupport_introspection_cpp/identifier.hpp>
#include <rosidl_typesupport_introspection_cpp/message_introspection.hpp>
#include <rosidl_typesupport_introspection_cpp/service_introspection.hpp>
#include <string_view>
#include <type_traits>

namespace rmw_ligament_cpp {

namespace {

namespace cpp = rosidl_typesupport_introspection_cpp;
using CMembers = rosidl_typesupport_introspection_c__MessageMembers;
using CMember = rosidl_typesupport_introspection_c__MessageMember;
using CppMembers = cpp::MessageMembers;
using CppMember = cpp::MessageMember;
using Kind = MessageType::Kind;

/// Bytes of a number of this type, stored and in memory; 0: no number that ROS 2 has.
std::size_t width_of(std::uint8_t type) {
  switch (type) {
    case rosidl_typesupport_introspection_c__ROS_TYPE_CHAR:
    case rosidl_typesupport_introspection_c__ROS_TYPE_BOOLEAN:
    case rosidl_typesupport_introspection_c__ROS_TYPE_OCTET:
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT8:
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT8:
      return 1;
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT16:
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT16:
    case rosidl_typesupport_introspection_c__ROS_TYPE_WCHAR:
      return 2;
    case rosidl_typesupport_introspection_c__ROS_TYPE_FLOAT:
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT32:
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT32:
      return 4;
    case rosidl_typesupport_introspection_c__ROS_TYPE_DOUBLE:
    case rosidl_typesupport_introspection_c__ROS_TYPE_UINT64:
    case rosidl_typesupport_introspection_c__ROS_TYPE_INT64:
      return 8;
    default:
      return 0;
  }
}

std::size_t align_up(std::size_t position, std::size_t alignment) {
  return (position + alignment - 1) & ~(alignment - 1);
}

/// `std_msgs__msg` (C) or `std_msgs::msg` (C++), and `String`: `std_msgs/msg/String`.
std::string ros_name(std::string space, const char* name, const char* separator) {
  for (auto at = space.find(separator); at != std::string::npos; at = space.find(separator)) {
    space.erase(at, 1);
    space[at] = '/';
  }
  return space + "/" + name;
}

}  // namespace

/// Builds the tables of a message and of the messages within, each once.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(MessageType& type) : type_(type) {}

  template <typename Members>
  const MessageType::Layout* layout_of(const Members& members) {
    if (const auto known = known_.find(&members); known != known_.end()) {
      return known->second;
    }
    auto& layout = *type_.layouts_.emplace_back(std::make_unique<MessageType::Layout>());
    known_[&members] = &layout;
    layout.is_cpp = std::is_same_v<Members, CppMembers>;
    for (std::uint32_t i = 0; i < members.member_count_; ++i) {
      layout.fields.push_back(field_of<Members>(members.members_[i]));
    }
    layout.plain = plain_of(layout, members.size_of_);
    return &layout;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  template <typename Members, typename Member>
  MessageType::Field field_of(const Member& member) {
    MessageType::Field field;
    field.name = member.name_;
    field.type_id = member.type_id_;
    field.is_array = member.is_array_ && member.array_size_ != 0 && !member.is_upper_bound_;
    field.is_sequence = member.is_array_ && !field.is_array;
    field.count = field.is_array ? member.array_size_ : 1;
    field.bound = field.is_sequence && member.is_upper_bound_ ? member.array_size_ : 0;
    field.text_bound = member.string_upper_bound_;
    field.offset = member.offset_;
    field.length = member.size_function;
    field.at = member.get_const_function;
    field.change_at = member.get_function;
    field.fetch = member.fetch_function;
    field.assign = member.assign_function;
    if constexpr (std::is_same_v<Members, CppMembers>) {
      field.resize_cpp = member.resize_function;
    } else {
      field.resize_c = member.resize_function;
    }
    set_kind<Members>(field, member);
    return field;
  }

  template <typename Members, typename Member>
  void set_kind(MessageType::Field& field, const Member& member) {
    constexpr bool is_cpp = std::is_same_v<Members, CppMembers>;
    switch (member.type_id_) {
      case rosidl_typesupport_introspection_c__ROS_TYPE_MESSAGE: {
        const auto& nested = *static_cast<const Members*>(member.members_->data);
        field.kind = Kind::message;
        field.nested = layout_of(nested);
        field.stride = nested.size_of_;
        return;
      }
      case rosidl_typesupport_introspection_c__ROS_TYPE_STRING:
        field.kind = Kind::text;
        field.stride = is_cpp ? sizeof(std::string) : sizeof(rosidl_runtime_c__String);
        return;
      case rosidl_typesupport_introspection_c__ROS_TYPE_WSTRING:
        field.kind = Kind::wide_text;
        field.stride = is_cpp ? sizeof(std::u16string) : sizeof(rosidl_runtime_c__U16String);
        return;
      case rosidl_typesupport_introspection_c__ROS_TYPE_BOOLEAN:
        field.kind = Kind::boolean;
        return;
      default:
        field.width = field.stride = width_of(member.type_id_);
        failed_ = failed_ || field.width == 0;
    }
  }

  /// Whether all fields lie in memory where they lie in the stored form.
  static MessageType::Plain plain_of(const MessageType::Layout& layout, std::size_t memory_size) {
    MessageType::Plain plain{true, 0, 1};
    for (const auto& field : layout.fields) {
      const bool is_number = field.kind == Kind::number;
      const bool is_nested = field.kind == Kind::message && field.nested->plain.is_plain;
      if (field.is_sequence || (!is_number && !is_nested)) {
        return {};
      }
      const std::size_t alignment = is_number ? field.width : field.nested->plain.alignment;
      const std::size_t size = is_number ? field.width : field.nested->plain.size;
      if (is_number) {
        plain.size = align_up(plain.size, alignment);
      }
      // The stored form aligns numbers alone, and leaves no gap behind the last one of a message:
      // memory does both for whole structs.
      const bool is_aligned = plain.size % alignment == 0;
      const bool is_tight = field.count == 1 || size == field.stride;
      if (plain.size != field.offset || !is_aligned || !is_tight) {
        return {};
      }
      plain.size += (field.count - 1) * field.stride + size;
      plain.alignment = std::max(plain.alignment, alignment);
    }
    return plain.size <= memory_size ? plain : MessageType::Plain{};
  }

  MessageType& type_;
  std::map<const void*, const MessageType::Layout*> known_;
  bool failed_ = false;
};

namespace {

/// The same type's introspection support; null where there is none. Leaves no error behind.
template <typename Handle, typename Find>
const Handle* find_support(const Handle* type, const Find& find, const char* identifier) {
  const Handle* found = find(type, identifier);
  if (found == nullptr) {
    rcutils_reset_error();
  }
  return found;
}

void set_no_introspection() {
  RMW_SET_ERROR_MSG(
      "the type has no introspection type support, by which rmw_ligament_cpp reads "
      "messages; build its package with rosidl_default_generators");
}

template <typename Members>
constexpr const char* separator() {
  return std::is_same_v<Members, CppMembers> ? "::" : "__";
}

}  // namespace

std::unique_ptr<MessageType> MessageType::of(const rosidl_message_type_support_t* type) {
  std::unique_ptr<MessageType> self(new MessageType());
  const auto build = [&self](const auto& members) {
    using Members = std::remove_cvref_t<decltype(members)>;
    LayoutBuilder builder(*self);
    self->plain_ = builder.layout_of(members)->plain;
    self->memory_size_ = members.size_of_;
    self->name_ = ros_name(members.message_namespace_, members.message_name_, separator<Members>());
    self->is_cpp_ = std::is_same_v<Members, CppMembers>;
    self->members_ = &members;
    return !builder.failed();
  };
  bool is_known = false;
  if (const auto* c = find_support(type, get_message_typesupport_handle,
                                   rosidl_typesupport_introspection_c__identifier)) {
    is_known = build(*static_cast<const CMembers*>(c->data));
  } else if (const auto* cxx =
                 find_support(type, get_message_typesupport_handle, cpp::typesupport_identifier)) {
    is_known = build(*static_cast<const CppMembers*>(cxx->data));
  }
  if (!is_known) {
    set_no_introspection();
    return nullptr;
  }
  if (type->get_type_hash_func != nullptr) {
    const rosidl_type_hash_t* hash = type->get_type_hash_func(type);
    std::copy(std::begin(hash->value), std::end(hash->value), self->hash_.begin());
  }
  return self;
}

MessageType::Service MessageType::of(const rosidl_service_type_support_t* type) {
  if (find_support(type, get_service_typesupport_handle,
                   rosidl_typesupport_introspection_c__identifier) == nullptr &&
      find_support(type, get_service_typesupport_handle, cpp::typesupport_identifier) == nullptr) {
    set_no_introspection();
    return {};
  }
  return {of(type->request_typesupport), of(type->response_typesupport)};
}

void MessageType::initialise(void* message) const {
  std::memset(message, 0, memory_size_);
  if (is_cpp_) {
    static_cast<const CppMembers*>(members_)->init_function(
        message, rosidl_runtime_cpp::MessageInitialization::ALL);
  } else {
    static_cast<const CMembers*>(members_)->init_function(message, ROSIDL_RUNTIME_C_MSG_INIT_ALL);
  }
}

}  // namespace rmw_ligament_cpp
