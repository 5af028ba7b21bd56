// SPDX-License-Identifier: Apache-2.0
// Rows of the event table, as the converter hands them to Python: what is counted is there.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "trace/convert/row_writer.hpp"

namespace ligament::trace {
namespace {

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

/// What a batch writes of its rows, up to its first line's end.
std::string header_of(Batch& batch) {
  const File file(std::tmpfile(), &std::fclose);
  EXPECT_TRUE(batch.flush(file.get(), ""));
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF && c != '\n'; c = std::fgetc(file.get())) {
    text += static_cast<char>(c);
  }
  return text;
}

TEST(TraceRows, AreCountedFromTheFirstOneAndForgottenOnceTheyAreWritten) {
  Batch batch(16);
  RowWriter rows(batch);
  EXPECT_EQ(rows.rows(), 0U);
  EXPECT_EQ(header_of(batch), "");
  rows.row({}, RowId::send, {{ColumnId::seq, 7}}, {{ColumnId::name, "a"}});
  rows.row({}, RowId::send);
  EXPECT_EQ(rows.rows(), 2U);
  EXPECT_EQ(batch.rows(), 2U);
  EXPECT_EQ(header_of(batch).find("{\"rows\":2,"), 0U);
  EXPECT_EQ(batch.rows(), 0U);
  EXPECT_EQ(header_of(batch), "");
}

}  // namespace
}  // namespace ligament::trace
