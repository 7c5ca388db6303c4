// KernelTest.h: what a function's kiln.test attribute says: inputs, cases, expectations.
#ifndef KILN_TOOLS_LIB_KERNELTEST_H
#define KILN_TOOLS_LIB_KERNELTEST_H

#include "tools/lib/HostTensor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln::tools {

/// How an input's elements are made.
struct TestData {
  enum class Kind {
    Uniform,  // from low to high
    Iota,     // 0, 1, 2 ...
    Distinct, // every value once, shuffled
    Bits,     // any finite bit pattern
  } kind = Kind::Uniform;
  std::optional<double> low, high; // Uniform; else by type
};

/// One extent of an input: a number, or the name of a variable of the cases.
struct TestExtent {
  int64_t number = 0;
  std::string name; // "": it is a number
};

/// "MxNx3 uniform -1 1": an input's shape and data.
struct TestInput {
  std::vector<TestExtent> extents;
  TestData data;
};

/// "M=5 N=67 specials": values of the variables, and what is special.
struct TestCase {
  std::map<std::string, int64_t> variables;
  bool specials = false; // NaN, infinities, zeros, denormals, extremes among the data
  bool full = false;     // runs under KILN_TEST_FULL only
  uint64_t seed = 0;
  /// As it is written.
  std::string text() const;
};

struct KernelTest {
  std::vector<TestInput> inputs;    // by position; those beyond have the extents that the function declares
  std::vector<TestCase> cases;      // at least one
  size_t resultCount = 0;           // results of the function, compared with the reference
  std::string error;                // a part of the error that is expected; "": none is
  std::optional<double> atol, rtol; // on top of what the reference allows
  std::map<std::string, uint64_t> cycles; // by device type, with deterministic time: what a run takes

  /// Parses the attribute as kiln_model_test gives it. InvalidArgument quotes the entry that is wrong.
  static Result<KernelTest> parse(const std::string &json);
};

Result<TestInput> parseTestInput(const std::string &text);
Result<TestCase> parseTestCase(const std::string &text);

/// The extents of an input in a case. InvalidArgument: a variable that the case does not set.
Result<std::vector<int64_t>> extentsOf(const TestInput &input, const TestCase &testCase);

/// Fills a tensor: the same name, seed and shape give the same elements everywhere.
void fillTestData(HostTensor &tensor, const TestData &data, bool specials, uint64_t seed);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_KERNELTEST_H
