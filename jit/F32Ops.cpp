// F32Ops.cpp: one rule a function; the order of the ops is that of the program.
#include "jit/F32Ops.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::jit {

namespace {

constexpr unsigned kWideBits = 16; // integers of so many bits hold numbers that f16 does not

bool holdsF32(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.getElementType().isF32();
}

bool movesElements(Operation *op) {
  return isa<ReshapeOp, TransposeOp, BroadcastOp, ReverseOp, SliceOp, ConcatOp, PadOp, GatherOp>(op);
}

/// Whether the op is made of sums and products, or keeps their relative errors.
bool addsAndMultiplies(Operation *op) {
  return movesElements(op) || isa<AddOp, SubOp, MulOp, DivOp, NegOp, AbsOp, MaxOp, MinOp, ClampOp, SqrtOp,
                                  PowOp, MatmulOp, ConvOp, ReduceOp, tensor::CastOp>(op);
}

} // namespace

APFloat narrowed(APFloat x, const llvm::fltSemantics &semantics) {
  bool isFinite = x.isFinite(), isNegative = x.isNegative(), losesInfo = false;
  x.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return isFinite && x.isInfinity() ? APFloat::getLargest(semantics, isNegative) : x;
}

F32Ops::F32Ops(func::FuncOp main, FloatType narrow) : semantics(narrow.getFloatSemantics()) {
  std::vector<Operation *> ops;
  main.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (hasTypesOfItsOwn(op) || meetsWideIntegers(op) || meetsVanishing(op))
      kept.insert(op);
  keepArithmeticOnWeights(ops);
  keepQuantized(ops);
  keepSpectra(main, ops);
}

bool F32Ops::takesF32(OpOperand &operand) {
  return isa<ResizeOp, BatchNormOp>(operand.getOwner()) && operand.getOperandNumber() > 0;
}

bool F32Ops::hasTypesOfItsOwn(Operation *op) const {
  if (isa<scf::SCFDialect>(op->getDialect()) ||
      isa<tensor::CastOp, tensor::EmptyOp, tensor::InsertSliceOp>(op))
    return false;
  if (!isa<KilnDialect>(op->getDialect()) ||
      isa<CheckCloseOp, CheckEqualOp, QuantizeOp, DequantizeOp, BitcastOp, CumulativeOp, NmsOp>(op) ||
      op->hasAttr("element")) // random numbers and iota
    return true;
  return isa<LstmOp, GruOp, RnnOp>(op) && llvm::any_of(op->getOperandTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getElementType().isInteger(8); // with scales in f32
         });
}

void F32Ops::keepArithmeticOnWeights(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> onWeights;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && (isa<ConstantOp, WeightOp>(op) || onWeights.contains(op));
  };
  for (Operation *op : ops)
    if (isa<KilnDialect>(op->getDialect()) && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
        op->getNumResults() > 0 && llvm::all_of(op->getOperands(), isKnown))
      onWeights.insert(op);
  // Moved alone, weights are as well rounded before.
  for (Operation *op : llvm::reverse(ops))
    if (onWeights.contains(op) && (!movesElements(op) || llvm::any_of(op->getUsers(), [&](Operation *user) {
          return onWeights.contains(user) && kept.contains(user);
        })))
      kept.insert(op);
}

/// Accumulators and indices become f32 and stay it until a product or quotient scales them.
bool F32Ops::meetsWideIntegers(Operation *op) {
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    Type from = cast<RankedTensorType>(convert.getX().getType()).getElementType();
    if (holdsF32(convert.getResult()) && from.isInteger() && from.getIntOrFloatBitWidth() >= kWideBits)
      return wide.insert(convert.getResult()).second;
    return wide.contains(convert.getX());
  }
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return wide.contains(operand); }))
    return false;
  if (isa<AddOp, SubOp, MinOp, MaxOp, NegOp, ReshapeOp, TransposeOp, BroadcastOp, SliceOp, SelectOp>(op))
    return wide.insert(op->getResult(0)).second;
  return isa<MulOp, DivOp, CompareOp>(op);
}

