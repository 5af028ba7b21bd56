// SPDX-License-Identifier: Apache-2.0
/// A peer's directory: finding it among the peer's descriptors, and reading it with suspicion.
#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "memory/blocks.hpp"
#include "memory/directory.hpp"
#include "memory/row_access.hpp"

namespace ligament::pool {

namespace {

// A directory is opened before any peer is attached, so its number is small.
constexpr std::uint32_t early_fds = 64;

/// What a descriptor of a process must be called to be its directory.
struct Wanted {
  std::int32_t pid = 0;
  std::string target;

  [[nodiscard]] bool is_at(std::uint32_t fd) const {
    char found[256];
    const auto path = fmt::format("/proc/{}/fd/{}", pid, fd);
    const ssize_t length = ::readlink(path.c_str(), found, sizeof found);
    return length > 0 && target == std::string_view(found, static_cast<std::size_t>(length));
  }
};

/// The descriptors of `pid` beyond the early ones that are called so. Listing costs as much as the
/// process has descriptors, and it has one per peer: therefore it is the last resort.
expected<std::vector<std::uint32_t>, os::SystemError> late_candidates(const Wanted& wanted) {
  std::vector<std::uint32_t> found;
  DIR* listing = ::opendir(fmt::format("/proc/{}/fd", wanted.pid).c_str());
  if (listing == nullptr) {
    return unexpected<os::SystemError>(os::last_error("/proc/PID/fd"));
  }
  while (const dirent* entry = ::readdir(listing)) {  // NOLINT(concurrency-mt-unsafe): own stream
    const auto fd = static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    if (fd >= early_fds && wanted.is_at(fd)) {
      found.push_back(fd);
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

/// The only nonce that a process of this number with its directory there may show.
std::uint64_t nonce_of(const os::ForeignMemory& where, std::int32_t own_pid) {
  const auto boot = os::boot_id();  // known since our own directory was made
  return layout::process_nonce(where.inode, static_cast<std::uint64_t>(own_pid), boot ? *boot : 0);
}

bool shows_anothers_identity(const os::ForeignMemory& where, const os::Mapping& page) {
  const layout::SegmentHeader header = page.as<const layout::DirectoryPage>()->header;
  return header.magic == layout::magic && header.version == layout::version &&
         header.process != nonce_of(where, where.pid);
}

}  // namespace

Refusal Refusal::of(std::int32_t pid, const os::SystemError& error) {
  if (os::is_want_of_descriptors(error)) {
    return {fmt::format("process {} cannot be joined yet: {}", pid, error.text()), true};
  }
  return {fmt::format("process {} cannot be joined: its descriptors are not readable ({})", pid,
                      error.text())};
}

expected<std::unique_ptr<PeerDirectory>, Refusal> PeerDirectory::open(std::int32_t pid,
                                                                      const std::string& domain,
                                                                      std::uint32_t likely_fd) {
  const Wanted wanted{pid, fmt::format("/memfd:{} (deleted)", directory_name(domain))};
  std::unique_ptr<PeerDirectory> found;
  os::SystemError failure;
  bool copied = false;
  const auto is_found_at = [&](std::uint32_t fd) {
    const os::ForeignMemory where{pid, fd, os::inode_at(pid, fd), page_bytes};
    auto mapping = os::map_foreign(where, {});
    failure = mapping || !os::is_want_of_descriptors(mapping.error()) ? failure : mapping.error();
    copied = copied || (mapping && shows_anothers_identity(where, *mapping));
    found = mapping ? adopt(where, domain, std::move(*mapping)) : nullptr;
    return found != nullptr;
  };
  if (likely_fd != 0 && wanted.is_at(likely_fd) && is_found_at(likely_fd)) {
    return found;
  }
  for (std::uint32_t fd = 0; fd < early_fds; ++fd) {
    if (wanted.is_at(fd) && is_found_at(fd)) {
      return found;
    }
  }
  const auto late = late_candidates(wanted);
  if (late && std::any_of(late->begin(), late->end(), is_found_at)) {
    return found;
  }
  if (failure.code != 0 || !late) {
    return unexpected<Refusal>(Refusal::of(pid, failure.code != 0 ? failure : late.error()));
  }
  return unexpected<Refusal>(
      Refusal{copied ? fmt::format("process {} cannot be joined: it shows an identity that is not "
                                   "its own, in its directory of domain '{}'",
                                   pid, domain)
                     : fmt::format("process {} cannot be joined: it shows no valid directory of "
                                   "domain '{}' (it may have left already)",
                                   pid, domain)});
}

expected<std::unique_ptr<PeerDirectory>, Refusal> PeerDirectory::open_passed(
    const ForeignProcess& process, const std::string& domain, std::uint64_t inode,
    std::uint32_t fd) {
  const os::ForeignMemory where{process.pid, fd, inode, page_bytes, process.passage};
  const std::string shown = process.pid > 0 ? fmt::format("process {}", process.pid) : "a process";
  auto mapping = os::map_foreign(where, {});
  if (!mapping) {
    return unexpected<Refusal>(Refusal{
        fmt::format(
            "{} in another pid namespace cannot be joined: its directory does not get through ({})",
            shown, mapping.error().text()),
        os::is_want_of_descriptors(mapping.error())});
  }
  auto found = adopt(where, domain, std::move(*mapping), process.identity);
  if (found == nullptr) {
    return unexpected<Refusal>(Refusal{fmt::format(
        "{} in another pid namespace cannot be joined: what it passed is no valid directory of "
        "domain '{}', or not its own",
        shown, domain)});
  }
  return found;
}

/// Of a process in another pid namespace the kernel does not say which number it has there. What it
/// says is in its page, which nobody else can write, beside what the kernel says of it everywhere:
/// who passes another's page is not the one that it names.
std::unique_ptr<PeerDirectory> PeerDirectory::adopt(const os::ForeignMemory& where,
                                                    const std::string& domain, os::Mapping page,
                                                    std::uint64_t identity) {
  auto directory = std::make_unique<PeerDirectory>();
  directory->pid = where.pid;
  directory->fd = where.fd;
  directory->passage = where.passage;
  directory->page_ = std::move(page);
  directory->shared_ = directory->page_.as<const layout::DirectoryPage>();
  directory->own_pid = where.passage == nullptr ? where.pid : directory->shared_->pid;
  if (where.passage != nullptr &&
      (identity == 0 || directory->shared_->process != identity || where.inode == 0)) {
    return nullptr;
  }
  const bool is_its = directory->read_page(domain, nonce_of(where, directory->own_pid));
  return is_its ? std::move(directory) : nullptr;
}

std::string PeerDirectory::who() const {
  if (!is_foreign()) {
    return fmt::format("process {}", pid);
  }
  return pid > 0 ? fmt::format("process {} (in another pid namespace)", pid)
                 : fmt::format("process {} of another pid namespace", own_pid);
}

bool PeerDirectory::read_page(const std::string& domain, std::uint64_t its_nonce) {
  const layout::SegmentHeader header = shared_->header;
  nonce = header.process;
  slot = shared_->slot;
  run_id = read_text(shared_->run_id);
  return header.magic == layout::magic && header.version == layout::version &&
         header.kind == layout::SegmentKind::directory && nonce == its_nonce &&
         shared_->pid == own_pid && slot < layout::max_slots &&
         read_text(shared_->domain) == domain;
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
          segment.bytes.load(std::memory_order_relaxed), passage};
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
      torn_ = torn_ || os::may_pass(mapping.error());
      return;  // dying, or lying: its rows stay unknown
    }
    segments_.push_back(
        {std::move(*mapping), std::vector<SeenRow>(layout::rows_in_segment(index))});
  }
}

bool PeerDirectory::refresh() {
  // seq_cst; partner: Directory::raise_generation.
  const std::uint64_t generation = shared_->generation.load(std::memory_order_seq_cst);
  const bool changed = generation != generation_ || torn_;
  const bool wants_other = std::exchange(wants_other_, false);
  if (!changed && !wants_other) {
    return false;
  }
  generation_ = generation;
  torn_ = false;
  if (changed) {
    map_row_segments();
  }
  for (Segment& segment : segments_) {
    for (std::size_t i = 0; i < segment.seen.size(); ++i) {
      SeenRow& seen = segment.seen[i];
      if (seen.id != 0 && is_wanted(seen) != (rows_.count(seen.id) != 0)) {
        rows_.erase(seen.id);
        seen = {};  // read it again, or not keep it
      } else if (!changed) {
        continue;
      }
      torn_ = !refresh_row(*row_at(segment.mapping, i), seen) || torn_;
    }
  }
  return true;
}

namespace {

enum class Reading : std::uint8_t { same, torn, copied };

/// Copies a row unless its version is `known`, which is then that of the copy.
Reading read_row(const layout::SharedRow& row, std::uint64_t& known, layout::EndpointRow& copy) {
  const std::uint64_t version = row.version.load(std::memory_order_acquire);
  if (version == known) {
    return Reading::same;
  }
  std::array<std::uint64_t, sizeof(layout::EndpointRow) / 8> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = row.words[i].load(std::memory_order_acquire);
  }
  if (version % 2 != 0 || row.version.load(std::memory_order_relaxed) != version) {
    return Reading::torn;
  }
  std::memcpy(static_cast<void*>(&copy), words.data(), sizeof copy);
  known = version;
  return Reading::copied;
}

bool is_free(const layout::EndpointRow& row) {
  return row.state == static_cast<std::uint8_t>(layout::RowState::free);
}

}  // namespace

