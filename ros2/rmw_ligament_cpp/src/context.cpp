// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <rcutils/strdup.h>
#include <rmw/discovery_options.h>
#include <rmw/init_options.h>
#include <rmw/rmw.h>
#include <rmw/security_options.h>
#include <unistd.h>

#include <cstdlib>

#include "elsewhere.hpp"
#include "identifier.hpp"
#include "status.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

const char* const identifier = "rmw_ligament_cpp";

namespace {

std::atomic<bool> forked{false};
constexpr std::size_t greatest_domain = 232;  // as DDS: greater ones have no ports

/// A container of a graph of Ligament is in that graph's pool (spec/wire/rmw.md, section 1).
const char* graph_pool() {
  const char* name = std::getenv("LIGAMENT_POOL");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

/// Processes of one user and one ROS domain share it. All are of one run.
std::string pool_name(const rmw_init_options_t& options, std::size_t domain_id) {
  if (const char* graph = graph_pool(); graph != nullptr) {
    return graph;
  }
  const bool is_alone =
      options.discovery_options.automatic_discovery_range == RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  return is_alone ? fmt::format("ros.{}.alone.{}", domain_id, ::getpid())
                  : fmt::format("ros.{}", domain_id);
}

std::string run_id() {
  const char* run = graph_pool() != nullptr ? std::getenv("LIGAMENT_RUN_ID") : nullptr;
  return run != nullptr ? run : "ros";
}

void note_forks() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  (void)registered;
}

}  // namespace

bool is_forked_child() { return forked.load(std::memory_order_relaxed); }

Context::Context(std::shared_ptr<ligament::pool::Domain> domain,
                 std::unique_ptr<ligament::pool::Waiter> waiter, std::string enclave,
                 DomainEdge edge)
    : domain_(std::move(domain)),
      enclave_(std::move(enclave)),
      edge_(std::move(edge)),
      waits_(std::move(waiter)) {
  watch_ = domain_->watch([this, guard = watching_, is_alive = is_alive_] {
    const std::lock_guard lock(*guard);
    if (*is_alive) {
      trigger_graph();
      ensure_edge();
      tell_problems();
    }
  });
  const std::lock_guard lock(*watching_);
  ensure_edge();
}

/// Under `watching_`. Without memory for it the next change of the graph is another occasion.
void Context::ensure_edge() noexcept {
  try {
    edge_.ensure(*domain_);
  } catch (const std::bad_alloc&) {
    edge_.try_again();
  }
}

/// Under `watching_`. Without memory they are told at the next change.
void Context::tell_problems() noexcept {
  try {
    problems_.tell(*domain_);
  } catch (const std::bad_alloc&) {  // nothing to undo
  }
}

Context::~Context() {
  const std::lock_guard lock(*watching_);
  *is_alive_ = false;
}

void Context::trigger_graph() {
  const std::lock_guard guard(mutex_);
  for (GuardCondition* condition : graph_conditions_) {
    condition->is_triggered.store(true);
  }
  if (!graph_conditions_.empty()) {
    waits_.wake();
  }
}

std::shared_ptr<const Context::Endpoints> Context::graph() {
  const std::uint64_t version = domain_->version();
  {
    const std::lock_guard guard(mutex_);
    if (graph_ != nullptr && version == graph_version_) {
      return graph_;
    }
  }
  auto fresh = std::make_shared<const Endpoints>(with_elsewhere(domain_->endpoints()));
  const std::lock_guard guard(mutex_);
  graph_ = fresh;
  graph_version_ = version;  // of before we looked: what changed meanwhile is seen next time
  return fresh;
}

void Context::add(GuardCondition& condition) {
  const std::lock_guard guard(mutex_);
  graph_conditions_.insert(&condition);
}

void Context::remove(GuardCondition& condition) {
  const std::lock_guard guard(mutex_);
  graph_conditions_.erase(&condition);
}

