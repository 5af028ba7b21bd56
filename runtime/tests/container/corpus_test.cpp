// SPDX-License-Identifier: Apache-2.0
/// The corpus of spec/cases/container, judged by the container's own reader: the same verdicts as
/// every other language, and each mistake at its JSON pointer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "container/config.hpp"

namespace ligament::container {
namespace {

namespace fs = std::filesystem;

const fs::path corpus = fs::path(LIGAMENT_REPO) / "spec" / "cases" / "container";

std::vector<std::string> case_names() {
  const std::string ending = ".expect.json";
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(ending)) {
      names.push_back(file.substr(0, file.size() - ending.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::json expectation(const std::string& name) {
  std::ifstream file(corpus / (name + ".expect.json"));
  return nlohmann::json::parse(file);
}

class Corpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsJudgedAsExpected) {
  const auto expected = expectation(GetParam());
  const auto config = read_config(corpus / (GetParam() + ".json"));
  if (expected["verdict"] == "valid") {
    ASSERT_TRUE(config) << config.error().front();
    return;
  }
  ASSERT_FALSE(config) << expected["why"];
  const auto& pointers = expected["pointers"];
  ASSERT_EQ(config.error().size(), pointers.size()) << config.error().front();
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::string place = pointers[i].get<std::string>() + ":";
    EXPECT_NE(config.error()[i].find(place), std::string::npos) << config.error()[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Container, Corpus, ::testing::ValuesIn(case_names()),
                         [](const auto& tested) { return tested.param; });

TEST(Corpora, AreNotEmpty) { EXPECT_GE(case_names().size(), 15U); }

}  // namespace
}  // namespace ligament::container
