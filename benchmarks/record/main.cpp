// SPDX-License-Identifier: Apache-2.0
/// One pass of `ligament bench record`: messages that are published as quickly as they can be
/// recorded, or the same bytes written with plain `write`. Prints how long that took.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "record/recorder.hpp"

namespace {

using namespace ligament;

struct Arguments {
  std::filesystem::path folder;
  std::size_t bytes = 1'000'000;
  unsigned count = 1000;
  bool plain = false;
};

constexpr std::int64_t minute_ns = 60'000'000'000;
constexpr std::uint32_t credit = 8;

[[noreturn]] void fail(const std::string& text) {
  fmt::print(stderr, "ligament-bench-record: {}\n", text);
  std::exit(1);
}

/// The publisher does not fill its messages: what is measured is the recorder. Each is stamped.
void publish_all(pool::Writer& writer, const Arguments& arguments) {
  for (unsigned i = 0; i < arguments.count; ++i) {
    auto loan = writer.loan(arguments.bytes);
    if (!loan) {
      fail("no loan");
    }
    std::memcpy(loan->payload().data(), &i, sizeof i);
    (void)writer.publish(std::move(*loan));
  }
}

/// Until all messages and the end of the file are written; what is lost would cost no time.
std::int64_t record_all(const Arguments& arguments) {
  const std::string name = fmt::format("bench-record-{}", ::getpid());
  const auto domain = pool::Domain::join({name, "run"}).value();
  const auto writer =
      domain
          ->create_writer(
              {"/bench", "bench/msg/Bytes", "/bench", {1}, QoS(KeepAll(credit)).profile()},
              {.max_bytes = arguments.bytes, .max_blocking_ns = minute_ns})
          .value();
  auto recorder = record::Recorder::start({{name, "run"}, arguments.folder / "bag", {}, {}, true});
  if (!recorder) {
    fail(recorder.error());
  }
  while (writer->matched_readers() == 0) {
    (void)(*recorder)->work(pool::monotonic_now_ns() + 1'000'000);
  }
  const std::int64_t began = pool::monotonic_now_ns();
  std::thread publisher([&writer, &arguments] { publish_all(*writer, arguments); });
  while ((*recorder)->figures().messages < arguments.count) {
    if (!(*recorder)->work(pool::monotonic_now_ns() + 50'000'000)) {
      fail("the recorder ended");
    }
  }
  const auto figures = (*recorder)->finish();
  const std::int64_t took = pool::monotonic_now_ns() - began;
  publisher.join();
  if (!figures || figures->lost != 0) {
    fail(figures ? "messages were lost" : figures.error());
  }
  return took;
}

/// From as many buffers as the publisher has blocks: no cache holds more of them.
std::int64_t write_all(const Arguments& arguments) {
  std::vector<std::vector<char>> buffers;
  for (unsigned i = 0; i < 2 * credit + 11; ++i) {
    buffers.emplace_back(arguments.bytes, static_cast<char>(i + 1));
  }
  const std::string file = arguments.folder / "plain";
  const std::int64_t began = pool::monotonic_now_ns();
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  for (unsigned i = 0; i < arguments.count; ++i) {
    std::span<const char> left(buffers[i % buffers.size()]);
    while (!left.empty()) {
      const ssize_t written = ::write(fd, left.data(), left.size());
      if (written < 0) {
        fail(fmt::format("{}: {}", file, ::strerror(errno)));
      }
      left = left.subspan(static_cast<std::size_t>(written));
    }
  }
  ::close(fd);
  return pool::monotonic_now_ns() - began;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Records messages, or writes as many bytes, and prints how long that took."};
  Arguments arguments;
  app.add_option("folder", arguments.folder, "Where to write")->required();
  app.add_option("--bytes", arguments.bytes, "Size of a message")->check(CLI::Range(8, 1 << 30));
  app.add_option("--count", arguments.count, "How many")->check(CLI::PositiveNumber);
  app.add_flag("--plain", arguments.plain, "Only write");
  CLI11_PARSE(app, argc, argv);
  const std::int64_t took = arguments.plain ? write_all(arguments) : record_all(arguments);
  fmt::print("{{\"ns\": {}}}\n", took);
}
