// Entry.cpp: the kernel's function becomes a private body with bare noalias pointers and a loop over its
// tiles, and an entry of the host's kernel ABI that unpacks a launch for it.
#include "backends/host/Transforms/Passes.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_ENTRYPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

using jit::buildExpr;
using jit::exprToAttr;
using jit::LaunchConstants;
using jit::LaunchExpr;

/// The argument or allocation that a buffer is a view of.
Value rootBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

struct Accesses {
  llvm::SetVector<Value> reads, writes;
};

/// Buffers that live outside `op` and that it reads and writes; nothing if an effect is not known.
std::optional<Accesses> accessesOf(Operation *op) {
  Accesses accesses;
  bool known = true;
  op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(inner);
    if (!effects) {
      known = false;
      return;
    }
    for (const MemoryEffects::EffectInstance &effect : *effects) {
      bool reads = isa<MemoryEffects::Read>(effect.getEffect()),
           writes = isa<MemoryEffects::Write>(effect.getEffect());
      if (!reads && !writes)
        continue;
      if (!effect.getValue()) {
        known = false;
        return;
      }
      Value root = rootBuffer(effect.getValue());
      if (op->isAncestor(root.getParentRegion()->getParentOp()) &&
          root.getParentRegion()->getParentOp() != op->getParentOp())
        continue;
      (reads ? accesses.reads : accesses.writes).insert(root);
    }
  });
  return known ? std::optional(accesses) : std::nullopt;
}

/// Whether the tile loops of `body` can run in any order, side by side: nothing outside of them touches
/// memory, none touches what another writes except the results, of which every loop writes a part of its own.
bool tilesAreIndependent(Block &body, ArrayRef<scf::ForallOp> loops) {
  for (Operation &op : body)
    if (!isa<scf::ForallOp, memref::AllocaOp>(op) && !isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      return false;
  SmallVector<Accesses> accesses;
  for (scf::ForallOp loop : loops) {
    std::optional<Accesses> own = accessesOf(loop);
    if (!own)
      return false;
    accesses.push_back(std::move(*own));
  }
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t k = 0; k < accesses.size(); ++k)
      for (Value written : accesses[i].writes)
        if (i != k && (accesses[k].reads.contains(written) ||
                       (accesses[k].writes.contains(written) && !isa<BlockArgument>(written))))
          return false;
  return true;
}

/// Converts one kernel's function.
class Entry {
public:
  explicit Entry(func::FuncOp func)
      : func(func), rewriter(func.getContext()), constants(func), options(func.getContext()),
        converter(func.getContext(), options) {
    options.useBarePtrCallConv = false;
  }

  LogicalResult build() {
    describeLaunch();
    pointer = LLVM::LLVMPointerType::get(func.getContext());
    i64 = rewriter.getI64Type();
    if (failed(loopOverTiles()))
      return failure();
    makeBody();
    makeEntry();
    return success();
  }

private:
  void describeLaunch();
  LogicalResult loopOverTiles();
  void loopOver(scf::ForallOp forall, Value begin, Value end, Value first);
  void makeBody();
  void makeEntry();
  Value bufferFrom(Value address, MemRefType type, ArrayRef<Value> dynamicExtents);

  func::FuncOp func;
  IRRewriter rewriter;
  LaunchConstants constants;
  LowerToLLVMOptions options;
  LLVMTypeConverter converter;
  Type pointer, i64;
  LLVM::LLVMFuncOp body;
  unsigned buffers = 0; // of them the last may be the workspace
};

/// Bytes of every binding and the number of constants, as attributes.
void Entry::describeLaunch() {
  SmallVector<Attribute> bytes;
  LaunchExpr traffic; // every binding once
  auto arguments = func.getArguments().drop_back(func->hasAttr("kiln.workspace"));
  auto indexed = func->getAttrOfType<DenseI64ArrayAttr>("kiln.indexed");
  for (BlockArgument argument : arguments)
    if (isa<MemRefType>(argument.getType())) {
      LaunchExpr own = constants.bytes(argument);
      if (indexed && llvm::is_contained(indexed.asArrayRef(), argument.getArgNumber())) {
        // One element at least, unless there is no result to read it for.
        LaunchExpr one = LaunchExpr::literal(1), some = constants.bytes(arguments.back());
        own =
            LaunchExpr::binary(LaunchExpr::Op::Max, own, LaunchExpr::binary(LaunchExpr::Op::Min, some, one));
      }
      bytes.push_back(exprToAttr(func.getContext(), own));
      traffic = traffic.empty() ? own : LaunchExpr::binary(LaunchExpr::Op::Add, traffic, own);
    }
  if (!traffic.empty())
    func->setAttr("kiln.traffic", exprToAttr(func.getContext(), traffic));
  func->setAttr("kiln.bytes", rewriter.getArrayAttr(bytes));
  func->setAttr("kiln.constants", rewriter.getI64IntegerAttr(constants.count()));
}

