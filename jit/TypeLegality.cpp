// TypeLegality.cpp: one message for all ops of a model whose element types the target's table excludes.
#include "jit/TypeLegality.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "kiln/IR/Kiln.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
bool isHeld(Type type, uint64_t held) {
  KilnDType dtype = elementDType(getElementTypeOrSelf(type));
  return dtype == KILN_DTYPE_INVALID || (held & KILN_TYPE_BIT(dtype)) != 0; // indices are no elements
}

/// The first type that the target does not hold; null if it holds all.
Type findForeign(Operation *op, uint64_t held) {
  auto foreign = [&](Type type) { return !isHeld(type, held); };
  if (auto kernel = dyn_cast<KernelOp>(op)) { // one that only passes values on
    auto types = kernel.getArgumentTypes();
    auto it = llvm::find_if(types, foreign);
    return it == types.end() ? Type() : *it;
  }
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    if (auto it = llvm::find_if(types, foreign); it != types.end())
      return *it;
  return {};
}

struct Finding {
  Location first;
  size_t count = 0;
};
} // namespace

Status kiln::jit::checkElementTypes(ModuleOp module, const Target &target) {
  if (target.storageTypes == 0)
    return {};
  llvm::MapVector<std::pair<StringRef, Type>, Finding> found;
  for (auto kernel : module.getOps<KernelOp>()) {
    size_t before = found.size();
    kernel.getBody().walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>())
        return;
      if (Type type = findForeign(op, target.storageTypes)) {
        auto key = std::pair(op->getName().getStringRef(), getElementTypeOrSelf(type));
        ++found.try_emplace(key, Finding{op->getLoc()}).first->second.count;
      }
    });
    if (Type type = found.size() == before ? findForeign(kernel, target.storageTypes) : Type())
      ++found
            .try_emplace(std::pair(kernel->getName().getStringRef(), getElementTypeOrSelf(type)),
                         Finding{kernel->getLoc()})
            .first->second.count;
  }
  if (found.empty())
    return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << target.deviceType << "' has no elements of these types: ";
  llvm::ListSeparator separator("; ");
  for (const auto &[key, finding] : found) {
    stream << separator << "'" << key.first << "' on '" << key.second << "' (" << locationText(finding.first);
    if (finding.count > 1)
      stream << ", and " << finding.count - 1 << " more";
    stream << ")";
  }
  return unimplemented(text);
}
