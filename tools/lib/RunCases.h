// RunCases.h: what jit-run runs: one set of inputs, one a shape of --shape, or one a data set of an ONNX test
// case.
#ifndef KILN_TOOLS_LIB_RUNCASES_H
#define KILN_TOOLS_LIB_RUNCASES_H

#include "tools/lib/Flags.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/ShapeFlag.h"

#include <iosfwd>

namespace kiln::tools {

/// One run. A tensor without a name goes by position.
struct RunCase {
  std::string label; // "test_data_set_0", "x=3x4"; "" if there is one case
  std::vector<HostTensor> inputs, expected;
};

/// MODEL of the command line: a file, or a folder as ONNX's test cases are: model.onnx and test_data_set_N
/// with input_K.pb and output_K.pb.
struct ModelOperand {
  std::string file;
  std::vector<std::string> dataSets; // folders, by N
};
/// NotFound, InvalidArgument: no such file, a folder without model.onnx.
Result<ModelOperand> resolveModelOperand(const std::string &path);

/// The tensors of an .npz, or of a folder's PREFIX_K.pb files by position. InvalidArgument: a gap in K, no
/// tensor.
Result<std::vector<HostTensor>> readTensors(const std::string &path, const std::string &prefix);

/// The cases that flags and model ask for. A model with inputs that is given none gets random ones, and a
/// note on `err`; --shape decides their extents, else dynamic ones are 1. Wrong names are left to
/// kiln_session_run.
Result<std::vector<RunCase>> collectCases(const ParsedFlags &flags, const ShapeFlags &shapes,
                                          const ModelOperand &operand, KilnModel *model, std::ostream &err);

/// Views of `tensors` for the C API; they must outlive the result.
std::vector<KilnTensor> viewTensors(std::vector<HostTensor> &tensors);

/// A copy of a tensor that lies in host memory.
HostTensor copyTensor(const KilnTensor &tensor);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_RUNCASES_H
