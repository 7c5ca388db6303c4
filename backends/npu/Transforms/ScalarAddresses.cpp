// ScalarAddresses.cpp: buffers become addresses: each view is followed to its memory where it is made, so
// that what loops do not change is computed outside of them.
#include "backends/npu/IR/Npu.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/Pipes.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SCALARADDRESSESPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

using jit::LaunchExpr;

constexpr int64_t kBlockBytes = 32;
/// UB that is left to what registers do not hold.
constexpr int64_t kSpillBytes = 32768;
/// Elements of a constant that code writes out.
constexpr int64_t kMostConstants = 4096;

/// Where a memref's elements are: `address` in bytes, the rest in elements.
struct Located {
  ir::Memory memory = ir::Memory::GM;
  Value address;
  OpFoldResult offset;
  SmallVector<OpFoldResult> sizes, strides;
};

unsigned storedBits(Type element) { return element.isIndex() ? 64 : element.getIntOrFloatBitWidth(); }
int64_t storedBytes(Type element) { return llvm::divideCeil(storedBits(element), 8); }

class Addresses {
public:
  explicit Addresses(func::FuncOp function)
      : function(function), builder(function.getContext()), constants(function),
        blocks(function->getAttrOfType<IntegerAttr>(kBlocksAttr).getInt()),
        ubLeft(int64_t(ir::targetOf(function).ubBytes) - kSpillBytes) {}

  LogicalResult run() {
    dropSplats();
    builder.setInsertionPointToStart(&function.getBody().front());
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<MemRefType>(argument.getType())) {
        SmallVector<OpFoldResult> sizes;
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          sizes.push_back(extentOf(builder, argument.getLoc(), argument, axis));
        Value address = builder.create<ir::AddressOp>(argument.getLoc(), builder.getIndexType(), argument);
        located[argument] = dense(argument.getLoc(), ir::Memory::GM, address, sizes);
      }
    for (BlockArgument argument : function.getArguments())
      if (holdsHalves(argument))
        clear(argument.getLoc(), located[argument]);
    SmallVector<Operation *> ops, dead;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      if (failed(convert(op, dead)))
        return failure();
    }
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    if (!workspace.empty())
      function->setAttr(kWorkspaceAttr, jit::exprToAttr(function.getContext(), workspace));
    NamedAttribute peak = builder.getNamedAttr("ub", builder.getI64IntegerAttr(ubUsed));
    function->setAttr(devicekit::kPeakBytesAttr, builder.getDictionaryAttr(peak));
    return success();
  }

