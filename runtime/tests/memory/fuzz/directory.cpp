// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a peer's directory whose every byte the input writes, before and while it is
// read, and what a process does with a row: description, matching, mapping of what it names.
#include "memory/directory.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "ends.hpp"
#include "memory/match.hpp"
#include "memory/os/passage.hpp"
#include "scribbler.hpp"

namespace ligament::pool::fuzz {
namespace {

constexpr std::size_t rows_shown = 4;  // so few rows of a segment of 16 are written: it is the same

/// Begins as an honest process with one reader and one writer.
class HostileProcess : public Scribbler {
 public:
  HostileProcess() {
    Machine& machine = Machine::get();
    page = machine.add_hostile(4096);
    // A boot on which the nonce of all hostile peers here is that of this directory.
    machine.boot =
        layout::endpoint_id(Machine::inode_of(page), std::uint64_t{hostile_pid}) ^ hostile_nonce;
    for (std::size_t i = 0; i < 2; ++i) {
      rows[i] = machine.add_hostile((layout::row_segment_bytes(i) + 4095) / 4096 * 4096);
    }
    bells = machine.add_hostile(sizeof(layout::BellPage));
    writer = machine.add_hostile(layout::ring_offset + 64);
    put_header();
    put_row(0, 0, 1);
    put_row(0, 1, 2);
  }

  std::uint32_t page = 0;
  std::uint32_t rows[2] = {};
  std::uint32_t bells = 0;
  std::uint32_t writer = 0;

 private:
  void put(std::size_t offset, std::uint64_t value, std::size_t width = 8) const {
    Machine::get().poke(page, offset, value, width);
  }
  void put_reference(std::size_t offset, std::uint32_t fd) const {
    put(offset, fd, 4);
    put(offset + 8, Machine::inode_of(fd));
    put(offset + 16, Machine::get().find(fd)->size);
  }
  void put_header() const {
    put(0, layout::magic);
    put(8, layout::version, 4);
    put(12, 1, 4);
    put(16, hostile_nonce);
    put(offsetof(layout::DirectoryPage, domain), 'd', 2);
    put(offsetof(layout::DirectoryPage, pid), hostile_pid, 4);
    put(offsetof(layout::DirectoryPage, state), 2, 4);
    put(offsetof(layout::DirectoryPage, generation), 1);
    put(offsetof(layout::DirectoryPage, process), hostile_identity);
    put_reference(offsetof(layout::DirectoryPage, bell), bells);
    put_reference(offsetof(layout::DirectoryPage, rows), rows[0]);
    put_reference(offsetof(layout::DirectoryPage, rows) + 24, rows[1]);
    put(offsetof(layout::DirectoryPage, row_segments), 1, 4);
  }

  static std::size_t row_at(std::size_t index) {
    return sizeof(layout::SegmentHeader) + index * sizeof(layout::SharedRow);
  }

  void put_row(std::size_t segment, std::size_t index, std::uint64_t counter) {
    static const layout::EndpointRow honest[] = {to_row(describe(4, 2), EndpointKind::reader),
                                                 to_row(describe(4, 2), EndpointKind::writer)};
    layout::EndpointRow row = honest[counter % 2];
    row.counter = counter;
    row.id = layout::endpoint_id(hostile_nonce, counter);
    row.bell_slot = 1;
    row.fd = writer;
    row.inode = Machine::inode_of(writer);
    Machine::write(Machine::get().find(rows[segment])->base + row_at(index) + 8, &row, sizeof row);
    changed(segment, index, ++version_ * 2);
  }
  void fill_text(std::size_t segment, std::size_t index, std::uint8_t which) {
    const std::size_t texts[][2] = {{offsetof(layout::EndpointRow, topic), 256},
                                    {offsetof(layout::EndpointRow, type_name), 128},
                                    {offsetof(layout::EndpointRow, node), 128}};
    const auto [offset, bytes] = texts[which % 3U];
    static const std::string endless(256, 'x');
    Machine::write(Machine::get().find(rows[segment])->base + row_at(index) + 8 + offset,
                   endless.data(), bytes);
    changed(segment, index, ++version_ * 2);
  }
  void changed(std::size_t segment, std::size_t index, std::uint64_t version) {
    Machine::get().poke(rows[segment], row_at(index), version, 8);
    put(offsetof(layout::DirectoryPage, generation), ++generation_);
  }

