// SPDX-License-Identifier: Apache-2.0
/// \file ligament-trace-convert FOLDER [ros2]: the recordings below FOLDER as table batches on
/// stdout; with `ros2`, the events of ros2_tracing instead of our own.
///
/// Exit 0: all was read. Exit 1: it could not be read to its end; a sentence is on stderr and
/// what was read up to there has been written. Exit 2: there is no recording in FOLDER.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "trace/convert/metadata.hpp"
#include "trace/convert/reader.hpp"

namespace {

namespace fs = std::filesystem;
using ligament::trace::Provider;
using ligament::trace::Reader;
using ligament::trace::Totals;

constexpr std::size_t batch_rows = 65536;

std::vector<std::string> recordings_below(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "metadata") {
      found.push_back(entry->path().parent_path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

nlohmann::json moved_clocks(const ligament::trace::Clocks& clocks) {
  nlohmann::json result = nlohmann::json::array();
  for (const auto& moved : clocks.moved()) {
    result.push_back({{"host", moved.host}, {"by_ns", moved.by_ns}});
  }
  return result;
}

nlohmann::json as_json(const ligament::trace::ros2::Unknowns& unknowns) {
  return {
      {"middleware_publishes", unknowns.middleware_publishes},
      {"middleware_takes", unknowns.middleware_takes},
      {"empty_takes", unknowns.empty_takes},
      {"unnamed_publishes", unknowns.unnamed_publishes},
      {"unnamed_callbacks", unknowns.unnamed_callbacks},
      {"unknown_rings", unknowns.unknown_rings},
  };
}

std::string trailer(const Reader& reader, Provider provider) {
  const Totals& totals = reader.totals();
  nlohmann::json json = {
      {"end", true},
      {"error", reader.error()},
      {"provider", provider == Provider::ros2 ? "ros2" : "ligament"},
      {"events", totals.events},
      {"provider_events", totals.provider_events},
      {"calibration_events", totals.calibration_events},
      {"foreign_events", totals.foreign_events},
      {"foreign_names", totals.foreign_names},
      {"discarded_events", totals.discarded_events},
      {"discarded_packets", totals.discarded_packets},
      {"unknown_losses", totals.unknown_losses},
      {"hosts", totals.hosts},
      {"clocks", reader.clocks().names()},
      {"real_time_offset_ns", reader.clocks().real_time_offset_ns()},
      {"moved_clocks", moved_clocks(reader.clocks())},
      {"event_names", ligament::trace::event_names},
  };
  if (provider == Provider::ros2) {
    json["unknowns"] = as_json(reader.unknowns());
  }
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bool imports = argc == 3 && std::string_view(argv[2]) == "ros2";
  if (argc != 2 && !imports) {
    std::fputs("usage: ligament-trace-convert FOLDER [ros2]\n", stderr);
    return 2;
  }
  const Provider provider = imports ? Provider::ros2 : Provider::ligament;
  const auto folders = recordings_below(argv[1]);
  if (folders.empty()) {
    std::fprintf(stderr, "%s holds no CTF recording (no `metadata` file in it or below it)\n",
                 argv[1]);
    return 2;
  }
  for (const std::string& folder : folders) {
    const std::string problem = ligament::trace::check_metadata(folder + "/metadata");
    if (!problem.empty()) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      return 1;
    }
  }
  Reader reader(stdout, batch_rows, provider);
  const bool good = reader.read(folders);
  const std::string text = trailer(reader, provider);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!good) {
    std::fprintf(stderr, "%s\n", reader.error().c_str());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
