// Expectations.h: what a backend declares about the suite: tests that it cannot run, and tests known to fail.
#ifndef KILN_TESTS_CONFORMANCE_EXPECTATIONS_H
#define KILN_TESTS_CONFORMANCE_EXPECTATIONS_H

#include "kiln/Status.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::conformance {

/// Read from NAME.conformance.json beside the manifest, or from the file that --expectations names:
///   {"unsupported":       {"MemoryTest.Import*": "memory is not the host's"},
///    "expected_failures": {"EventTest.WaitsAcrossQueues": "issue 41: events are per queue"}}
/// Keys are globs on SUITE.TEST, values the reasons. Immutable once read.
class Expectations {
public:
  /// InvalidArgument names the file and what is wrong with it.
  static Result<Expectations> load(const std::string &path);
  Expectations() = default; // nothing declared

  /// The reason why the test cannot run; "" if it can.
  std::string whyUnsupported(std::string_view test) const { return find(unsupported, test); }
  /// The reason why it is known to fail; "" if it is not.
  std::string whyFailing(std::string_view test) const { return find(failing, test); }

private:
  using Rules = std::vector<std::pair<std::string, std::string>>;
  static std::string find(const Rules &rules, std::string_view test);
  Rules unsupported, failing;
};

} // namespace kiln::conformance
#endif // KILN_TESTS_CONFORMANCE_EXPECTATIONS_H
