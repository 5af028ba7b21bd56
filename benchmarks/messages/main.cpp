// SPDX-License-Identifier: Apache-2.0
// What views, builders and the codec cost above a memcpy of the same bytes; see README.md.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string_view>

#include "cases.hpp"
#include "statistics.hpp"

namespace {

using Row = nlohmann::ordered_json;

struct Options {
  std::string json;
  int passes = 1000;
};

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--quick") {
      options.passes = 100;
    } else if (argument == "--json" && i + 1 < count) {
      options.json = arguments[++i];
    } else {
      std::fprintf(stderr, "usage: ligament-bench-messages [--quick] [--json FILE]\n");
      return false;
    }
  }
  return true;
}

double nanoseconds(const std::function<void()>& function) {
  function();  // untimed, so that the caches are as this function itself leaves them
  const auto begin = std::chrono::steady_clock::now();
  function();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

/// Times of one operation and of its yardstick, pass by pass.
struct Times {
  std::vector<double> ours;
  std::vector<double> copy;
};

/// Operations take turns, and so does which of a pair goes first: a slow moment hits all.
std::vector<Times> measure(const bench::Case& subject, int passes) {
  const std::size_t count = subject.operations.size();
  std::vector<Times> times(count);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t index = (turn + static_cast<std::size_t>(pass)) % count;
      const bench::Operation& operation = subject.operations[index];
      const double first = nanoseconds(pass % 2 == 0 ? operation.run : operation.copy);
      const double second = nanoseconds(pass % 2 == 0 ? operation.copy : operation.run);
      times[index].ours.push_back(pass % 2 == 0 ? first : second);
      times[index].copy.push_back(pass % 2 == 0 ? second : first);
    }
  }
  return times;
}

Row row(const bench::Case& subject, const char* peer, const std::string& metric, const char* unit,
        std::vector<double> values) {
  Row columns{{"bench", "messages"},
              {"params", subject.params},
              {"peer", peer},
              {"metric", metric},
              {"unit", unit}};
  columns.update(bench::summary(std::move(values)));
  return columns;
}

void add_rows(const bench::Case& subject, int passes, Row& rows) {
  const auto times = measure(subject, passes);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string& metric = subject.operations[i].metric;
    std::vector<double> ratios;
    for (std::size_t pass = 0; pass < times[i].ours.size(); ++pass) {
      ratios.push_back(times[i].ours[pass] / times[i].copy[pass]);
    }
    rows.push_back(row(subject, "ligament", metric, "ns", times[i].ours));
    rows.push_back(row(subject, "memcpy", metric, "ns", times[i].copy));
    rows.push_back(row(subject, "ligament", metric + "_to_memcpy", "ratio", std::move(ratios)));
  }
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    return 2;
  }
  Row rows = Row::array();
  for (const auto& subject : bench::all_cases()) {
    add_rows(subject, options.passes, rows);
  }
  for (const auto& line : rows) {
    std::cout << line.dump() << "\n";
  }
  if (!options.json.empty() && !(std::ofstream(options.json) << Row{{"rows", rows}}.dump(1))) {
    std::fprintf(stderr, "ligament-bench-messages: cannot write %s\n", options.json.c_str());
    return 1;
  }
  return 0;
}
