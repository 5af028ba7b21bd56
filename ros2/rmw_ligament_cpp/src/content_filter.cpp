// SPDX-License-Identifier: Apache-2.0
/// Content filters of subscriptions. They are evaluated here, where the message is to be taken: the
/// pool holds one copy for all subscriptions, so a publisher would save nothing.
#include <rmw/rmw.h>

#include "endpoints.hpp"
#include "identifier.hpp"

namespace rmw_ligament_cpp {

namespace pool = ligament::pool;

namespace {

using Next = ligament::expected<std::optional<pool::HeldSample>, pool::TakeError>;

/// `filter` may be null.
Next next_from_pool(Subscription& own, const ContentFilter* filter) {
  for (;;) {
    auto sample = own.reader->take();
    const bool is_end = !sample || !*sample;
    if (is_end || (is_wanted(own, (**sample).info()) &&
                   (filter == nullptr || filter->wants((**sample).payload())))) {
      return sample;
    }
  }
}

std::vector<std::string> parameters_of(const rmw_subscription_content_filter_options_t& options) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < options.expression_parameters.size; ++i) {
    const char* one = options.expression_parameters.data[i];
    found.emplace_back(one == nullptr ? "" : one);
  }
  return found;
}

}  // namespace

Next next_wanted(Subscription& own) {
  if (!own.is_filtered.load(std::memory_order_acquire)) {
    return next_from_pool(own, nullptr);
  }
  const std::lock_guard guard(own.filter_mutex);
  if (own.found) {
    return std::exchange(own.found, std::nullopt);
  }
  return next_from_pool(own, own.filter.get());
}

bool Subscription::is_ready() {
  if (!is_filtered.load(std::memory_order_acquire)) {
    return reader->is_ready();
  }
  const std::lock_guard guard(filter_mutex);
  if (!found) {
    auto next = next_from_pool(*this, filter.get());
    if (next && *next) {
      found = std::move(*next);
    }
  }
  return found.has_value();
}

rmw_ret_t set_filter(Subscription& own, const rmw_subscription_content_filter_options_t& options) {
  const std::string text = options.filter_expression == nullptr ? "" : options.filter_expression;
  std::unique_ptr<const ContentFilter> filter;
  if (!text.empty()) {
    auto made = ContentFilter::make(*own.type, text, parameters_of(options));
    if (!made) {
      return fail(made.error(), RMW_RET_INVALID_ARGUMENT);
    }
    filter = std::move(*made);
  }
  const std::lock_guard guard(own.filter_mutex);
  own.filter = std::move(filter);
  if (own.filter != nullptr) {
    own.is_filtered.store(true, std::memory_order_release);
  }
  if (own.found && own.filter != nullptr && !own.filter->wants(own.found->payload())) {
    own.found.reset();
  }
  return RMW_RET_OK;
}

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_ret_t rmw_subscription_set_content_filter(
    rmw_subscription_t* subscription, const rmw_subscription_content_filter_options_t* options) {
  RMW_LIGAMENT_CHECK(subscription);
  RMW_CHECK_ARGUMENT_FOR_NULL(options, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Subscription*>(subscription->data);
    const rmw_ret_t result = set_filter(own, *options);
    if (result == RMW_RET_OK) {
      subscription->is_cft_enabled = own.filter != nullptr;
    }
    return result;
  });
}

rmw_ret_t rmw_subscription_get_content_filter(const rmw_subscription_t* subscription,
                                              rcutils_allocator_t* allocator,
                                              rmw_subscription_content_filter_options_t* options) {
  RMW_LIGAMENT_CHECK(subscription);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid",
                                   return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(options, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Subscription*>(subscription->data);
    const std::lock_guard guard(own.filter_mutex);
    if (own.filter == nullptr) {
      return fail("the subscription has no content filter");
    }
    std::vector<const char*> parameters;
    for (const std::string& one : own.filter->parameters()) {
      parameters.push_back(one.c_str());
    }
    *options = rmw_get_zero_initialized_content_filter_options();
    return rmw_subscription_content_filter_options_init(
        own.filter->text().c_str(), parameters.size(),
        parameters.empty() ? nullptr : parameters.data(), allocator, options);
  });
}

}  // extern "C"
