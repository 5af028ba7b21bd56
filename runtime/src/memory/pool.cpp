// SPDX-License-Identifier: Apache-2.0
/// The promised classes of detail/pool.hpp, over their states.
#include "ligament/detail/pool.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "memory/domain.hpp"
#include "memory/waiter.hpp"

namespace ligament::pool {

// --- loans and samples -------------------------------------------------------------------------

Loan::Loan(Loan&& other) noexcept
    : writer_(std::exchange(other.writer_, nullptr)),
      block_(other.block_),
      payload_(std::exchange(other.payload_, {})) {}

Loan& Loan::operator=(Loan&& other) noexcept {
  std::swap(writer_, other.writer_);
  std::swap(block_, other.block_);
  std::swap(payload_, other.payload_);
  return *this;
}

Loan::~Loan() {
  if (writer_ != nullptr) {
    writer_->give_back(block_);
  }
}

void Loan::resize(std::size_t smaller) {
  payload_ = payload_.first(std::min(smaller, payload_.size()));
}

void Loan::narrow(std::size_t front, std::size_t size) {
  const std::size_t skipped = std::min(front, payload_.size());
  payload_ = payload_.subspan(skipped, std::min(size, payload_.size() - skipped));
  if (writer_ != nullptr) {
    writer_->move_origin(block_, skipped);
  }
}

expected<Loan, LoanError> Writer::loan(std::size_t size, std::size_t aligned_offset) {
  auto acquired = state_->acquire(size, aligned_offset);
  if (!acquired) {
    return unexpected<LoanError>(acquired.error());
  }
  return Loan(state_.get(), acquired->first, acquired->second);
}

PublishResult Writer::publish(Loan&& loan, const PublishInfo& info) {
  if (loan.writer_ != state_.get()) {
    return unexpected<PublishError>(PublishError::foreign_loan);
  }
  loan.writer_ = nullptr;
  const Published published = state_->commit(loan.block_, loan.payload_.size(), info);
  state_->call_readers();
  return published;
}

PublishedCopies Writer::publish_copies(std::span<const std::byte> head,
                                       std::span<const std::span<const std::byte>> bodies,
                                       std::int64_t now_ns) {
  const PublishedCopies done = state_->commit_copies(head, bodies, now_ns);
  state_->call_readers();
  return done;
}

const Gid& Writer::gid() const { return state_->gid; }
std::uint64_t Writer::id() const { return state_->id; }
std::size_t Writer::matched_readers() const { return state_->matched(); }
WriterStats Writer::stats() const { return state_->snapshot(); }
void Writer::set_meanwhile(std::function<void()> meanwhile) {
  state_->meanwhile = std::move(meanwhile);
}
std::vector<StalledReader> Writer::stalled_readers() const { return state_->stalled(); }
bool Writer::has_events() const { return state_->events.flag.is_raised(); }
WriterEvents Writer::take_events() { return state_->events.take(); }
void Writer::assert_liveliness() {
  state_->shared->asserted.store(static_cast<std::uint64_t>(monotonic_now_ns()),
                                 std::memory_order_relaxed);
}

HeldSample& HeldSample::operator=(HeldSample&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

HeldSample::~HeldSample() {
  if (slot_ != nullptr) {
    slot_->reader->release(*slot_);
  }
}

std::span<const std::byte> HeldSample::payload() const { return slot_->payload; }
const SampleInfo& HeldSample::info() const { return slot_->info; }

expected<std::optional<HeldSample>, TakeError> Reader::take() {
  const auto taken = state_->take();
  if (!taken) {
    return unexpected<TakeError>(taken.error());
  }
  if (*taken == nullptr) {
    return std::optional<HeldSample>();
  }
  return std::optional<HeldSample>(HeldSample(*taken));
}

bool Reader::has_data() { return state_->has_data(); }
bool Reader::is_ready() { return state_->ready(); }
std::uint64_t Reader::arrived() { return state_->arrived(); }
void Reader::rest() { state_->rest(); }
void Reader::resume() { state_->resume(); }
std::uint64_t Reader::id() const { return state_->id; }
std::size_t Reader::matched_writers() const { return state_->matched(); }
ReaderStats Reader::stats() const { return state_->snapshot(); }
bool Reader::has_events() const { return state_->events.flag.is_raised(); }
ReaderEvents Reader::take_events() { return state_->take_events(); }

// --- waiting -----

WaitResult Waiter::wait(const WaitStrategy& strategy, std::int64_t deadline_ns) {
  return state_->wait(strategy, deadline_ns);
}
void Waiter::wake() { state_->wake(); }
bool Waiter::wait_for(const std::function<bool()>& is_ready, std::int64_t deadline_ns) {
  return state_->wait_for(is_ready, deadline_ns);
}

// --- domain ---------

namespace {

bool is_valid_name(const std::string& name) {
  return !name.empty() && name.size() <= 48 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
         });
}

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
    return unexpected<EndpointError>(
        EndpointError{EndpointErrorCode::too_many_endpoints,
                      fmt::format("a process has at most {} waiters", layout::bell_slots - 1)});
  }
  return std::unique_ptr<Waiter>(new Waiter(std::make_shared<WaiterState>(state_->bells(), slot)));
}

