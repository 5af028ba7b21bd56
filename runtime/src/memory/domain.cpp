// SPDX-License-Identifier: Apache-2.0
#include "memory/domain.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "memory/blocks.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

namespace {

bool is_valid_name(const std::string& name) {
  return !name.empty() && name.size() <= 48 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
         });
}

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
  if (options.ring > layout::max_ring) {
    return fmt::format("the ring has at most {} entries", layout::max_ring);
  }
  return {};
}

}  // namespace

DomainState::DomainState(const DomainOptions& options_in)
    : options(options_in), rendezvous_(options_in.name), nonce_(os::random_u64() | 1U) {}

DomainState::~DomainState() {
  if (thread_.joinable()) {
    linger();
    stop_.store(true);
    poke();
    thread_.join();
    directory_.set_state(layout::ProcessState::leaving);
    directory_.raise_generation();
    for (const auto& [nonce, peer] : peers_) {
      rendezvous_.notify(peer->directory->slot);
    }
  }
  // Loans and samples that outlive us keep the memory they lie in: it is left to the process.
  static auto* left = new std::vector<std::shared_ptr<void>>();  // reachable, never destroyed
  for (const auto& resting : resting_writers_) {
    left->push_back(resting.state);
  }
  for (const auto& own : resting_readers_) {
    left->push_back(own.state);
  }
}

// --- joining -------------------------------------------------------------------------------------

expected<void, DomainError> DomainState::join() {
  os::refresh_realtime_offset();
  const auto slot = rendezvous_.take_slot();
  if (!slot) {
    return unexpected<DomainError>(slot.error());
  }
  if (auto opened = directory_.open({options.name, options.run_id, nonce_, *slot}); !opened) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, opened.error().text()});
  }
  if (auto opened = open_events(); !opened) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, opened.error().text()});
  }
  if (auto announced = rendezvous_.announce(); !announced) {
    return announced;
  }
  if (auto adopted = adopt_peers(); !adopted) {
    return adopted;
  }
  directory_.set_state(layout::ProcessState::joined);
  thread_ = std::thread([this] { run(); });
  return {};
}

expected<void, DomainError> DomainState::adopt_peers() {
  auto self = rendezvous_.attach({::getpid(), ::geteuid()});
  if (!self) {
    return unexpected<DomainError>(DomainError{DomainErrorCode::system, self.error()});
  }
  (void)adopt(std::move(*self));
  for (const os::PeerCredentials& who : rendezvous_.scan()) {
    auto peer = rendezvous_.attach(who);
    if (!peer) {
      refuse(peer.error());
      continue;
    }
    if ((*peer)->directory->run_id == options.run_id) {
      (void)adopt(std::move(*peer));
    } else if (auto settled = settle_conflict(**peer); !settled) {
      return settled;
    }
  }
  return {};
}

/// Another run has our name. It wins if it has joined; of two that are just joining, the one in
/// the lower slot wins and the other says that it defers, so that never both give up.
expected<void, DomainError> DomainState::settle_conflict(const Peer& peer) {
  const std::int64_t deadline = monotonic_now_ns() + 2'000'000'000;
  while (os::process_alive(peer.pidfd) && monotonic_now_ns() < deadline) {
    const layout::ProcessState theirs = peer.directory->state();
    if (theirs == layout::ProcessState::leaving) {
      return {};
    }
    if (theirs == layout::ProcessState::joined) {
      break;
    }
    const bool first = rendezvous_.slot() < peer.directory->slot;
    if (first && theirs == layout::ProcessState::deferring) {
      return {};
    }
    directory_.set_state(first ? layout::ProcessState::joining : layout::ProcessState::deferring);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!os::process_alive(peer.pidfd)) {
    return {};
  }
  directory_.set_state(layout::ProcessState::leaving);
  return unexpected<DomainError>(
      DomainError{DomainErrorCode::name_in_use,
                  fmt::format("graph '{}' is already running as process {} (run '{}'); stop it, or "
                              "give this run another graph name",
                              options.name, peer.directory->pid, peer.directory->run_id)});
}

expected<void, os::SystemError> DomainState::open_events() {
  epoll_ = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  poke_ = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  clock_ = os::Fd(::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!epoll_ || !poke_ || !clock_) {
    return unexpected<os::SystemError>(os::last_error("epoll, eventfd or timerfd"));
  }
  watch(poke_.get(), 0);
  watch(clock_.get(), 0);
  watch(rendezvous_.listener().get(), 0);
  watch(rendezvous_.mailbox().get(), 0);
  arm_clock_watch();
  return {};
}

bool DomainState::adopt(std::unique_ptr<Peer> peer) {
  const std::uint64_t nonce = peer->directory->nonce;
  if (peers_.count(nonce) != 0) {
    return false;  // found twice: by our scan and by its connection
  }
  watch(peer->pidfd.get(), nonce);
  peers_.emplace(nonce, std::move(peer));
  return true;
}

