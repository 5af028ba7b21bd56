// SPDX-License-Identifier: Apache-2.0
/// Memory that is refused: each allocation of a call fails in turn, and the call says so, leaves
/// nothing behind, and succeeds when it is made again.
#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <test_msgs/msg/strings.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

extern "C" {
// The names of glibc's own, which cannot be asked for by the ones that are replaced here.
void* __libc_malloc(std::size_t size);                     // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t size);      // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t to, std::size_t size);   // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* memory);                            // NOLINT(bugprone-reserved-identifier)
}

namespace {

/// Allocations of all threads that were not given back.
std::atomic<long> living{0};

void* counted(void* memory) {
  living += memory != nullptr ? 1 : 0;
  return memory;
}

/// Allocations of this thread until the one that fails; less than 0: none will.
thread_local long countdown = -1;

bool fails_now() {
  const bool is_it = countdown == 0;
  countdown -= countdown >= 0 ? 1 : 0;
  if (is_it) {
    errno = ENOMEM;
  }
  return is_it;
}

}  // namespace

// All libraries of this process take memory from here, `new` included.
extern "C" void* malloc(std::size_t size) {
  return fails_now() ? nullptr : counted(__libc_malloc(size));
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  return fails_now() ? nullptr : counted(__libc_calloc(count, size));
}
extern "C" void* realloc(void* memory, std::size_t size) {
  const bool is_refused = fails_now();
  return is_refused          ? nullptr
         : memory == nullptr ? counted(__libc_malloc(size))
                             : __libc_realloc(memory, size);
}
extern "C" void* aligned_alloc(std::size_t to, std::size_t size) {
  return counted(__libc_memalign(to, size));
}
extern "C" int posix_memalign(void** memory, std::size_t to, std::size_t size) {
  *memory = counted(__libc_memalign(to, size));
  return *memory == nullptr ? ENOMEM : 0;
}
extern "C" void free(void* memory) {
  living -= memory != nullptr ? 1 : 0;
  __libc_free(memory);
}

namespace {

using Strings = test_msgs::msg::Strings;
using Service = test_msgs::srv::BasicTypes;

/// Descriptors that are open: memory of the pool has one each.
std::size_t descriptors() {
  std::size_t count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  }
  return count;
}

constexpr long most_allocations = 5000;

/// `attempt` says whether it has succeeded. Returns how many allocations have failed in turn.
template <typename Attempt>
long fail_each(const Attempt& attempt) {
  for (long number = 0; number < most_allocations; ++number) {
    countdown = number;
    const bool has_succeeded = attempt();
    const bool has_failed_one = countdown < 0;
    countdown = -1;
    if (has_succeeded && !has_failed_one) {
      return number;
    }
    if (!has_succeeded) {
      EXPECT_TRUE(has_failed_one) << "allocation " << number << ": " << rmw_get_error_string().str;
      EXPECT_TRUE(rmw_error_is_set()) << "allocation " << number;
    }
    rmw_reset_error();
  }
  ADD_FAILURE() << "it goes on allocating";
  return 0;
}

class Allocation : public RmwTest {
 protected:
  /// Makes it with each allocation failing; where it is made all the same, destroys it.
  template <typename Make, typename Destroy>
  void expect_clean(const Make& make, const Destroy& destroy) {
    destroy(make());  // what is made once, and kept
    const std::size_t before = descriptors();
    const long failed = fail_each([&] {
      auto* made = make();
      if (made != nullptr) {
        const long left = std::exchange(countdown, -1);
        destroy(made);
        countdown = left;
      }
      return made != nullptr;
    });
    EXPECT_GT(failed, 0);
    await([before] { return descriptors() <= before; });
    await([this] { return nodes() == 1; });
  }
  std::size_t nodes() {
    auto names = rcutils_get_zero_initialized_string_array();
    auto spaces = rcutils_get_zero_initialized_string_array();
    EXPECT_EQ(rmw_get_node_names(node_, &names, &spaces), RMW_RET_OK);
    const std::size_t count = names.size;
    EXPECT_EQ(rcutils_string_array_fini(&names), RCUTILS_RET_OK);
    EXPECT_EQ(rcutils_string_array_fini(&spaces), RCUTILS_RET_OK);
    return count;
  }

