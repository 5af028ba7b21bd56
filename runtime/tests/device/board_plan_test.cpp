// SPDX-License-Identifier: Apache-2.0
/// \file What the back-end `fpga_uio` reads of an export.json, and why it refuses one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "device/fpga_uio/plan.hpp"

namespace ligament::device {
namespace {

using ::testing::HasSubstr;

class Plans : public ::testing::Test {
 protected:
  ~Plans() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("ligament-plans-" + std::to_string(::getpid()));
};

TEST_F(Plans, AnUnfitExportIsRefusedWithTheReason) {
  const std::string path = (root_ / "export.json").string();
  for (const auto& [written, said] :
       {std::pair{"{", "parse error"}, std::pair{R"({"schema": "ligament/export/2"})", "schema"},
        std::pair{"[]", "is no export.json"}}) {
    write(path, written);
    const auto plan = fpga_uio::read_plan(path);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::artefact_invalid);
    EXPECT_THAT(plan.error().text, HasSubstr(said));
  }
}

/// An export.json that can be driven, but for one text in it.
std::string export_with(const std::string& from, const std::string& to) {
  std::string text = R"({"schema": "ligament/export/1", "graph": "g", "device": "fpga0",
 "identity": "0x1", "pages": {"count": 256, "bytes": 4096}, "ends": [{"number": 0}],
 "settings": [{"name": "resets", "address": "0x11000"}],
 "values": [{"name": "a_in.messages", "address": "0x12000"},
            {"name": "a_out.messages", "address": "0x12008"},
            {"name": "a_out.problem", "address": "0x12010"},
            {"name": "a_out.refusal", "address": "0x12018"}],
 "streams": [
  {"name": "a_in", "node": "/a", "port": "in", "direction": "in", "message": "m", "bytes": 64,
   "end": 0},
  {"name": "a_out", "node": "/a", "port": "out", "direction": "out", "message": "m", "bytes": 65,
   "end": 0}]})";
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Plans, EachThingThatCannotBeDrivenIsRefusedWithItsReason) {
  const std::string path = (root_ / "export.json").string();
  write(path, export_with("0x1\"", "0x1\""));
  const auto good = fpga_uio::read_plan(path);
  ASSERT_TRUE(good) << good.error().text;
  EXPECT_EQ(good->streams.size(), 2U);
  const struct {
    const char* from;
    const char* to;
    const char* said;
  } cases[] = {
      {"\"0x1\"", "\"0x1g\"", "'0x1g' is no number"},
      {"\"0x1\"", "17", "must be string"},
      {R"("settings": [{"name": "resets", "address": "0x11000"}])", R"("settings": [])",
       "impossible counts of registers or ends"},
      {R"("ends": [{"number": 0}])", R"("ends": [])", "impossible counts of registers or ends"},
      {"\"bytes\": 4096", "\"bytes\": 4095", "an impossible table of pages"},
      {"\"bytes\": 4096", "\"bytes\": 4194304", "an impossible table of pages"},
      {"\"count\": 256", "\"count\": 65537", "an impossible table of pages"},
      {"0x12008", "0x12010", "the register 'a_out.messages' is not at its place"},
      {"a_out.problem", "other", "it has no register 'a_out.problem'"},
      {"\"bytes\": 64", "\"bytes\": 0", "the stream 'a_in' has messages of no possible length"},
      {"\"bytes\": 64", "\"bytes\": 2147483649", "messages of no possible length"},
      {"\"bytes\": 65,\n   \"end\": 0", "\"bytes\": 65,\n   \"end\": 1",
       "'a_out' is at an end that the design has not"},
      {"\"bytes\": 65,\n   \"end\": 0", "\"bytes\": 65,\n   \"end\": 4294967296",
       "at an end that the design has not"},
      {"\"out\", \"direction\": \"out\"", "\"out\", \"direction\": \"in\"", "share an end"},
      {"\"bytes\": 65,\n   \"end\": 0", "\"bytes\": 65,\n   \"topic\": \"/t\"",
       "it has no register '/t.frames'"},
      {"\"direction\": \"in\"", "\"direction\": \"in\", \"unfit\": \"services (add)\"",
       "this driver has no services (add)"},
      {"\"streams\"", "\"rivers\"", "an earlier version of Ligament exported it"},
      {"a_in\", \"node\": \"/a\"", "a_in\", \"node\": \"/b\"", "the node '/a' has no input"},
  };
  for (const auto& [from, to, said] : cases) {
    write(path, export_with(from, to));
    const auto plan = fpga_uio::read_plan(path);
    ASSERT_FALSE(plan) << to;
    EXPECT_EQ(plan.error().code, ErrorCode::artefact_invalid) << to;
    EXPECT_THAT(plan.error().text, HasSubstr(said)) << to;
  }
  // Nothing sets off a design whose only input is a topic on the chip.
  std::string chip = export_with("\"bytes\": 64,\n   \"end\": 0",
                                 "\"bytes\": 64,\n   \"topic\": \"/t\", \"subscription\": 0");
  chip.replace(chip.find("a_out.refusal\", \"address\": \"0x12018\"}"), 37,
               "a_out.refusal\", \"address\": \"0x12018\"}, {\"name\": \"/t.frames\", \"address\": "
               "\"0x12020\"}, {\"name\": \"/t.drops.0\", \"address\": \"0x12028\"}");
  write(path, chip);
  const auto plan = fpga_uio::read_plan(path);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().text, HasSubstr("nothing sets it off"));
}

}  // namespace
}  // namespace ligament::device
