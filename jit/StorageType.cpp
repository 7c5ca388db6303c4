// StorageType.cpp: retypes the results of all ops that do not keep f32, and converts where both meet.
#include "jit/StorageType.h"

#include "jit/Diagnostics.h"
#include "jit/Elements.h"
#include "jit/F32Ops.h"
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {

bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32();
}
bool isF32(Value value) { return isF32(value.getType()); }

RankedTensorType withElement(Type type, Type element) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
}

class Narrowing {
public:
  Narrowing(Model &model, Type narrow)
      : model(model), narrow(cast<FloatType>(narrow)), builder(narrow.getContext()),
        main(model.module->lookupSymbol<func::FuncOp>("main")), kept(main, this->narrow) {}

  void run() {
    main.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      retype(op);
    for (Operation *op : ops)
      connect(op);
    dropUnused();
  }

private:
  void retype(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          retype(argument);
    if (kept.contains(op) || isa<ConstantOp, WeightOp>(op))
      return;
    if (auto convert = dyn_cast<ConvertOp>(op); convert && isF32(convert.getResult()))
      convert.setTo(narrow);
    for (Value result : op->getResults())
      retype(result);
  }
  void retype(Value value) {
    if (!isF32(value))
      return;
    value.setType(withElement(value.getType(), narrow));
    retyped.insert(value);
  }

  void connect(Operation *op) {
    if (isa<tensor::DimOp>(op))
      return; // takes any type
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool staysF32 = kept.contains(op) || F32Ops::takesF32(operand);
      if (staysF32 ? retyped.contains(value) : isF32(value))
        operand.set(converted(value));
    }
  }

  /// The value in the other type, made once, behind its definition.
  Value converted(Value value) {
    Value &other = others[value];
    if (other)
      return other;
    builder.setInsertionPointAfterValue(value);
    if (auto constant = value.getDefiningOp<ConstantOp>())
      return other = narrowConstant(constant);
    if (auto weight = value.getDefiningOp<WeightOp>())
      return other = narrowWeight(weight);
    Type to = isF32(value) ? Type(narrow) : builder.getF32Type();
    return other = builder.create<ConvertOp>(value.getLoc(), TypeRange(withElement(value.getType(), to)),
                                             value, builder.getNamedAttr("to", TypeAttr::get(to)));
  }

  Value narrowConstant(ConstantOp op) {
    auto elements = cast<DenseFPElementsAttr>(op.getValue());
    auto mapped = elements.mapValues(
        narrow, [&](const APFloat &x) { return narrowed(x, narrow.getFloatSemantics()).bitcastToAPInt(); });
    return builder.create<ConstantOp>(op.getLoc(), withElement(op.getType(), narrow),
                                      cast<ElementsAttr>(mapped));
  }

  Value narrowWeight(WeightOp op) {
    std::string &digest = narrowDigests[op.getDigest()];
    if (digest.empty()) {
      auto bytes = std::make_shared<const std::string>(narrowBytes(model.weights[op.getDigest()].bytes));
      digest = sha256Hex(*bytes);
      model.weights[digest] = {{bytes->data(), bytes->size()}, bytes};
    }
    return builder.create<WeightOp>(op.getLoc(), withElement(op.getType(), narrow), digest,
                                    op.getLabelAttr());
  }

  /// Millions of weights: by their bits, where APFloat would take a second.
  std::string narrowBytes(llvm::ArrayRef<char> bytes) const {
    std::string result(bytes.size() / 2, '\0');
    for (size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
      uint32_t bits;
      std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
      uint16_t half = narrow.isBF16() ? toBf16(bits) : toF16(bits);
      std::memcpy(result.data() + i * sizeof(half), &half, sizeof(half));
    }
    return result;
  }
  static uint16_t toBf16(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) // NaN
      return static_cast<uint16_t>(bits >> 16 | 0x40);
    uint32_t rounded = magnitude + 0x7fff + (magnitude >> 16 & 1);
    if (magnitude < 0x7f800000)
      rounded = std::min<uint32_t>(rounded, 0x7f7f0000);
    return static_cast<uint16_t>((bits & 0x80000000) >> 16 | rounded >> 16);
  }
  static uint16_t toF16(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffff, sign = (bits & 0x80000000) >> 16;
    if (magnitude >= 0x7f800000) // NaN, infinity
      return static_cast<uint16_t>(sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00));
    if (magnitude >= 0x38800000) { // normal: 10 bits of mantissa, the exponent's bias from 127 to 15
      uint32_t rounded = magnitude - 0x38000000;
      rounded += 0xfff + (rounded >> 13 & 1);
      return static_cast<uint16_t>(sign | std::min<uint32_t>(rounded >> 13, 0x7bff));
    }
    // Subnormal, a multiple of 2^-24: adding 0.5 leaves just these bits, rounded.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f)));
  }

  void dropUnused() {
    llvm::StringMap<WeightData> used;
    for (Operation *op : llvm::make_early_inc_range(llvm::reverse(ops)))
      if (isa<ConstantOp, WeightOp>(op) && op->use_empty())
        op->erase();
    main.walk([&](WeightOp op) { used[op.getDigest()] = model.weights[op.getDigest()]; });
    model.weights = std::move(used);
  }

  Model &model;
  FloatType narrow;
  OpBuilder builder;
  func::FuncOp main;
  const F32Ops kept;
  std::vector<Operation *> ops; // of the import, before any are added
  llvm::DenseSet<Value> retyped;
  llvm::DenseMap<Value, Value> others;
  llvm::StringMap<std::string> narrowDigests; // of a weight's f32 bytes -> of its narrow ones
};

} // namespace

Status kiln::jit::setStorageType(Model &model, KilnDType storage) {
  if (storage != KILN_F16 && storage != KILN_BF16)
    return invalidArgument(model.name + ": precision of element type " + Twine(storage) +
                           " (KilnDType); expected f16 or bf16");
  MLIRContext *context = model.context.get();
  Type narrow = storage == KILN_F16 ? Type(Float16Type::get(context)) : BFloat16Type::get(context);
  if (model.module->lookupSymbol<func::FuncOp>("main").isExternal())
    return {};
  PassManager passes(context); // while the weights are f32
  passes.addPass(createFoldBatchNormPass());
  if (failed(passes.run(*model.module)))
    return internalError(model.name + ": batch_norm cannot be folded");
  Narrowing(model, narrow).run();
  return {};
}