/// False: the row was being written, its old copy stands.
bool PeerDirectory::refresh_row(const layout::SharedRow& row, SeenRow& seen) {
  layout::EndpointRow copy;
  const Reading reading = read_row(row, seen.version, copy);
  if (reading != Reading::copied) {
    return reading == Reading::same;
  }
  rows_.erase(seen.id);
  seen.id = 0;
  invalid_ -= seen.invalid ? 1 : 0;
  seen.invalid = !is_free(copy) && (!makes_sense(copy, nonce) || rows_.count(copy.id) != 0);
  invalid_ += seen.invalid ? 1 : 0;
  if (is_free(copy) || seen.invalid) {
    return true;
  }
  seen.id = copy.id;
  seen.end = Ends::hash(copy.topic, static_cast<EndpointKind>(copy.kind));
  if (is_wanted(seen)) {
    rows_.emplace(copy.id, copy);
  }
  return true;
}

std::uint64_t Ends::hash(std::string_view topic, EndpointKind kind) {
  const std::uint64_t by_topic = std::hash<std::string_view>()(topic);
  return kind == EndpointKind::writer ? by_topic : ~by_topic;
}

void Ends::insert_partners(std::string_view topic, EndpointKind kind) {
  insert(topic, kind == EndpointKind::writer ? EndpointKind::reader : EndpointKind::writer);
}

