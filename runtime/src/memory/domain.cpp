// SPDX-License-Identifier: Apache-2.0
#include "memory/domain.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "memory/blocks.hpp"
#include "memory/crash_point.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

namespace {

unexpected<EndpointError> endpoint_error(EndpointErrorCode code, std::string text) {
  return unexpected<EndpointError>(EndpointError{code, std::move(text)});
}

unexpected<EndpointError> endpoint_error(const os::SystemError& error, const std::string& topic) {
  const auto code = error.code == ENOMEM   ? EndpointErrorCode::out_of_memory
                    : error.code == ENOSPC ? EndpointErrorCode::too_many_endpoints
                                           : EndpointErrorCode::system;
  return endpoint_error(code, fmt::format("topic {}: {}", topic, error.text()));
}

/// Empty if the description can be stored and served.
std::string fault_of(const EndpointDescription& description) {
  const QoSProfile& qos = description.qos;
  if (description.topic.empty() || description.topic.size() > 255) {
    return "a topic name has 1 to 255 bytes";
  }
  if (description.type_name.size() > 127 || description.node.size() > 127) {
    return "type and node names have at most 127 bytes";
  }
  if (qos.depth < 1 || qos.depth > layout::max_ring) {
    return fmt::format("depth must be 1 to {}, not {}", layout::max_ring, qos.depth);
  }
  if (qos.max_held < 1 || qos.max_held > layout::max_held_limit) {
    return fmt::format("max_held must be 1 to {}, not {}", layout::max_held_limit, qos.max_held);
  }
  if (qos.deadline_ns < 0 || qos.lifespan_ns < 0 || qos.liveliness_lease_ns < 0) {
    return "deadline, lifespan and liveliness lease are 0 (none) or longer";
  }
  return {};
}

std::string fault_of(const WriterOptions& options) {
  const auto is_power = [](std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; };
  if (!is_power(options.alignment) || options.alignment < 64 || options.alignment > page_bytes) {
    return fmt::format("alignment must be a power of two from 64 to {}, not {}", page_bytes,
                       options.alignment);
  }
  if (options.max_loans < 1 || options.max_loans > layout::max_held_limit) {
    return fmt::format("max_loans must be 1 to {}, not {}", layout::max_held_limit,
                       options.max_loans);
  }
  if (options.device && options.max_bytes == 0) {
    return "a device topic needs a bound (max_bytes): its blocks are registered with the device";
  }
  if (options.max_blocking_ns < 1) {
    return fmt::format("max_blocking must be at least 1 ns, not {}", options.max_blocking_ns);
  }
  if (options.ring > layout::max_ring) {
    return fmt::format("the ring has at most {} entries", layout::max_ring);
  }
  return {};
}

/// Loans and samples that outlive their domain keep the memory they lie in.
void leave_to_process(std::shared_ptr<void> state) {
  static std::mutex mutex;
  static auto* left = new std::vector<std::shared_ptr<void>>();  // reachable, never destroyed
  const std::lock_guard guard(mutex);
  left->push_back(std::move(state));
}

}  // namespace

DomainState::DomainState(const DomainOptions& options_in)
    : options(options_in), rendezvous_(options_in.name) {}

DomainState::~DomainState() {
  if (thread_.joinable()) {
    linger();
    stop_.store(true);
    poke();
    thread_.join();
    leave();
  }
  for (const auto& resting : resting_writers_) {
    leave_to_process(resting.state);
  }
  for (const auto& own : resting_readers_) {
    leave_to_process(own.state);
  }
}

// --- endpoints -----------------------------------------------------------------------------------

/// Whom it concerns is looked up after the next look at our peers: see look_for_news.
void DomainState::own_change(std::string_view topic, EndpointKind kind) {
  directory_.raise_generation();
  changed_.insert_partners(topic, kind);
  news_ = true;
  poke();
}

/// Of our peers' rows, only those that may be matched with ours are worth a copy.
void DomainState::follow_own_ends() {
  auto partners = std::make_shared<Ends>();
  for (const OwnWriter& own : writers_) {
    partners->insert_partners(own.state->description.topic, EndpointKind::writer);
  }
  for (const OwnReader& own : readers_) {
    partners->insert_partners(own.state->description.topic, EndpointKind::reader);
  }
  partners_ = std::move(partners);
  for (Sentry& sentry : sentries_) {
    sentry.peer->directory->keep_only(partners_);
    sentry.again = true;
  }
}

expected<Directory::Place, EndpointError> DomainState::publish_row(layout::EndpointRow& row,
                                                                   const os::SharedMemory& segment,
                                                                   std::uint64_t counter) {
  row.counter = counter;
  row.id = layout::endpoint_id(nonce_, counter);
  row.fd = static_cast<std::uint32_t>(segment.fd.get());
  row.inode = segment.inode;
  row.bytes = segment.mapping.size();
  const auto kind = static_cast<EndpointKind>(row.kind);
  changed_.insert_partners(row.topic, kind);  // what may throw comes before what others see
  auto place = directory_.add(row);
  LIGAMENT_CRASH_POINT("create.row_written");
  if (!place) {
    return endpoint_error(place.error(), row.topic);
  }
  own_change(row.topic, kind);
  return *place;
}