/// Whether a number other than 0 is 0 in the narrow type.
bool F32Ops::vanishes(const APFloat &x) const { return !x.isZero() && narrowed(x, semantics).isZero(); }
bool F32Ops::vanishes(Value value) const {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() && vanishes(elements.getSplatValue<APFloat>());
}

/// As in log(x + 1e-10) or x / max(norm, 1e-12).
bool F32Ops::meetsVanishing(Operation *op) {
  bool addsEpsilon = isa<AddOp, MaxOp>(op) && holdsF32(op->getResult(0)) &&
                     llvm::any_of(op->getOperands(), [&](Value operand) { return vanishes(operand); });
  if (auto clamp = dyn_cast<ClampOp>(op))
    if (auto least = dyn_cast_or_null<FloatAttr>(clamp.getMinAttr()))
      addsEpsilon |= holdsF32(clamp.getResult()) && vanishes(least.getValue());
  if (addsEpsilon)
    return keptOffZero.insert(op->getResult(0)).second;
  if (llvm::none_of(op->getOperands(), [&](Value operand) { return keptOffZero.contains(operand); }))
    return false;
  if (isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp>(op))
    return keptOffZero.insert(op->getResult(0)).second;
  return isa<DivOp, LogOp, MulOp, PowOp, ReciprocalOp, RsqrtOp, SqrtOp>(op);
}

void F32Ops::keepQuantized(ArrayRef<Operation *> ops) {
  auto isDequantized = [](Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<DequantizeOp>(op))
        return true;
      if (!movesElements(op))
        break;
      value = op->getOperand(0);
    }
    return false;
  };
  llvm::DenseSet<Operation *> quantized;
  for (Operation *op : llvm::reverse(ops)) {
    bool multipliesFloats = isa<MatmulOp, ConvOp, ConvTransposeOp, AttentionOp, LstmOp, GruOp, RnnOp>(op) &&
                            llvm::none_of(op->getOperands(), isDequantized);
    if (isa<QuantizeOp>(op) ||
        (isa<KilnDialect>(op->getDialect()) && !isa<ConstantOp, WeightOp>(op) && !multipliesFloats &&
         llvm::any_of(op->getUsers(), [&](Operation *user) { return quantized.contains(user); })))
      quantized.insert(op);
  }
  kept.insert(quantized.begin(), quantized.end());
}

void F32Ops::keepSpectra(func::FuncOp main, ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> signals; // inputs and what sums and products make of them
  for (BlockArgument input : main.getArguments())
    if (holdsF32(input))
      signals.insert(input);
  auto isSignal = [&](Value value) { return signals.contains(value); };
  auto isSignalOrKnown = [&](Value value) {
    return isSignal(value) || !holdsF32(value) ||
           isa_and_present<ConstantOp, WeightOp>(value.getDefiningOp()) ||
           (value.getDefiningOp() && kept.contains(value.getDefiningOp()));
  };
  for (Operation *op : ops)
    if (addsAndMultiplies(op) && holdsF32(op->getResult(0)) && llvm::any_of(op->getOperands(), isSignal) &&
        llvm::all_of(op->getOperands(), isSignalOrKnown))
      signals.insert(op->getResult(0));

  llvm::DenseSet<Operation *> spectra;
  for (Operation *op : llvm::reverse(ops)) {
    bool isLogarithm = isa<LogOp>(op) && isSignal(op->getOperand(0));
    bool feedsOne = op->getNumResults() == 1 && isSignal(op->getResult(0)) &&
                    llvm::any_of(op->getUsers(), [&](Operation *user) { return spectra.contains(user); });
    if (isLogarithm || feedsOne)
      spectra.insert(op);
  }
  kept.insert(spectra.begin(), spectra.end());
}

} // namespace kiln::jit
