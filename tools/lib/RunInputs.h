// RunInputs.h: the inputs of a run, from --input, --inputs and the model's own declaration.
#ifndef KILN_TOOLS_LIB_RUNINPUTS_H
#define KILN_TOOLS_LIB_RUNINPUTS_H

#include "tools/lib/Flags.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/KilnApi.h"

#include <iosfwd>

namespace kiln::tools {

/// Collects what the flags give. A model with inputs that is given none gets random ones, dynamic extents 1,
/// and a note on `err`. Unknown or missing names are left to kiln_session_run, which knows the model.
Result<std::vector<HostTensor>> collectInputs(const ParsedFlags &flags, KilnModel *model, std::ostream &err);

/// Views of `tensors` for the C API; they must outlive the result.
std::vector<KilnTensor> viewTensors(std::vector<HostTensor> &tensors);

/// A copy of a tensor that lies in host memory.
HostTensor copyTensor(const KilnTensor &tensor);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_RUNINPUTS_H
