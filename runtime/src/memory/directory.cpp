// SPDX-License-Identifier: Apache-2.0
#include "memory/directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "memory/blocks.hpp"
#include "memory/crash_point.hpp"
#include "memory/row_access.hpp"

namespace ligament::pool {

namespace {

template <std::size_t n>
void copy_text(char (&target)[n], const std::string& text) {
  const std::size_t length = std::min(text.size(), n - 1);
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

void point_to(layout::SegmentRef& reference, const os::SharedMemory& memory) {
  reference.fd.store(static_cast<std::uint32_t>(memory.fd.get()), std::memory_order_relaxed);
  reference.inode.store(memory.inode, std::memory_order_relaxed);
  reference.bytes.store(memory.mapping.size(), std::memory_order_relaxed);
}

}  // namespace

layout::EndpointRow to_row(const EndpointDescription& description, EndpointKind kind) {
  layout::EndpointRow row;
  const QoSProfile& qos = description.qos;
  row.state = static_cast<std::uint8_t>(layout::RowState::live);
  row.kind = static_cast<std::uint8_t>(kind);
  row.history = static_cast<std::uint8_t>(qos.history);
  row.reliability = static_cast<std::uint8_t>(qos.reliability);
  row.durability = static_cast<std::uint8_t>(qos.durability);
  row.liveliness = static_cast<std::uint8_t>(qos.liveliness);
  row.depth = qos.depth;
  row.max_held = qos.max_held;
  row.deadline_ns = qos.deadline_ns;
  row.lifespan_ns = qos.lifespan_ns;
  row.liveliness_lease_ns = qos.liveliness_lease_ns;
  row.type_hash = description.type_hash;
  copy_text(row.topic, description.topic);
  copy_text(row.type_name, description.type_name);
  copy_text(row.node, description.node);
  return row;
}

EndpointDescription to_description(const layout::EndpointRow& row) {
  EndpointDescription description;
  description.topic = read_text(row.topic);
  description.type_name = read_text(row.type_name);
  description.node = read_text(row.node);
  description.type_hash = row.type_hash;
  QoSProfile& qos = description.qos;
  qos.history = static_cast<HistoryPolicy>(row.history);
  qos.reliability = static_cast<ReliabilityPolicy>(row.reliability);
  qos.durability = static_cast<DurabilityPolicy>(row.durability);
  qos.liveliness = static_cast<LivelinessPolicy>(row.liveliness);
  qos.depth = row.depth;
  qos.max_held = row.max_held;
  qos.deadline_ns = row.deadline_ns;
  qos.lifespan_ns = row.lifespan_ns;
  qos.liveliness_lease_ns = row.liveliness_lease_ns;
  return description;
}

// --- our own -------------------------------------------------------------------------------------

expected<void, os::SystemError> Directory::open(const Identity& identity) {
  auto page = os::create_shared(directory_name(identity.domain), page_bytes, {});
  if (!page) {
    return unexpected<os::SystemError>(page.error());
  }
  const auto boot = os::boot_id();
  if (!boot) {
    return unexpected<os::SystemError>(boot.error());
  }
  nonce_ = layout::process_nonce(page->inode, static_cast<std::uint64_t>(::getpid()), *boot);
  if (auto opened = bells_->open(nonce_); !opened) {
    return opened;
  }
  page_ = std::move(*page);
  shared_ = new (page_.mapping.base()) layout::DirectoryPage{};
  copy_text(shared_->domain, identity.domain);
  copy_text(shared_->run_id, identity.run_id);
  shared_->pid = ::getpid();
  shared_->uid = ::geteuid();
  shared_->slot = identity.slot;
  shared_->process = os::identity_of(os::open_process(::getpid()));
  point_to(shared_->bell, bells_->page());
  shared_->header = {
      layout::magic, layout::version, layout::SegmentKind::directory, nonce_, 0, page_bytes, {}};
  set_state(layout::ProcessState::joining);
  return add_rows();
}

expected<void, os::SystemError> Directory::add_rows() {
  const std::size_t index = rows_.size();
  if (index == layout::max_row_segments) {
    return unexpected<os::SystemError>(os::SystemError{"directory", ENOSPC});
  }
  const std::size_t bytes = round_up(layout::row_segment_bytes(index), page_bytes);
  auto memory = os::create_shared("ligament-rows", bytes, {});
  if (!memory) {
    return unexpected<os::SystemError>(memory.error());
  }
  auto* header = new (memory->mapping.base()) layout::SegmentHeader{};
  *header = {layout::magic,
             layout::version,
             layout::SegmentKind::rows,
             shared_->header.process,
             index,
             bytes,
             {}};
  point_to(shared_->rows[index], *memory);
  rows_.push_back({std::move(*memory), std::vector<bool>(layout::rows_in_segment(index), false)});
  // release: the reference above is complete; partner: PeerDirectory::map_row_segments.
  shared_->row_segments.store(static_cast<std::uint32_t>(rows_.size()), std::memory_order_release);
  return {};
}

expected<Directory::Place, os::SystemError> Directory::free_place() {
  for (;;) {
    for (std::uint32_t segment = 0; segment < rows_.size(); ++segment) {
      auto& used = rows_[segment].used;
      const auto place = std::find(used.begin(), used.end(), false);
      if (place != used.end()) {
        *place = true;
        return Place{segment, static_cast<std::uint32_t>(place - used.begin())};
      }
    }
    if (auto added = add_rows(); !added) {
      return unexpected<os::SystemError>(added.error());
    }
  }
}

expected<Directory::Place, os::SystemError> Directory::add(const layout::EndpointRow& row) {
  auto place = free_place();
  if (place) {
    set(*place, row);
  }
  return place;
}

void Directory::set(Place place, const layout::EndpointRow& row) {
  std::array<std::uint64_t, sizeof(layout::EndpointRow) / 8> words{};
  std::memcpy(words.data(), &row, sizeof row);
  layout::SharedRow& target = *row_at(rows_[place.segment].memory.mapping, place.index);
  const std::uint64_t version = target.version.load(std::memory_order_relaxed);
  target.version.store(version + 1, std::memory_order_relaxed);
  LIGAMENT_CRASH_POINT("row.begun");
  for (std::size_t i = 0; i < words.size(); ++i) {
    // release: whoever sees a new word also sees the odd version above; partner:
    // PeerDirectory::refresh_row, which loads words with acquire and the version again after.
    target.words[i].store(words[i], std::memory_order_release);
  }
  LIGAMENT_CRASH_POINT("row.written");
  target.version.store(version + 2, std::memory_order_release);
}

void Directory::remove(Place place) {
  set(place, {});
  rows_[place.segment].used[place.index] = false;
}

void Directory::set_state(layout::ProcessState state) {
  shared_->state.store(static_cast<std::uint32_t>(state), std::memory_order_seq_cst);
}

void Directory::defer_to(std::uint64_t nonce_in) {
  shared_->defers_to.store(nonce_in, std::memory_order_seq_cst);
}

/// seq_cst: first we change, then we look at others' generations, and so do they: of two that
/// change at once at least one sees the other. Partner: PeerDirectory::refresh.
void Directory::raise_generation() { shared_->generation.fetch_add(1, std::memory_order_seq_cst); }

// --- bells ---------------------------------------------------------------------------------------

expected<void, os::SystemError> Bells::open(std::uint64_t nonce) {
  auto memory = os::create_shared("ligament-bell", sizeof(layout::BellPage),
                                  {.peers_write = true, .prefault = true});
  if (!memory) {
    return unexpected<os::SystemError>(memory.error());
  }
  page_ = std::move(*memory);
  layout::BellHeader& header = (new (page_.mapping.base()) layout::BellPage{})->header;
  header.magic = layout::magic;
  header.version = layout::version;
  header.kind = layout::SegmentKind::bell;
  header.process = nonce;
  header.bytes = sizeof(layout::BellPage);
  return {};
}

std::uint16_t Bells::acquire() {
  const std::lock_guard guard(mutex_);
  for (std::uint16_t slot = 1; slot < layout::bell_slots; ++slot) {
    if (!used_[slot]) {
      used_[slot] = true;
      return slot;
    }
  }
  return 0;
}

void Bells::release(std::uint16_t slot) {
  const std::lock_guard guard(mutex_);
  used_[slot] = false;
}

std::atomic<std::uint32_t>* Bells::word(std::uint16_t slot) {
  return &page_.mapping.as<layout::BellPage>()->bells[slot - 1U].word;
}

layout::Word& Bells::asleep() { return page_.mapping.as<layout::BellPage>()->header.asleep; }

}  // namespace ligament::pool
