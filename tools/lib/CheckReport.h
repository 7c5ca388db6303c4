// CheckReport.h: the outcome of kernel tests, for people, as JSON and as JUnit's XML.
#ifndef KILN_TOOLS_LIB_CHECKREPORT_H
#define KILN_TOOLS_LIB_CHECKREPORT_H

#include <iosfwd>
#include <string>
#include <vector>

namespace kiln::tools {

/// One case of one function.
struct CheckResult {
  enum class Outcome {
    Passed,
    Failed,
    Refused,  // the device has no lowering for it: said before the first launch, by name
    Unjudged, // it ran, on a device that computes nothing
  } outcome = Outcome::Passed;
  std::string file, function, testCase; // testCase: "M=5 N=67"; "" if the function has one
  std::string message;                  // why it failed or was refused
  std::string smallest;                 // the smallest case that still fails; "" if it was not looked for
  size_t checks = 0;
  double seconds = 0;
  bool isMismatch = false; // it ran, with a wrong result
};

/// All results of a run on one device. A value.
struct CheckReport {
  std::string device;
  std::vector<CheckResult> results;
  size_t functions = 0;

  size_t count(CheckResult::Outcome outcome) const;
  size_t checks() const;
};

/// A line for each case that failed or was refused, then how to run it alone.
void printCheckResult(const CheckResult &result, const std::string &device, std::ostream &out);
/// "12 functions, 60 cases, 118 checks on host:0: 60 passed, 0 failed".
void printCheckSummary(const CheckReport &report, std::ostream &out);
void printCheckJson(const CheckReport &report, std::ostream &out);
/// One <testsuite> a file, one <testcase> a case; what is refused or unjudged counts as skipped.
void writeJUnit(const CheckReport &report, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_CHECKREPORT_H
