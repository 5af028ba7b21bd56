// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/reader.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/convert/plugins.hpp"

namespace ligament::trace {

namespace {

std::size_t column_index(std::string_view name) {
  return static_cast<std::size_t>(
      std::find_if(field_columns.begin(), field_columns.end(),
                   [&](const Column& column) { return column.name == name; }) -
      field_columns.begin());
}

constexpr auto tid_column = static_cast<std::size_t>(ColumnId::tid);
constexpr auto pid_column = static_cast<std::size_t>(ColumnId::pid);

std::uint8_t code_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    names.push_back(name);
    return static_cast<std::uint8_t>(names.size() - 1);
  }
  return static_cast<std::uint8_t>(found - names.begin());
}

std::string host_of(const bt_stream* stream) {
  const bt_value* value = bt_trace_borrow_environment_entry_value_by_name_const(
      bt_stream_borrow_trace_const(stream), "hostname");
  return value != nullptr && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

/// Whether babeltrace's field class can fill a column of this type.
bool fits(const bt_field_class* field_class, ColumnType type) {
  const auto actual = bt_field_class_get_type(field_class);
  switch (type) {
    case ColumnType::u8:
    case ColumnType::u32:
    case ColumnType::u64:
      return bt_field_class_type_is(actual, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) != 0;
    case ColumnType::i64:
      return bt_field_class_type_is(actual, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER) != 0;
    case ColumnType::f64:
      return actual == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL;
    case ColumnType::string:
      return actual == BT_FIELD_CLASS_TYPE_STRING;
  }
  return false;
}

}  // namespace

bool Reader::flush() {
  const nlohmann::json names = {
      {"hosts", totals_.hosts}, {"clocks", clocks_.names()}, {"names", row_names}};
  std::string members = names.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  members = members.substr(1, members.size() - 2) + ",";
  return batch_.flush(out_, members) || fail("the reading end of the pipe is gone");
}

bool Reader::fail(std::string text) {
  if (error_.empty()) {
    error_ = std::move(text);
  }
  return false;
}

Reader::EventClass& Reader::event_class(const bt_event* event) {
  const bt_event_class* found = bt_event_borrow_class_const(event);
  if (found != last_class_) {
    auto entry = classes_.find(found);
    if (entry == classes_.end()) {
      entry = classes_.emplace(found, describe(event)).first;
    }
    last_class_ = found;
    last_ = &entry->second;
  }
  return *last_;
}

Reader::EventClass Reader::describe(const bt_event* event) {
  EventClass result;
  const bt_stream* stream = bt_event_borrow_stream_const(event);
  const std::string host = host_of(stream);
  result.host = code_of(totals_.hosts, host);
  result.clock = clocks_.code(stream, host);
  const bt_event_class* known = bt_event_borrow_class_const(event);
  const char* given = bt_event_class_get_name(known);
  const std::string_view name = given != nullptr ? given : "";
  const auto colon = name.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view owner = name.substr(0, colon);
    if (provider_ == Provider::ligament && owner == provider_name) {
      describe_ours(known, name.substr(colon + 1), result);
    } else if (provider_ == Provider::ros2 && owner == ros2::provider_name) {
      describe_ros2(event, name.substr(colon + 1), result);
    }
  }
  if (result.kind == EventClass::Kind::foreign) {
    result.foreign_count = &totals_.foreign_names[std::string(name)];
  }
  return result;
}

void Reader::describe_ours(const bt_event_class* known, std::string_view name, EventClass& result) {
  const auto entry = std::find(event_names.begin(), event_names.end(), name);
  result.code = static_cast<std::uint8_t>(entry - event_names.begin());
  const bool good = entry != event_names.end() && describe_fields(known, result);
  result.kind = !good                     ? EventClass::Kind::mismatch
                : *entry == "calibration" ? EventClass::Kind::calibration
                                          : EventClass::Kind::ours;
  if (!good) {
    result.problem = "event ligament:" + std::string(name) +
                     " has other fields than spec/events/events.yaml says: the recording was made "
                     "by another version";
  }
}

void Reader::describe_ros2(const bt_event* event, std::string_view name, EventClass& result) {
  if (ros2::describe(event, name, result.layout, result.problem)) {
    result.kind = EventClass::Kind::ros2;
  } else if (!result.problem.empty()) {
    result.kind = EventClass::Kind::mismatch;
  }
}

