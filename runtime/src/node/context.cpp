// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <ligament/context.hpp>
#include <ligament/detail/ros2_marks.hpp>
#include <utility>

#include "node/context_state.hpp"

namespace ligament {
namespace {

std::string or_environment(const std::string& given, const char* variable, const char* otherwise) {
  if (!given.empty()) {
    return given;
  }
  const char* found = std::getenv(variable);
  return found != nullptr && *found != '\0' ? found : otherwise;
}

ContextErrorCode as_context_code(pool::DomainErrorCode code) {
  switch (code) {
    case pool::DomainErrorCode::bad_name:
      return ContextErrorCode::bad_name;
    case pool::DomainErrorCode::name_in_use:
      return ContextErrorCode::name_in_use;
    default:
      return ContextErrorCode::system;
  }
}

std::mutex default_mutex;
std::shared_ptr<Context> default_instance;
/// What the signal handler stops; a handler may take no lock.
std::atomic<Context*> signalled{nullptr};

void on_stop_signal(int /*number*/) {
  if (Context* context = signalled.load(std::memory_order_acquire)) {
    context->shutdown();
  }
}

}  // namespace

Context::Context(std::unique_ptr<detail::ContextState> state) : state_(std::move(state)) {}

Context::~Context() {
  Context* self = this;
  signalled.compare_exchange_strong(self, nullptr);
}

expected<std::shared_ptr<Context>, ContextError> Context::create(const ContextOptions& options) {
  auto domain =
      pool::Domain::join({.name = or_environment(options.domain, "LIGAMENT_DOMAIN", "default"),
                          .run_id = or_environment(options.run_id, "LIGAMENT_RUN_ID", "")});
  if (!domain) {
    return unexpected<ContextError>(
        ContextError{as_context_code(domain.error().code), domain.error().text});
  }
  auto waiter = (*domain)->create_waiter();
  if (!waiter) {
    return unexpected<ContextError>(ContextError{ContextErrorCode::system, waiter.error().text});
  }
  auto state = std::make_unique<detail::ContextState>();
  state->domain = std::move(*domain);
  state->waiter = std::move(*waiter);
  std::shared_ptr<Context> made(new Context(std::move(state)));
  trace::ros2::rcl_init(trace::ros2::handle(made.get()), LIGAMENT_VERSION);
  return made;
}

bool Context::is_valid() const { return !state_->stop.load(std::memory_order_acquire); }

void Context::shutdown() {
  state_->stop.store(true, std::memory_order_release);
  state_->waiter->wake();
}

void Context::wake() { state_->waiter->wake(); }

void Context::set_observer(ContextObserver* observer) {
  const std::lock_guard lock(state_->observer_mutex);
  state_->observer = observer;
}

const std::shared_ptr<pool::Domain>& Context::domain() const { return state_->domain; }

expected<void, ContextError> init(const ContextOptions& options) {
  auto context = Context::create(options);
  if (!context) {
    return unexpected<ContextError>(context.error());
  }
  const std::lock_guard lock(default_mutex);
  default_instance = std::move(*context);
  signalled.store(default_instance.get(), std::memory_order_release);
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
  return {};
}

bool ok() {
  const auto context = default_context();
  return context != nullptr && context->is_valid();
}

void shutdown() {
  if (const auto context = default_context()) {
    context->shutdown();
  }
}

std::shared_ptr<Context> default_context() {
  const std::lock_guard lock(default_mutex);
  return default_instance;
}

}  // namespace ligament
