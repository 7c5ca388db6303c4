// KilnDialect.cpp: registers the dialect; type compatibility, broadcasting and counters that all families
// use.
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace kiln {

/// The counters of one context.
struct CounterTable {
  std::mutex mutex;
  std::map<std::string, uint64_t, std::less<>> counts;
};

void KilnDialect::initialize() {
  counterTable = std::make_shared<CounterTable>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/IR/KilnAttrs.cpp.inc"
      >();
  registerKilnDialectOperations(this);
}

void KilnDialect::count(llvm::StringRef counter) {
  std::lock_guard lock(counterTable->mutex);
  auto &counts = counterTable->counts;
  auto it = counts.find(std::string_view(counter));
  if (it == counts.end())
    it = counts.emplace(counter.str(), 0).first;
  ++it->second;
}

std::vector<std::pair<std::string, uint64_t>> KilnDialect::counters() const {
  std::lock_guard lock(counterTable->mutex);
  return {counterTable->counts.begin(), counterTable->counts.end()};
}

Operation *KilnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value); elements && isa<RankedTensorType>(type))
    return builder.create<ConstantOp>(loc, type, elements);
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool compatibleTypes(TypeRange lhs, TypeRange rhs) {
  return llvm::equal(lhs, rhs, [](Type l, Type r) {
    return getElementTypeOrSelf(l) == getElementTypeOrSelf(r) && succeeded(verifyCompatibleShape(l, r));
  });
}

FailureOr<SmallVector<int64_t>> broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes)
    for (auto [i, extent] : llvm::enumerate(shape)) {
      int64_t &known = result[rank - shape.size() + i];
      if (extent == 1 || extent == known)
        continue;
      if (known == 1 || known == ShapedType::kDynamic)
        // A dynamic extent beside a static one must be that or 1: the static one wins.
        known = (known == 1 || extent != ShapedType::kDynamic) ? extent : known;
      else if (extent != ShapedType::kDynamic)
        return failure();
    }
  return result;
}

} // namespace kiln

#include "kiln/IR/KilnDialect.cpp.inc"
#include "kiln/IR/KilnEnums.cpp.inc"
#include "kiln/IR/KilnInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/IR/KilnAttrs.cpp.inc"
