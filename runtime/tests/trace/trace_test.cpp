// SPDX-License-Identifier: Apache-2.0
// The hooks: off they do nothing, and each way of loading a wrong provider is named. The tests that
// load one run in a child process, because a provider stays loaded until its process ends.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <ligament/detail/ros2_events.hpp>
#include <ligament/ligament.hpp>
#include <ligament/rosgraph_msgs/msg/clock.hpp>
#include <ligament/trace.hpp>
#include <string>

#include "trace/provider_entry.hpp"

namespace trace = ligament::trace;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

std::string object(const std::string& kind) {
  return std::string(LIGAMENT_TEST_BIN) + "/libtrace_provider_" + kind + ".so";
}

struct Worker {
  mutable int asked = 0;
  [[nodiscard]] std::uint64_t trace_handle() const {
    ++asked;
    return 7;
  }
};

trace::LoadError error_of(const std::string& path) {
  const auto loaded = trace::load(path, {});
  EXPECT_FALSE(loaded.has_value());
  return loaded ? trace::LoadError{} : loaded.error();
}

/// What the recording provider saw while `work` ran; only in a process of its own.
template <typename Work>
std::string recorded_by(Work&& work) {
  const std::string path = object("recording");
  void* provider = ::dlopen(path.c_str(), RTLD_NOW);
  if (provider == nullptr) {
    return ::dlerror();
  }
  std::string text;
  reinterpret_cast<void (*)(std::string*)>(::dlsym(provider, "record_into"))(&text);
  work(path);
  return text;
}

/// Ends a child process: 0 if it saw what it should; the rest is shown by gtest.
[[noreturn]] void end_child(bool good, const std::string& seen) {
  std::fprintf(stderr, "saw: %s\n", seen.c_str());
  std::_Exit(good ? 0 : 1);
}

/// Ends this child: well, if the last events are these once it has made its spans.
template <typename MakeSpans>
[[noreturn]] void end_with_spans(const MakeSpans& make_spans, const std::string& expected) {
  const auto seen = recorded_by([&](const std::string& path) {
    const Worker worker;
    if (trace::load(path, {}).has_value()) {
      make_spans(worker);
    }
  });
  end_child(seen.ends_with(expected), seen);
}

/// A node with simulated time, which hears of two ticks.
void follow_two_ticks() {
  const auto context = ligament::Context::create(
      {.domain = "trace-clock-" + std::to_string(::getpid()), .run_id = ""});
  if (!context) return;
  ligament::ExecutorOptions executor_options;
  executor_options.context = *context;
  ligament::executors::SingleThreadedExecutor executor(executor_options);
  ligament::NodeOptions options;
  options.context(*context).append_parameter_override("use_sim_time", true);
  const auto node = std::make_shared<ligament::Node>("n", options);
  if (!executor.add_node(node)) return;
  const auto clock =
      node->create_publisher<ligament::rosgraph_msgs::msg::Clock>("/clock", ligament::QoS(1));
  const auto turn = [&] { return executor.spin_once(std::chrono::milliseconds(1)).has_value(); };
  while (clock->get_subscription_count() == 0 && turn()) {
  }
  for (int seconds = 1; seconds <= 2; ++seconds) {
    const ligament::Time now(seconds, 0);
    ligament::rosgraph_msgs::msg::Clock message;
    message.clock = now;
    if (!clock->publish(message)) return;
    while (node->now() != now && turn()) {
    }
  }
}

}  // namespace

TEST(TraceOff, HooksAndSpansDoNothing) {
  ASSERT_FALSE(trace::enabled());
  const Worker worker;
  trace::publish(1, 2, 3, 4, 5);
  {
    int told = 0;
    const auto tell = [&told](trace::SpanValues& values) { values.tell("count", ++told); };
    trace::Span span(worker, "remap", tell);
    span.finish(tell);
    EXPECT_EQ(told, 0) << "a value was computed although nothing records";
  }
  EXPECT_EQ(worker.asked, 0) << "a span computed something although nothing records";
}

TEST(TraceLoad, NamesAMissingObjectAndWhatToInstall) {
  const auto error = error_of("/nowhere/libligament-trace-lttng.so");
  EXPECT_EQ(error.code, trace::LoadErrorCode::not_found);
  EXPECT_THAT(error.text, HasSubstr("/nowhere/libligament-trace-lttng.so"));
  EXPECT_THAT(error.text, HasSubstr("liblttng-ust-dev"));
}