Context* context_of(rmw_context_t* context) {
  RMW_LIGAMENT_CHECK_OR_NULL(context);
  if (context->impl == nullptr) {
    RMW_SET_ERROR_MSG("the context is not initialised");
    return nullptr;
  }
  if (context->impl->is_shut_down) {
    RMW_SET_ERROR_MSG("the context has been shut down");
    return nullptr;
  }
  return context->impl;
}

namespace {

/// Nothing where these options can be served.
std::string fault_of(const rmw_init_options_t& options, std::size_t domain_id) {
  if (domain_id > greatest_domain) {
    return fmt::format("ROS_DOMAIN_ID must be 0 to {}, but is {}", greatest_domain, domain_id);
  }
  if (options.enclave == nullptr) {
    return "the options name no enclave";
  }
  if (options.discovery_options.automatic_discovery_range ==
      RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET) {
    return "the options do not say how far to look for nodes (automatic_discovery_range)";
  }
  if (options.security_options.enforce_security == RMW_SECURITY_ENFORCEMENT_ENFORCE) {
    return "ROS_SECURITY_STRATEGY=Enforce: rmw_ligament_cpp has no security enclaves";
  }
  return {};
}

/// ROS_LOCALHOST_ONLY, which Jazzy still knows, and rcl turns into a discovery range.
template <typename Options>
void set_localhost_default(Options& options) {
  if constexpr (requires { options.localhost_only; }) {
    options.localhost_only = {};
  }
}

rmw_ret_t open_context(const rmw_init_options_t& options, rmw_context_t& context,
                       std::size_t domain_id) {
  const std::string pool = pool_name(options, domain_id);
  auto domain = ligament::pool::Domain::join({pool, run_id()});
  if (!domain) {
    return fail(domain.error().text);
  }
  auto waiter = (*domain)->create_waiter();
  if (!waiter) {
    return fail(waiter.error().text);
  }
  tracing::begin(pool);
  status::begin();
  context.impl = new rmw_context_impl_s(std::move(*domain), std::move(*waiter), options.enclave,
                                        DomainEdge(options, pool, domain_id));
  return RMW_RET_OK;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

const char* rmw_get_implementation_identifier() { return identifier; }

rmw_ret_t rmw_init_options_init(rmw_init_options_t* init_options, rcutils_allocator_t allocator) {
  RMW_CHECK_ARGUMENT_FOR_NULL(init_options, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR(&allocator, return RMW_RET_INVALID_ARGUMENT);
  if (init_options->implementation_identifier != nullptr) {
    return fail("the options are initialised already", RMW_RET_INVALID_ARGUMENT);
  }
  init_options->instance_id = 0;
  init_options->implementation_identifier = identifier;
  init_options->allocator = allocator;
  init_options->impl = nullptr;
  init_options->enclave = nullptr;
  init_options->domain_id = RMW_DEFAULT_DOMAIN_ID;
  init_options->security_options = rmw_get_default_security_options();
  set_localhost_default(*init_options);
  init_options->discovery_options = rmw_get_zero_initialized_discovery_options();
  return rmw_discovery_options_init(&init_options->discovery_options, 0, &allocator);
}

rmw_ret_t rmw_init_options_copy(const rmw_init_options_t* src, rmw_init_options_t* dst) {
  RMW_LIGAMENT_CHECK(src);
  RMW_CHECK_ARGUMENT_FOR_NULL(dst, RMW_RET_INVALID_ARGUMENT);
  if (dst->implementation_identifier != nullptr) {
    return fail("the options to copy to are initialised already", RMW_RET_INVALID_ARGUMENT);
  }
  rcutils_allocator_t allocator = src->allocator;
  RCUTILS_CHECK_ALLOCATOR(&allocator, return RMW_RET_INVALID_ARGUMENT);
  rmw_init_options_t copy = *src;
  copy.discovery_options = rmw_get_zero_initialized_discovery_options();
  copy.security_options = rmw_get_zero_initialized_security_options();
  copy.enclave = rcutils_strdup(src->enclave, allocator);
  rmw_ret_t result =
      src->enclave != nullptr && copy.enclave == nullptr ? RMW_RET_BAD_ALLOC : RMW_RET_OK;
  if (result == RMW_RET_OK) {
    result = rmw_security_options_copy(&src->security_options, &allocator, &copy.security_options);
  }
  if (result == RMW_RET_OK) {
    result =
        rmw_discovery_options_copy(&src->discovery_options, &allocator, &copy.discovery_options);
  }
  if (result != RMW_RET_OK) {
    if (!rmw_error_is_set()) {
      (void)fail("out of memory for a copy of the options", result);
    }
    allocator.deallocate(copy.enclave, allocator.state);
    ignore(rmw_security_options_fini(&copy.security_options, &allocator));
    return result;
  }
  *dst = copy;
  return RMW_RET_OK;
}

rmw_ret_t rmw_init_options_fini(rmw_init_options_t* init_options) {
  RMW_LIGAMENT_CHECK(init_options);
  rcutils_allocator_t allocator = init_options->allocator;
  RCUTILS_CHECK_ALLOCATOR(&allocator, return RMW_RET_INVALID_ARGUMENT);
  allocator.deallocate(init_options->enclave, allocator.state);
  rmw_ret_t result = rmw_security_options_fini(&init_options->security_options, &allocator);
  const rmw_ret_t second = rmw_discovery_options_fini(&init_options->discovery_options);
  *init_options = rmw_get_zero_initialized_init_options();
  return result != RMW_RET_OK ? result : second;
}

rmw_ret_t rmw_init(const rmw_init_options_t* options, rmw_context_t* context) {
  RMW_LIGAMENT_CHECK(options);
  RMW_CHECK_ARGUMENT_FOR_NULL(context, RMW_RET_INVALID_ARGUMENT);
  if (context->implementation_identifier != nullptr) {
    return fail("the context is initialised already, or was not zero-initialised",
                RMW_RET_INVALID_ARGUMENT);
  }
  forked.store(false);  // a child that makes a context of its own is a process like any other
  return guarded([&] {
    note_forks();
    const std::size_t domain_id =
        options->domain_id == RMW_DEFAULT_DOMAIN_ID ? 0 : options->domain_id;
    if (const std::string fault = fault_of(*options, domain_id); !fault.empty()) {
      return fail(fault, RMW_RET_INVALID_ARGUMENT);
    }
    *context = rmw_get_zero_initialized_context();
    context->options = rmw_get_zero_initialized_init_options();
    rmw_ret_t result = rmw_init_options_copy(options, &context->options);
    if (result == RMW_RET_OK) {
      result = guarded([&] { return open_context(*options, *context, domain_id); });
    }
    if (result != RMW_RET_OK) {
      if (context->options.implementation_identifier != nullptr) {
        ignore(rmw_init_options_fini(&context->options));
      }
      *context = rmw_get_zero_initialized_context();
      return result;
    }
    context->instance_id = options->instance_id;
    context->implementation_identifier = identifier;
    context->actual_domain_id = domain_id;
    return RMW_RET_OK;
  });
}

rmw_ret_t rmw_shutdown(rmw_context_t* context) {
  RMW_LIGAMENT_CHECK(context);
  RMW_CHECK_FOR_NULL_WITH_MSG(context->impl, "the context is not initialised",
                              return RMW_RET_INVALID_ARGUMENT);
  if (!context->impl->is_shut_down.exchange(true) && !is_forked_child()) {
    status::tell();
  }
  return RMW_RET_OK;
}

rmw_ret_t rmw_context_fini(rmw_context_t* context) {
  RMW_LIGAMENT_CHECK(context);
  RMW_CHECK_FOR_NULL_WITH_MSG(context->impl, "the context is not initialised",
                              return RMW_RET_INVALID_ARGUMENT);
  if (!context->impl->is_shut_down) {
    return fail("the context has not been shut down", RMW_RET_INVALID_ARGUMENT);
  }
  const rmw_ret_t result = rmw_init_options_fini(&context->options);
  if (!is_forked_child()) {
    delete context->impl;
  }
  *context = rmw_get_zero_initialized_context();
  return result;
}

}  // extern "C"
