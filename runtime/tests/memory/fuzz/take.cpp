// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a reader takes from an honest writer and from one whose every byte the input
// writes, before and while the reader looks. The hostile one costs its own samples, nothing else.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "ends.hpp"
#include "memory/waiter.hpp"
#include "scribbler.hpp"

namespace ligament::pool::fuzz {
namespace {

/// Begins as an honest writer's segment and two chunks; what becomes of it the input says.
class HostileWriter : public Scribbler {
 public:
  static constexpr std::uint32_t block_bytes = 256;
  static constexpr std::uint32_t blocks = 4;

  HostileWriter(Input& input, const ReaderState& taker)
      : reader(taker.id), paced(taker.description.qos.history == HistoryPolicy::keep_all) {
    const std::uint8_t shape = input.next();
    capacity = 1 + shape % 16U;
    lifespan_ns = shape < 192 ? 0 : 1'000'000;
    Machine& machine = Machine::get();
    control = machine.add_hostile(layout::ring_offset + capacity * sizeof(layout::Word));
    for (std::uint32_t& chunk : chunks) {
      chunk = machine.add_hostile(blocks * block_bytes);
    }
    odd = machine.add_hostile(200);
    put(offsetof(layout::SegmentHeader, magic), layout::magic);
    put(offsetof(layout::SegmentHeader, version), layout::version, 4);
    put(offsetof(layout::SegmentHeader, kind), 3, 4);
    put(offsetof(layout::SegmentHeader, process), hostile_nonce);
    put(offsetof(layout::SegmentHeader, id), id);
    put(offsetof(layout::WriterSegment, ring_capacity), capacity, 4);
    match(0, 1);
    announce(0, chunks[0], block_bytes, blocks);
    announce(1, chunks[1], block_bytes, blocks);
    put(offsetof(layout::WriterSegment, chunks), 2, 4);
  }

  [[nodiscard]] WriterLink::Source source() const {
    return {hostile_nonce,
            id,
            {},
            {hostile_pid, control, Machine::inode_of(control),
             layout::ring_offset + capacity * sizeof(layout::Word)},
            lifespan_ns,
            paced};
  }

  const std::uint64_t id = layout::endpoint_id(hostile_nonce, 1);
  const std::uint64_t reader;
  std::int64_t lifespan_ns = 0;
  const bool paced;  ///< both keep all: the reader looks whether the writer waits
  std::uint32_t capacity = 0;
  std::uint32_t control = 0;
  std::array<std::uint32_t, 2> chunks{};
  std::uint32_t odd = 0;  ///< a segment too small for anything

 private:
  void put(std::size_t offset, std::uint64_t value, std::size_t width = 8) const {
    Machine::get().poke(control, offset, value, width);
  }
  void put_ring(std::uint64_t sequence, std::uint32_t block) const {
    put(layout::ring_offset + (sequence - 1) % capacity * 8, layout::make_word(sequence, block));
  }
  void match(std::uint64_t row, std::uint64_t start) const {
    const std::size_t at = offsetof(layout::WriterSegment, matches) +
                           row % layout::max_ends * sizeof(layout::MatchRow);
    put(at, reader);
    put(at + 8, start);
  }
  void announce(std::size_t row, std::uint32_t fd, std::uint64_t bytes, std::uint64_t count) const {
    const std::size_t at = offsetof(layout::WriterSegment, chunk) + row * sizeof(layout::ChunkRow);
    put(at, fd, 4);
    put(at + 8, Machine::inode_of(fd));
    put(at + 24, bytes);
    put(at + 32, count);
  }
  [[nodiscard]] std::uint32_t any_segment(std::uint8_t choice) const {
    const std::uint32_t all[] = {chunks[0], chunks[1], odd, control, 0, choice};
    return all[choice % std::size(all)];
  }
  void stamp(std::uint32_t block, std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint32_t chunk = chunks[layout::block_chunk(block) % 2];
    const std::size_t at = std::size_t{layout::block_index(block)} * block_bytes;
    Machine::get().poke(chunk, at + offsetof(layout::SampleHeader, sequence), sequence_, 8);
    Machine::get().poke(chunk, at + offsetof(layout::SampleHeader, payload_bytes), bytes, 8);
    const auto now = static_cast<std::uint64_t>(Machine::get().now_ns);
    Machine::get().poke(chunk, at + offsetof(layout::SampleHeader, monotonic_ns),
                        bytes % 2 == 0 ? now : bytes, 8);  // half of them long expired
    Machine::get().poke(chunk, at + offsetof(layout::SampleHeader, payload_offset), offset, 4);
  }
  void publish(std::uint32_t block, std::uint64_t offset, std::uint64_t bytes) {
    ++sequence_;
    stamp(block, offset, bytes);
    put_ring(sequence_, block);
    put(offsetof(layout::WriterSegment, head), sequence_);
  }

