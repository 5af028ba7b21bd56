// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ligament/service.hpp>

namespace ligament {

ServiceBase::ServiceBase(std::string name, std::shared_ptr<Counters> counters,
                         std::shared_ptr<SubscriptionBase> requests,
                         std::shared_ptr<PublisherBase> replies)
    : name_(std::move(name)),
      counters_(std::move(counters)),
      requests_(std::move(requests)),
      replies_(std::move(replies)) {}

ServiceBase::~ServiceBase() = default;

std::size_t ServiceBase::get_client_count() const {
  return std::min(requests_->get_publisher_count(), replies_->get_subscription_count());
}

ServiceStatistics ServiceBase::statistics() const {
  const auto in = requests_->statistics();
  const auto out = replies_->statistics();
  ServiceStatistics statistics;
  statistics.requests = counters_->requests.load(std::memory_order_relaxed);
  statistics.replies = out.published;
  statistics.failed = out.loans_failed;
  statistics.strayed = counters_->strayed.load(std::memory_order_relaxed);
  statistics.invalid = in.invalid;
  statistics.lost = in.lost;
  statistics.dropped = counters_->dropped.load(std::memory_order_relaxed);
  statistics.stalled = out.stalled;
  return statistics;
}

}  // namespace ligament
