// SPDX-License-Identifier: Apache-2.0
/// \file A process's place in a running graph: the pool domain it joined, and one executor's
/// waiter.
///
/// Programs with a main() of their own say `ligament::init()` once and never see this class; the
/// container makes its own. All nodes of a context are run by one executor. A second executor in a
/// process needs a second context; both join the same domain.
///
///   if (auto joined = ligament::init(); !joined) { std::puts(joined.error().text.c_str()); }
///   ligament::spin(std::make_shared<Camera>(ligament::NodeOptions()));
#pragma once

#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <memory>
#include <string>

namespace ligament {

namespace detail {
struct ContextState;
}

/// What a context joins. Empty fields: the environment's LIGAMENT_DOMAIN and LIGAMENT_RUN_ID, else
/// `default` and no run id.
struct ContextOptions {
  std::string domain;
  std::string run_id;
};

enum class ContextErrorCode : std::uint8_t {
  bad_name,     ///< the domain's name breaks a rule
  name_in_use,  ///< another run of this graph is alive
  system,       ///< the operating system refused something
};
struct ContextError {
  ContextErrorCode code = ContextErrorCode::system;
  std::string text;
};

/// Is told at once what nodes report. Called on the reporting thread.
class ContextObserver {
 public:
  virtual ~ContextObserver() = default;
  virtual void node_error(const std::string& node_id, const std::string& text) = 0;
  virtual void node_finished(const std::string& node_id) = 0;
};

class Context {
 public:
  using SharedPtr = std::shared_ptr<Context>;

  [[nodiscard]] static expected<std::shared_ptr<Context>, ContextError> create(
      const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// False once shutdown was asked for.
  [[nodiscard]] bool is_valid() const;
  /// Asks the executor to stop and drain. From any thread, and from a signal handler.
  void shutdown();
  /// Wakes the executor so that it looks at its timers again.
  void wake();
  /// One at a time; null for none. It must outlive the nodes.
  void set_observer(ContextObserver* observer);

  [[nodiscard]] const std::shared_ptr<pool::Domain>& domain() const;
  [[nodiscard]] detail::ContextState& state() const { return *state_; }

 private:
  explicit Context(std::unique_ptr<detail::ContextState> state);
  std::unique_ptr<detail::ContextState> state_;
};

/// Joins the default context and lets SIGINT and SIGTERM shut it down.
[[nodiscard]] expected<void, ContextError> init(const ContextOptions& options = {});
/// Whether the default context runs: `while (ligament::ok()) ...`.
[[nodiscard]] bool ok();
/// Asks the default context's executor to stop; later calls of init() make a new context.
void shutdown();
/// Null before init().
[[nodiscard]] std::shared_ptr<Context> default_context();

}  // namespace ligament
