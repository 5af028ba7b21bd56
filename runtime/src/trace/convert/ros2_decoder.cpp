// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/ros2_decoder.hpp"

#include <algorithm>

namespace ligament::trace::ros2 {

namespace {

bool is_integer(const bt_field_class* field_class) {
  return bt_field_class_type_is(bt_field_class_get_type(field_class),
                                BT_FIELD_CLASS_TYPE_INTEGER) != 0;
}

bool is_signed_integer(const bt_field_class* field_class) {
  return bt_field_class_type_is(bt_field_class_get_type(field_class),
                                BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) != 0;
}

bool fits(const bt_field_class* field_class, FieldType type) {
  switch (type) {
    case FieldType::u64:
    case FieldType::i64:
      return is_integer(field_class);
    case FieldType::string:
      return bt_field_class_get_type(field_class) == BT_FIELD_CLASS_TYPE_STRING;
    case FieldType::bytes:
      return true;
  }
  return false;
}

/// Place of a member; -1 where there is none of this name. LTTng writes names with a leading `_`,
/// which babeltrace takes away.
std::int8_t member(const bt_field_class* structure, std::string_view name) {
  const auto count =
      structure != nullptr ? bt_field_class_structure_get_member_count(structure) : 0;
  for (std::uint64_t index = 0; index < count && index < 127; ++index) {
    const auto* found = bt_field_class_structure_borrow_member_by_index_const(structure, index);
    if (bt_field_class_structure_member_get_name(found) == name) {
      return static_cast<std::int8_t>(index);
    }
  }
  return -1;
}

const bt_field_class* class_of(const bt_field_class* structure, std::int8_t place) {
  return bt_field_class_structure_member_borrow_field_class_const(
      bt_field_class_structure_borrow_member_by_index_const(structure,
                                                            static_cast<std::uint64_t>(place)));
}

const bt_field_class* context_class(const bt_event_class* event_class) {
  return bt_stream_class_borrow_event_common_context_field_class_const(
      bt_event_class_borrow_stream_class_const(event_class));
}

bool describe_context(const bt_event_class* known, Layout& layout, std::string& problem) {
  const bt_field_class* context = context_class(known);
  layout.pid = member(context, "vpid");
  layout.tid = member(context, "vtid");
  layout.program = member(context, "procname");
  if (layout.pid < 0 || layout.tid < 0) {
    problem =
        "the recording lacks the contexts `vpid` and `vtid`, so its processes cannot be told "
        "apart: record with `ros2 trace`, which adds them (lttng add-context --userspace "
        "--type=vpid --type=vtid --type=procname)";
    return false;
  }
  if (!is_integer(class_of(context, layout.pid)) || !is_integer(class_of(context, layout.tid))) {
    problem = "the contexts `vpid` and `vtid` of the recording are no numbers";
    return false;
  }
  layout.pid_is_signed = is_signed_integer(class_of(context, layout.pid));
  layout.tid_is_signed = is_signed_integer(class_of(context, layout.tid));
  if (layout.program >= 0 &&
      bt_field_class_get_type(class_of(context, layout.program)) != BT_FIELD_CLASS_TYPE_STRING) {
    layout.program = -1;
  }
  return true;
}

std::uint64_t integer(const bt_field* field, bool is_signed) {
  return is_signed ? static_cast<std::uint64_t>(bt_field_integer_signed_get_value(field))
                   : bt_field_integer_unsigned_get_value(field);
}

const bt_field* borrow(const bt_field* structure, std::int8_t place) {
  return bt_field_structure_borrow_member_field_by_index_const(structure,
                                                               static_cast<std::uint64_t>(place));
}

}  // namespace

bool describe(const bt_event* event, std::string_view name, Layout& layout, std::string& problem) {
  const auto* entry = std::find_if(events.begin(), events.end(),
                                   [&](const Event& one) { return one.name == name; });
  if (entry == events.end()) {
    return false;
  }
  layout.id = static_cast<EventId>(entry - events.begin());
  const bt_event_class* known = bt_event_borrow_class_const(event);
  const bt_field_class* payload = bt_event_class_borrow_payload_field_class_const(known);
  for (std::size_t index = 0; index < entry->field_count; ++index) {
    const Field& field = entry->fields[index];
    const std::int8_t place = member(payload, field.name);
    layout.members[index] = place;
    layout.is_signed[index] = place >= 0 && is_signed_integer(class_of(payload, place));
    const bool right = place < 0 ? !field.required : fits(class_of(payload, place), field.type);
    if (!right) {
      problem =
          "event ros2:" + std::string(name) + " has no field `" + std::string(field.name) +
          "` of the type that spec/events/ros2.yaml says: it is not of ros2_tracing as Humble "
          "or Jazzy has it";
      return false;
    }
  }
  return describe_context(known, layout, problem);
}

void decode(const bt_event* event, const Layout& layout, Decoded& result) {
  result.id = layout.id;
  result.present = 0;
  const bt_field* payload = bt_event_borrow_payload_field_const(event);
  const Event& declared = events[static_cast<std::size_t>(layout.id)];
  for (std::size_t index = 0; index < declared.field_count; ++index) {
    const std::int8_t place = layout.members[index];
    if (place < 0) {
      result.values[index] = 0;
      continue;
    }
    result.present = static_cast<std::uint8_t>(result.present | (1U << index));
    if (declared.fields[index].type == FieldType::string) {
      result.texts[index] = bt_field_string_get_value(borrow(payload, place));
    } else if (declared.fields[index].type != FieldType::bytes) {
      result.values[index] = integer(borrow(payload, place), layout.is_signed[index]);
    }
  }
  const bt_field* context = bt_event_borrow_common_context_field_const(event);
  result.stamp.pid =
      static_cast<std::uint32_t>(integer(borrow(context, layout.pid), layout.pid_is_signed));
  result.stamp.tid =
      static_cast<std::uint32_t>(integer(borrow(context, layout.tid), layout.tid_is_signed));
  result.program =
      layout.program >= 0 ? bt_field_string_get_value(borrow(context, layout.program)) : "";
}

}  // namespace ligament::trace::ros2
