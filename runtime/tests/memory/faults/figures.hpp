// SPDX-License-Identifier: Apache-2.0
/// \file What a process of the fault tests counts, in memory that outlives it, and what the test
/// tells it. A process that is killed cannot report; what it wrote here stays.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ligament::pool::test {

using Count = std::atomic<std::uint64_t>;

enum class Command : std::uint32_t { run, pause, end };
enum class AtLabel : std::uint32_t { die, stop };

/// What must never happen; each is a failure of the run.
struct Violations {
  Count torn{0};     ///< a payload that is not whole, or not that message
  Count twice{0};    ///< a sample delivered again, or out of order
  Count changed{0};  ///< a held sample was overwritten
  Count lost{0};     ///< on a topic whose policy loses nothing
  Count overslept{0};
  Count refused{0};  ///< a call failed that must not fail
  [[nodiscard]] std::uint64_t sum() const {
    return torn + twice + changed + lost + overslept + refused;
  }
};

/// Of one writer, as its process sees it.
struct WriterFigures {
  Count published{0};
  Count ring{0};
  Count blocks{0};
  Count blocks_free{0};
  Count readers{0};
};

/// Of one topic, as a reader's process sees it.
struct ReaderFigures {
  Count taken{0};
  Count lost{0};     ///< counted by the pool
  Count gaps{0};     ///< seen in the sequence numbers
  Count corrupt{0};  ///< writers dropped
  Count newest{0};   ///< sequence number last taken from a steady publisher
};

inline constexpr std::size_t max_topics = 8;

struct Figures {
  // The test's words.
  std::atomic<Command> command{Command::run};
  std::atomic<const char*> label{""};  ///< made before the fork, so it is at one address in both
  std::atomic<std::int32_t> occurrences{0};  ///< how often it must be passed; 0: not armed
  std::atomic<AtLabel> action{AtLabel::die};

  // The process's words.
  std::atomic<bool> reached{false};
  std::atomic<bool> paused{false};
  Count rounds{0};    ///< lives: from joining to leaving
  Count joined{0};    ///< how often it has joined
  Count refusals{0};  ///< how often another run had the name
  Count held{0};      ///< samples held now
  std::array<WriterFigures, max_topics> writer;
  std::array<ReaderFigures, max_topics> reader;
  Violations violations;
  std::atomic<std::int64_t> back_ns{0};  ///< when the blocks of a dead subscriber were free again
  Count expected_readers{0};             ///< 0: nobody measures
  std::array<char, 256> complaint{};     ///< the first violation, in words
};

/// Shared by the test and the processes it forks; ends with the last of them.
class SharedFigures {
 public:
  SharedFigures() {
    void* memory =
        ::mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::abort();
    }
    figures_ = new (memory) Figures;
  }
  ~SharedFigures() { ::munmap(figures_, sizeof(Figures)); }
  SharedFigures(const SharedFigures&) = delete;
  SharedFigures& operator=(const SharedFigures&) = delete;
  [[nodiscard]] Figures* get() const { return figures_; }

 private:
  Figures* figures_;
};

}  // namespace ligament::pool::test
