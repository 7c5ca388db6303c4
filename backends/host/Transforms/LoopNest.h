// LoopNest.h: what the vector emitter knows of one structured op on buffers, and how it will run through its
// loops.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_LOOPNEST_H
#define KILN_BACKENDS_HOST_TRANSFORMS_LOOPNEST_H

#include "backends/host/Transforms/BodyLanes.h"

namespace kiln::host {

/// The registers of the machine as the planner sees them; options of the vectorize pass.
struct VectorTarget {
  unsigned vectorBits = 256;
  unsigned registers = 16;
  bool maskWords = false, maskBytes = false;
};

/// How an operand's address moves when one loop advances.
enum class Step { None, Unit, Strided };

/// One operand of a nest: a strided memref read or written through an affine map, or a scalar.
struct NestOperand {
  mlir::Value value;
  mlir::MemRefType type; // null: a scalar
  mlir::AffineMap map;
  llvm::SmallVector<Step> steps;      // by loop
  llvm::SmallVector<int64_t> strides; // elements by loop; dynamic if not known
  bool isDenseInside = false;         // the last dimension's elements are neighbours

  /// A stride of a few elements: vectors of such elements are shuffled out of contiguous ones.
  std::optional<int64_t> smallStride(unsigned loop) const {
    constexpr int64_t most = 4; // beyond, single loads are as fast
    bool is = isDenseInside && steps[loop] == Step::Strided && strides[loop] >= 2 && strides[loop] <= most;
    return is ? std::optional(strides[loop]) : std::nullopt;
  }
};

/// How one output is written.
struct NestOutput {
  unsigned operand;                    // index into LoopNest::operands
  bool accumulates = false;            // it depends on no reduction loop: kept in registers over them
  bool readsOld = false;               // its old value is used
  mlir::Operation *combiner = nullptr; // the op that folds a new value into it, if there is one known
};

/// A sum of products of 16-bit numbers whose factors lie in pairs along the sum, so that one instruction
/// (pmaddwd) multiplies and adds the two of each lane.
struct PairProduct {
  unsigned loop;         // the reduction loop inside a pair
  unsigned vectorLoop;   // that along which results and the pairs of one factor are neighbours
  unsigned single, many; // operand numbers: the factor with one pair for all lanes, that with one a lane

  static std::optional<PairProduct> match(const struct LoopNest &nest);
};

/// A linalg.generic on buffers, analysed. Refers to the op: valid while it lives.
struct LoopNest {
  mutable mlir::linalg::GenericOp op; // a handle; its accessors are not const
  llvm::SmallVector<bool> isReduction;
  llvm::SmallVector<int64_t> extents; // dynamic: ShapedType::kDynamic
  llvm::SmallVector<NestOperand> operands;
  llvm::SmallVector<NestOutput> outputs;
  bool vectorizable = false; // every op of the body works on vectors
  unsigned bodyOps = 0;      // weighted: a math function counts as many
  unsigned elementBits = 0;  // widest element in the body
  std::optional<PairProduct> pairs;

  /// Fails if an operand is neither a strided memref nor a scalar.
  static mlir::FailureOr<LoopNest> analyse(mlir::linalg::GenericOp op);
  size_t loops() const { return extents.size(); }
  bool hasReduction() const { return llvm::is_contained(isReduction, true); }
  /// What the body's values are in consecutive iterations of `loop`.
  BodyLanes lanesAlong(unsigned loop) const;
};

/// The order of the loops and how far each is unrolled.
struct NestPlan {
  llvm::SmallVector<unsigned> parallel, reduction; // outer to inner; the vector loop is the last of its list
  std::optional<unsigned> vectorLoop;              // none: scalar code
  unsigned lanes = 1;
  unsigned unroll = 1;             // vectors of the vector loop at once
  std::optional<unsigned> jamLoop; // a parallel loop whose iterations run side by side
  unsigned jam = 1;
  unsigned reductionUnroll = 1; // steps of the innermost reduction loop at once
  bool transposes = false; // jamLoop is the unit-stride loop of operands that are strided in the vector loop
  bool interleaves =
      false;          // jamLoop is all of the unit-stride loop of outputs that are strided in the vector loop
  bool pairs = false; // the nest's product runs pair by pair: its loop inside a pair is in no list
  bool maskTail = false; // the rest of the vector loop is one masked step, else scalar steps

  static NestPlan make(const LoopNest &nest, const VectorTarget &target);
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_LOOPNEST_H
