// LaunchNames.h: what people call a launch: names and locations of the model's nodes in it.
#ifndef KILN_JIT_LAUNCHNAMES_H
#define KILN_JIT_LAUNCHNAMES_H

#include "kiln/IR/Kiln.h"

#include <string>
#include <vector>

namespace kiln::jit {

/// "conv_12+relu_3": the nodes that importers name (NameLoc "model.onnx: node 'conv_12' (Conv)"), else the
/// kernel.
std::string launchName(LaunchOp launch);
/// The locations of the kernel's ops, by op number.
std::vector<std::string> opLocations(LaunchOp launch);

} // namespace kiln::jit
#endif // KILN_JIT_LAUNCHNAMES_H
