// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/publisher.hpp>

#include "entry_of.hpp"
#include "node/event_info.hpp"
#include "node/node_state.hpp"
#include "trace/ros2_names.hpp"

namespace ligament {

namespace {

/// Why there is no loan, and what that is for who wanted to publish.
struct LoanRefusal {
  PublishError publish;
  std::string_view text;
};

/// In the order of LoanError.
constexpr std::array<LoanRefusal, 6> loan_refusals{{
    {PublishError::inert, "the publisher could not be made"},
    {PublishError::not_encodable, "a length is beyond the type's bound"},
    {PublishError::exceeds_bound, "the message is larger than the topic's bound_bytes"},
    {PublishError::too_many_loans, "earlier loans were neither published nor dropped"},
    {PublishError::out_of_memory, "the system refused memory for the message"},
    {PublishError::exhausted, "subscriptions hold every block"},
}};
const LoanRefusal& refusal_of(LoanError error) {
  return detail::entry_of<LoanError::exhausted>(loan_refusals, error);
}

}  // namespace

std::string_view to_string(LoanError error) { return refusal_of(error).text; }

std::string_view to_string(PublishError error) {
  if (error == PublishError::not_encodable) {
    return "a bounded field is too long, or the loan was filled against its shape";
  }
  if (error == PublishError::foreign_loan) {
    return "the loan is empty or belongs to another publisher";
  }
  if (error == PublishError::inactive) {
    return "its lifecycle node is not active";
  }
  const auto found = std::find_if(loan_refusals.begin(), loan_refusals.end(),
                                  [&](const LoanRefusal& one) { return one.publish == error; });
  return found == loan_refusals.end() ? "unknown" : found->text;
}

namespace {

LoanError from_pool(pool::LoanError error) {
  switch (error) {
    case pool::LoanError::exceeds_bound:
      return LoanError::exceeds_bound;
    case pool::LoanError::too_many_loans:
      return LoanError::too_many_loans;
    case pool::LoanError::out_of_memory:
      return LoanError::out_of_memory;
    case pool::LoanError::exhausted:
      return LoanError::exhausted;
  }
  return LoanError::out_of_memory;
}

constexpr std::uint8_t codec_kind = 16;  // behind the loan errors in the set of reported kinds

}  // namespace

PublisherBase::PublisherBase(detail::PublisherParts parts)
    : bound_bytes_(parts.bound_bytes), exchange_(parts.exchange), mode_(parts.mode) {
  trace::ros2::tell_publisher(parts);
  node_ = std::move(parts.node);
  topic_ = std::move(parts.topic);
  qos_ = parts.qos;
  writer_ = std::move(parts.writer);
  events_ = std::move(parts.events);
  group_ = std::move(parts.group);
}

PublisherBase::~PublisherBase() = default;

std::size_t PublisherBase::get_subscription_count() const {
  return writer_ == nullptr ? 0 : writer_->matched_readers();
}

std::uint64_t PublisherBase::id() const { return writer_ == nullptr ? 0 : writer_->id(); }
pool::Gid PublisherBase::get_gid() const {
  return writer_ == nullptr ? pool::Gid{} : writer_->gid();
}

PublisherStatistics PublisherBase::statistics() const {
  PublisherStatistics statistics;
  if (writer_ != nullptr) {
    const auto figures = writer_->stats();
    statistics.published = figures.published;
    statistics.bytes = figures.bytes;
    statistics.waits = figures.waits;
    statistics.overrun = figures.overrun;
    statistics.stalled = figures.stalled;
    for (const pool::StalledReader& one : writer_->stalled_readers()) {
      statistics.stalled_by.push_back({one.node, one.pid, one.now, one.times});
    }
    statistics.deadline_missed = figures.deadline_missed;
    statistics.blocks = figures.blocks;
    statistics.blocks_free = figures.blocks_free;
    statistics.memory_bytes = figures.memory_bytes;
  }
  statistics.loans_failed = failed_.load(std::memory_order_relaxed);
  statistics.serialised = serialised_.load(std::memory_order_relaxed);
  statistics.bytes_serialised = bytes_serialised_.load(std::memory_order_relaxed);
  return statistics;
}

PublisherBase::Call PublisherBase::begin_publish(const void* message) const {
  if (!exchange_) {
    trace::ros2::rclcpp_publish(trace::ros2::handle(message));
  }
  return {trace::enabled() ? pool::monotonic_now_ns() : 0, message};
}

expected<pool::Loan, LoanError> PublisherBase::borrow(std::size_t size, std::size_t chosen_offset) {
  if (writer_ == nullptr) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    return unexpected<LoanError>(LoanError::inert);
  }
  auto loan = writer_->loan(size, chosen_offset);
  if (!loan) {
    return unexpected<LoanError>(refuse_loan(from_pool(loan.error()), size));
  }
  trace::loan(writer_->id(), size);
  return std::move(*loan);
}

