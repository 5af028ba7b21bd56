// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/row_writer.hpp"

namespace ligament::trace {

void begin_row(Batch& batch, const Stamp& stamp, std::uint64_t event) {
  const std::size_t row = batch.rows();
  batch.fixed(Batch::clock).set(row, stamp.clock);
  batch.fixed(Batch::ticks).set(row, stamp.ticks);
  batch.fixed(Batch::time_ns).set(row, bits_of(stamp.time_ns));
  if (stamp.same_clock) {
    batch.fixed(Batch::bound_ns).set(row, 0);
  }
  batch.fixed(Batch::host).set(row, stamp.host);
  batch.fixed(Batch::event).set(row, event);
}

void RowWriter::row(const Stamp& stamp, RowId kind, std::initializer_list<Value> values,
                    std::initializer_list<Text> texts) {
  const std::size_t row = batch_.rows();
  const auto field = [this](ColumnId column) -> ColumnBuffer& {
    return batch_.field(static_cast<std::size_t>(column));
  };
  begin_row(batch_, stamp, static_cast<std::uint64_t>(kind));
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
