// RulesTest.cpp: what the suite takes for a refusal, and what it reads of a backend's expectations.
#include "tests/conformance/Expectations.h"
#include "tests/conformance/Refusal.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <cstdio>
#include <fstream>

namespace kiln::conformance {
namespace {

using ::kiln::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RefusalTest, TheOpsOfAKernelAreFoundOnce) {
  EXPECT_THAT(opsOf("%y = kiln.exp %x : t\n%z = kiln.max_pool %y\n%u = kiln.exp %z\nreturn %u"),
              ElementsAre("kiln.exp", "kiln.max_pool"));
  EXPECT_THAT(opsOf("kiln.iota"), ElementsAre("kiln.iota"));
}

TEST(RefusalTest, ARefusalNamesAnOpOfTheKernelWithItsDialect) {
  EXPECT_TRUE(
      namesAnOp("max.mlir:2:8: 'kiln.max' on f64, which the device has not", {"kiln.add", "kiln.max"}));
  EXPECT_FALSE(namesAnOp("launch 'max_4x7xf64' (max_f64:2:8): f64 is not supported", {"kiln.max"}));
  EXPECT_FALSE(namesAnOp("'kiln.max_pool' on f64", {"kiln.max"})) << "another op";
  EXPECT_FALSE(namesAnOp("'kiln.' is a prefix", {"kiln.max"}));
  EXPECT_FALSE(namesAnOp("", {"kiln.max"}));
}

Result<Expectations> load(const char *text) {
  std::string path = ::testing::TempDir() + "/rules.conformance.json";
  std::ofstream(path) << text;
  Result<Expectations> result = Expectations::load(path);
  std::remove(path.c_str());
  return result;
}

TEST(ExpectationsTest, PatternsGiveTheirReasons) {
  ASSERT_OK_AND_ASSIGN(Expectations rules, load(R"({"unsupported": {"MemoryTest.Import*": "no host memory"},
                                                   "expected_failures": {"EventTest.Waits": "issue 12"}})"));
  EXPECT_EQ(rules.whyUnsupported("MemoryTest.ImportTwice"), "no host memory");
  EXPECT_EQ(rules.whyUnsupported("MemoryTest.Maps"), "");
  EXPECT_EQ(rules.whyFailing("EventTest.Waits"), "issue 12");
  EXPECT_EQ(rules.whyFailing("MemoryTest.ImportTwice"), "");
}

TEST(ExpectationsTest, MalformedFilesAreRefusedByName) {
  EXPECT_THAT(load("[]"), StatusIs(Code::InvalidArgument, HasSubstr("not a JSON object")));
  EXPECT_THAT(load("{"), StatusIs(Code::InvalidArgument, HasSubstr("not a JSON object")));
  EXPECT_THAT(load(R"({"unsuported": {}})"),
              StatusIs(Code::InvalidArgument, HasSubstr("'unsuported'; expected")));
  EXPECT_THAT(load(R"({"unsupported": {"A.B": ""}})"),
              StatusIs(Code::InvalidArgument, HasSubstr("/unsupported/A.B: expected a reason")));
  EXPECT_THAT(Expectations::load("/nowhere.json"),
              StatusIs(Code::NotFound, HasSubstr("/nowhere.json: cannot be read")));
}

} // namespace
} // namespace kiln::conformance