bool Reader::describe_fields(const bt_event_class* known, EventClass& result) const {
  const bt_field_class* payload = bt_event_class_borrow_payload_field_class_const(known);
  const auto count = payload != nullptr ? bt_field_class_structure_get_member_count(payload) : 0;
  if (count != event_field_counts[result.code]) {
    return false;
  }
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto* member = bt_field_class_structure_borrow_member_by_index_const(payload, index);
    const auto column = column_index(bt_field_class_structure_member_get_name(member));
    if (column == field_columns.size() ||
        !fits(bt_field_class_structure_member_borrow_field_class_const(member),
              field_columns[column].type)) {
      return false;
    }
    result.columns.push_back(static_cast<std::uint8_t>(column));
  }
  return true;
}

std::uint64_t Reader::set_field(std::size_t column, const bt_field* field) {
  std::uint64_t bits = 0;
  switch (field_columns[column].type) {
    case ColumnType::u8:
    case ColumnType::u32:
    case ColumnType::u64:
      bits = bt_field_integer_unsigned_get_value(field);
      break;
    case ColumnType::i64:
      bits = static_cast<std::uint64_t>(bt_field_integer_signed_get_value(field));
      break;
    case ColumnType::f64:
      bits = std::bit_cast<std::uint64_t>(bt_field_real_double_precision_get_value(field));
      break;
    case ColumnType::string:
      batch_.field(column).set_text(batch_.rows(), bt_field_string_get_value(field));
      return 0;
  }
  batch_.field(column).set(batch_.rows(), bits);
  return bits;
}

void Reader::write_row(const bt_message* message, const bt_event* event, const EventClass& known) {
  const std::size_t row = batch_.rows();
  const bt_clock_snapshot* time = bt_message_event_borrow_default_clock_snapshot_const(message);
  Stamp stamp;
  clocks_.stamp(bt_clock_snapshot_get_value(time), known.clock, stamp);
  stamp.host = known.host;
  begin_row(batch_, stamp, known.code);
  const bt_field* payload = bt_event_borrow_payload_field_const(event);
  std::uint64_t tid = 0;
  std::uint64_t pid = 0;
  for (std::uint64_t index = 0; index < known.columns.size(); ++index) {
    const std::size_t column = known.columns[index];
    const auto bits =
        set_field(column, bt_field_structure_borrow_member_field_by_index_const(payload, index));
    tid = column == tid_column ? bits : tid;
    pid = column == pid_column ? bits : pid;
  }
  // Threads tell their process once; the others' rows get it from there.
  const std::uint64_t thread = (std::uint64_t{known.host} << 32) | tid;
  if (pid != 0) {
    process_of_thread_[thread] = static_cast<std::uint32_t>(pid);
  } else if (const auto found = process_of_thread_.find(thread);
             found != process_of_thread_.end()) {
    batch_.field(pid_column).set(row, found->second);
  }
  batch_.finish_row();
  ++totals_.events;
  ++totals_.provider_events;
}

bool Reader::on_event(const bt_message* message) {
  const bt_event* event = bt_message_event_borrow_event_const(message);
  EventClass& known = event_class(event);
  switch (known.kind) {
    case EventClass::Kind::foreign:
      ++totals_.foreign_events;
      ++*known.foreign_count;
      return true;
    case EventClass::Kind::calibration:
      ++totals_.calibration_events;
      return true;
    case EventClass::Kind::mismatch:
      return fail(known.problem);
    case EventClass::Kind::ros2:
      import_ros2(message, event, known);
      return !batch_.nearly_full() || flush();
    case EventClass::Kind::ours:
      break;
  }
  write_row(message, event, known);
  return !batch_.nearly_full() || flush();
}

void Reader::import_ros2(const bt_message* message, const bt_event* event,
                         const EventClass& known) {
  const bt_clock_snapshot* time = bt_message_event_borrow_default_clock_snapshot_const(message);
  clocks_.stamp(bt_clock_snapshot_get_value(time), known.clock, decoded_.stamp);
  decoded_.stamp.host = known.host;
  ros2::decode(event, known.layout, decoded_);
  mapper_.on_event(decoded_);
  ++totals_.provider_events;
  totals_.events = rows_.rows();
}