private:
  static DenseElementsAttr elementsOf(memref::GetGlobalOp op) {
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(op, op.getNameAttr());
    return dyn_cast_or_null<DenseElementsAttr>(global ? global.getConstantInitValue() : Attribute());
  }

  /// A constant whose elements are all one number needs no memory.
  void dropSplats() {
    SmallVector<Operation *> views;
    function.walk([&](Operation *op) {
      if (isa<memref::GetGlobalOp, ViewLikeOpInterface>(op))
        views.push_back(op);
      auto load = dyn_cast<memref::LoadOp>(op);
      if (!load)
        return;
      Value source = load.getMemRef();
      while (auto view = source.getDefiningOp<ViewLikeOpInterface>())
        source = view.getViewSource();
      auto global = source.getDefiningOp<memref::GetGlobalOp>();
      auto splat = dyn_cast_or_null<SplatElementsAttr>(global ? elementsOf(global) : DenseElementsAttr());
      if (!splat)
        return;
      builder.setInsertionPoint(load);
      load.replaceAllUsesWith(
          builder.create<arith::ConstantOp>(load.getLoc(), splat.getSplatValue<TypedAttr>()).getResult());
      load.erase();
    });
    for (Operation *view : llvm::reverse(views))
      if (view->use_empty())
        view->erase();
  }

  Located dense(Location loc, ir::Memory memory, Value address, ArrayRef<OpFoldResult> sizes) {
    IndexMath math(builder, loc);
    Located result = {memory, address, math.constant(0), SmallVector<OpFoldResult>(sizes), {}};
    result.strides.resize(sizes.size());
    OpFoldResult stride = math.constant(1);
    for (size_t axis = sizes.size(); axis-- > 0;) {
      result.strides[axis] = stride;
      if (axis > 0)
        stride = math.mul(stride, sizes[axis]);
    }
    return result;
  }

  /// Whether elements of four bits are written there, each beside another one that must stay.
  static bool holdsHalves(Value memref) {
    auto type = dyn_cast<MemRefType>(memref.getType());
    if (!type || storedBits(type.getElementType()) != 4)
      return false;
    SmallVector<Value> views = {memref};
    while (!views.empty()) {
      Value view = views.pop_back_val();
      for (Operation *user : view.getUsers()) {
        if (auto store = dyn_cast<memref::StoreOp>(user); store && store.getMemRef() == view)
          return true;
        for (Value result : user->getResults())
          if (isa<MemRefType>(result.getType()))
            views.push_back(result);
      }
    }
    return false;
  }

  /// Zeros in all bytes of a buffer of halves, so that there is something to keep beside what is written.
  void clear(Location loc, const Located &buffer) {
    IndexMath math(builder, loc);
    OpFoldResult count = math.constant(1);
    for (OpFoldResult size : buffer.sizes)
      count = math.mul(count, size);
    auto loop = builder.create<scf::ForOp>(loc, math.value(math.constant(0)),
                                           math.value(math.ceilDiv(count, 2)), math.value(math.constant(1)));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value zero = builder.create<arith::ConstantOp>(loc, builder.getI8IntegerAttr(0));
    Value address = builder.create<arith::AddIOp>(loc, buffer.address, loop.getInductionVar());
    builder.create<ir::StsOp>(loc, zero, buffer.memory, address, 0);
  }

  FailureOr<Located> find(Operation *user, Value memref) {
    auto found = located.find(memref);
    if (found == located.end())
      return user->emitError("npu: a buffer that control flow chooses has no address");
    return found->second;
  }

  /// Replaces an op on buffers, or notes where its result is.
  LogicalResult convert(Operation *op, SmallVectorImpl<Operation *> &dead) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      FailureOr<Located> at = find(op, load.getMemRef());
      if (failed(at))
        return failure();
      load.replaceAllUsesWith(loadAt(load.getLoc(), *at, load.getIndices(), load.getType()));
      dead.push_back(op);
      return success();
    }
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      FailureOr<Located> at = find(op, store.getMemRef());
      if (failed(at))
        return failure();
      storeAt(store.getLoc(), *at, store.getIndices(), store.getValue());
      dead.push_back(op);
      return success();
    }
    if (auto dim = dyn_cast<memref::DimOp>(op); dim && !isa<BlockArgument>(dim.getSource())) {
      FailureOr<Located> at = find(op, dim.getSource());
      std::optional<int64_t> axis = dim.getConstantIndex();
      if (failed(at))
        return failure();
      if (!axis)
        return op->emitError("npu: an extent whose axis is not known");
      dim.replaceAllUsesWith(IndexMath(builder, op->getLoc()).value(at->sizes[*axis]));
      dead.push_back(op);
      return success();
    }
    bool hasBuffer = llvm::any_of(op->getResultTypes(), [](Type type) { return isa<MemRefType>(type); });
    if (!hasBuffer && !isa<memref::DeallocOp>(op))
      return success();
    dead.push_back(op);
    if (isa<memref::DeallocOp>(op))
      return success();
    FailureOr<Located> result = locate(op);
    if (failed(result))
      return failure();
    located[op->getResult(0)] = *result;
    if (isa<memref::AllocOp>(op) && holdsHalves(op->getResult(0)))
      clear(op->getLoc(), *result);
    return success();
  }

  FailureOr<Located> locate(Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return place(alloc);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      return write(global);
    if (!isa<memref::CastOp, memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::ReinterpretCastOp>(op))
      return op->emitError("npu: '") << op->getName() << "' has no address";
    FailureOr<Located> from = find(op, op->getOperand(0));
    if (failed(from))
      return failure();
    Location loc = op->getLoc();
    IndexMath math(builder, loc);
    Located result = *from;
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      result.sizes.clear();
      result.strides.clear();
      llvm::SmallBitVector dropped = view.getDroppedDims();
      for (auto [axis, offset] : llvm::enumerate(view.getMixedOffsets())) {
        result.offset = math.add(result.offset, math.mul(offset, from->strides[axis]));
        if (dropped.test(axis))
          continue;
        result.sizes.push_back(view.getMixedSizes()[axis]);
        result.strides.push_back(math.mul(view.getMixedStrides()[axis], from->strides[axis]));
      }
    } else if (auto view = dyn_cast<memref::ReinterpretCastOp>(op)) {
      result.offset = math.add(from->offset, view.getMixedOffsets()[0]);
      result.sizes = view.getMixedSizes();
      result.strides = view.getMixedStrides();
    } else if (auto view = dyn_cast<memref::CollapseShapeOp>(op)) {
      result.sizes.clear();
      result.strides.clear();
      for (const ReassociationIndices &group : view.getReassociationIndices()) {
        OpFoldResult size = math.constant(1), stride = math.constant(1);
        bool isFirst = true; // the innermost axis with more than one element says how far neighbours are
        for (int64_t axis : llvm::reverse(group)) {
          size = math.mul(size, from->sizes[axis]);
          if (isFirst && getConstantIntValue(from->sizes[axis]) != 1) {
            stride = from->strides[axis];
            isFirst = false;
          }
        }
        result.sizes.push_back(size);
        result.strides.push_back(stride);
      }
    } else if (auto view = dyn_cast<memref::ExpandShapeOp>(op)) {
      SmallVector<OpFoldResult> shape =
          getMixedValues(view.getStaticOutputShape(), view.getOutputShape(), builder);
      result.sizes = shape;
      result.strides.resize(shape.size());
      for (auto [axis, group] : llvm::enumerate(view.getReassociationIndices())) {
        OpFoldResult stride = from->strides[axis];
        for (int64_t part : llvm::reverse(group)) {
          result.strides[part] = stride;
          stride = math.mul(stride, shape[part]);
        }
      }
      for (auto [part, stride] : llvm::enumerate(result.strides))
        if (!stride) // of a buffer of rank 0
          result.strides[part] = math.constant(1);
    }
    return result;
  }

  // ---- Memory

  FailureOr<Located> place(memref::AllocOp alloc) {
    Location loc = alloc.getLoc();
    MemRefType type = alloc.getType();
    int64_t elementBytes = storedBytes(type.getElementType());
    bool isShared = blocks > 1 && alloc->hasAttr(kSharedAttr);
    IndexMath math(builder, loc);
    if (type.hasStaticShape() && !isShared) {
      int64_t bytes = llvm::alignTo(std::max<int64_t>(type.getNumElements() * elementBytes, 1), kBlockBytes);
      if (ubUsed + bytes <= ubLeft) {
        Value address = math.value(math.constant(ubUsed));
        ubUsed += bytes;
        return dense(loc, ir::Memory::UB, address, alloc.getMixedSizes());
      }
    }
    LaunchExpr bytes = LaunchExpr::literal(elementBytes);
    for (OpFoldResult size : alloc.getMixedSizes()) {
      std::optional<LaunchExpr> extent = constants.express(size);
      if (!extent)
        return alloc.emitError("npu: the size of a temporary is not a function of the launch's constants");
      bytes = LaunchExpr::binary(LaunchExpr::Op::Mul, bytes, *extent);
    }
    LaunchExpr unit = LaunchExpr::literal(kBlockBytes);
    bytes = LaunchExpr::binary(LaunchExpr::Op::Mul, LaunchExpr::binary(LaunchExpr::Op::CeilDiv, bytes, unit),
                               unit);
    // At the entry: its parts are arguments and their extents.
    Value address;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfter(lastAddress());
      SmallVector<Value> values = constants.values(builder, loc);
      LaunchExpr begin = workspace.empty() ? LaunchExpr::literal(0) : workspace;
      address =
          builder.create<arith::AddIOp>(loc, builder.create<ir::WorkspaceOp>(loc, builder.getIndexType()),
                                        jit::buildExpr(builder, loc, begin, values));
      if (blocks > 1 && !isShared) { // each block has its own
        Value block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
        Value own = builder.create<arith::MulIOp>(loc, block, jit::buildExpr(builder, loc, bytes, values));
        address = builder.create<arith::AddIOp>(loc, address, own);
        bytes = LaunchExpr::binary(LaunchExpr::Op::Mul, bytes, LaunchExpr::literal(blocks));
      }
    }
    workspace = workspace.empty() ? bytes : LaunchExpr::binary(LaunchExpr::Op::Add, workspace, bytes);
    return dense(loc, ir::Memory::GM, address, alloc.getMixedSizes());
  }

  /// The op behind which all arguments have their addresses.
  Operation *lastAddress() {
    Operation *last = nullptr;
    for (auto address : function.getBody().front().getOps<ir::AddressOp>())
      last = address;
    return last;
  }

  /// A constant: code at the entry writes it into the memory of this core.
  FailureOr<Located> write(memref::GetGlobalOp op) {
    if (auto known = globals.find(op.getNameAttr()); known != globals.end())
      return known->second;
    MemRefType type = op.getType();
    DenseElementsAttr elements = elementsOf(op);
    int64_t elementBytes = storedBytes(type.getElementType());
    int64_t bytes = llvm::alignTo(std::max<int64_t>(type.getNumElements() * elementBytes, 1), kBlockBytes);
    if (!elements || type.getNumElements() > kMostConstants || ubUsed + bytes > ubLeft)
      return op.emitError("npu: a constant of ")
             << type.getNumElements() << " elements; code can hold at most " << kMostConstants;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(lastAddress());
    Location loc = op.getLoc();
    IndexMath math(builder, loc);
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    Located result = dense(loc, ir::Memory::UB, math.value(math.constant(ubUsed)), sizes);
    ubUsed += bytes;
    for (auto [i, element] : llvm::enumerate(elements.getValues<Attribute>())) {
      Value value = builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(element));
      Located single = result;
      single.offset = math.constant(i);
      single.strides.clear();
      storeAt(loc, single, {}, value);
    }
    globals[op.getNameAttr()] = result;
    return result;
  }

  // ---- Accesses

  /// The address of an element; outer positions are added first, so that loops need not repeat it.
  std::pair<Value, int64_t> addressOf(Location loc, const Located &at, ValueRange indices, int64_t bytes) {
    IndexMath math(builder, loc);
    OpFoldResult address = at.address, scale = math.constant(bytes);
    int64_t constant = 0;
    auto add = [&](OpFoldResult part) {
      if (std::optional<int64_t> known = getConstantIntValue(part))
        constant += *known;
      else
        address = math.add(address, part);
    };
    add(math.mul(at.offset, scale));
    for (auto [index, stride] : llvm::zip(indices, at.strides))
      add(math.mul(index, math.mul(stride, scale)));
    return {math.value(address), constant};
  }

  Value load(Location loc, const Located &at, ValueRange indices, Type type) {
    auto [address, constant] = addressOf(loc, at, indices, storedBytes(type));
    return builder.create<ir::LdsOp>(loc, type, at.memory, address, constant);
  }

  /// The byte that holds an element of four bits, and how far up the element is.
  std::tuple<Value, int64_t, Value> halfByte(Location loc, const Located &at, ValueRange indices) {
    Located relative = at;
    relative.address = builder.create<arith::ConstantIndexOp>(loc, 0);
    auto [position, constant] = addressOf(loc, relative, indices, 1);
    IndexMath math(builder, loc);
    Value element = math.value(math.add(position, math.constant(constant)));
    Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
    Value byte = builder.create<arith::ShRUIOp>(loc, element, one);
    Value shift = builder.create<arith::ShLIOp>(loc, builder.create<arith::AndIOp>(loc, element, one),
                                                builder.create<arith::ConstantIndexOp>(loc, 2));
    return {builder.create<arith::AddIOp>(loc, at.address, byte), 0,
            builder.create<arith::IndexCastOp>(loc, builder.getI8Type(), shift)};
  }

  Value loadAt(Location loc, const Located &at, ValueRange indices, Type type) {
    if (type.isIndex())
      return builder.create<arith::IndexCastOp>(loc, type, load(loc, at, indices, builder.getI64Type()));
    if (storedBits(type) != 4)
      return load(loc, at, indices, type);
    auto [address, constant, shift] = halfByte(loc, at, indices);
    Value byte = builder.create<ir::LdsOp>(loc, builder.getI8Type(), at.memory, address, constant);
    return builder.create<arith::TruncIOp>(loc, type, builder.create<arith::ShRUIOp>(loc, byte, shift));
  }

  void storeAt(Location loc, const Located &at, ValueRange indices, Value value) {
    Type type = value.getType();
    if (type.isIndex())
      value = builder.create<arith::IndexCastOp>(loc, builder.getI64Type(), value);
    if (type.isIndex() || storedBits(type) != 4) {
      auto [address, constant] = addressOf(loc, at, indices, storedBytes(value.getType()));
      builder.create<ir::StsOp>(loc, value, at.memory, address, constant);
      return;
    }
    auto [address, constant, shift] = halfByte(loc, at, indices);
    Type i8 = builder.getI8Type();
    Value byte = builder.create<ir::LdsOp>(loc, i8, at.memory, address, constant);
    Value high = builder.create<arith::ConstantOp>(loc, builder.getI8IntegerAttr(-16));
    Value others =
        builder.create<arith::ShRUIOp>(loc, high, shift); // the low half where ours is the high one
    Value own = builder.create<arith::ShLIOp>(loc, builder.create<arith::ExtUIOp>(loc, i8, value), shift);
    own = builder.create<arith::OrIOp>(loc, own, builder.create<arith::AndIOp>(loc, byte, others));
    builder.create<ir::StsOp>(loc, own, at.memory, address, constant);
  }

  func::FuncOp function;
  OpBuilder builder;
  jit::LaunchConstants constants;
  const int64_t blocks, ubLeft;
  int64_t ubUsed = 0;
  LaunchExpr workspace; // bytes so far
  DenseMap<Value, Located> located;
  DenseMap<Attribute, Located> globals;
};

struct ScalarAddresses final : impl::ScalarAddressesPassBase<ScalarAddresses> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(kBlocksAttr) && failed(Addresses(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
