// DataBroadcast.cpp: an axis of unknown extent is gathered: every element, or the only one as often as it
// takes.
#include "frameworks/onnx/DataBroadcast.h"

#include "frameworks/onnx/Formula.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr unsigned kMaxArithmetic = 8; // ops between an extent and what is read back

/// Whether a number that is read back when the program runs takes part in the extent.
bool isFromData(Extent extent, unsigned depth = 0) {
  auto value = dyn_cast_if_present<Value>(extent);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || depth == kMaxArithmetic)
    return false;
  return isa<tensor::ExtractOp>(op) ||
         (isa<arith::ArithDialect>(op->getDialect()) &&
          llvm::any_of(op->getOperands(), [&](Value operand) { return isFromData(operand, depth + 1); }));
}

/// Whether the extent is only known when the program runs and may be 1 by chance: it comes from data, or is
/// what a Reshape's -1 leaves. Extents of the model's inputs are taken for what they are at every shape.
bool mayBeOne(Extent extent) {
  auto value = dyn_cast_if_present<Value>(extent);
  return isFromData(extent) || (value && value.getDefiningOp<arith::DivSIOp>());
}

/// Extents of the operands that have axis `back`, counted from the last one; null for the others.
Extents extentsAt(KilnBuilder &build, ArrayRef<Value> operands, int64_t back) {
  return llvm::map_to_vector(operands, [&](Value operand) {
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    return back < rank ? build.dim(operand, rank - 1 - back) : Extent();
  });
}

/// `x` with the extent `common` along `axis` where its own, `extent`, is 1.
Value withExtent(Formula &f, Value x, int64_t axis, Extent extent, Extent common) {
  IndexMath &math = f.build.math();
  Extent isOne = math.compare(arith::CmpIPredicate::eq, extent, math.constant(1));
  Extent step = math.select(isOne, math.constant(0), math.constant(1));
  Value indices = f.mul(f.iota(f.i64(), {math.select(isOne, common, extent)}, 0), f.scalarOf(step));
  return f.make<GatherOp>({x, indices}, f.build.integer("axis", axis));
}

} // namespace

Status broadcastByData(Node &node, MutableArrayRef<Value> operands, int64_t trailing) {
  Formula f(node);
  IndexMath &math = f.build.math();
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, f.rank(operand));
  for (int64_t back = trailing; back < rank && f.ok(); ++back) {
    Extents extents = extentsAt(f.build, operands, back);
    if (llvm::none_of(extents, mayBeOne))
      continue;
    // The extent that is not 1: a known one if there is one, else the first that proves not to be.
    Extent common;
    bool differ = false;
    for (Extent extent : extents) {
      if (!extent || IndexMath::isKnown(extent, 1) || extent == common)
        continue;
      differ |= bool(common);
      if (!common || IndexMath::known(extent))
        common = extent;
      else if (!IndexMath::known(common))
        common =
            math.select(math.compare(arith::CmpIPredicate::eq, common, math.constant(1)), extent, common);
    }
    if (!differ)
      continue;
    for (auto [operand, extent] : llvm::zip_equal(operands, extents))
      if (mayBeOne(extent))
        operand = withExtent(f, operand, f.rank(operand) - 1 - back, extent, common);
  }
  return f.status();
}

} // namespace kiln::onnx