LogicalResult Entry::loopOverTiles() {
  Block &block = func.getBody().front();
  Location loc = func.getLoc();
  SmallVector<scf::ForallOp> loops(block.getOps<scf::ForallOp>());
  SmallVector<LaunchExpr> counts;
  bool parallel = !loops.empty() && tilesAreIndependent(block, loops);
  for (scf::ForallOp loop : loops) {
    LaunchExpr count = LaunchExpr::literal(1);
    for (OpFoldResult extent : loop.getMixedUpperBound()) {
      std::optional<LaunchExpr> expr = constants.express(extent);
      parallel &= expr.has_value();
      count = LaunchExpr::binary(LaunchExpr::Op::Mul, count, expr.value_or(LaunchExpr::literal(1)));
    }
    counts.push_back(count);
  }
  Value begin = block.addArgument(rewriter.getIndexType(), loc),
        end = block.addArgument(rewriter.getIndexType(), loc);
  func.setFunctionType(rewriter.getFunctionType(block.getArgumentTypes(), {}));
  LaunchExpr grid = LaunchExpr::literal(1);
  if (parallel) {
    // One range of tiles a loop, end to end.
    for (auto [i, loop] : llvm::enumerate(loops)) {
      rewriter.setInsertionPoint(loop);
      LaunchExpr first = i == 0 ? LaunchExpr::literal(0) : grid;
      loopOver(loop, begin, end, buildExpr(rewriter, loc, first, constants.values(rewriter, loc)));
      grid = i == 0 ? counts[i] : LaunchExpr::binary(LaunchExpr::Op::Add, grid, counts[i]);
    }
  } else {
    for (scf::ForallOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      loopOver(loop, nullptr, nullptr, nullptr);
    }
    // All of it is tile 0.
    rewriter.setInsertionPointToStart(&block);
    Value one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
    auto whole = rewriter.create<scf::ForOp>(loc, begin, end, one);
    SmallVector<Operation *> inside;
    for (Operation &op : block)
      if (&op != whole && &op != one.getDefiningOp() && !op.hasTrait<OpTrait::IsTerminator>() &&
          !isa<memref::AllocaOp>(op))
        inside.push_back(&op);
    for (Operation *op : inside)
      rewriter.moveOpBefore(op, whole.getBody()->getTerminator());
    for (auto alloca : llvm::to_vector(block.getOps<memref::AllocaOp>()))
      rewriter.moveOpBefore(alloca, whole);
  }
  func->setAttr("kiln.grid", exprToAttr(func.getContext(), grid));
  return success();
}

/// Replaces a forall by a loop over its part of [begin, end), which are counted from tile `first` of the
/// kernel; over all its tiles if they are null.
void Entry::loopOver(scf::ForallOp forall, Value begin, Value end, Value first) {
  Location loc = forall.getLoc();
  SmallVector<Value> counts = getValueOrCreateConstantIndexOp(rewriter, loc, forall.getMixedUpperBound());
  Value total = counts.front();
  for (Value count : ArrayRef(counts).drop_front())
    total = rewriter.create<arith::MulIOp>(loc, total, count);
  Value zero = rewriter.create<arith::ConstantIndexOp>(loc, 0),
        one = rewriter.create<arith::ConstantIndexOp>(loc, 1);
  Value from = zero, to = total;
  if (begin) {
    from = rewriter.create<arith::MaxSIOp>(loc, zero, rewriter.create<arith::SubIOp>(loc, begin, first));
    to = rewriter.create<arith::MinSIOp>(loc, total, rewriter.create<arith::SubIOp>(loc, end, first));
  }
  auto loop = rewriter.create<scf::ForOp>(loc, from, to, one);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ids(counts.size());
  Value rest = loop.getInductionVar();
  for (size_t i = counts.size(); i-- > 0;) {
    ids[i] = i == 0 ? rest : rewriter.create<arith::RemUIOp>(loc, rest, counts[i]);
    if (i > 0)
      rest = rewriter.create<arith::DivUIOp>(loc, rest, counts[i]);
  }
  rewriter.eraseOp(forall.getTerminator());
  rewriter.inlineBlockBefore(forall.getBody(), loop.getBody()->getTerminator(), ids);
  rewriter.eraseOp(forall);
}