/// From here on its destructor takes it out of the domain; without memory for that we do.
template <typename End, typename State>
std::unique_ptr<End> Domain::owned(const std::shared_ptr<State>& state,
                                   const std::shared_ptr<DomainState>& domain) {
  try {
    std::unique_ptr<End> end(new End(state));
    state->domain = domain;
    return end;
  } catch (const std::bad_alloc&) {
    domain->remove(state);
    throw;
  }
}

expected<std::unique_ptr<Writer>, EndpointError> Domain::create_writer(
    const EndpointDescription& description, const WriterOptions& options) {
  auto state = state_->add_writer(description, options,
                                  options.waiter == nullptr ? nullptr : options.waiter->state_);
  if (!state) {
    return unexpected<EndpointError>(state.error());
  }
  return owned<Writer>(*state, state_);
}

expected<std::unique_ptr<Reader>, EndpointError> Domain::create_reader(
    const EndpointDescription& description, Waiter& waiter, const ReaderOptions& options) {
  auto state = state_->add_reader(description, options, waiter.state_);
  if (!state) {
    return unexpected<EndpointError>(state.error());
  }
  auto reader = owned<Reader>(*state, state_);
  waiter.state_->attach(state->get());
  return reader;
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

namespace {

/// Of an endpoint that is shown.
class ShownRow {
 public:
  ShownRow(std::shared_ptr<DomainState> domain, Directory::Place place, std::string topic)
      : domain_(std::move(domain)), place_(place), topic_(std::move(topic)) {}
  ~ShownRow() { domain_->hide(place_, topic_); }
  ShownRow(const ShownRow&) = delete;
  ShownRow& operator=(const ShownRow&) = delete;

 private:
  std::shared_ptr<DomainState> domain_;
  Directory::Place place_;
  std::string topic_;
};

}  // namespace

expected<std::shared_ptr<void>, EndpointError> Domain::show(const EndpointDescription& description,
                                                            EndpointKind kind) {
  auto place = state_->show(description, kind);
  if (!place) {
    return unexpected<EndpointError>(place.error());
  }
  return std::make_shared<ShownRow>(state_, *place, description.topic);
}

void Domain::match_now() { state_->match_now(); }
void Domain::say_working() { state_->say_working(); }

void Domain::set_quarantine(std::function<bool(std::uint64_t, std::int32_t)> is_idle) {
  state_->set_quarantine(std::move(is_idle));
}

std::vector<EndpointInfo> Domain::endpoints() const { return state_->endpoints(); }
std::vector<Problem> Domain::problems() const { return state_->problems(); }
std::vector<std::int32_t> Domain::peers() const { return state_->peer_pids(); }

bool can_meet_foreign_processes() {
  static std::atomic<bool> can{false};  // a no may be for lack of a descriptor
  if (!can.load(std::memory_order_relaxed)) {
    can.store(os::identity_of(os::open_process(::getpid())) != 0, std::memory_order_relaxed);
  }
  return can.load(std::memory_order_relaxed);
}

std::size_t Domain::foreign_peers() const { return state_->foreign_peers(); }
std::uint64_t Domain::version() const { return state_->version(); }
std::shared_ptr<void> Domain::watch(std::function<void()> changed) {
  return state_->watch(std::move(changed));
}

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