  void perform(const Action& action) override {
    const std::size_t segment = action.a & 1U;
    const std::size_t index = (action.a >> 1) % rows_shown;
    switch (action.kind % 8) {
      case 0:
        return put_row(segment, index, action.b);
      case 1:  // a text without an end
        return fill_text(segment, index, action.b);
      case 2:  // any word of a row, after which it is said to have changed
        Machine::get().poke(rows[segment], row_at(index) + 8 + action.b % 80U * 8, action.value, 8);
        return changed(segment, index, ++version_ * 2);
      case 3:  // any byte of its first words
        Machine::get().poke(rows[segment], row_at(index) + 8 + action.b % 96U, action.value, 1);
        return changed(segment, index, ++version_ * 2);
      case 4:
        return changed(segment, index, action.value);
      case 5:
        return put(offsetof(layout::DirectoryPage, row_segments), action.value, 4);
      case 6:
        return put(std::size_t{action.b} * 3, action.value, std::size_t{1} << (action.a & 3U));
      default:
        return Machine::get().poke(writer, action.b + (action.a & 1U ? 256U : 0U), action.value, 8);
    }
  }

  std::uint64_t version_ = 0;
  std::uint64_t generation_ = 1;
};

void check_row(const PeerDirectory& peer, std::uint64_t id, const layout::EndpointRow& row) {
  expect(row.id == id && id == layout::endpoint_id(peer.nonce, row.counter), "its own identity");
  expect(row.depth >= 1 && row.depth <= layout::max_ring, "a depth that can be served");
  expect(row.max_held >= 1 && row.max_held <= layout::max_held_limit, "max_held as promised");
  expect(row.bell_slot < layout::bell_slots, "a bell of the page");
  const EndpointDescription theirs = to_description(row);
  expect(!theirs.topic.empty() && theirs.topic.size() < 256, "a topic");
  expect(theirs.type_name.size() < 128 && theirs.node.size() < 128, "names");
  static const EndpointDescription ours = describe(4, 2);
  (void)mismatch(ours, theirs);
  (void)mismatch(theirs, ours);
}

/// As DomainState::open_writer and activate do.
void reach(const PeerDirectory& peer, const layout::EndpointRow& row) {
  auto link = WriterLink::open(
      {peer.nonce, row.id, row.type_hash, {peer.pid, row.fd, row.inode, row.bytes, peer.passage}});
  if (link) {
    std::uint64_t start = 0;
    std::uint64_t granted = 0;
    (*link)->map_chunks();
    if ((*link)->find_match(row.counter, start, granted)) {
      expect(start != 0 && granted <= (*link)->capacity, "a start that can be");
    }
  }
}

void look(PeerDirectory& peer) {
  Machine::get().begin_call();
  (void)peer.refresh();
  expect(peer.rows().size() <= 11'248, "no more rows than a process may have");
  for (const auto& [id, row] : peer.rows()) {
    check_row(peer, id, row);
    reach(peer, row);
  }
  (void)peer.state();
  (void)peer.defers_to();
  if (const auto bells = peer.bell_page()) {
    expect(bells->size() == sizeof(layout::BellPage), "a bell page has its size");
  }
}

}  // namespace

void execute(Input& input) {
  HostileProcess hostile;
  Machine& machine = Machine::get();
  machine.peer = &hostile;
  std::unique_ptr<PeerDirectory> peer;
  for (int step = 0; step < 100 && !input.at_end(); ++step) {
    const std::uint8_t operation = input.next();
    if (operation % 4 != 0) {
      hostile.plan(input);
      continue;
    }
    machine.begin_call();
    machine.refuse_maps = operation >> 6;
    if (peer == nullptr || operation >= 240) {
      // Every other one is of a process in another pid namespace, which passes its memory.
      const bool is_foreign = (operation & 4U) != 0;
      const auto passage = is_foreign ? std::make_shared<os::Passage>(os::Connection()) : nullptr;
      const os::ForeignMemory where{hostile_pid, hostile.page, Machine::inode_of(hostile.page),
                                    4096, passage};
      auto page = os::map_foreign(where, {});
      const std::uint64_t identity = is_foreign ? hostile_identity : 0;
      peer = page ? PeerDirectory::adopt(where, "d", std::move(*page), identity) : nullptr;
      expect(peer == nullptr || is_foreign || peer->own_pid == hostile_pid, "its own number");
    }
    if (peer != nullptr) {
      expect(peer->nonce == hostile_nonce && peer->slot < layout::max_slots,
             "an identity and a slot");
      expect(peer->run_id.size() <= 64, "a run id");
      look(*peer);
    }
  }
  machine.peer = nullptr;
}

}  // namespace ligament::pool::fuzz