  const rosidl_message_type_support_t* type_ =
      rosidl_typesupport_cpp::get_message_type_support_handle<Strings>();
};

TEST_F(Allocation, OfANode) {
  expect_clean([this] { return rmw_create_node(&context_, "other", "/ns"); },
               [](rmw_node_t* node) { EXPECT_EQ(rmw_destroy_node(node), RMW_RET_OK); });
}

TEST_F(Allocation, OfAPublisher) {
  const auto options = rmw_get_default_publisher_options();
  expect_clean(
      [&] {
        return rmw_create_publisher(node_, type_, "/topic", &rmw_qos_profile_default, &options);
      },
      [this](rmw_publisher_t* made) { EXPECT_EQ(rmw_destroy_publisher(node_, made), RMW_RET_OK); });
  std::size_t left = 1;
  EXPECT_EQ(rmw_count_publishers(node_, "/topic", &left), RMW_RET_OK);
  EXPECT_EQ(left, 0U);
}

TEST_F(Allocation, OfASubscriptionWithAFilter) {
  auto allocator = rcutils_get_default_allocator();
  auto filter = rmw_get_zero_initialized_content_filter_options();
  ASSERT_EQ(rmw_subscription_content_filter_options_init("string_value LIKE 'a%'", 0, nullptr,
                                                         &allocator, &filter),
            RMW_RET_OK);
  auto options = rmw_get_default_subscription_options();
  options.content_filter_options = &filter;
  expect_clean(
      [&] {
        return rmw_create_subscription(node_, type_, "/topic", &rmw_qos_profile_default, &options);
      },
      [this](rmw_subscription_t* made) {
        EXPECT_EQ(rmw_destroy_subscription(node_, made), RMW_RET_OK);
      });
  EXPECT_EQ(rmw_subscription_content_filter_options_fini(&filter, &allocator), RMW_RET_OK);
}

TEST_F(Allocation, OfAServiceAndAClient) {
  const auto* type = rosidl_typesupport_cpp::get_service_type_support_handle<Service>();
  expect_clean(
      [&] { return rmw_create_service(node_, type, "/call", &rmw_qos_profile_services_default); },
      [this](rmw_service_t* made) { EXPECT_EQ(rmw_destroy_service(node_, made), RMW_RET_OK); });
  expect_clean(
      [&] { return rmw_create_client(node_, type, "/call", &rmw_qos_profile_services_default); },
      [this](rmw_client_t* made) { EXPECT_EQ(rmw_destroy_client(node_, made), RMW_RET_OK); });
}

TEST_F(Allocation, OfAGuardConditionAndAWaitSet) {
  expect_clean([this] { return rmw_create_guard_condition(&context_); },
               [](rmw_guard_condition_t* made) {
                 EXPECT_EQ(rmw_destroy_guard_condition(made), RMW_RET_OK);
               });
  expect_clean([this] { return rmw_create_wait_set(&context_, 3); },
               [](rmw_wait_set_t* made) { EXPECT_EQ(rmw_destroy_wait_set(made), RMW_RET_OK); });
}

