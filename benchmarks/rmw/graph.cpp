// SPDX-License-Identifier: Apache-2.0
#include <rcl/graph.h>
#include <rcl/publisher.h>
#include <rcl/subscription.h>
#include <rcutils/types/string_array.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "messages.hpp"
#include "printing.hpp"
#include "rcl_node.hpp"
#include "roles.hpp"

namespace bench {

namespace {

constexpr std::int64_t look_again_ns = 20 * millisecond;
constexpr std::string_view prefix = "bench_appears_";

std::set<std::string> names_of_nodes(Node& node) {
  rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
  rcutils_string_array_t namespaces = rcutils_get_zero_initialized_string_array();
  must(rcl_get_node_names(node.get(), rcl_get_default_allocator(), &names, &namespaces), "names");
  std::set<std::string> found(names.data, names.data + names.size);
  if (rcutils_string_array_fini(&names) != RCUTILS_RET_OK ||
      rcutils_string_array_fini(&namespaces) != RCUTILS_RET_OK) {
    give_up("names");
  }
  return found;
}

std::string topic_of(std::int64_t member, std::int64_t number) {
  return "bench_rmw/of_" + std::to_string(member) + "/topic_" + std::to_string(number);
}

/// The endpoints of one process: topics of its own, and one of each of those who follow it.
class Endpoints {
 public:
  Endpoints(Node& node, const Options& options);
  ~Endpoints();
  Endpoints(const Endpoints&) = delete;
  Endpoints& operator=(const Endpoints&) = delete;

  [[nodiscard]] bool are_matched() const;
  [[nodiscard]] std::vector<const rcl_subscription_t*> subscriptions() const;

 private:
  Node& node_;
  const Message message_{64};
  std::vector<rcl_publisher_t> publishers_;
  std::vector<rcl_subscription_t> subscriptions_;
};

Endpoints::Endpoints(Node& node, const Options& options) : node_(node) {
  const rcl_publisher_options_t publisher_options = rcl_publisher_get_default_options();
  const rcl_subscription_options_t subscription_options = rcl_subscription_get_default_options();
  for (std::int64_t k = 0; k < options.topics; ++k) {
    publishers_.push_back(rcl_get_zero_initialized_publisher());
    must(rcl_publisher_init(&publishers_.back(), node.get(), message_.type(),
                            topic_of(options.index, k).c_str(), &publisher_options),
         "publisher");
    subscriptions_.push_back(rcl_get_zero_initialized_subscription());
    const std::int64_t other = (options.index + 1 + k) % options.members;
    must(rcl_subscription_init(&subscriptions_.back(), node.get(), message_.type(),
                               topic_of(other, k).c_str(), &subscription_options),
         "subscription");
  }
}

Endpoints::~Endpoints() {
  for (auto& one : publishers_) {
    must(rcl_publisher_fini(&one, node_.get()), "publisher");
  }
  for (auto& one : subscriptions_) {
    must(rcl_subscription_fini(&one, node_.get()), "subscription");
  }
}

bool Endpoints::are_matched() const {
  std::size_t count = 0;
  return std::ranges::all_of(publishers_,
                             [&](const auto& one) {
                               must(rcl_publisher_get_subscription_count(&one, &count), "count");
                               return count == 1;
                             }) &&
         std::ranges::all_of(subscriptions_, [&](const auto& one) {
           must(rcl_subscription_get_publisher_count(&one, &count), "count");
           return count == 1;
         });
}

std::vector<const rcl_subscription_t*> Endpoints::subscriptions() const {
  std::vector<const rcl_subscription_t*> found;
  for (const auto& one : subscriptions_) {
    found.push_back(&one);
  }
  return found;
}

}  // namespace

/// Looks when rcl says that the graph has changed, as programs do.
void watch(const Options& /*options*/) {
  Node node("bench_watches");
  WaitSet wait_set(node, {.subscriptions = {}, .clients = {}, .services = {}, .graph = true});
  std::set<std::string> known;
  print_ready();
  while (wait_set.wait(-1)) {
    for (const std::string& name : names_of_nodes(node)) {
      if (name.starts_with(prefix) && known.insert(name).second) {
        print_measured("watch", "\"name\":\"" + name + "\",\"at_ns\":" + std::to_string(now_ns()));
      }
    }
  }
}

void appear(const Options& options) {
  for (std::int64_t k = 0; k < options.messages; ++k) {
    const std::string name = std::string(prefix) + std::to_string(k);
    const std::int64_t begin = now_ns();
    const Node node(name);
    print_measured("appear", "\"name\":\"" + name + "\",\"at_ns\":" + std::to_string(begin) +
                                 ",\"made_ns\":" + std::to_string(now_ns()));
    sleep_until(now_ns() + options.pacing_us * 1000);
  }
}

void member(const Options& options) {
  Node node("bench_member_" + std::to_string(options.index));
  const Endpoints endpoints(node, options);
  const std::int64_t created = now_ns();
  {
    WaitSet wait_set(
        node,
        {.subscriptions = endpoints.subscriptions(), .clients = {}, .services = {}, .graph = true});
    while (!endpoints.are_matched()) {
      // Not every middleware tells of each match: look again, rarely, as many processes look.
      if (!wait_set.wait(look_again_ns) && node.is_to_end()) {
        return;
      }
    }
    print_measured("member", "\"created_ns\":" + std::to_string(created) +
                                 ",\"matched_ns\":" + std::to_string(now_ns()));
    print_ready();
    while (wait_set.wait(-1)) {
    }
  }
}

}  // namespace bench
