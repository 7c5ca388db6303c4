// PackWeights.cpp: matrices of weights become panels of a register tile's columns, once, in the program's
// prologue. A kernel spells the matrix that it now gets as panels: UnpackWeights.cpp reads that.
#include "backends/host/Transforms/Contraction.h"
#include "backends/host/Transforms/Passes.h"

#include "kiln/IR/Kiln.h"
#include "kiln/jit/Fusion.h"
#include "kiln/jit/Outline.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Elements of a matrix that is worth packing: what it saves is misses of the L1 cache (32 KB of f32 and
/// more).
constexpr int64_t kMinElements = 8 * 1024;

/// Matrices [lead.., rows, columns], or their transposes, cut into panels [lead.., panels, rows, width];
/// those of small integers, whose products are summed in pairs, into panels [lead.., panels, rows / 2, width,
/// 2].
struct PackedLayout {
  SmallVector<int64_t> lead;
  int64_t rows, panels, width;
  bool transposed; // the weight is [lead.., columns, rows]
  Type element;

  bool inPairs() const { return isa<IntegerType>(element); }
  /// The weight, with its columns as panels.
  SmallVector<int64_t> split() const {
    if (inPairs())
      return behindLead(transposed ? SmallVector<int64_t>{panels, width, rows / 2, 2}
                                   : SmallVector<int64_t>{rows / 2, 2, panels, width});
    return behindLead(transposed ? SmallVector<int64_t>{panels, width, rows}
                                 : SmallVector<int64_t>{rows, panels, width});
  }
  /// From there to panels.
  SmallVector<int64_t> order() const {
    if (inPairs())
      return axesBehindLead(transposed ? SmallVector<int64_t>{0, 2, 1, 3} : SmallVector<int64_t>{2, 0, 3, 1});
    return axesBehindLead(transposed ? SmallVector<int64_t>{0, 2, 1} : SmallVector<int64_t>{1, 0, 2});
  }
  /// From panels to the matrix, whose axes are split.
  SmallVector<int64_t> orderBack() const {
    return axesBehindLead(inPairs() ? SmallVector<int64_t>{1, 3, 0, 2} : SmallVector<int64_t>{1, 0, 2});
  }
  SmallVector<int64_t> matrix() const { return behindLead({rows, panels * width}); }
  RankedTensorType packed() const {
    return RankedTensorType::get(behindLead(inPairs() ? SmallVector<int64_t>{panels, rows / 2, width, 2}
                                                      : SmallVector<int64_t>{panels, rows, width}),
                                 element);
  }

private:
  SmallVector<int64_t> behindLead(ArrayRef<int64_t> extents) const {
    SmallVector<int64_t> all(lead);
    llvm::append_range(all, extents);
    return all;
  }
  SmallVector<int64_t> axesBehindLead(ArrayRef<int64_t> axes) const {
    auto count = static_cast<int64_t>(lead.size());
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, count));
    for (int64_t axis : axes)
      all.push_back(axis + count);
    return all;
  }
};

/// Whether products of such numbers are summed in pairs: bytes, and 16-bit numbers with a sign.
bool sumsInPairs(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.getWidth() == 8 || (integer.getWidth() == 16 && !integer.isUnsigned()));
}

/// The product that is the only reader of an argument, as its right side; one of floats by more than one row.
MatmulOp productOf(BlockArgument weight) {
  if (!weight.hasOneUse())
    return {};
  auto product = dyn_cast<MatmulOp>(*weight.user_begin());
  if (!product || product.getB() != weight || product.getA() == weight || product.getTransA())
    return {};
  auto left = cast<RankedTensorType>(product.getA().getType());
  auto lead = cast<RankedTensorType>(weight.getType()).getShape().drop_back(2);
  bool isOne = llvm::all_of(lead, [](int64_t extent) { return extent == 1; });
  // Rows that meet one matrix: all of the other side's, or those of its own matrices.
  ArrayRef<int64_t> extents = left.getShape().drop_back();
  if (!isOne)
    extents = extents.take_back(1);
  // No side repeats its matrices: those would not be read as they lie.
  for (auto [i, extent] : llvm::enumerate(lead)) {
    int64_t axis = left.getRank() - 2 - static_cast<int64_t>(lead.size() - i);
    if (axis < 0 || (!left.isDynamicDim(axis) && left.getDimSize(axis) != extent))
      return {};
  }
  bool oneRow = llvm::all_of(extents, [](int64_t extent) { return extent == 1; });
  return oneRow && !sumsInPairs(left.getElementType()) ? MatmulOp() : product;
}

/// Rewrites the kernels and launches of one module.
class Packer {
public:
  Packer(ModuleOp module, unsigned vectorBits, unsigned registers)
      : module(module), symbols(module), vectorBits(vectorBits), registers(registers) {
    module.walk([&](LaunchOp launch) { launches[launch.getKernel()].push_back(launch); });
  }

  void run() {
    for (KernelOp kernel : llvm::to_vector(module.getOps<KernelOp>()))
      for (BlockArgument argument : kernel.getBody().getArguments())
        if (std::optional<PackedLayout> layout = layoutFor(kernel, argument))
          pack(kernel, argument, *layout);
  }

private:
  std::optional<PackedLayout> layoutFor(KernelOp kernel, BlockArgument argument);
  void pack(KernelOp kernel, BlockArgument argument, const PackedLayout &layout);
  Value packedWeight(Value weight, const PackedLayout &layout);
  KernelOp packingKernel(const PackedLayout &layout);

