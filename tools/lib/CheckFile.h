// CheckFile.h: kernel tests: runs the functions of .mlir files on a device and judges what they give.
#ifndef KILN_TOOLS_LIB_CHECKFILE_H
#define KILN_TOOLS_LIB_CHECKFILE_H

#include "tools/lib/CheckReport.h"
#include "tools/lib/KernelTest.h"
#include "tools/lib/KilnApi.h"

#include <iosfwd>

namespace kiln::tools {

struct CheckOptions {
  std::string function; // one function or variant; "": all
  std::string filter;   // a part of "FILE:FUNCTION"; "": all
  std::string testCase; // instead of the functions' own cases; "": those
  uint64_t seed = 0;
  uint64_t timeoutNs = 0; // of a case; 0: none
  bool full = false;      // cases marked `full` too
  bool sample = false;    // all cases in a function's first element type, one in each other; not if full
};

/// Runs tests on one session. Not thread-safe.
class CheckRunner {
public:
  CheckRunner(KilnInstance *instance, KilnSession *session, CheckOptions options);

  /// The .mlir files of a path: itself, or those below a folder, by name. NotFound: none.
  static Result<std::vector<std::string>> files(const std::string &path);
  /// Runs a file's functions. What goes wrong with one of them is a result; Errors: the file cannot be read
  /// or parsed, it has no function, or not the one asked for.
  Status runFile(const std::string &path, std::ostream &out);

  const CheckReport &report() const { return theReport; }

private:
  struct Function;
  /// `variant`: which of the function's element types it is.
  void runFunction(const std::string &path, const std::string &name, size_t variant, std::ostream &out);
  std::vector<TestCase> chosenCases(const KernelTest &test, size_t variant) const;
  CheckResult runCase(const Function &function, const TestCase &testCase);
  Status judge(const Function &function, const TestCase &testCase, KilnRun *run,
               const std::vector<KilnTensor> &inputs, CheckResult &result);
  std::string deviceType() const; // "host" of "host:0"
  void findSmallest(const Function &function, const TestCase &failing, CheckResult &result);
  void add(CheckResult result, std::ostream &out);

  KilnInstance *const instance;
  KilnSession *const session;
  const CheckOptions options;
  bool computesNothing = false, simulatesTime = false;
  CheckReport theReport;
};

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_CHECKFILE_H
