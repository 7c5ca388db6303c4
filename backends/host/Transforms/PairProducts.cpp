// PairProducts.cpp: the innermost code of sums of products of 16-bit numbers: pairs of them by pmaddwd, whose
// sums in i32 are exact (as wraparound is).
#include "backends/host/Transforms/Contraction.h"
#include "backends/host/Transforms/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::host {

std::optional<PairProduct> PairProduct::match(const LoopNest &nest) {
  if (!isSumOfShortProducts(cast<linalg::LinalgOp>(nest.op.getOperation())) || nest.operands.size() != 3 ||
      !llvm::all_of(nest.operands, [](const NestOperand &operand) { return operand.isDenseInside; }))
    return std::nullopt;
  for (unsigned loop = 0; loop < nest.loops(); ++loop) {
    if (!nest.isReduction[loop] || nest.extents[loop] != 2 || nest.operands[0].steps[loop] != Step::Unit ||
        nest.operands[1].steps[loop] != Step::Unit)
      continue;
    for (unsigned columns = 0; columns < nest.loops(); ++columns)
      for (unsigned many : {0u, 1u})
        if (!nest.isReduction[columns] && nest.operands[2].steps[columns] == Step::Unit &&
            nest.operands[many].strides[columns] == 2 && nest.operands[1 - many].steps[columns] == Step::None)
          return PairProduct{loop, columns, 1 - many, many};
  }
  return std::nullopt;
}

/// The pairs that the lanes multiply, as i16: one a lane, or one for all of them.
Value NestEmitter::loadPairs(unsigned index, unsigned jam, unsigned vector) {
  const NestOperand &operand = nest.operands[index];
  bool isSingle = index == nest.pairs->single;
  bool byJam = plan.jamLoop && operand.map.isFunctionOfDim(*plan.jamLoop);
  Value &pairs = loaded[{index, byJam ? jam : 0, isSingle ? 0 : vector}];
  if (pairs)
    return pairs;
  pairs = loadVector(operand, isSingle ? 2 : 2 * lanes, indices(operand, jam, vector));
  auto type = cast<VectorType>(pairs.getType());
  VectorType shorts = type.clone(builder.getI16Type());
  if (type != shorts) {
    Operation *widening = *nest.op.getBody()->getArgument(index).user_begin();
    pairs = isa<arith::ExtUIOp>(widening) ? builder.create<arith::ExtUIOp>(shorts, pairs).getResult()
                                          : builder.create<arith::ExtSIOp>(shorts, pairs).getResult();
  }
  if (isSingle && lanes > 1) {
    Type i32 = builder.getI32Type();
    Value pair = builder.create<vector::BitCastOp>(VectorType::get({1}, i32), pairs);
    pair = builder.create<vector::BroadcastOp>(vectorOf(i32), builder.create<vector::ExtractOp>(pair, 0));
    pairs = builder.create<vector::BitCastOp>(VectorType::get({2 * lanes}, shorts.getElementType()), pair);
  }
  return pairs;
}

NestEmitter::Values NestEmitter::evaluatePairs(Values accumulators) {
  auto product = [&](Value a, Value b) -> Value {
    if (lanes == 1) {
      VectorType words = VectorType::get({2}, builder.getI32Type());
      Value both = builder.create<arith::MulIOp>(builder.create<arith::ExtSIOp>(words, a),
                                                 builder.create<arith::ExtSIOp>(words, b));
      return builder.create<vector::ReductionOp>(vector::CombiningKind::ADD, both);
    }
    StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
    return builder.create<LLVM::CallIntrinsicOp>(vectorOf(builder.getI32Type()), name, ValueRange{a, b})
        .getResults();
  };
  base[nest.pairs->loop] = constantIndex(0);
  for (unsigned jam = 0; jam < jamCount; ++jam)
    for (unsigned vector = 0; vector < vectorCount; ++vector) {
      Value sum =
          product(loadPairs(nest.pairs->single, jam, vector), loadPairs(nest.pairs->many, jam, vector));
      Value &accumulator = accumulators[jam * vectorCount + vector];
      accumulator = builder.create<arith::AddIOp>(accumulator, sum);
    }
  base[nest.pairs->loop] = nullptr;
  return accumulators;
}

} // namespace kiln::host