  void perform(const Action& action) override {
    const std::uint32_t block = layout::make_block(action.a >> 4, action.a % 16U);
    const std::size_t row = action.a % 4U;
    switch (action.kind % 12) {
      case 0:
        return publish(layout::make_block(action.a & 1U, (action.a >> 1) % blocks), 192,
                       action.b % 65U);
      case 1:
        return publish(block, 192, action.b);
      case 2:
        return publish(layout::make_block(0, action.a % blocks), 192 + action.b, action.value);
      case 3:
        return publish(layout::make_block(0, action.a % blocks), action.value, action.b);
      case 4:  // any word of the ring, near what is expected or far from it
        return put_ring(sequence_ + static_cast<std::uint64_t>(static_cast<std::int8_t>(action.b)),
                        block);
      case 5:
        return put(layout::ring_offset + std::size_t{action.a} * 8, action.value);
      case 6:
        sequence_ += action.value * (action.a % 2U != 0 ? capacity : 1U);
        return;
      case 7:
        return put(offsetof(layout::WriterSegment, head), sequence_ + action.value);
      case 8:
        return announce(row, any_segment(action.b), action.a & 8U ? action.value : block_bytes,
                        action.a & 8U ? blocks : action.value);
      case 9:
        return put(offsetof(layout::WriterSegment, chunks), action.value, 4);
      case 10:
        return match(action.a, action.value);
      default:  // any byte of any segment
        return Machine::get().poke(any_segment(action.a & 3U),
                                   action.a & 4U ? std::size_t{action.b} * 61 : action.b,
                                   action.value, std::size_t{1} << (action.a >> 6));
    }
  }

