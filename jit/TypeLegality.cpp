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

struct Finding {
  Location first;
  size_t count = 0;
};
} // namespace

Status kiln::jit::checkElementTypes(ModuleOp module, const Target &target) {
  if (target.storageTypes == 0)
    return {};
  llvm::MapVector<std::pair<StringRef, Type>, Finding> found;
  // Counts the first of an op's types that the target does not hold; false if it holds all.
  auto count = [&](Operation *op, auto &&types) {
    auto it = llvm::find_if(types, [&](Type type) { return !isHeld(type, target.storageTypes); });
    if (it == types.end())
      return false;
    auto key = std::pair(op->getName().getStringRef(), getElementTypeOrSelf(*it));
    ++found.try_emplace(key, Finding{op->getLoc()}).first->second.count;
    return true;
  };
  for (auto kernel : module.getOps<KernelOp>()) {
    bool counted = false;
    kernel.getBody().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>())
        counted |= count(op, op->getOperandTypes()) || count(op, op->getResultTypes());
    });
    if (!counted) // a kernel that only passes values on
      count(kernel, kernel.getArgumentTypes());
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
