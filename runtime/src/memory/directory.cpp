// SPDX-License-Identifier: Apache-2.0
#include "memory/directory.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "memory/blocks.hpp"

namespace ligament::pool {

namespace {

std::string directory_name(const std::string& domain) { return "ligament-directory:" + domain; }

template <std::size_t n>
void copy_text(char (&target)[n], const std::string& text) {
  const std::size_t length = std::min(text.size(), n - 1);
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

template <std::size_t n>
std::string read_text(const char (&text)[n]) {
  return {text, ::strnlen(text, n)};
}

void point_to(layout::SegmentRef& reference, const os::SharedMemory& memory) {
  reference.fd.store(static_cast<std::uint32_t>(memory.fd.get()), std::memory_order_relaxed);
  reference.inode.store(memory.inode, std::memory_order_relaxed);
  reference.bytes.store(memory.mapping.size(), std::memory_order_relaxed);
}

layout::SharedRow* row_at(const os::Mapping& mapping, std::size_t index) {
  return mapping.as<layout::SharedRow>(sizeof(layout::SegmentHeader)) + index;
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
  if (auto opened = bells_->open(identity.nonce); !opened) {
    return opened;
  }
  page_ = std::move(*page);
  shared_ = new (page_.mapping.base()) layout::DirectoryPage{};
  copy_text(shared_->domain, identity.domain);
  copy_text(shared_->run_id, identity.run_id);
  shared_->pid = ::getpid();
  shared_->uid = ::geteuid();
  shared_->slot = identity.slot;
  point_to(shared_->bell, bells_->page());
  shared_->header = {layout::magic,
                     layout::version,
                     layout::SegmentKind::directory,
                     identity.nonce,
                     0,
                     page_bytes,
                     {}};
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

void Directory::raise_generation() { shared_->generation.fetch_add(1, std::memory_order_release); }

// --- bells ---------------------------------------------------------------------------------------

expected<void, os::SystemError> Bells::open(std::uint64_t nonce) {
  auto memory = os::create_shared("ligament-bell", sizeof(layout::BellPage),
                                  {.peers_write = true, .prefault = true});
  if (!memory) {
    return unexpected<os::SystemError>(memory.error());
  }
  page_ = std::move(*memory);
  auto* page = new (page_.mapping.base()) layout::BellPage{};
  page->header = {layout::magic,
                  layout::version,
                  layout::SegmentKind::bell,
                  nonce,
                  0,
                  sizeof(layout::BellPage),
                  {}};
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

// --- a peer's ------------------------------------------------------------------------------------

namespace {

/// Descriptor numbers of `pid` that may be its directory.
std::vector<std::uint32_t> candidates(std::int32_t pid, const std::string& domain) {
  std::vector<std::uint32_t> found;
  const auto folder = fmt::format("/proc/{}/fd", pid);
  DIR* listing = ::opendir(folder.c_str());
  if (listing == nullptr) {
    return found;
  }
  const auto wanted = fmt::format("/memfd:{} (deleted)", directory_name(domain));
  while (const dirent* entry = ::readdir(listing)) {  // NOLINT(concurrency-mt-unsafe): own stream
    char target[256];
    const auto path = fmt::format("{}/{}", folder, entry->d_name);
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length > 0 && wanted == std::string_view(target, static_cast<std::size_t>(length))) {
      found.push_back(static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10)));
    }
  }
  ::closedir(listing);
  return found;
}

template <std::size_t n>
bool is_terminated(const char (&text)[n]) {
  return ::strnlen(text, n) < n;
}

bool makes_sense(const layout::EndpointRow& row, std::uint64_t nonce) {
  const bool kind = row.kind == static_cast<std::uint8_t>(EndpointKind::writer) ||
                    row.kind == static_cast<std::uint8_t>(EndpointKind::reader);
  const bool qos = row.history <= 1 && row.reliability <= 1 && row.durability <= 1 &&
                   row.liveliness <= 1 && row.depth >= 1 && row.depth <= layout::max_ring &&
                   row.max_held >= 1 && row.max_held <= layout::max_held_limit &&
                   row.deadline_ns >= 0 && row.lifespan_ns >= 0 && row.liveliness_lease_ns >= 0;
  const bool bell = row.bell_slot < layout::bell_slots;
  return kind && qos && bell && row.state <= 2 && is_terminated(row.topic) &&
         row.topic[0] != '\0' && is_terminated(row.type_name) && is_terminated(row.node) &&
         row.id == layout::endpoint_id(nonce, row.counter) && row.inode != 0;
}

}  // namespace

expected<std::unique_ptr<PeerDirectory>, std::string> PeerDirectory::open(
    std::int32_t pid, const std::string& domain) {
  if (::access(fmt::format("/proc/{}/fd", pid).c_str(), R_OK | X_OK) != 0) {
    return unexpected<std::string>(
        fmt::format("process {} cannot be joined: its descriptors are not readable ({})", pid,
                    os::last_error("/proc/PID/fd").text()));
  }
  for (const std::uint32_t fd : candidates(pid, domain)) {
    auto mapping = os::map_foreign({pid, fd, 0, page_bytes}, {});
    auto directory = mapping ? adopt(pid, domain, std::move(*mapping)) : nullptr;
    if (directory != nullptr) {
      return directory;
    }
  }
  return unexpected<std::string>(fmt::format(
      "process {} cannot be joined: it shows no valid directory of domain '{}'", pid, domain));
}

std::unique_ptr<PeerDirectory> PeerDirectory::adopt(std::int32_t pid, const std::string& domain,
                                                    os::Mapping page) {
  auto directory = std::make_unique<PeerDirectory>();
  directory->pid = pid;
  directory->page_ = std::move(page);
  directory->shared_ = directory->page_.as<const layout::DirectoryPage>();
  return directory->read_page(domain) ? std::move(directory) : nullptr;
}

bool PeerDirectory::read_page(const std::string& domain) {
  const layout::SegmentHeader header = shared_->header;
  nonce = header.process;
  slot = shared_->slot;
  run_id = read_text(shared_->run_id);
  return header.magic == layout::magic && header.version == layout::version &&
         header.kind == layout::SegmentKind::directory && nonce != 0 && shared_->pid == pid &&
         slot < layout::max_slots && read_text(shared_->domain) == domain;
}

layout::ProcessState PeerDirectory::state() const {
  return static_cast<layout::ProcessState>(shared_->state.load(std::memory_order_seq_cst));
}

std::uint64_t PeerDirectory::defers_to() const {
  return shared_->defers_to.load(std::memory_order_seq_cst);
}

os::ForeignMemory PeerDirectory::locate(const layout::SegmentRef& segment) const {
  return {pid, segment.fd.load(std::memory_order_relaxed),
          segment.inode.load(std::memory_order_relaxed),
          segment.bytes.load(std::memory_order_relaxed)};
}

std::shared_ptr<const os::Mapping> PeerDirectory::bell_page() {
  if (bell_ == nullptr) {
    os::ForeignMemory where = locate(shared_->bell);
    where.size = sizeof(layout::BellPage);
    auto mapping = os::map_foreign(where, {.peers_write = true, .prefault = true});
    if (mapping) {
      bell_ = std::make_shared<const os::Mapping>(std::move(*mapping));
    }
  }
  return bell_;
}

void PeerDirectory::map_row_segments() {
  // acquire; partner: the release in Directory::add_rows.
  const std::size_t announced = std::min<std::size_t>(
      shared_->row_segments.load(std::memory_order_acquire), layout::max_row_segments);
  while (segments_.size() < announced) {
    const std::size_t index = segments_.size();
    os::ForeignMemory where = locate(shared_->rows[index]);
    where.size = round_up(layout::row_segment_bytes(index), page_bytes);
    auto mapping = os::map_foreign(where, {});
    if (!mapping) {
      return;  // dying, or lying: its rows stay unknown
    }
    segments_.push_back(
        {std::move(*mapping), std::vector<SeenRow>(layout::rows_in_segment(index))});
  }
}

bool PeerDirectory::refresh() {
  const std::uint64_t generation = shared_->generation.load(std::memory_order_acquire);
  if (generation == generation_ && !torn_) {
    return false;
  }
  generation_ = generation;
  torn_ = false;
  map_row_segments();
  for (Segment& segment : segments_) {
    for (std::size_t i = 0; i < segment.seen.size(); ++i) {
      torn_ = !refresh_row(*row_at(segment.mapping, i), segment.seen[i]) || torn_;
    }
  }
  return true;
}

/// False: the row was being written, its old copy stands.
bool PeerDirectory::refresh_row(const layout::SharedRow& row, SeenRow& seen) {
  const std::uint64_t version = row.version.load(std::memory_order_acquire);
  if (version == seen.version) {
    return true;
  }
  std::array<std::uint64_t, sizeof(layout::EndpointRow) / 8> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = row.words[i].load(std::memory_order_acquire);
  }
  if (version % 2 != 0 || row.version.load(std::memory_order_relaxed) != version) {
    return false;
  }
  layout::EndpointRow copy;
  std::memcpy(static_cast<void*>(&copy), words.data(), sizeof copy);
  rows_.erase(seen.id);
  seen = {version, 0};
  if (copy.state == static_cast<std::uint8_t>(layout::RowState::free)) {
    return true;
  }
  if (!makes_sense(copy, nonce) || rows_.count(copy.id) != 0) {
    ++invalid_;
    return true;
  }
  seen.id = copy.id;
  rows_.emplace(copy.id, copy);
  return true;
}

}  // namespace ligament::pool