void DomainState::refuse(std::string text) {
  const auto known = std::find_if(refusals_.begin(), refusals_.end(),
                                  [&text](const Problem& problem) { return problem.text == text; });
  if (text.empty() || known != refusals_.end()) {
    return;
  }
  if (refusals_.size() == 32) {
    refusals_.erase(refusals_.begin());
  }
  refusals_.push_back({ProblemKind::refused_peer, std::move(text)});
}

// --- endpoints -----------------------------------------------------------------------------------

void DomainState::own_change() {
  directory_.raise_generation();
  for (const auto& [nonce, peer] : peers_) {
    notify_.insert(peer->directory->slot);
  }
  poke();
}

expected<Directory::Place, EndpointError> DomainState::publish_row(layout::EndpointRow& row,
                                                                   const os::SharedMemory& segment,
                                                                   std::uint64_t counter) {
  row.counter = counter;
  row.id = layout::endpoint_id(nonce_, counter);
  row.fd = static_cast<std::uint32_t>(segment.fd.get());
  row.inode = segment.inode;
  row.bytes = segment.mapping.size();
  auto place = directory_.add(row);
  if (!place) {
    return endpoint_error(place.error(), row.topic);
  }
  own_change();
  return *place;
}

expected<std::shared_ptr<WriterState>, EndpointError> DomainState::add_writer(
    const EndpointDescription& description, const WriterOptions& writer_options) {
  for (const std::string& fault : {fault_of(description), fault_of(writer_options)}) {
    if (!fault.empty()) {
      return endpoint_error(EndpointErrorCode::bad_description,
                            fmt::format("topic {}: {}", description.topic, fault));
    }
  }
  if (description.qos.history == HistoryPolicy::keep_all) {
    return endpoint_error(EndpointErrorCode::not_yet_supported,
                          fmt::format("topic {}: a keep-all publisher needs back-pressure, which "
                                      "is not built yet; use keep-last with a depth",
                                      description.topic));
  }
  const std::lock_guard guard(mutex_);
  auto state = std::make_shared<WriterState>(description, writer_options);
  const std::uint64_t counter = ++counter_;
  if (auto opened = state->open(nonce_, counter); !opened) {
    return endpoint_error(opened.error(), description.topic);
  }
  state->on_growth = [this] { poke(); };
  layout::EndpointRow row = to_row(description, EndpointKind::writer);
  auto place = publish_row(row, state->segment, counter);
  if (!place) {
    return unexpected<EndpointError>(place.error());
  }
  writers_.push_back({state, *place, row, {}});
  return state;
}

