// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a writer serves an honest reader and up to three hostile ones, whose hold
// words, cursors and bells the input writes, before and while the writer looks. A hostile one costs
// the blocks that were added for it, nothing else.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "ends.hpp"
#include "scribbler.hpp"

namespace ligament::pool::fuzz {
namespace {

struct HostileReader {
  std::uint64_t id = 0;
  std::uint32_t max_held = 0;
  std::uint32_t segment = 0;
  bool greedy = false;          ///< holds what is published, until it holds all that it may
  std::uint32_t held_most = 0;  ///< so many it took as a greedy one
};

/// A process with hostile readers: their segments and one bell page.
class HostileProcess : public Scribbler {
 public:
  HostileProcess() : bells(Machine::get().add_hostile(sizeof(layout::BellPage))) {}

  HostileReader& announce(std::uint32_t max_held, bool greedy) {
    HostileReader reader;
    reader.greedy = greedy;
    reader.id = layout::endpoint_id(hostile_nonce, ++counter_);
    reader.max_held = max_held;
    reader.segment = Machine::get().add_hostile(layout::holds_offset + max_held * 8);
    readers.push_back(reader);
    return readers.back();
  }

  /// One greedy reader holds the block forever. False: all of them hold all that they may.
  bool hold(std::uint32_t block) {
    for (HostileReader& reader : readers) {
      if (reader.greedy && reader.held_most < reader.max_held) {
        Machine::get().poke(reader.segment, layout::holds_offset + reader.held_most++ * 8,
                            layout::make_word(writer_tag, block), 8);
        return true;
      }
    }
    return false;
  }

  std::vector<HostileReader> readers;
  const std::uint32_t bells;
  std::uint64_t writer = 0;
  std::uint64_t writer_tag = 0;

 private:
  void hold_all(const HostileReader& reader, std::uint8_t first) const {
    for (std::uint32_t i = 0; i < reader.max_held; ++i) {
      const std::uint32_t block = layout::make_block(first >> 6, first % 64U + i);
      Machine::get().poke(reader.segment, layout::holds_offset + i * 8,
                          layout::make_word(writer_tag, block), 8);
    }
  }
  /// Writes any cursor; in a storm, one that seems to move.
  void tell(const HostileReader& reader, const Action& action) {
    const std::uint64_t next = action.value + (action.a & 4U ? ++told_ % 4 : 0);
    const std::size_t row = offsetof(layout::ReaderSegment, cursors) +
                            action.b % layout::max_ends * sizeof(layout::CursorRow);
    Machine::get().poke(reader.segment, row, writer, 8);
    Machine::get().poke(reader.segment, row + 8, next, 8);
    Machine::get().poke(reader.segment, row + 16, action.value, 8);
  }

  void perform(const Action& action) override {
    Machine& machine = Machine::get();
    if (action.kind % 8 == 7) {
      machine.poke(bells, 64 + action.a % 63U * 64, action.value, 4);
      machine.poke(bells, offsetof(layout::BellHeader, asleep), action.value, 8);
      return;
    }
    if (readers.empty()) {
      return;
    }
    const HostileReader& reader = readers[action.a % readers.size()];
    const std::size_t hold = layout::holds_offset + (action.a >> 2) % reader.max_held * 8;
    switch (action.kind % 8) {
      case 0:  // holds as many blocks as it may, all of them such that exist
      case 1:
        return hold_all(reader, action.b);
      case 2:  // holds one block that exists
        return machine.poke(
            reader.segment, hold,
            layout::make_word(writer_tag, layout::make_block(action.b >> 5, action.b % 32U)), 8);
      case 3:  // holds what may not exist
        return machine.poke(reader.segment, hold,
                            layout::make_word(writer_tag, static_cast<std::uint32_t>(action.value)),
                            8);
      case 4:
        return machine.poke(reader.segment, hold, action.value, 8);
      case 5:
        return tell(reader, action);
      default:  // any byte
        return machine.poke(reader.segment, std::size_t{action.b} * 9 + (action.a >> 2),
                            action.value, 8);
    }
  }

