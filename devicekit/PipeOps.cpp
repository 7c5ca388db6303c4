// PipeOps.cpp: the interfaces' generated code and the search for a machine.
#include "kiln/devicekit/PipeOps.h"

using namespace mlir;

#include "kiln/devicekit/PipeInterfaces.cpp.inc"

namespace kiln::devicekit {

const MachineInterface *findMachine(Operation *root) {
  const MachineInterface *machine = nullptr;
  root->walk([&](PipeOpInterface op) {
    machine = op->getDialect() ? op->getDialect()->getRegisteredInterface<MachineInterface>() : nullptr;
    return machine ? WalkResult::interrupt() : WalkResult::advance();
  });
  return machine;
}

std::optional<int64_t> staticBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  return (type.getNumElements() * type.getElementTypeBitWidth() + 7) / 8;
}

} // namespace kiln::devicekit
