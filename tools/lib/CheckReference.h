// CheckReference.h: results of a device against the reference, each element within the error that it may
// have.
#ifndef KILN_TOOLS_LIB_CHECKREFERENCE_H
#define KILN_TOOLS_LIB_CHECKREFERENCE_H

#include "tools/lib/HostTensor.h"
#include "tools/lib/KilnApi.h"

#include <optional>

namespace kiln::tools {

/// One result as it should be.
struct ReferenceTensor {
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::vector<double> values;    // of floats
  std::vector<int64_t> integers; // of all else; u64: the same bits
  std::vector<double> errors;    // empty: 0
};

/// The model's results by the definitions of its ops. Errors as kiln_model_reference.
Result<std::vector<ReferenceTensor>> referenceResults(KilnModel *model,
                                                      const std::vector<KilnTensor> &inputs);

/// "" if every element of `got` is within its error, `atol` and `rtol`; else what is worst. NaN equals NaN,
/// infinities match by sign.
std::string differenceFrom(const ReferenceTensor &want, const HostTensor &got, double atol, double rtol);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_CHECKREFERENCE_H
