// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/row_writer.hpp"

namespace ligament::trace {

void RowWriter::row(const Stamp& stamp, RowId kind, std::initializer_list<Value> values,
                    std::initializer_list<Text> texts) {
  const std::size_t row = batch_.rows();
  const auto field = [this](ColumnId column) -> ColumnBuffer& {
    return batch_.field(static_cast<std::size_t>(column));
  };
  batch_.fixed(Batch::clock).set(row, stamp.clock);
  batch_.fixed(Batch::ticks).set(row, stamp.ticks);
  batch_.fixed(Batch::time_ns).set(row, bits_of(stamp.time_ns));
  if (stamp.same_clock) {
    batch_.fixed(Batch::bound_ns).set(row, 0);
  }
  batch_.fixed(Batch::host).set(row, stamp.host);
  batch_.fixed(Batch::event).set(row, static_cast<std::uint64_t>(kind));
  field(ColumnId::pid).set(row, stamp.pid);
  field(ColumnId::tid).set(row, stamp.tid);
  for (const Value& value : values) {
    field(value.column).set(row, value.bits);
  }
  for (const Text& text : texts) {
    field(text.column).set_text(row, text.text);
  }
  batch_.finish_row();
  ++rows_;
}

}  // namespace ligament::trace