expected<std::shared_ptr<WriterState>, EndpointError> DomainState::add_writer(
    const EndpointDescription& description, const WriterOptions& writer_options,
    std::shared_ptr<WaiterState> waiter) {
  for (const std::string& fault : {fault_of(description), fault_of(writer_options)}) {
    if (!fault.empty()) {
      return endpoint_error(EndpointErrorCode::bad_description,
                            fmt::format("topic {}: {}", description.topic, fault));
    }
  }
  const std::lock_guard guard(mutex_);
  WriterOptions chosen = writer_options;
  if (chosen.device) {
    chosen.alignment = page_bytes;
  }
  auto state = std::make_shared<WriterState>(description, chosen);
  state->events.flag.attach(waiter);
  state->waiter = std::move(waiter);
  LIGAMENT_CRASH_POINT("create.begun");
  const std::uint64_t counter = ++counter_;
  if (auto opened = state->open(nonce_, counter); !opened) {
    return endpoint_error(opened.error(), description.topic);
  }
  state->on_growth = [this] { poke(); };
  LIGAMENT_CRASH_POINT("create.opened");
  layout::EndpointRow row = to_row(description, EndpointKind::writer);
  row.flags = (writer_options.device ? layout::is_device : 0U) |
              (writer_options.successor ? layout::is_successor : 0U);
  std::list<OwnWriter> entry;
  entry.push_back({state, {}, row, {}, {}, {}, {}});
  auto place = publish_row(entry.front().row, state->segment, counter);
  if (!place) {
    return unexpected<EndpointError>(place.error());
  }
  entry.front().place = *place;
  writers_.splice(writers_.end(), entry);
  partners_stale_ = true;
  return state;
}

expected<std::shared_ptr<ReaderState>, EndpointError> DomainState::add_reader(
    const EndpointDescription& description, const ReaderOptions& reader_options,
    std::shared_ptr<WaiterState> waiter) {
  if (const std::string fault = fault_of(description); !fault.empty()) {
    return endpoint_error(EndpointErrorCode::bad_description,
                          fmt::format("topic {}: {}", description.topic, fault));
  }
  const std::lock_guard guard(mutex_);
  auto state = std::make_shared<ReaderState>(description);
  LIGAMENT_CRASH_POINT("create.begun");
  const std::uint64_t counter = ++counter_;
  if (auto opened = state->open(nonce_, counter); !opened) {
    return endpoint_error(opened.error(), description.topic);
  }
  layout::EndpointRow row = to_row(description, EndpointKind::reader);
  if (reader_options.resting) {
    state->rest();  // before anybody can match it
  }
  LIGAMENT_CRASH_POINT("create.opened");
  row.bell_slot = waiter->bell_slot;
  row.flags = reader_options.device ? layout::is_device : 0U;
  state->events.flag.attach(waiter);
  state->waiter = std::move(waiter);
  if (reader_options.on_publish) {
    state->on_publish = std::make_shared<const std::function<void()>>(reader_options.on_publish);
  }
  std::list<OwnReader> entry;
  entry.push_back({state, {}, row, {}, {}, {}, {}});
  auto place = publish_row(entry.front().row, state->segment, counter);
  if (!place) {
    return unexpected<EndpointError>(place.error());
  }
  entry.front().place = *place;
  readers_.splice(readers_.end(), entry);
  partners_stale_ = true;
  return state;
}

expected<Directory::Place, EndpointError> DomainState::show(const EndpointDescription& description,
                                                            EndpointKind kind) {
  const bool is_named = description.topic.starts_with(elsewhere_prefix);
  const std::string fault = is_named ? fault_of(description) : "what is shown begins with '~'";
  if (!fault.empty()) {
    return endpoint_error(EndpointErrorCode::bad_description,
                          fmt::format("topic {}: {}", description.topic, fault));
  }
  const std::lock_guard guard(mutex_);
  layout::EndpointRow row = to_row(description, kind);
  // A row names a segment. Whoever took this one for a writer's or reader's would refuse its kind.
  return publish_row(row, directory_.bells()->page(), ++counter_);
}

/// Its kind does not matter: nobody is matched with what is shown.
void DomainState::hide(Directory::Place place, std::string_view topic) {
  const std::lock_guard guard(mutex_);
  directory_.remove(place);
  own_change(topic, EndpointKind::writer);
}

