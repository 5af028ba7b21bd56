// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <ligament/gpu.hpp>

namespace ligament::gpu {
namespace {

/// Owns the promise: who waits may be gone before set_value() has returned.
class Told : public Completion {
 public:
  void ended(const Result<void>& result) override { promise_.set_value(result); }
  [[nodiscard]] std::future<Result<void>> end() { return promise_.get_future(); }

 private:
  std::promise<Result<void>> promise_;
};

}  // namespace

Result<void> Program::run(std::span<const Launch> launches) {
  auto told = std::make_unique<Told>();
  auto end = told->end();
  submit(launches, std::move(told));
  return end.get();
}

}  // namespace ligament::gpu