  std::uint64_t counter_ = 0;
  std::uint64_t told_ = 0;
};

class Run {
 public:
  explicit Run(Input& input)
      : input_(input),
        keep_all_(input.below(4) == 0),
        options_(choose(input)),
        writer_(describe_end(1 + input.below(6), 1), options_),
        reader_(describe_end(1 + input.below(6), 3)) {
    expect(writer_.open(own_nonce, 1).has_value(), "a writer opens");
    expect(reader_.open(own_nonce, 2).has_value(), "a reader opens");
    link_honest(writer_, reader_);  // not waited for: it counts what it loses
    Machine::get().own_limit = std::size_t{1} << 20;
    hostile_.writer = writer_.id;
    hostile_.writer_tag = writer_.tag;
    Machine::get().peer = &hostile_;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() = default;

  void execute() {
    for (int step = 0; step < 200 && !input_.at_end(); ++step) {
      Machine& machine = Machine::get();
      machine.begin_call();
      machine.wakes = 0;
      const std::int64_t begin = machine.now_ns;
      operate(input_.next());
      expect(keep_all_ || machine.waits == 0, "nothing that a keep-last writer does waits");
      // Each of them may be slow, one step of its cursor at a time, as an honest one may.
      expect(machine.now_ns - begin < slow_ns, "a publish waits no longer than was agreed");
      expect(machine.wakes <= 4, "a publish wakes each executor at most once");
    }
    finish();
  }

 private:
  struct Lent {
    std::uint32_t block = 0;
    std::span<std::byte> payload;
  };

  static constexpr std::int64_t blocking_ns = 200'000;
  static constexpr std::int64_t slow_ns = std::int64_t{4} * 16 * blocking_ns + 1'000'000;

  EndpointDescription describe_end(std::uint32_t depth, std::uint32_t max_held) const {
    EndpointDescription description = describe(depth, max_held);
    description.qos.history = keep_all_ ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
    return description;
  }
  static WriterOptions choose(Input& input) {
    WriterOptions options;
    options.max_loans = 1 + input.below(3);
    options.ring = input.below(8);
    options.max_bytes = input.below(2) * 600;
    options.max_blocking_ns = blocking_ns;
    return options;
  }

  void operate(std::uint8_t operation) {
    const std::size_t which = operation >> 4;
    switch (operation % 16) {
      case 0:
      case 1:
        return lend(which * 8 + 1);
      case 2:
      case 3:
      case 4:
        return publish(which);
      case 5:
        return give_back(which);
      case 6:
      case 7:
        return take();
      case 8:
        return release(which);
      case 9:
        return link_hostile(input_.next(), which);
      case 10:
        return unlink_hostile(which);
      case 11:
        (void)writer_.is_mapped_by_readers();
        (void)writer_.snapshot();
        return;
      case 12:
        return lend(which * 300);
      default:
        return hostile_.plan(input_);
    }
  }

  void lend(std::size_t size) {
    const auto lent = writer_.acquire(size, size % 64);
    if (!lent) {
      const bool bounded = options_.max_bytes != 0;
      const LoanError why = lent.error();
      expect(why != LoanError::exceeds_bound || (bounded && size > options_.max_bytes), "bound");
      expect(why != LoanError::too_many_loans || lent_.size() == options_.max_loans, "loans");
      expect(why != LoanError::out_of_memory || !bounded, "memory");
      expect(why != LoanError::exhausted, "hostile readers hold only what was added for them");
      return;
    }
    expect(lent_.size() < options_.max_loans, "no more loans than agreed");
    const std::span<std::byte> payload = lent->second;
    for (const HoldSlot* slot : held_) {
      expect(is_apart(payload, slot->payload), "what an honest reader holds is not lent");
    }
    for (const Lent& other : lent_) {
      expect(is_apart(payload, other.payload), "what is lent is not lent again");
    }
    const bool keeps_taken = keep_all_ || options_.ring != 0;  // else S0 takes them out
    for (const auto& [sequence, published] : in_ring_) {
      expect((sequence <= taken_ && !keeps_taken) || is_apart(payload, published),
             "what is in the ring is not lent");
    }
    std::fill(payload.begin(), payload.end(), std::byte{0xEE});
    lent_.push_back({lent->first, payload});
  }

  static bool is_apart(std::span<const std::byte> one, std::span<const std::byte> other) {
    return one.data() + one.size() <= other.data() || other.data() + other.size() <= one.data();
  }

  void publish(std::size_t which) {
    if (lent_.empty()) {
      return;
    }
    const auto place = lent_.begin() + static_cast<std::ptrdiff_t>(which % lent_.size());
    const Lent loan = *place;
    lent_.erase(place);
    fill(loan.payload, ++published_);
    in_ring_.emplace_back(published_, loan.payload);
    // The exchange retires the oldest before anything else can be lent.
    if (in_ring_.size() > ring()) {
      in_ring_.erase(in_ring_.begin());
    }
    expect(writer_.commit(loan.block, loan.payload.size(), {}).sequence == published_, "counts");
    held_for_ever_ = hostile_.hold(loan.block);
  }

  [[nodiscard]] std::size_t ring() const {
    return std::max(writer_.description.qos.depth, options_.ring);
  }

  void give_back(std::size_t which) {
    if (!lent_.empty()) {
      const auto place = lent_.begin() + static_cast<std::ptrdiff_t>(which % lent_.size());
      const std::uint32_t block = place->block;
      lent_.erase(place);
      writer_.give_back(block);
    }
  }

  void take() {
    const auto taken = reader_.take();
    if (!taken || *taken == nullptr) {
      expect(taken || held_.size() == reader_.description.qos.max_held, "slots");
      expect(!taken || taken_ == published_, "an honest reader gets what there is");
      return;
    }
    HoldSlot* slot = *taken;
    expect(slot->info.sequence > taken_ && slot->info.sequence <= published_, "in order");
    expect(slot->info.sequence + std::max<std::size_t>(ring(), 1) > published_, "of the newest");
    taken_ = slot->info.sequence;
    expect(is_whole(slot->payload, taken_), "an honest reader's sample is whole");
    held_.push_back(slot);
  }

  void release(std::size_t which) {
    if (!held_.empty()) {
      const auto place = held_.begin() + static_cast<std::ptrdiff_t>(which % held_.size());
      HoldSlot* slot = *place;
      expect(is_whole(slot->payload, slot->info.sequence), "what is held stays as it is");
      held_.erase(place);
      reader_.release(*slot);
    }
  }

  /// As DomainState::link_reader does.
  void link_hostile(std::uint8_t shape, std::size_t bell) {
    if (hostile_.readers.size() == 3 || announced_ == 8) {
      return;
    }
    ++announced_;
    const HostileReader& reader = hostile_.announce(1 + shape % 16U, shape >= 128);
    auto link = std::make_unique<ReaderLink>();
    link->reader = reader.id;
    link->max_held = reader.max_held;
    link->paced = keep_all_;
    link->segment = map(reader.segment);
    link->bell_page = std::make_shared<const os::Mapping>(map(hostile_.bells));
    link->bell_slot = static_cast<std::uint16_t>(bell + 1);
    if (!writer_.link(std::move(link), bell % 2 == 0, 2 + shape % 16U)) {
      hostile_.readers.pop_back();  // no memory for what it may hold
    }
  }

  static os::Mapping map(std::uint32_t fd) {
    return std::move(*os::map_foreign({hostile_pid, fd, Machine::inode_of(fd), 0}, {}));
  }

  void unlink_hostile(std::size_t which) {
    if (!hostile_.readers.empty()) {
      const auto place =
          hostile_.readers.begin() + static_cast<std::ptrdiff_t>(which % hostile_.readers.size());
      if (which % 2 != 0) {
        writer_.mark_closing(place->id);
        return;
      }
      writer_.unlink(place->id);
      hostile_.readers.erase(place);
    }
  }

  [[nodiscard]] bool is_any_greedy() const {
    return std::any_of(hostile_.readers.begin(), hostile_.readers.end(),
                       [](const HostileReader& reader) { return reader.greedy; });
  }

  void finish() {
    while (!held_.empty()) {
      release(0);
    }
    while (!lent_.empty()) {
      give_back(0);
    }
    // Until the greedy ones hold all that they may, and something else fills the ring.
    std::size_t others = 0;
    while (is_any_greedy() && others < ring()) {
      Machine::get().begin_call();
      lend(1);
      expect(!lent_.empty(), "greedy readers keep nobody from publishing");
      publish(0);
      others += held_for_ever_ ? 0 : 1;
    }
    // With all hostile ones still there, what was agreed can be lent.
    for (std::uint32_t i = 0; i < options_.max_loans; ++i) {
      Machine::get().begin_call();
      lend(1);
    }
    expect(lent_.size() == options_.max_loans, "all loans that were agreed can be had");
    while (!lent_.empty()) {
      give_back(0);
    }
    hostile_.calm_down();
    while (!hostile_.readers.empty()) {
      unlink_hostile(0);
    }
    const WriterStats stats = writer_.snapshot();
    expect(stats.in_ring <= std::min<std::uint64_t>(published_, ring()), "a ring has an end");
    expect(stats.blocks - stats.blocks_free == stats.in_ring, "the pool returns to its idle fill");
  }

  Input& input_;
  const bool keep_all_;
  const WriterOptions options_;
  WriterState writer_;
  ReaderState reader_;
  HostileProcess hostile_;
  std::vector<Lent> lent_;
  std::vector<HoldSlot*> held_;
  std::vector<std::pair<std::uint64_t, std::span<std::byte>>> in_ring_;
  std::uint64_t published_ = 0;
  std::uint64_t taken_ = 0;
  unsigned announced_ = 0;
  bool held_for_ever_ = false;  ///< what was published last: by a greedy reader
};

}  // namespace

void execute(Input& input) { Run(input).execute(); }

}  // namespace ligament::pool::fuzz