bool PeerDirectory::is_wanted(const SeenRow& seen) const {
  return wanted_ == nullptr || wanted_->contains(seen.end);
}

void PeerDirectory::keep_only(std::shared_ptr<const Ends> wanted) {
  wants_other_ = wants_other_ || wanted_ != wanted;
  wanted_ = std::move(wanted);
}

bool PeerDirectory::has_any(const Ends& ends) const {
  return std::any_of(segments_.begin(), segments_.end(), [&ends](const Segment& segment) {
    return std::any_of(segment.seen.begin(), segment.seen.end(), [&ends](const SeenRow& seen) {
      return seen.id != 0 && ends.contains(seen.end);
    });
  });
}

std::vector<layout::EndpointRow> PeerDirectory::all_rows() {
  map_row_segments();
  Rows found;
  for (const Segment& segment : segments_) {
    for (std::size_t i = 0; i < segment.seen.size(); ++i) {
      std::uint64_t unknown = 0;
      layout::EndpointRow copy;
      if (read_row(*row_at(segment.mapping, i), unknown, copy) == Reading::copied &&
          !is_free(copy) && makes_sense(copy, nonce)) {
        found.emplace(copy.id, copy);
      }
    }
  }
  std::vector<layout::EndpointRow> rows;
  for (const auto& [id, row] : found) {
    rows.push_back(row);
  }
  return rows;
}

}  // namespace ligament::pool