/// A memref on a bare pointer: dense, row-major.
Value Entry::bufferFrom(Value address, MemRefType type, ArrayRef<Value> dynamicExtents) {
  Location loc = func.getLoc();
  auto descriptor = MemRefDescriptor::undef(rewriter, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(rewriter, loc, address);
  descriptor.setAlignedPtr(rewriter, loc, address);
  descriptor.setConstantOffset(rewriter, loc, 0);
  size_t next = dynamicExtents.size();
  Value stride = rewriter.create<LLVM::ConstantOp>(loc, i64, 1);
  for (size_t dim = type.getRank(); dim-- > 0;) {
    Value extent = type.isDynamicDim(dim)
                       ? dynamicExtents[--next]
                       : Value(rewriter.create<LLVM::ConstantOp>(loc, i64, type.getDimSize(dim)));
    descriptor.setSize(rewriter, loc, dim, extent);
    descriptor.setStride(rewriter, loc, dim, stride);
    if (dim > 0)
      stride = rewriter.create<LLVM::MulOp>(loc, stride, extent);
  }
  return rewriter.create<UnrealizedConversionCastOp>(loc, type, Value(descriptor)).getResult(0);
}

void Entry::makeBody() {
  Location loc = func.getLoc();
  Block &block = func.getBody().front();
  SmallVector<BlockArgument> old(block.getArguments());
  SmallVector<Type> types;
  for (BlockArgument argument : old)
    if (isa<MemRefType>(argument.getType())) {
      types.push_back(pointer);
      ++buffers;
    }
  types.append(constants.count() + 2, i64);
  rewriter.setInsertionPoint(func);
  std::string name = (func.getName() + "_tiles").str();
  body = rewriter.create<LLVM::LLVMFuncOp>(
      loc, name, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(func.getContext()), types),
      LLVM::Linkage::Internal);
  for (unsigned i = 0; i < buffers; ++i)
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), rewriter.getUnitAttr());

  // The arguments that the code knows are made from the bare ones in a prologue.
  SmallVector<Location> locations(types.size(), loc);
  Block *prologue = rewriter.createBlock(&body.getBody(), {}, types, locations);
  auto constant = prologue->args_begin() + buffers;
  auto asIndex = [&](Value value) {
    return rewriter.create<arith::IndexCastOp>(loc, rewriter.getIndexType(), value).getResult();
  };
  SmallVector<Value> replacements(old.size());
  for (auto [i, argument] : llvm::enumerate(ArrayRef(old).drop_back(2)))
    if (isa<IndexType>(argument.getType()))
      replacements[i] = asIndex(*constant++);
  unsigned buffer = 0;
  for (auto [i, argument] : llvm::enumerate(old)) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Value> extents;
    bool isWorkspace = func->hasAttr("kiln.workspace") && buffer + 1 == buffers;
    for (int64_t dim = 0; dim < type.getNumDynamicDims(); ++dim)
      extents.push_back(isWorkspace ? Value(rewriter.create<LLVM::ConstantOp>(loc, i64, INT64_MAX))
                                    : *constant++);
    replacements[i] = bufferFrom(prologue->getArgument(buffer++), type, extents);
  }
  replacements[old.size() - 2] = asIndex(prologue->getArgument(types.size() - 2));
  replacements[old.size() - 1] = asIndex(prologue->getArgument(types.size() - 1));
  rewriter.mergeBlocks(&block, prologue, replacements);
  Operation *terminator = prologue->getTerminator();
  rewriter.setInsertionPoint(terminator);
  rewriter.create<LLVM::ReturnOp>(loc, ValueRange());
  rewriter.eraseOp(terminator);
}

void Entry::makeEntry() {
  Location loc = func.getLoc();
  std::string name = func.getName().str();
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : func->getDiscardableAttrs())
    attributes.push_back(attribute);
  rewriter.eraseOp(func);
  rewriter.setInsertionPointAfter(body);
  SmallVector<Type> types{pointer, pointer, pointer, i64, i64};
  auto entry = rewriter.create<LLVM::LLVMFuncOp>(
      loc, name, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(rewriter.getContext()), types));
  for (NamedAttribute attribute : attributes)
    entry->setAttr(attribute.getName(), attribute.getValue());
  Block *block = entry.addEntryBlock(rewriter);
  rewriter.setInsertionPointToStart(block);
  bool hasWorkspace = entry->hasAttr("kiln.workspace");
  SmallVector<Value> operands;
  auto loadAt = [&](Value base, Type type, int64_t index) {
    Value address = rewriter.create<LLVM::GEPOp>(loc, pointer, type, base,
                                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    return rewriter.create<LLVM::LoadOp>(loc, type, address).getResult();
  };
  for (unsigned i = 0; i < buffers - hasWorkspace; ++i)
    operands.push_back(loadAt(block->getArgument(0), pointer, i));
  if (hasWorkspace)
    operands.push_back(block->getArgument(2));
  for (size_t i = 0; i < constants.count(); ++i)
    operands.push_back(loadAt(block->getArgument(1), i64, i));
  operands.push_back(block->getArgument(3));
  operands.push_back(block->getArgument(4));
  rewriter.create<LLVM::CallOp>(loc, body, operands);
  rewriter.create<LLVM::ReturnOp>(loc, ValueRange());
}

struct EntryPass : impl::EntryPassBase<EntryPass> {
  void runOnOperation() override {
    for (auto func : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (func->hasAttr("kiln.kernel") && failed(Entry(func).build()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace kiln::host