template <typename Count>
void Reader::count_losses(const bt_message* message, Count get_count, std::uint64_t& total) {
  std::uint64_t count = 0;
  if (get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE) {
    total += count;
  } else {
    ++totals_.unknown_losses;
  }
}

bool Reader::on_message(const bt_message* message) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
      return on_event(message);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      count_losses(message, bt_message_discarded_events_get_count, totals_.discarded_events);
      return true;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      count_losses(message, bt_message_discarded_packets_get_count, totals_.discarded_packets);
      return true;
    default:
      return true;
  }
}

bt_graph_simple_sink_component_consume_func_status Reader::consume(bt_message_iterator* iterator) {
  bt_message_array_const messages = nullptr;
  std::uint64_t count = 0;
  switch (bt_message_iterator_next(iterator, &messages, &count)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
      break;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR:
      return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
  }
  bool good = true;
  for (std::uint64_t index = 0; index < count; ++index) {
    good = good && on_message(messages[index]);
    bt_message_put_ref(messages[index]);
  }
  return good ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
              : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
}

bt_graph_simple_sink_component_initialize_func_status Reader::initialize_sink(
    bt_message_iterator* /*iterator*/, void* /*self*/) {
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

bt_graph_simple_sink_component_consume_func_status Reader::consume_sink(
    bt_message_iterator* iterator, void* self) {
  return static_cast<Reader*>(self)->consume(iterator);
}

bool Reader::add_sources(bt_graph* graph, const std::vector<std::string>& folders,
                         const bt_component_filter* muxer) {
  const PluginRelease ctf{find_plugin("ctf")};
  const bt_component_class_source* files =
      ctf.plugin != nullptr
          ? bt_plugin_borrow_source_component_class_by_name_const(ctf.plugin, "fs")
          : nullptr;
  if (files == nullptr) {
    return fail("babeltrace2's plugin `ctf` is not installed (Debian: libbabeltrace2-0)");
  }
  std::uint64_t input = 0;
  for (const std::string& folder : folders) {
    bt_value* parameters = bt_value_map_create();
    bt_value* inputs = nullptr;
    bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
    bt_value_array_append_string_element(inputs, folder.c_str());
    const bt_component_source* source = nullptr;
    const auto status = bt_graph_add_source_component(graph, files, folder.c_str(), parameters,
                                                      BT_LOGGING_LEVEL_NONE, &source);
    bt_value_put_ref(parameters);
    if (status != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
      return fail(folder + ": " + take_babeltrace_error());
    }
    const auto ports = bt_component_source_get_output_port_count(source);
    for (std::uint64_t port = 0; port < ports; ++port) {
      const auto connected = bt_graph_connect_ports(
          graph, bt_component_source_borrow_output_port_by_index_const(source, port),
          bt_component_filter_borrow_input_port_by_index_const(muxer, input++), nullptr);
      if (connected != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
        return fail(folder + ": " + take_babeltrace_error());
      }
    }
  }
  return true;
}

bool Reader::build(bt_graph* graph, const std::vector<std::string>& folders) {
  const PluginRelease utils{find_plugin("utils")};
  const bt_component_class_filter* muxer_class =
      utils.plugin != nullptr
          ? bt_plugin_borrow_filter_component_class_by_name_const(utils.plugin, "muxer")
          : nullptr;
  if (muxer_class == nullptr) {
    return fail("babeltrace2's plugin `utils` is not installed (Debian: libbabeltrace2-0)");
  }
  const bt_component_filter* muxer = nullptr;
  const bt_component_sink* sink = nullptr;
  if (bt_graph_add_filter_component(graph, muxer_class, "by time", nullptr, BT_LOGGING_LEVEL_NONE,
                                    &muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
      bt_graph_add_simple_sink_component(graph, "table", initialize_sink, consume_sink, nullptr,
                                         this, &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
      bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
                             bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                             nullptr) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
    return fail(take_babeltrace_error());
  }
  return add_sources(graph, folders, muxer);
}

bool Reader::read(const std::vector<std::string>& folders) {
  bt_graph* graph = bt_graph_create(0);
  bool good = build(graph, folders);
  if (good && bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK) {
    good = fail(take_babeltrace_error());
  }
  bt_graph_put_ref(graph);
  // Also after an error: what could be read is worth keeping.
  return flush() && good;
}

}  // namespace ligament::trace