TEST_F(Allocation, OfEndsThatComeAndGoIsGivenBack) {
  const auto* service_type = rosidl_typesupport_cpp::get_service_type_support_handle<Service>();
  const auto& service_qos = rmw_qos_profile_services_default;
  const auto make_and_destroy = [&] {
    auto* node = rmw_create_node(&context_, "other", "/");
    auto* guard = rmw_create_guard_condition(&context_);
    auto* wait_set = rmw_create_wait_set(&context_, 1);
    auto* to = subscription<Strings>("/topic");
    auto* from = publisher<Strings>("/topic");
    auto* service = rmw_create_service(node, service_type, "/call", &service_qos);
    auto* client = rmw_create_client(node, service_type, "/call", &service_qos);
    EXPECT_EQ(rmw_destroy_client(node, client), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_service(node, service), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_publisher(node_, from), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_subscription(node_, to), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_wait_set(wait_set), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_guard_condition(guard), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_node(node), RMW_RET_OK);
  };
  constexpr int rounds = 200;
  const auto make_rounds = [&] {
    for (int round = 0; round < rounds; ++round) {
      make_and_destroy();
    }
  };
  make_rounds();  // what is kept for the next ones
  await([this] { return nodes() == 1; });
  const long before = living;
  make_rounds();
  // Fewer than if one of them left something behind each time.
  await([before] { return living < before + rounds / 2; });
}

TEST_F(Allocation, OfAContext) {
  rmw_init_options_t options = rmw_get_zero_initialized_init_options();
  ASSERT_EQ(rmw_init_options_init(&options, rcutils_get_default_allocator()), RMW_RET_OK);
  options.enclave = rcutils_strdup("/", rcutils_get_default_allocator());
  options.discovery_options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  options.domain_id = 3;  // another domain than the fixture's
  const long failed = fail_each([&options] {
    rmw_context_t context = rmw_get_zero_initialized_context();
    const rmw_ret_t made = rmw_init(&options, &context);
    const long left = std::exchange(countdown, -1);
    if (made == RMW_RET_OK) {
      EXPECT_EQ(rmw_shutdown(&context), RMW_RET_OK);
      EXPECT_EQ(rmw_context_fini(&context), RMW_RET_OK);
    } else {
      EXPECT_EQ(context.impl, nullptr);
      EXPECT_EQ(context.implementation_identifier, nullptr);
    }
    countdown = left;
    return made == RMW_RET_OK;
  });
  EXPECT_GT(failed, 0);
  EXPECT_EQ(rmw_init_options_fini(&options), RMW_RET_OK);
}

TEST_F(Allocation, AMessageBeyondItsBoundIsRefused) {
  auto* publisher = this->publisher<Strings>("/strings");
  Strings message;
  message.bounded_string_value = std::string(22, 'b');
  EXPECT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK) << taken_error();
  message.bounded_string_value += 'b';
  EXPECT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_ERROR);
  EXPECT_NE(taken_error().find("test_msgs/msg/Strings is longer than its bound"),
            std::string::npos);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}

TEST_F(Allocation, OfMessagesAndAnswers) {
  auto* publisher = this->publisher<Strings>("/strings");
  auto* subscription = this->subscription<Strings>("/strings");
  await_match(publisher);
  Strings message;
  message.string_value = std::string(100, 's');
  (void)fail_each([&] { return rmw_publish(publisher, &message, nullptr) == RMW_RET_OK; });
  const long taken_at_last = fail_each([&] {
    const long wanted = std::exchange(countdown, -1);
    EXPECT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK) << taken_error();
    auto heard = std::make_unique<Strings>();  // without memory for its text
    bool taken = false;
    countdown = wanted;
    return rmw_take(subscription, heard.get(), &taken, nullptr) == RMW_RET_OK;
  });
  EXPECT_GT(taken_at_last, 0);
  const long failed = fail_each([&] {
    auto names = rcutils_get_zero_initialized_string_array();
    auto spaces = rcutils_get_zero_initialized_string_array();
    const bool is_answered = rmw_get_node_names(node_, &names, &spaces) == RMW_RET_OK;
    const long left = std::exchange(countdown, -1);
    if (is_answered) {
      EXPECT_EQ(rcutils_string_array_fini(&names), RCUTILS_RET_OK);
      EXPECT_EQ(rcutils_string_array_fini(&spaces), RCUTILS_RET_OK);
    }
    countdown = left;
    return is_answered;
  });
  EXPECT_GT(failed, 0);
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}

}  // namespace
