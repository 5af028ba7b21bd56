// SPDX-License-Identifier: Apache-2.0
/// A writer's and a reader's end by hand, without domains: what one tells the other.
#include <unistd.h>

#include <memory>

#include "memory/reader.hpp"
#include "memory/writer.hpp"
#include "memory/writer_link.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

os::ForeignMemory where(const os::SharedMemory& memory) {
  return {::getpid(), static_cast<std::uint32_t>(memory.fd.get()), memory.inode,
          memory.mapping.size()};
}

/// Both halves of a match, as matching.cpp makes them.
struct Ends {
  static constexpr std::uint64_t nonce = 7;
  Ends() {
    EXPECT_TRUE(writer.open(nonce, 1));
    EXPECT_TRUE(reader.open(nonce, 2));
    auto served = std::make_unique<ReaderLink>();
    served->reader = reader.id;
    served->max_held = reader.description.qos.max_held;
    served->segment = std::move(*os::map_foreign(where(reader.segment), {}));
    EXPECT_TRUE(writer.link(std::move(served), false, 10));
    auto seen = WriterLink::open({nonce, writer.id, {}, where(writer.segment), 0, false});
    std::uint64_t start = 0;
    std::uint64_t granted = 0;
    EXPECT_TRUE(seen && (*seen)->find_match(reader.id, start, granted));
    EXPECT_TRUE(reader.link(std::move(*seen), start, granted));
  }
  void publish(std::size_t size) {
    const auto loan = writer.acquire(size, 0);
    ASSERT_TRUE(loan);
    (void)writer.commit(loan->first, size, {});
  }
  WriterState writer{bytes_on("/t"), {}};
  ReaderState reader{bytes_on("/t")};
};

TEST(Ends, ATakeThatMapsAChunkTellsTheWriterWhichMayThenClose) {
  Ends ends;
  EXPECT_TRUE(ends.writer.is_mapped_by_readers()) << "there is nothing to map yet";
  for (const std::size_t size : {100U, 10'000U, 500'000U}) {
    ends.publish(size);
    EXPECT_FALSE(ends.writer.is_mapped_by_readers()) << size;
    HoldSlot* slot = ends.reader.take().value();
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->payload.size(), size);
    EXPECT_TRUE(ends.writer.is_mapped_by_readers())
        << size << " bytes: nobody but the take has mapped it, and the take must say so";
    ends.reader.release(*slot);
  }
}

}  // namespace
}  // namespace ligament::pool::test