  ModuleOp module;
  SymbolTable symbols;
  const unsigned vectorBits, registers;
  llvm::StringMap<SmallVector<LaunchOp>> launches; // by kernel
  DenseMap<Value, Value> packedWeights;
  DenseMap<Type, KernelOp> packers[2]; // by the packed type; [1]: of transposed weights
};

std::optional<PackedLayout> Packer::layoutFor(KernelOp kernel, BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  bool inPairs = type && sumsInPairs(type.getElementType());
  bool isFloat = type && isa<FloatType>(type.getElementType()) && type.getElementTypeBitWidth() >= 16;
  if (!type || type.getRank() < 2 || !type.hasStaticShape() || (!isFloat && !inPairs) ||
      type.getNumElements() < kMinElements)
    return std::nullopt;
  MatmulOp product = productOf(argument);
  if (!product)
    return std::nullopt;
  for (LaunchOp launch : launches[kernel.getSymName()]) {
    Value weight = launch.getInputs()[argument.getArgNumber()];
    // What weights alone decide runs once as it is.
    if (!jit::isWeightOnly(weight) || jit::isWeightOnly(launch.getResult(0)))
      return std::nullopt;
  }
  unsigned bits = std::max(32u, type.getElementTypeBitWidth()); // sums of 16-bit floats are f32
  int64_t width = ContractionBlocking::make(vectorBits, registers, bits).columns;
  SmallVector<int64_t> lead(type.getShape().drop_back(2));
  ArrayRef<int64_t> matrix = type.getShape().take_back(2);
  int64_t rows = matrix[product.getTransB()], columns = matrix[!product.getTransB()];
  if (columns % width != 0 || columns == width)
    return std::nullopt;
  auto left = cast<RankedTensorType>(product.getA().getType());
  if (inPairs &&
      (rows % 2 != 0 || left.isDynamicDim(left.getRank() - 1) || !sumsInPairs(left.getElementType())))
    return std::nullopt;
  return PackedLayout{lead, rows, columns / width, width, product.getTransB(), type.getElementType()};
}

KernelOp Packer::packingKernel(const PackedLayout &layout) {
  KernelOp &kernel = packers[layout.transposed][layout.packed()];
  if (kernel)
    return kernel;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = jit::opNumberLocation(module.getContext(), 0);
  auto from = RankedTensorType::get(layout.split(), layout.element);
  kernel = builder.create<KernelOp>(loc, "pack", builder.getFunctionType(from, layout.packed()), StringAttr(),
                                    ArrayAttr(), ArrayAttr());
  Block &body = kernel.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&body);
  Value panels =
      builder.create<TransposeOp>(loc, layout.packed(), body.addArgument(from, loc), layout.order());
  builder.create<YieldOp>(loc, panels);
  kernel->remove();
  kernel.setName(jit::kernelBaseName(kernel));
  symbols.insert(kernel);
  return kernel;
}

/// The panels of a weight: a launch behind the weight, which the prologue runs.
Value Packer::packedWeight(Value weight, const PackedLayout &layout) {
  Value &packed = packedWeights[weight];
  if (packed && packed.getType() == layout.packed())
    return packed;
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfterValue(weight);
  Location loc = weight.getLoc();
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(module.getContext(), layout.split());
  Value split = builder.create<ReshapeOp>(loc, weight, sizes);
  auto launch = builder.create<LaunchOp>(loc, TypeRange(layout.packed()),
                                         FlatSymbolRefAttr::get(packingKernel(layout).getSymNameAttr()),
                                         ValueRange(split), ValueRange(), StringAttr());
  launch->setAttr(jit::kOpLocationsAttr, builder.getArrayAttr({LocationAttr(loc)}));
  return packed = launch.getResult(0);
}

void Packer::pack(KernelOp kernel, BlockArgument argument, const PackedLayout &layout) {
  MatmulOp product = productOf(argument);
  for (LaunchOp launch : launches[kernel.getSymName()]) {
    OpOperand &operand =
        launch->getOpOperand(launch.getInputs().getBeginOperandIndex() + argument.getArgNumber());
    operand.set(packedWeight(operand.get(), layout));
  }
  argument.setType(layout.packed());
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), kernel.getBody().getArgumentTypes(),
                                           kernel.getFunctionType().getResults()));
  // The matrix, said in ops that compute nothing.
  OpBuilder builder(product);
  Location loc = product.getLoc();
  SmallVector<int64_t> shape;
  for (int64_t axis : layout.orderBack())
    shape.push_back(layout.packed().getDimSize(axis));
  auto rows = RankedTensorType::get(shape, layout.element);
  Value inRows = builder.create<TransposeOp>(loc, rows, argument, layout.orderBack());
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(module.getContext(), layout.matrix());
  Value matrix = builder.create<ReshapeOp>(loc, inRows, sizes);
  for (Value value : {inRows, matrix})
    value.getDefiningOp()->setAttr(jit::kLayoutAttr, builder.getUnitAttr());
  product.getBMutable().set(matrix);
  product.setTransB(false);
}

struct PackWeightsPass : impl::PackWeightsPassBase<PackWeightsPass> {
  using PackWeightsPassBase::PackWeightsPassBase;
  void runOnOperation() override { Packer(getOperation(), vectorBits, registers).run(); }
};

} // namespace
} // namespace kiln::host
