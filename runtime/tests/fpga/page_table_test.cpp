// SPDX-License-Identifier: Apache-2.0
/// \file The table of pages in a design's port, as software keeps it: every byte that is open is
/// found in memory, and nothing else.
#include "fpga/page_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ligament::fpga::detail {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t readable = 1;
constexpr std::uint64_t writable = 2;

/// Registers that are written to, and the table behind them (hdl/rtl/lig_axi_pages.sv).
class PageTableTest : public ::testing::Test {
 protected:
  /// Whatever is on its way arrives; how many entries that were.
  std::size_t arrive() {
    std::size_t entries = 0;
    while (registers_.is_busy()) {
      registers_.offer();
      if (aw_address_ == page_number) {
        next_ = w_data_;
      } else if (aw_address_ == page_entry) {
        EXPECT_LE(next_, table_.size()) << "an entry before those in front of it";
        EXPECT_LT(next_, pages_.count);
        table_.resize(std::max<std::size_t>(table_.size(), next_ + 1));
        table_[next_++] = w_data_;
        ++entries;
      }
      EXPECT_FALSE(registers_.observe().has_value());
      registers_.settle();
    }
    return entries;
  }

  /// What the device finds at an address of its own: an address of the process.
  std::optional<std::uint64_t> found(const PageTable& table, std::uint64_t seen,
                                     std::uint64_t rights) const {
    const std::size_t entry = seen / page;
    if (entry >= table_.size() || (table_[entry] & rights) == 0) {
      return std::nullopt;
    }
    return table.address_at(table_[entry] / page * page + seen % page);
  }

  /// Opens it, and looks whether the device finds all of it.
  std::optional<std::uint64_t> open(PageTable& table, std::uint64_t address, std::size_t bytes,
                                    bool writes = false) {
    const auto seen = table.open(address, bytes, writes);
    (void)arrive();
    for (std::uint64_t offset = 0; seen && offset < bytes; offset += 64) {
      const std::uint64_t rights = writes ? writable : readable;
      EXPECT_EQ(found(table, *seen + offset, rights), address + offset);
      EXPECT_EQ(found(table, *seen + offset, rights ^ (readable | writable)), std::nullopt);
    }
    return seen;
  }

  Pages pages_{.count = 16, .bytes = page};
  std::uint8_t one_ = 1, aw_valid_ = 0, w_valid_ = 0, ar_valid_ = 0, none_ = 0;
  std::uint16_t aw_address_ = 0, ar_address_ = 0;
  std::uint64_t w_data_ = 0, r_data_ = 0;
  Registers registers_{{.aw_valid = &aw_valid_,
                        .aw_ready = &one_,
                        .aw_address = &aw_address_,
                        .w_valid = &w_valid_,
                        .w_ready = &one_,
                        .w_data = &w_data_,
                        .b_valid = &one_,
                        .ar_valid = &ar_valid_,
                        .ar_ready = &one_,
                        .ar_address = &ar_address_,
                        .r_valid = &one_,
                        .r_data = &r_data_,
                        .interrupt = &none_}};
  std::vector<std::uint64_t> table_;
  std::size_t next_ = 0;
};

TEST_F(PageTableTest, WhatIsContiguousLiesInScatteredPages) {
  PageTable table(pages_, 3, registers_);
  ASSERT_TRUE(open(table, 0x1000'0040, 3 * page));
  std::size_t neighbours = 0;
  for (std::size_t entry = 1; entry < table_.size(); ++entry) {
    neighbours += static_cast<std::size_t>(table_[entry] / page == table_[entry - 1] / page + 1);
    EXPECT_LT(table_[entry], std::uint64_t{1} << 40U);
  }
  EXPECT_EQ(table_.size(), 4U) << "it begins within a page";
  EXPECT_EQ(neighbours, 0U);
}

TEST_F(PageTableTest, ThePagesOfAProcessLieSomewhereElseByAnotherSeed) {
  const auto entries = [this](std::uint64_t seed) {
    table_.clear();
    PageTable table(pages_, seed, registers_);
    EXPECT_TRUE(open(table, 0x7000'0000, 8 * page));
    return table_;
  };
  const auto first = entries(1);
  EXPECT_EQ(entries(1), first);
  EXPECT_NE(entries(2), first);
}

TEST_F(PageTableTest, WhatComesAgainCostsNoAccess) {
  PageTable table(pages_, 1, registers_);
  const auto first = open(table, 0x5000'0080, 2 * page);
  ASSERT_TRUE(first);
  table.close(*first);
  EXPECT_TRUE(table.knows(0x5000'0100, page, false));
  EXPECT_EQ(table.open(0x5000'0100, page, false), *first + 0x80) << "a shorter one there";
  EXPECT_FALSE(registers_.is_busy());
  EXPECT_FALSE(table.knows(0x5000'0080, 2 * page, true)) << "what is read is not written";
  EXPECT_FALSE(table.knows(0x5000'0080, 3 * page, false)) << "nor read further";
  const auto room = open(table, 0x5000'0080, 2 * page, true);
  EXPECT_NE(room, first);
}

TEST_F(PageTableTest, TheOldestThatNobodyUsesMakesRoom) {
  PageTable table(pages_, 1, registers_);
  const auto oldest = open(table, 0x10'0000, 4 * page);
  const auto held = open(table, 0x20'0000, 6 * page);
  const auto newest = open(table, 0x30'0000, 4 * page);
  ASSERT_TRUE(oldest && held && newest);
  EXPECT_EQ(table.open(0x40'0000, 3 * page, false), std::nullopt) << "all of it is used";
  table.close(*newest);
  table.close(*oldest);
  table.close(*table.open(0x10'0000, page, false));  // used once more: now the other is older
  EXPECT_EQ(open(table, 0x40'0000, 3 * page), newest);
  EXPECT_TRUE(table.knows(0x10'0000, 4 * page, false));
  EXPECT_FALSE(table.knows(0x30'0000, page, false));
  EXPECT_TRUE(table.knows(0x20'0000, 6 * page, false));
}

TEST_F(PageTableTest, WhatIsLargerThanTheTableIsNowhere) {
  PageTable table(pages_, 1, registers_);
  const auto seen = table.open(0x10'0040, 16 * page, false);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(registers_.is_busy());
  EXPECT_EQ(*seen, 16 * page + 0x40);
  EXPECT_EQ(found(table, *seen, readable), std::nullopt);
  table.close(*seen);
}

TEST_F(PageTableTest, BehindAResetEntriesAreWrittenAgain) {
  PageTable table(pages_, 1, registers_);
  ASSERT_TRUE(open(table, 0x10'0000, 4 * page));
  table_.clear();  // with the device's reset
  table.reset();
  EXPECT_FALSE(table.knows(0x10'0000, page, false));
  EXPECT_EQ(open(table, 0x20'0000, page), 0U);
  EXPECT_EQ(open(table, 0x10'0000, 4 * page), page);
}

}  // namespace
}  // namespace ligament::fpga::detail