expected<std::shared_ptr<ReaderState>, EndpointError> DomainState::add_reader(
    const EndpointDescription& description, std::shared_ptr<WaiterState> waiter) {
  if (const std::string fault = fault_of(description); !fault.empty()) {
    return endpoint_error(EndpointErrorCode::bad_description,
                          fmt::format("topic {}: {}", description.topic, fault));
  }
  const std::lock_guard guard(mutex_);
  auto state = std::make_shared<ReaderState>(description);
  const std::uint64_t counter = ++counter_;
  if (auto opened = state->open(nonce_, counter); !opened) {
    return endpoint_error(opened.error(), description.topic);
  }
  layout::EndpointRow row = to_row(description, EndpointKind::reader);
  row.bell_slot = waiter->bell_slot;
  state->waiter = std::move(waiter);
  auto place = publish_row(row, state->segment, counter);
  if (!place) {
    return unexpected<EndpointError>(place.error());
  }
  readers_.push_back({state, *place, row, {}});
  return state;
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
  resting_writers_.push_back({writer, own->place, true, monotonic_now_ns() + 1'000'000'000});
  writers_.erase(own);
  sweep_writers();
  own_change();
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
    resting_readers_.push_back(std::move(*own));
  } else {
    directory_.remove(own->place);
  }
  readers_.erase(own);
  own_change();
}

// --- introspection -------------------------------------------------------------------------------

std::vector<EndpointInfo> DomainState::endpoints() {
  std::vector<EndpointInfo> own;
  std::vector<EndpointInfo> others;
  const std::lock_guard guard(mutex_);
  const std::int32_t pid = ::getpid();
  for (const auto& entry : writers_) {
    own.push_back({entry.state->description, EndpointKind::writer, entry.row.id, pid, true,
                   entry.state->matched()});
  }
  for (const auto& entry : readers_) {
    own.push_back({entry.state->description, EndpointKind::reader, entry.row.id, pid, true,
                   entry.state->matched()});
  }
  for (const auto& [nonce, peer] : peers_) {
    for (const auto& [id, row] : peer->directory->rows()) {
      if (nonce != nonce_ && row.state == static_cast<std::uint8_t>(layout::RowState::live)) {
        others.push_back({to_description(row), static_cast<EndpointKind>(row.kind), id,
                          peer->directory->pid, false, 0});
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

std::vector<std::int32_t> DomainState::peer_pids() {
  const std::lock_guard guard(mutex_);
  std::vector<std::int32_t> pids;
  for (const auto& [nonce, peer] : peers_) {
    if (nonce != nonce_) {
      pids.push_back(peer->directory->pid);
    }
  }
  return pids;
}

// --- the public face -----------------------------------------------------------------------------

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Domain>> domains;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

expected<std::shared_ptr<Domain>, DomainError> Domain::join(const DomainOptions& options) {
  if (!is_valid_name(options.name) || options.run_id.size() > 63) {
    return unexpected<DomainError>(
        DomainError{DomainErrorCode::bad_name,
                    fmt::format("'{}' is no graph name: 1 to 48 letters, digits, '_', '.' or '-' "
                                "(and a run id has at most 63 bytes)",
                                options.name)});
  }
  const std::lock_guard guard(registry().mutex);
  std::weak_ptr<Domain>& known = registry().domains[options.name];
  if (auto domain = known.lock()) {
    if (domain->state_->options.run_id == options.run_id) {
      return domain;
    }
    return unexpected<DomainError>(
        DomainError{DomainErrorCode::name_in_use,
                    fmt::format("graph '{}' is already running in this process, {} (run '{}')",
                                options.name, ::getpid(), domain->state_->options.run_id)});
  }
  auto state = std::make_shared<DomainState>(options);
  if (auto joined = state->join(); !joined) {
    return unexpected<DomainError>(joined.error());
  }
  std::shared_ptr<Domain> domain(new Domain(std::move(state)));
  known = domain;
  return domain;
}

Domain::~Domain() = default;

expected<std::unique_ptr<Waiter>, EndpointError> Domain::create_waiter() {
  const std::uint16_t slot = state_->bells()->acquire();
  if (slot == 0) {
    return endpoint_error(EndpointErrorCode::too_many_endpoints,
                          fmt::format("a process has at most {} waiters", layout::bell_slots - 1));
  }
  return std::unique_ptr<Waiter>(new Waiter(std::make_shared<WaiterState>(state_->bells(), slot)));
}

expected<std::unique_ptr<Writer>, EndpointError> Domain::create_writer(
    const EndpointDescription& description, const WriterOptions& options) {
  auto state = state_->add_writer(description, options);
  if (!state) {
    return unexpected<EndpointError>(state.error());
  }
  (*state)->domain = state_;
  return std::unique_ptr<Writer>(new Writer(std::move(*state)));
}

expected<std::unique_ptr<Reader>, EndpointError> Domain::create_reader(
    const EndpointDescription& description, Waiter& waiter) {
  auto state = state_->add_reader(description, waiter.state_);
  if (!state) {
    return unexpected<EndpointError>(state.error());
  }
  (*state)->domain = state_;
  waiter.state_->attach(state->get());
  return std::unique_ptr<Reader>(new Reader(std::move(*state)));
}

Writer::~Writer() {
  const auto domain = std::move(state_->domain);
  domain->remove(state_);
}

Reader::~Reader() {
  state_->waiter->detach(state_.get());
  const auto domain = std::move(state_->domain);
  domain->remove(state_);
}

Waiter::~Waiter() = default;

std::vector<EndpointInfo> Domain::endpoints() const { return state_->endpoints(); }
std::vector<Problem> Domain::problems() const { return state_->problems(); }
std::vector<std::int32_t> Domain::peers() const { return state_->peer_pids(); }

SystemCalls system_calls() {
  const os::Counters& counters = os::counters();
  return {counters.futex_waits.load(std::memory_order_relaxed),
          counters.futex_wakes.load(std::memory_order_relaxed),
          counters.lock_sleeps.load(std::memory_order_relaxed),
          counters.growths.load(std::memory_order_relaxed)};
}

std::string_view to_string(LoanError error) {
  switch (error) {
    case LoanError::exceeds_bound:
      return "the payload is larger than the topic's declared bound";
    case LoanError::too_many_loans:
      return "as many loans as declared are out already";
    case LoanError::out_of_memory:
      return "the system refused memory for a larger block";
    case LoanError::exhausted:
      return "every block of the pool is held by readers";
  }
  return "unknown";
}

std::string_view to_string(PublishError error) {
  return error == PublishError::foreign_loan ? "the loan is empty or belongs to another writer"
                                             : "unknown";
}

std::string_view to_string(TakeError error) {
  return error == TakeError::too_many_held
             ? "the subscription already holds as many samples as its max_held allows"
             : "unknown";
}

}  // namespace ligament::pool
