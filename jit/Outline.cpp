// Outline.cpp: arguments are the values from outside in the order of their first use; constants that may
// enter are cloned.
#include "kiln/jit/Outline.h"

#include "jit/Elements.h"
#include "jit/KernelKey.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kMaxNameOps = 5; // of a kernel's name; the rest is counted

bool isInline(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return mayEnterKernel(constant.getValue());
  return value.getType().isIndex() && matchPattern(op, m_Constant());
}

/// Values that the group reads from outside, in the order of their first use; inline constants apart.
void collectInputs(const FusionGroup &group, llvm::SetVector<Value> &inputs,
                   llvm::SetVector<Operation *> &constants) {
  llvm::SmallPtrSet<Operation *, 16> members(group.ops.begin(), group.ops.end());
  for (Operation *op : group.ops)
    for (Value operand : op->getOperands()) {
      if (members.contains(operand.getDefiningOp()))
        continue;
      if (isInline(operand))
        constants.insert(operand.getDefiningOp());
      else
        inputs.insert(operand);
    }
}

std::string typeSuffix(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto tensor = cast<RankedTensorType>(type);
  for (int64_t extent : tensor.getShape())
    ShapedType::isDynamic(extent) ? stream << "Dx" : stream << extent << 'x';
  stream << tensor.getElementType();
  return text;
}

/// Splats beside an operand that has the result's shape become scalars: kernels differ by less, and read
/// less.
void shrinkSplats(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<ElementwiseOpInterface>(op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      auto constant = operand.get().getDefiningOp<ConstantOp>();
      bool hasShape = llvm::any_of(op.getOpOperands(), [&](OpOperand &other) {
        return &other != &operand && !other.get().getDefiningOp<ConstantOp>() &&
               shapeOf(other.get()) == shapeOf(op.getResult(0));
      });
      auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
      if (!dense || !dense.isSplat() || !hasShape || shapeOf(constant).empty())
        continue;
      OpBuilder builder(constant);
      auto type = RankedTensorType::get({}, dense.getElementType());
      operand.set(builder.create<ConstantOp>(constant.getLoc(), type, dense.resizeSplat(type)));
    }
  }
  for (auto constant : llvm::make_early_inc_range(kernel.getBody().front().getOps<ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
}

/// Makes every extent but 1, which decides broadcasting, dynamic in a kernel of elementwise ops, if its
/// arguments alone give the results' shape.
void forgetExtents(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto forget = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      extent = extent == 1 ? 1 : ShapedType::kDynamic;
    value.setType(RankedTensorType::get(shape, type.getElementType()));
  };
  for (auto constant : body.getOps<ConstantOp>())
    if (!shapeOf(constant).empty())
      return;
  for (Value argument : body.getArguments())
    if (!isa<RankedTensorType>(argument.getType()))
      return;
  for (Value argument : body.getArguments())
    forget(argument);
  for (Operation &op : body.without_terminator())
    if (!isa<ConstantOp>(op))
      forget(op.getResult(0));
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                                           body.getTerminator()->getOperandTypes()));
}

/// What a person calls the launch: the model's names of its ops, or nothing.
StringAttr labelOf(ArrayRef<Location> locations) {
  for (Location location : llvm::reverse(locations))
    if (auto name = location->findInstanceOf<NameLoc>())
      return name.getName();
  return {};
}
} // namespace

Location kiln::jit::opNumberLocation(MLIRContext *context, unsigned index) {
  return FileLineColLoc::get(context, "kernel", index + 1, 0);
}

std::string kiln::jit::kernelBaseName(KernelOp kernel) {
  SmallVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>() && !op.hasAttr(kLayoutAttr))
      names.push_back(op.getName().stripDialect());
  std::string text;
  for (StringRef name : ArrayRef(names).take_front(kMaxNameOps))
    text += (text.empty() ? "" : "_") + name.str();
  if (names.size() > kMaxNameOps)
    text += "_and_" + std::to_string(names.size() - kMaxNameOps);
  if (text.empty())
    text = "constant";
  return text + (kernel.getNumResults() ? "_" + typeSuffix(kernel.getResultTypes().front()) : "");
}

KernelOp Outliner::shared(KernelOp kernel) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  alone->push_back(kernel->clone());
  KernelOp &known = byText[canonicalKernelText(*alone)];
  if (known) {
    kernel.erase();
    return known;
  }
  symbols.insert(kernel); // makes the name unique among kernels that only look alike by name
  return known = kernel;
}

KernelOp Outliner::build(const FusionGroup &group, ArrayRef<Value> inputs, ArrayRef<Operation *> constants) {
  MLIRContext *context = module.getContext();
  OpBuilder builder(context);
  Operation *last = group.ops.back();
  auto kernel =
      builder.create<KernelOp>(opNumberLocation(context, 0), "kernel",
                               builder.getFunctionType(TypeRange(ValueRange(inputs)), last->getResultTypes()),
                               StringAttr(), ArrayAttr(), ArrayAttr());
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), opNumberLocation(context, 0)));
  builder.setInsertionPointToStart(&body);
  for (Operation *constant : constants)
    builder.clone(*constant, mapping)->setLoc(opNumberLocation(context, 0));
  for (auto [i, op] : llvm::enumerate(group.ops))
    builder.clone(*op, mapping)->setLoc(opNumberLocation(context, i));
  SmallVector<Value> yielded;
  for (Value result : last->getResults())
    yielded.push_back(mapping.lookup(result));
  builder.create<YieldOp>(opNumberLocation(context, 0), yielded);
  shrinkSplats(kernel);
  if (llvm::all_of(group.ops, [](Operation *op) { return fusionClass(op) == FusionClass::Elementwise; }) &&
      isWeightOnly(last->getResult(0)))
    forgetExtents(kernel);
  kernel.setName(kernelBaseName(kernel));
  return kernel;
}

LogicalResult Outliner::outline(const FusionGroup &group, ExtentResolver &extents) {
  Operation *last = group.ops.back();
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> constants;
  collectInputs(group, inputs, constants);
  SmallVector<Value> outputExtents;
  for (Value result : last->getResults()) {
    FailureOr<SmallVector<Value>> dynamic = extents.dynamicExtents(result);
    if (failed(dynamic))
      return failure();
    llvm::append_range(outputExtents, *dynamic);
  }

  KernelOp kernel = shared(build(group, inputs.getArrayRef(), constants.getArrayRef()));
  SmallVector<Location> locations;
  for (Operation *op : group.ops)
    locations.push_back(op->getLoc());

  // Behind `last`: the arithmetic of the extents stands there.
  OpBuilder builder(last);
  Operation *behind = last; // the latest of them, whatever their order as extents
  for (Value extent : outputExtents)
    if (Operation *op = extent.getDefiningOp();
        op && op->getBlock() == last->getBlock() && behind->isBeforeInBlock(op))
      builder.setInsertionPointAfter(behind = op);
  auto launch = builder.create<LaunchOp>(FusedLoc::get(module.getContext(), locations),
                                         last->getResultTypes(), FlatSymbolRefAttr::get(kernel.getNameAttr()),
                                         inputs.getArrayRef(), outputExtents, labelOf(locations));
  SmallVector<Attribute> locationAttrs(locations.begin(), locations.end());
  launch->setAttr(kOpLocationsAttr, builder.getArrayAttr(locationAttrs));
  last->replaceAllUsesWith(launch);
  for (Operation *op : llvm::reverse(group.ops))
    op->erase();
  return success();
}
