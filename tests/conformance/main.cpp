// main.cpp: kiln-conformance: flags, the run, the verdict: expected failures count, an unexpected pass is a
// failure.
#include "tests/conformance/Harness.h"
#include "tools/lib/ToolMain.h"

#include <iostream>

namespace {

using namespace kiln;
using namespace kiln::conformance;
using kiln::tools::FlagSpec;
using Cat = kiln::tools::FlagCategory;
using Kind = kiln::tools::FlagKind;

// clang-format off
constexpr FlagSpec kFlags[] = {
    // name          value   default category    kind          repeats accepts, help
    {"device",       "NAME", "auto", Cat::Target, Kind::Text,   false, "TYPE[:ORDINAL] or auto", "device to test"},
    {"filter",       "GLOB", "*",    Cat::Run,    Kind::Text,   false, "SUITE.TEST with * and ?, separated by colons",
     "tests to run"},
    {"expectations", "FILE", "",     Cat::Check,  Kind::Text,   false, "a JSON file",
     "what the backend cannot do or is known to fail at, instead of NAME.conformance.json beside its manifest"},
    {"list",         "",     "",     Cat::Show,   Kind::Switch, false, "", "list the tests and exit"},
};
// clang-format on
constexpr std::string_view kExamples[] = {
    "kiln-conformance --device null",
    "KILN_BACKEND_PATH=build/lib/kiln/backends.d kiln-conformance --device toy"};
constexpr tools::EnvironmentEntry kEnvironment[] = {
    {"KILN_BACKEND_PATH", "more folders with backends, separated by colons"}};
const tools::ToolSpec kSpec = {
    "kiln-conformance",
    "",
    "",
    false,
    false,
    "Checks that a device does what kiln/backend.h promises and computes what the kiln dialect says",
    kExamples,
    kFlags,
    kEnvironment};

std::string nameOf(const ::testing::TestSuite &suite, const ::testing::TestInfo &test) {
  return std::string(suite.name()) + "." + test.name();
}

// Prints the summary; the exit code is about what the backend declared.
int verdict(std::ostream &out) {
  const ::testing::UnitTest &unit = *::testing::UnitTest::GetInstance();
  DeviceUnderTest &under = DeviceUnderTest::get();
  int failures = 0, expected = 0, passed = 0, skipped = 0;
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const ::testing::TestSuite &suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo &test = *suite.GetTestInfo(t);
      if (!test.should_run())
        continue;
      std::string reason = under.expectations().whyFailing(nameOf(suite, test));
      bool isFailed = test.result()->Failed();
      passed += test.result()->Passed();
      skipped += test.result()->Skipped();
      if (isFailed && !reason.empty()) {
        ++expected;
        out << "expected failure: " << nameOf(suite, test) << ": " << reason << "\n";
      } else if (isFailed || (!reason.empty() && test.result()->Passed())) {
        ++failures;
        out << (isFailed ? "failure: " : "unexpected pass: ") << nameOf(suite, test)
            << (reason.empty() ? "" : ": declared to fail: " + reason) << "\n";
      }
    }
  }
  for (const std::string &refusal : under.refusals)
    out << "refused: " << refusal << "\n";
  out << fmt::format(
      "conformance: {} checks, {} tests passed, {} skipped, {} refusals, {} expected failures, {} "
      "failures on {}\n",
      under.checks, passed, skipped, under.refusals.size(), expected, failures, under.device().name());
  if (under.checks == 0)
    out << "conformance: no check was executed\n";
  return failures || under.checks == 0 ? tools::kNo : tools::kYes;
}

Result<int> run(const tools::ParsedFlags &flags, std::ostream &out, std::ostream &) {
  ::testing::GTEST_FLAG(filter) = flags.text("filter");
  ::testing::GTEST_FLAG(list_tests) = flags.given("list");
  int argc = 1;
  char name[] = "kiln-conformance", *argv[] = {name, nullptr};
  ::testing::InitGoogleMock(&argc, argv);
  if (flags.given("list"))
    return RUN_ALL_TESTS() ? tools::kBug : tools::kYes;
  KILN_RETURN_IF_ERROR(DeviceUnderTest::get().open(flags.text("device"), flags.text("expectations")));
  (void)RUN_ALL_TESTS(); // failures that the backend declared do not count
  int code = verdict(out);
  DeviceUnderTest::get().close();
  return code;
}

} // namespace

int main(int argc, char **argv) { return tools::runTool(kSpec, argc, argv, std::cout, std::cerr, run); }
