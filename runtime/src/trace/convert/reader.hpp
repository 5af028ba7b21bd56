// SPDX-License-Identifier: Apache-2.0
/// \file Reads CTF recordings with libbabeltrace2 and turns their events into table rows.
#pragma once

#include <babeltrace2/babeltrace.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/convert/batch.hpp"
#include "trace/convert/clocks.hpp"
#include "trace/convert/ros2_decoder.hpp"
#include "trace/convert/ros2_mapper.hpp"
#include "trace/convert/row_writer.hpp"

namespace ligament::trace {

/// Whose events become rows.
enum class Provider : std::uint8_t { ligament, ros2 };

/// What a recording held, besides the rows.
struct Totals {
  std::uint64_t events = 0;              ///< rows written
  std::uint64_t calibration_events = 0;  ///< of ours, not written
  std::uint64_t provider_events = 0;     ///< of the provider that was asked for
  std::uint64_t foreign_events = 0;      ///< of other providers, not written
  std::uint64_t discarded_events = 0;    ///< lost because buffers were full
  std::uint64_t discarded_packets = 0;
  std::uint64_t unknown_losses = 0;  ///< times LTTng said "some were lost", not how many
  std::map<std::string, std::uint64_t> foreign_names;
  std::vector<std::string> hosts;
};

/// The sink at the end of the babeltrace graph: one call per message, in order of time.
class Reader {
 public:
  Reader(std::FILE* out, std::size_t batch_rows, Provider provider)
      : out_(out), provider_(provider), batch_(batch_rows), rows_(batch_), mapper_(rows_) {}

  /// Read all recordings (folders that hold a `metadata` file). False: see error().
  [[nodiscard]] bool read(const std::vector<std::string>& folders);
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const Clocks& clocks() const { return clocks_; }
  /// Of an import: what became no row.
  [[nodiscard]] const ros2::Unknowns& unknowns() const { return mapper_.unknowns(); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  /// What is known about an event class of a recording, looked up once.
  struct EventClass {
    enum class Kind : std::uint8_t {
      ours,
      calibration,
      ros2,
      foreign,
      mismatch
    } kind = Kind::foreign;
    std::uint8_t code = 0;
    std::uint8_t host = 0;
    std::uint8_t clock = 0;
    std::vector<std::uint8_t> columns;  ///< of each payload member
    std::uint64_t* foreign_count = nullptr;
    ros2::Layout layout;
    std::string problem;
  };

  bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator* iterator);
  bool on_message(const bt_message* message);
  /// Where the producer knows how many there were.
  template <typename Count>
  void count_losses(const bt_message* message, Count get_count, std::uint64_t& total);
  bool on_event(const bt_message* message);
  void write_row(const bt_message* message, const bt_event* event, const EventClass& known);
  std::uint64_t set_field(std::size_t column, const bt_field* field);
  EventClass& event_class(const bt_event* event);
  EventClass describe(const bt_event* event);
  void describe_ours(const bt_event_class* event_class, std::string_view name, EventClass& result);
  void describe_ros2(const bt_event* event, std::string_view name, EventClass& result);
  void import_ros2(const bt_message* message, const bt_event* event, const EventClass& known);
  bool describe_fields(const bt_event_class* event_class, EventClass& result) const;
  bool add_sources(bt_graph* graph, const std::vector<std::string>& folders,
                   const bt_component_filter* muxer);
  bool build(bt_graph* graph, const std::vector<std::string>& folders);
  bool flush();
  bool fail(std::string text);

  static bt_graph_simple_sink_component_initialize_func_status initialize_sink(
      bt_message_iterator* iterator, void* self);
  static bt_graph_simple_sink_component_consume_func_status consume_sink(
      bt_message_iterator* iterator, void* self);

  std::FILE* out_;
  Provider provider_;
  Batch batch_;
  RowWriter rows_;
  Clocks clocks_;
  ros2::Mapper mapper_;
  ros2::Decoded decoded_;
  Totals totals_;
  std::string error_;
  std::unordered_map<const bt_event_class*, EventClass> classes_;
  const bt_event_class* last_class_ = nullptr;
  EventClass* last_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> process_of_thread_;
};

}  // namespace ligament::trace
