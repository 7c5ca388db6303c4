// KernelCases.h: kernels of the kiln dialect with their naive references in double.
#ifndef KILN_TESTS_CONFORMANCE_KERNELCASES_H
#define KILN_TESTS_CONFORMANCE_KERNELCASES_H

#include "tools/lib/HostTensor.h"

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace kiln::conformance {

/// A tensor as the references see it: row-major doubles that the element type can represent.
struct Numbers {
  std::vector<int64_t> dims;
  std::vector<double> values;

  int64_t count() const;
  /// The value that numpy broadcasting finds for the row-major `index` of a result with extents `out`.
  double broadcast(const std::vector<int64_t> &out, int64_t index) const;
};

/// Random values in [low, high]; whole ones where the element type is an integer.
struct InputSpec {
  KilnDType dtype;
  double low, high;
};

/// One function @main, run with every set of extents (dynamic in its text, so that it is compiled for each
/// and once for all, as the runtime decides).
struct KernelCase {
  std::string name; // of the test
  std::string text;
  std::vector<InputSpec> inputs;
  std::vector<std::vector<std::vector<int64_t>>> shapes; // a set: the extents of every input
  KilnDType result;
  std::function<Numbers(const std::vector<Numbers> &)> reference;
  double toleranceScale = 1; // of the element type's; for sums of many terms
};
void PrintTo(const KernelCase &kernel, std::ostream *os);

/// |got - want| <= atol + rtol * |want|.
struct CaseTolerance {
  double atol, rtol;
};
CaseTolerance toleranceFor(KilnDType dtype, double scale);

std::vector<KernelCase> elementwiseCases();
std::vector<KernelCase> structuredCases();

// For writing cases.
std::string dynamicType(KilnDType dtype, size_t rank); // "tensor<?x?xf32>"
int64_t product(const std::vector<int64_t> &dims);
std::vector<int64_t> broadcastDims(const std::vector<int64_t> &a, const std::vector<int64_t> &b);

} // namespace kiln::conformance
#endif // KILN_TESTS_CONFORMANCE_KERNELCASES_H