TEST(TraceLoad, RefusesAFileThatIsNoSharedObject) {
  const std::string path = ::testing::TempDir() + "not_an_object.so";
  std::ofstream(path) << "text";
  EXPECT_EQ(error_of(path).code, trace::LoadErrorCode::not_loadable);
}

TEST(TraceLoad, RefusesAnObjectThatIsNoProvider) {
  const auto error = error_of(object("foreign"));
  EXPECT_EQ(error.code, trace::LoadErrorCode::not_a_provider);
  EXPECT_THAT(error.text, HasSubstr(trace::detail::provider_entry_symbol));
}

TEST(TraceLoad, RefusesAProviderOfAnotherVersion) {
  EXPECT_EQ(error_of(object("outdated")).code, trace::LoadErrorCode::wrong_version);
  EXPECT_FALSE(trace::enabled()) << "a refused provider was left active";
}

TEST(TraceLoad, DefaultProviderLiesBesideTheLibrary) {
  EXPECT_THAT(trace::default_provider_path(), HasSubstr("/ligament/libligament-trace-lttng.so"));
}

TEST(TraceOn, LoadingMeasuresAndIntroducesTheProcess) {
  EXPECT_EXIT(
      {
        bool second_refused = false;
        const auto seen = recorded_by([&](const std::string& path) {
          const bool loaded = trace::load(path, {"run", "graph", "variant", "main"}).has_value();
          const auto again = trace::load(path, {});
          second_refused =
              loaded && !again && again.error().code == trace::LoadErrorCode::already_loaded;
        });
        const auto calibration = seen.find("calibration ");
        const auto cost = seen.find("probe_cost ");
        end_child(second_refused && seen.starts_with("process_start ") && calibration < cost &&
                      cost != std::string::npos,
                  seen);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(TraceOn, ASpanGivesItsNameOnceAndItsEndsEachTime) {
  EXPECT_EXIT(end_with_spans(
                  [](const Worker& worker) {
                    for (int i = 0; i < 2; ++i) {
                      const trace::Span span(worker, "remap");
                    }
                    const trace::Span other(worker, "resize", trace::Category::copy);
                  },
                  "probe_cost span_name span_begin span_end span_begin span_end "
                  "span_name span_begin span_end "),
              ::testing::ExitedWithCode(0), "");
}

TEST(TraceOn, ASpanTellsItsValuesAtBothEnds) {
  EXPECT_EXIT(
      end_with_spans(
          [](const Worker& worker) {
            for (int i = 0; i < 2; ++i) {
              trace::Span span(worker, "remap", [](auto& values) { values.tell("pixels", 640); });
              span.finish([](auto& values) { values.tell("found", 0.5); });
            }
          },
          "probe_cost span_name span_begin value_name span_value value_name span_value span_end "
          "span_begin span_value span_value span_end "),
      ::testing::ExitedWithCode(0), "");
}

TEST(TraceOn, ANodeWithSimulatedTimeTellsOfEachTick) {
  EXPECT_EXIT(
      {
        const auto seen = recorded_by([](const std::string& path) {
          if (trace::load(path, {})) follow_two_ticks();
        });
        constexpr std::string_view told = "span_end ros_time callback_end ";
        const auto first = seen.find(told);
        const bool twice =
            first != std::string::npos && seen.find(told, first + 1) != std::string::npos;
        end_child(twice, seen);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(TraceLoadRos2, NamesWhatIsMissingOrNoProvider) {
  const auto missing = trace::load_ros2("/nowhere/libligament-trace-ros2.so");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, trace::LoadErrorCode::not_found);
  const auto foreign = trace::load_ros2(object("foreign"));
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().code, trace::LoadErrorCode::not_a_provider);
  EXPECT_FALSE(trace::ros2::enabled());
  EXPECT_THAT(trace::default_ros2_provider_path(),
              HasSubstr("/ligament/libligament-trace-ros2.so"));
}

TEST(TraceLoadRos2, IsRefusedBesideTracetoolsOfRos) {
  EXPECT_EXIT(
      {
        const std::string other = std::string(LIGAMENT_TEST_BIN) + "/libtracetools.so";
        const bool there = ::dlopen(other.c_str(), RTLD_NOW) != nullptr;
        const auto loaded = trace::load_ros2(object("foreign"));
        end_child(there && !loaded && loaded.error().code == trace::LoadErrorCode::already_loaded &&
                      loaded.error().text.find("libtracetools.so") != std::string::npos,
                  loaded ? "loaded" : loaded.error().text);
      },
      ::testing::ExitedWithCode(0), "");
}