  std::uint64_t sequence_ = 0;
};

/// The reader under test, an honest and a hostile writer, and what must hold between them.
class Run {
 public:
  explicit Run(Input& input)
      : input_(input), reader_(choose(input)), writer_(describe(honest_depth, 1), options()) {
    expect(bells_->open(own_nonce).has_value(), "bells");
    reader_.waiter = std::make_shared<WaiterState>(bells_, bells_->acquire());
    expect(reader_.open(own_nonce, 2).has_value(), "a reader opens");
    expect(writer_.open(own_nonce, 1).has_value(), "a writer opens");
    link_honest(writer_, reader_);
    hostile_ = std::make_unique<HostileWriter>(input, reader_);
    Machine::get().peer = hostile_.get();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() = default;

  void execute() {
    link_hostile();
    for (int step = 0; step < 200 && !input_.at_end(); ++step) {
      Machine::get().begin_call();
      operate(input_.next());
      expect(held_words() == held_.size(), "hold words say what is held");
    }
    finish();
  }

 private:
  static constexpr std::uint32_t honest_depth = 4;
  static constexpr unsigned most_links = 6;
  static EndpointDescription choose(Input& input) {
    const std::uint32_t depth = 1 + input.below(8);
    const std::uint8_t rest = input.next();
    EndpointDescription description = describe(depth, 1 + rest % 4U);
    description.qos.history = rest < 64 ? HistoryPolicy::keep_all : HistoryPolicy::keep_last;
    return description;
  }
  static WriterOptions options() {
    WriterOptions options;
    options.max_bytes = 64;
    options.max_loans = 1;
    return options;
  }

  void operate(std::uint8_t operation) {
    switch (operation % 16) {
      case 0:
      case 1:
      case 2:
        return take();
      case 3:
        return release(operation >> 4);
      case 4:
        return publish_honest();
      case 5:
        (void)reader_.has_data();
        return;
      case 6:
        (void)reader_.ready();
        return;
      case 7:
        return reader_.map_new_chunks();
      case 8:
        return operation < 128 ? reader_.mark_gone(hostile_->id)
                               : reader_.mark_closing(hostile_->id);
      case 9:
        return reap();
      case 10:
        return link_hostile();
      case 11:
        Machine::get().refuse_maps = operation >> 4;
        return;
      default:
        return hostile_->plan(input_);
    }
  }

  void link_hostile() {
    if (links_ == most_links) {
      return;
    }
    ++links_;
    auto link = WriterLink::open(hostile_->source());
    if (!link) {
      return;
    }
    (*link)->map_chunks();
    std::uint64_t start = 0;
    std::uint64_t granted = 0;
    if (!(*link)->find_match(reader_.id, start, granted)) {
      return;
    }
    newest_[link->get()] = 0;  // the first number it may have is 1
    expect(reader_.link(std::move(*link), start, granted), "there is room for a link");
  }

  void publish_honest() {
    // Never more than the reader's own depth keeps: then each must arrive.
    if (published_ - taken_ >= std::min(honest_depth, reader_.description.qos.depth)) {
      return;
    }
    const auto loan = writer_.acquire(1 + published_ % 64, 0);
    expect(loan.has_value(), "an honest loan");
    fill(loan->second, ++published_);
    (void)writer_.commit(loan->first, loan->second.size(), {});
  }

  void take() {
    const auto taken = reader_.take();
    const std::size_t most = reader_.description.qos.max_held;
    if (!taken) {
      expect(held_.size() == most, "a slot is refused only when all are held");
      return;
    }
    expect(held_.size() < most || *taken == nullptr, "no more is held than was agreed");
    if (*taken == nullptr) {
      // With all slots held, nobody asked whether there is something.
      expect(published_ == taken_, "an honest sample is never passed over");
      return;
    }
    HoldSlot* slot = *taken;
    expect(std::find(held_.begin(), held_.end(), slot) == held_.end(), "a held slot is not reused");
    held_.push_back(slot);
    slot->info.publisher == writer_.id ? check_honest(*slot) : check_hostile(*slot);
  }

  void check_honest(const HoldSlot& slot) {
    expect(slot.info.sequence == ++taken_, "each honest sample once, in order");
    expect(slot.payload.size() == 1 + (taken_ - 1) % 64, "the size of an honest sample");
    expect(is_whole(slot.payload, taken_), "an honest sample is whole");
  }

  void check_hostile(const HoldSlot& slot) {
    expect(slot.info.publisher == hostile_->id, "nobody else publishes");
    std::uint64_t& newest = newest_.at(slot.link);
    expect(slot.info.sequence > newest, "sequence numbers increase");
    newest = slot.info.sequence;
    expect(Machine::get().is_hostile(slot.payload.data(), slot.payload.size()),
           "a payload lies in its writer's memory");
    read(slot.payload);
  }

  /// The address sanitizer says whether all of it lies in mapped chunks.
  void read(std::span<const std::byte> payload) {
    for (const std::byte byte : payload) {
      sum_ = sum_ + static_cast<unsigned>(byte);
    }
  }

  void release(std::size_t which) {
    if (!held_.empty()) {
      const auto place = held_.begin() + static_cast<std::ptrdiff_t>(which % held_.size());
      HoldSlot& slot = **place;
      if (slot.info.publisher == writer_.id) {
        expect(is_whole(slot.payload, slot.info.sequence), "a held sample stays as it is");
      } else {
        read(slot.payload);
      }
      held_.erase(place);
      reader_.release(slot);
    }
  }

  void reap() {
    reader_.reap();
    (void)reader_.take_corrupt();
    expect(reader_.matched() >= 1, "the honest writer stays");
  }

  /// A storm may go on: the honest samples arrive nevertheless.
  void finish() {
    while (!held_.empty()) {
      release(0);
    }
    for (int turns = 0; taken_ != published_; ++turns) {
      expect(turns < 64, "no writer starves another");
      Machine::get().begin_call();
      take();
      release(0);
    }
    hostile_->calm_down();
    reader_.mark_gone(hostile_->id);
    for (int turns = 0; reader_.has_data(); ++turns) {
      expect(turns < 400, "what a writer left behind ends");
      take();
      release(0);
    }
    reader_.reap();
    expect(!reader_.has_gone_links(), "a writer that is gone is forgotten");
    expect(held_words() == 0 && !reader_.holds_anything(), "nothing is held any more");
    const WriterStats stats = writer_.snapshot();
    expect(stats.in_ring <= std::min<std::uint64_t>(published_, honest_depth), "a ring has an end");
    expect(stats.blocks - stats.blocks_free == stats.in_ring,
           "the honest pool returns to its idle fill");
  }

  [[nodiscard]] std::size_t held_words() const {
    const auto* words = reader_.segment.mapping.as<const layout::Word>(layout::holds_offset);
    return static_cast<std::size_t>(
        std::count_if(words, words + reader_.description.qos.max_held,
                      [](const layout::Word& word) { return word.load() != 0; }));
  }

  Input& input_;
  std::shared_ptr<Bells> bells_ = std::make_shared<Bells>();
  ReaderState reader_;
  WriterState writer_;
  std::unique_ptr<HostileWriter> hostile_;
  std::vector<HoldSlot*> held_;
  std::uint64_t published_ = 0;
  std::uint64_t taken_ = 0;
  std::map<const WriterLink*, std::uint64_t> newest_;  ///< per link to the hostile writer
  unsigned links_ = 0;
  volatile unsigned sum_ = 0;
};

}  // namespace

void execute(Input& input) { Run(input).execute(); }

}  // namespace ligament::pool::fuzz