void DomainState::remove(const std::shared_ptr<WriterState>& writer) {
  const std::lock_guard guard(mutex_);
  const auto own = std::find_if(writers_.begin(), writers_.end(),
                                [&writer](const auto& entry) { return entry.state == writer; });
  if (own == writers_.end()) {
    return;
  }
  writer->on_growth = nullptr;
  // Readers that have not mapped our newest chunk yet get a moment to do so.
  own->row.state = static_cast<std::uint8_t>(layout::RowState::closing);
  directory_.set(own->place, own->row);
  LIGAMENT_CRASH_POINT("close.row_closing");
  resting_writers_.push_back({writer, own->place, true, monotonic_now_ns() + 1'000'000'000});
  own_change(own->row.topic, EndpointKind::writer);
  writers_.erase(own);
  partners_stale_ = true;
  sweep_writers();
}

void DomainState::remove(const std::shared_ptr<ReaderState>& reader) {
  const std::lock_guard guard(mutex_);
  const auto own = std::find_if(readers_.begin(), readers_.end(),
                                [&reader](const auto& entry) { return entry.state == reader; });
  if (own == readers_.end()) {
    return;
  }
  if (reader->holds_anything()) {
    // Writers go on honouring the holds, but count and wake this reader no more.
    own->row.state = static_cast<std::uint8_t>(layout::RowState::closing);
    directory_.set(own->place, own->row);
    LIGAMENT_CRASH_POINT("close.row_closing");
    resting_readers_.push_back(std::move(*own));
  } else {
    directory_.remove(own->place);
    LIGAMENT_CRASH_POINT("close.row_removed");
  }
  own_change(own->row.topic, EndpointKind::reader);
  readers_.erase(own);
  partners_stale_ = true;
}

void DomainState::say_working() {
  const std::lock_guard guard(mutex_);
  for (const OwnReader& own : readers_) {
    own.state->say_working();
  }
}

void DomainState::set_quarantine(std::function<bool(std::uint64_t, std::int32_t)> is_idle) {
  const std::lock_guard guard(mutex_);
  is_idle_ = std::move(is_idle);
  poke();
}

// --- introspection -------------------------------------------------------------------------------

namespace {

Gid gid_of(std::uint64_t nonce, const layout::EndpointRow& row) {
  Gid gid = make_gid(nonce, row.counter);
  gid.back() = row.kind == static_cast<std::uint8_t>(EndpointKind::reader) ? 0x04 : gid.back();
  return gid;
}

}  // namespace

std::vector<EndpointInfo> DomainState::endpoints() {
  std::vector<EndpointInfo> own;
  std::vector<EndpointInfo> others;
  const std::lock_guard guard(mutex_);
  const std::int32_t pid = ::getpid();
  for (const auto& entry : writers_) {
    own.push_back({entry.state->description, EndpointKind::writer, entry.row.id,
                   gid_of(nonce_, entry.row), pid, true, entry.state->matched()});
  }
  for (const auto& entry : readers_) {
    own.push_back({entry.state->description, EndpointKind::reader, entry.row.id,
                   gid_of(nonce_, entry.row), pid, true, entry.state->matched()});
  }
  for (const auto& [nonce, peer] : peers_) {
    if (nonce == nonce_) {
      continue;
    }
    const bool is_foreign = peer->directory->is_foreign();
    for (const layout::EndpointRow& row : peer->directory->all_rows()) {
      if (row.state == static_cast<std::uint8_t>(layout::RowState::live)) {
        others.push_back({to_description(row), static_cast<EndpointKind>(row.kind), row.id,
                          gid_of(nonce, row), peer->directory->pid, false, 0, is_foreign});
      }
    }
  }
  own.insert(own.end(), others.begin(), others.end());
  return own;
}

std::vector<Problem> DomainState::problems() {
  const std::lock_guard guard(mutex_);
  std::vector<Problem> all = problems_;
  all.insert(all.end(), refusals_.begin(), refusals_.end());
  return all;
}

/// Nonces are random: who has come and who has gone does not cancel out. Under mutex_.
std::uint64_t DomainState::sum_of_generations() const {
  std::uint64_t sum = 0;
  for (const auto& [nonce, peer] : peers_) {
    sum += layout::endpoint_id(nonce, peer->directory->generation());
  }
  return sum;
}

/// As of our last look: who is told of a change can see it. Under mutex_.
std::uint64_t DomainState::sum_of_seen_generations() const {
  std::uint64_t sum = 0;
  for (const Sentry& sentry : sentries_) {
    sum += layout::endpoint_id(sentry.nonce, sentry.generation);
  }
  return sum;
}

std::uint64_t DomainState::version() {
  const std::lock_guard guard(mutex_);
  return sum_of_generations() + late_rows_;
}

std::shared_ptr<void> DomainState::watch(std::function<void()> changed) {
  auto watcher = std::make_shared<const Watcher>(std::move(changed));
  const std::lock_guard guard(mutex_);
  std::erase_if(watchers_, [](const auto& known) { return known.expired(); });
  watchers_.push_back(watcher);
  return std::const_pointer_cast<Watcher>(watcher);
}

std::vector<std::int32_t> DomainState::peer_pids() {
  const std::lock_guard guard(mutex_);
  std::vector<std::int32_t> pids;
  for (const auto& [nonce, peer] : peers_) {
    if (nonce != nonce_ && !peer->directory->is_foreign()) {
      pids.push_back(peer->directory->pid);
    }
  }
  return pids;
}

std::size_t DomainState::foreign_peers() {
  const std::lock_guard guard(mutex_);
  return static_cast<std::size_t>(
      std::count_if(peers_.begin(), peers_.end(),
                    [](const auto& entry) { return entry.second->directory->is_foreign(); }));
}

}  // namespace ligament::pool