PublishResult PublisherBase::send(pool::Loan&& loan, const Call& call,
                                  const pool::PublishInfo& info) {
  if (writer_ == nullptr) {
    return unexpected<PublishError>(PublishError::inert);
  }
  const std::size_t bytes = loan.payload().size();
  const auto published = writer_->publish(std::move(loan), info);
  if (!published) {
    failed_.fetch_add(1, std::memory_order_relaxed);
    report_once(codec_kind + 1, std::string(to_string(PublishError::foreign_loan)));
    return unexpected<PublishError>(PublishError::foreign_loan);
  }
  trace::publish(writer_->id(), published->sequence, bytes, published->source_timestamp_ns,
                 call.begin_ns);
  if (!exchange_) {
    trace::ros2::rmw_publish(trace::ros2::handle(writer_->id()), trace::ros2::handle(call.message),
                             published->source_timestamp_ns);
  }
  return published->sequence;
}

PublishResult PublisherBase::send(const detail::PrivateLoan& loan, std::size_t size,
                                  const Call& call, const pool::PublishInfo& info) {
  auto lent = borrow(size, loan.chosen_offset);
  if (!lent) {
    return unexpected<PublishError>(as_publish_error(lent.error()));
  }
  {
    const trace::Span span(detail::NodeTrace{node()}, "copy", trace::Category::copy);
    const auto bytes = loan.memory.bytes().first(size);
    std::copy(bytes.begin(), bytes.end(), lent->payload().begin());
  }
  count_serialised(size);
  return send(std::move(*lent), call, info);
}

void PublisherBase::count_serialised(std::size_t bytes) {
  serialised_.fetch_add(1, std::memory_order_relaxed);
  bytes_serialised_.fetch_add(bytes, std::memory_order_relaxed);
}

LoanError PublisherBase::refuse_loan(LoanError error, std::size_t size) {
  failed_.fetch_add(1, std::memory_order_relaxed);
  std::string why(to_string(error));
  if (error == LoanError::exceeds_bound) {
    why += ": " + std::to_string(size) + " > " + std::to_string(bound_bytes_) + " bytes";
  }
  report_once(static_cast<std::uint8_t>(error), why);
  return error;
}

PublishError PublisherBase::refuse_message(CodecError error) {
  failed_.fetch_add(1, std::memory_order_relaxed);
  report_once(codec_kind, std::string(to_string(error)));
  return PublishError::not_encodable;
}

PublishResult PublisherBase::keep_silent() {
  if (!silence_told_.exchange(true, std::memory_order_relaxed)) {
    node_->logger.write(LogLevel::warn, "a message on '" + topic_ +
                                            "' was not sent, because the node is not active");
  }
  return unexpected<PublishError>(PublishError::inactive);
}

/// Each kind of failure once: the count says how often.
void PublisherBase::report_once(std::uint8_t kind, const std::string& why) {
  const std::uint32_t bit = std::uint32_t{1} << kind;
  if ((reported_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) {
    node_->report(NodeErrorKind::run, "the publisher on '" + topic_ + "' of node '" + node_->id +
                                          "' could not send a message: " + why);
  }
}

// --- events -------------------------------------------------------------------------------------

void PublisherBase::set_meanwhile(std::function<void()> meanwhile) {
  if (writer_ != nullptr) {
    writer_->set_meanwhile(std::move(meanwhile));
  }
}

bool PublisherBase::assert_liveliness() {
  if (writer_ != nullptr) {
    writer_->assert_liveliness();
  }
  return writer_ != nullptr;
}

/// A stalled subscription loses what both ends asked to keep: that is told in any case.
bool PublisherBase::wants_events() const {
  const bool waits =
      qos_.history == HistoryPolicy::keep_all && qos_.reliability == ReliabilityPolicy::reliable;
  return waits || events_.deadline_callback || events_.liveliness_callback ||
         events_.incompatible_qos_callback || events_.incompatible_type_callback ||
         events_.matched_callback || events_.stalled_callback;
}

bool PublisherBase::has_events() const { return writer_ != nullptr && writer_->has_events(); }

bool PublisherBase::run_events() {
  if (!has_events()) {
    return false;
  }
  const pool::WriterEvents news = writer_->take_events();
  if (news.stalled.total_change != 0) {
    report_stalled(news.stalled.total_change);
  }
  const std::shared_ptr<detail::NodeState> node = node_;
  const detail::CallbackScope scope(*node, 0, 0, 0);
  detail::run_event(events_.deadline_callback, news.deadline_missed);
  detail::run_event(events_.liveliness_callback, news.liveliness_lost);
  detail::run_event(events_.incompatible_qos_callback, news.incompatible_qos);
  detail::run_event(events_.incompatible_type_callback, news.incompatible_type);
  detail::run_event(events_.matched_callback, news.matched);
  detail::run_event(events_.stalled_callback, news.stalled);
  return true;
}

/// Told once; the figures say how it goes on.
void PublisherBase::report_stalled(std::uint64_t subscriptions) {
  std::string names;
  for (const pool::StalledReader& one : writer_->stalled_readers()) {
    names += (names.empty() ? "" : ", ") + one.node + " in process " + std::to_string(one.pid);
  }
  if (!stall_reported_.exchange(true, std::memory_order_relaxed)) {
    node_->report(NodeErrorKind::run,
                  "the publisher on '" + topic_ + "' of node '" + node_->id + "' has " +
                      std::to_string(subscriptions) + " stalled of its keep-all subscriptions (" +
                      names +
                      "): a message waited for it in vain, none waits for it again until it "
                      "moves, and what it misses is counted as lost");
  }
}

PublishError PublisherBase::as_publish_error(LoanError error) { return refusal_of(error).publish; }

}  // namespace ligament
