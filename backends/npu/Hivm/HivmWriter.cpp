// HivmWriter.cpp: prints a rewritten function. Pipe ops get HIVM's syntax; ops of arith, math and memref are
// the same on both sides but for the names of memories.
#include "backends/npu/Hivm/HivmWriter.h"

#include "backends/npu/Hivm/HivmAttention.h"
#include "backends/npu/Hivm/HivmForm.h"
#include "backends/npu/Hivm/HivmProduct.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_PRINTHIVMPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Elements of a row beside whose buffers UB has room for what the vendor's sort needs: six times as much.
constexpr int64_t kMostSorted = 2048;

class HivmWriter {
public:
  HivmWriter(func::FuncOp function, llvm::raw_ostream &os)
      : function(function), os(os), state(function, OpPrintingFlags().assumeVerified()) {}
  LogicalResult run();

private:
  void hide(Value value);
  void findHidden();
  LogicalResult writeBlock(Block &block);
  LogicalResult writeOp(Operation &op);
  LogicalResult writePlain(Operation &op);
  LogicalResult writeLoop(scf::ForOp loop);
  LogicalResult writeIf(scf::IfOp branch);
  void writeAlloc(memref::AllocOp alloc);
  LogicalResult writePipeOp(Operation &op);
  void writeProduct(ir::MmadOp op);
  void writeFixpipe(ir::FixpipeOp op);
  LogicalResult writeSort(ir::SortOp op);
  /// `hivm.hir.NAME ATTRIBUTES ins(...) outs(...) TAIL`.
  LogicalResult call(StringRef op, ArrayRef<Value> ins, Value out, const Twine &tail = "",
                     const Twine &attributes = "");

  std::string name(Value value);
  std::string names(ValueRange values);
  std::string types(TypeRange types);
  llvm::raw_ostream &line() { return os.indent(indent); }

  func::FuncOp function;
  llvm::raw_ostream &os;
  AsmState state;
  llvm::DenseSet<Value> hidden; // what the vendor's compiler and library make themselves
  unsigned indent = 0;
};

/// Text with HIVM's names of memories. Of fp8, which the chip only moves, HIVM knows the bytes.
std::string withSpaces(std::string text) {
  constexpr std::pair<StringLiteral, StringLiteral> spaces[] = {
      {"#npu.memory<gm>", "#hivm.address_space<gm>"},
      {"#npu.memory<ub>", "#hivm.address_space<ub>"},
      {"#npu.memory<l1>", "#hivm.address_space<cbuf>"},
      {"#npu.memory<l0c>", "#hivm.address_space<cc>"}};
  for (auto [ours, theirs] : spaces)
    for (size_t at = 0; (at = text.find(ours, at)) != std::string::npos; at += theirs.size())
      text.replace(at, ours.size(), theirs);
  for (size_t at = 0; (at = text.find("xf8E", at)) != std::string::npos;) {
    size_t end = at + 1;
    while (end < text.size() && llvm::isAlnum(text[end]))
      ++end;
    text.replace(at, end - at, "xi8");
  }
  return text;
}

std::string HivmWriter::name(Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, state);
  return text;
}

std::string HivmWriter::names(ValueRange values) {
  return llvm::join(llvm::map_range(values, [&](Value value) { return name(value); }), ", ");
}

std::string HivmWriter::types(TypeRange types) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(types, stream);
  return withSpaces(text);
}

LogicalResult HivmWriter::call(StringRef op, ArrayRef<Value> ins, Value out, const Twine &tail,
                               const Twine &attributes) {
  line() << "hivm.hir." << op << (attributes.str().empty() ? "" : " ") << attributes << " ins(" << names(ins)
         << " : " << types(ValueRange(ins).getTypes()) << ") outs(" << name(out) << " : "
         << types(out.getType()) << ')' << tail << '\n';
  return success();
}

/// Leaves out a buffer with all of its views.
void HivmWriter::hide(Value value) {
  SmallVector<Value> work = {bufferOf(value)};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!hidden.insert(next).second)
      continue;
    for (Operation *user : next.getUsers())
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(work, user->getResults());
  }
}

void HivmWriter::findHidden() {
  function.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      std::optional<ir::Memory> memory = ir::memoryOf(alloc.getType());
      bool isUsed = false;
      forEachAccess(alloc, [&](Operation *) { isUsed = true; });
      if (memory == ir::Memory::L0A || memory == ir::Memory::L0B || memory == ir::Memory::BT || !isUsed)
        hide(alloc);
    } else if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
      hide(reduce.getTemp());
    } else if (auto transpose = dyn_cast<ir::TransposeOp>(op)) {
      hide(transpose.getTemp());
    }
  });
}

void HivmWriter::writeAlloc(memref::AllocOp alloc) {
  line() << name(alloc) << " = memref.alloc() : " << types(alloc.getType()) << '\n';
  if (auto copies = alloc->getAttrOfType<IntegerAttr>(devicekit::kCopiesAttr))
    line() << "annotation.mark " << name(alloc) << " {hivm.multi_buffer = " << copies.getInt()
           << " : i32} : " << types(alloc.getType()) << '\n';
}

LogicalResult HivmWriter::writePlain(Operation &op) {
  if (!isa<arith::ArithDialect, math::MathDialect, memref::MemRefDialect>(op.getDialect()) ||
      op.getNumRegions() != 0)
    return op.emitError("npu: '") << op.getName() << "' has no form in HIVM";
  std::string text;
  llvm::raw_string_ostream stream(text);
  op.print(stream, state);
  line() << withSpaces(text) << '\n';
  return success();
}

LogicalResult HivmWriter::writeLoop(scf::ForOp loop) {
  line() << names(loop.getResults()) << (loop.getNumResults() ? " = " : "") << "scf.for "
         << name(loop.getInductionVar()) << " = " << name(loop.getLowerBound()) << " to "
         << name(loop.getUpperBound()) << " step " << name(loop.getStep());
  if (loop.getNumResults()) {
    os << " iter_args(";
    llvm::interleaveComma(llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()), os, [&](auto pair) {
      os << name(std::get<0>(pair)) << " = " << name(std::get<1>(pair));
    });
    os << ") -> (" << types(loop.getResultTypes()) << ')';
  }
  Type counter = loop.getInductionVar().getType();
  os << (counter.isIndex() ? "" : " : " + types(counter)) << " {\n";
  if (failed(writeBlock(*loop.getBody())))
    return failure();
  line() << "}\n";
  return success();
}

LogicalResult HivmWriter::writeIf(scf::IfOp branch) {
  line() << names(branch.getResults()) << (branch.getNumResults() ? " = " : "") << "scf.if "
         << name(branch.getCondition());
  if (branch.getNumResults())
    os << " -> (" << types(branch.getResultTypes()) << ')';
  os << " {\n";
  if (failed(writeBlock(branch.getThenRegion().front())))
    return failure();
  if (!branch.getElseRegion().empty()) {
    line() << "} else {\n";
    if (failed(writeBlock(branch.getElseRegion().front())))
      return failure();
  }
  line() << "}\n";
  return success();
}

void HivmWriter::writeProduct(ir::MmadOp op) {
  SmallVector<StringRef> attributes;
  for (StringRef name : {kLeftTransposedAttr, kRightTransposedAttr})
    if (op->hasAttr(name))
      attributes.push_back(name);
  SmallVector<Value> ins = {op.getLhs(), op.getRhs(), op.getInit(), op.getM(), op.getK(), op.getN()};
  if (op.getBias())
    ins.push_back(op.getBias());
  (void)call("mmadL1", ins, op.getDst(), "",
             attributes.empty() ? "" : "{" + llvm::join(attributes, ", ") + "}");
}

void HivmWriter::writeFixpipe(ir::FixpipeOp op) {
  std::string attributes = "{enable_nz2nd";
  if (op.getQuant() != ir::Quant::NO_QUANT)
    attributes +=
        (", pre_quant = #hivm.fixpipe_pre_quant_mode<" + ir::stringifyQuant(op.getQuant()) + ">").str();
  if (op.getRelu())
    attributes += ", pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>";
  (void)call("fixpipe", op.getSrc(), op.getDst(), "", attributes + "}");
}

/// HIVM sorts whole rows, with where each key was; runs are then in order, and what merges them copies.
LogicalResult HivmWriter::writeSort(ir::SortOp op) {
  int64_t count = cast<MemRefType>(op.getKeys().getType()).getDimSize(1);
  if (count > kMostSorted)
    return op.emitError("npu: a row of ") << count << " elements leaves no room for the sort of HIVM";
  std::string base = name(op.getDst()) + "_sort", keys = base + "_keys", order = base + "_order",
              chosen = base + "_indices", bits = base + "_bits";
  auto typeOf = [](int64_t elements, StringRef element) {
    return "memref<" + std::to_string(elements) + "x" + element.str() + ", #hivm.address_space<ub>>";
  };
  std::string reals = typeOf(count, "f32"), ints = typeOf(count, "i32"), both = typeOf(2 * count, "i32");
  auto flat = [&](Value value, const std::string &type) {
    std::string row = base + "_of_" + name(value).substr(1);
    line() << row << " = memref.collapse_shape " << name(value) << " [[0, 1]] : " << types(value.getType())
           << " into " << type << '\n';
    return row;
  };
  for (const std::string &made : {keys, order, chosen})
    line() << made << " = memref.alloc() : " << (made == keys ? reals : ints) << '\n';
  std::string row = flat(op.getKeys(), reals), indices = flat(op.getIndices(), ints),
              pairs = flat(op.getDst(), both);
  line() << "hivm.hir.vsort ins(" << row << " : " << reals << ") outs(" << keys << ", " << order << " : "
         << reals << ", " << ints << ") descending = true sort_axis = 0\n";
  line() << "hivm.hir.vgather ins(" << indices << " : " << ints << ") indices(" << order << " : " << ints
         << ") outs(" << chosen << " : " << ints << ")\n";
  line() << bits << " = hivm.hir.bitcast " << keys << " : " << reals << " -> " << ints << '\n';
  line() << "hivm.hir.vinterleave ins(" << bits << ", " << chosen << " : " << ints << ", " << ints
         << ") outs(" << pairs << " : " << both << ") interleave_channel_nums = 2\n";
  return success();
}

LogicalResult HivmWriter::writePipeOp(Operation &op) {
  using R = LogicalResult;
  return TypeSwitch<Operation *, R>(&op)
      .Case<ir::LoadOp, ir::LoadL1Op>(
          [&](auto load) -> R { return call("load", load.getSrc(), load.getDst()); })
      .Case([&](ir::StoreOp store) -> R { return call("store", store.getSrc(), store.getDst()); })
      .Case([&](ir::FillL1Op fill) -> R { return call("vbrc", fill.getValue(), fill.getDst()); })
      .Case([&](ir::Nd2NzOp load) -> R {
        return call("nd2nz", load.getSrc(), load.getDst(), "", "{dst_continuous}");
      })
      .Case([&](ir::UnaryOp unary) -> R {
        return call(ir::stringifyUnary(unary.getKind()), unary.getSrc(), unary.getDst());
      })
      .Case([&](ir::BinaryOp binary) -> R {
        std::optional<uint64_t> axis = binary.getBroadcast();
        return call(ir::stringifyBinary(binary.getKind()), {binary.getLhs(), binary.getRhs()},
                    binary.getDst(), axis ? " broadcast = [" + std::to_string(*axis) + "]" : std::string());
      })
      .Case([&](ir::CompareOp compare) -> R {
        return call("vcmp", {compare.getLhs(), compare.getRhs()}, compare.getDst(),
                    " compare_mode = <" + ir::stringifyCompare(compare.getKind()) + ">");
      })
      .Case([&](ir::SelectOp select) -> R {
        return call("vsel", {select.getMask(), select.getLhs(), select.getRhs()}, select.getDst());
      })
      .Case([&](ir::CastOp cast) -> R {
        return call("vcast", cast.getSrc(), cast.getDst(),
                    " round_mode = <" + ir::stringifyRound(cast.getRound()) + ">");
      })
      .Case([&](ir::BroadcastOp fill) -> R { return call("vbrc", fill.getSrc(), fill.getDst()); })
      .Case([&](ir::ReduceOp reduce) -> R {
        return call(("vreduce <" + ir::stringifyReduce(reduce.getKind()) + ">").str(), reduce.getSrc(),
                    reduce.getDst(), " reduce_dims = [1]");
      })
      .Case([&](ir::RangeOp range) -> R { // rows of one length: strides 0 and 1
        line() << "hivm.hir.varange offset[%first] strides[%first, %next] outs(" << name(range.getDst())
               << " : " << types(range.getDst().getType()) << ")\n";
        return success();
      })
      .Case([&](ir::GatherOp gather) -> R {
        line() << "hivm.hir.vgather ins(" << name(gather.getSrc()) << " : "
               << types(gather.getSrc().getType()) << ") indices(" << name(gather.getOffsets()) << " : "
               << types(gather.getOffsets().getType()) << ") outs(" << name(gather.getDst()) << " : "
               << types(gather.getDst().getType()) << ")\n";
        return success();
      })
      .Case([&](ir::SortOp sort) -> R { return writeSort(sort); })
      .Case([&](ir::MergeOp merge) -> R { return call("copy", merge.getSrc(), merge.getDst()); })
      .Case([&](ir::CopyOp copy) -> R { return call("copy", copy.getSrc(), copy.getDst()); })
      .Case([&](ir::TransposeOp transpose) -> R {
        return call("vtranspose", transpose.getSrc(), transpose.getDst(), " permutation = [1, 0]");
      })
      .Case<ir::Load2dOp, ir::LoadBiasOp>([&](auto) -> R { return success(); }) // part of mmadL1
      .Case([&](ir::MmadOp product) -> R {
        writeProduct(product);
        return success();
      })
      .Case([&](ir::FixpipeOp fixpipe) -> R {
        writeFixpipe(fixpipe);
        return success();
      })
      .Default([&](Operation *other) -> R {
        return other->emitError("npu: '") << other->getName() << "' has no form in HIVM";
      });
}

LogicalResult HivmWriter::writeOp(Operation &op) {
  if (op.getNumResults() == 1 && hidden.contains(op.getResult(0)))
    return success();
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    writeAlloc(alloc);
    return success();
  }
  if (auto same = dyn_cast<UnrealizedConversionCastOp>(op)) {
    line() << name(same.getResult(0)) << " = hivm.hir.bitcast " << name(same.getOperand(0)) << " : "
           << types(same.getOperandTypes()) << " -> " << types(same.getResultTypes()) << '\n';
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writeLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch);
  if (isa<scf::YieldOp>(op)) {
    if (op.getNumOperands())
      line() << "scf.yield " << names(op.getOperands()) << " : " << types(op.getOperandTypes()) << '\n';
    return success();
  }
  if (isa<func::ReturnOp, memref::DeallocOp>(op))
    return success();
  return isa<ir::NpuDialect>(op.getDialect()) ? writePipeOp(op) : writePlain(op);
}

LogicalResult HivmWriter::writeBlock(Block &block) {
  indent += 2;
  for (Operation &op : block)
    if (failed(writeOp(op)))
      return failure();
  indent -= 2;
  return success();
}

LogicalResult HivmWriter::run() {
  findHidden();
  Block &body = function.getBody().front();
  os << "func.func @" << function.getName() << '(';
  llvm::interleaveComma(body.getArguments().drop_back(), os,
                        [&](Value argument) { os << name(argument) << ": " << types(argument.getType()); });
  bool isCube = function->getAttrOfType<StringAttr>(kCoreAttr).getValue() == "aic";
  os << ")\n    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, "
     << "hivm.func_core_type = #hivm.func_core_type<" << (isCube ? "AIC" : "AIV") << ">} {\n";
  indent = 2;
  line() << "scf.forall (" << name(body.getArguments().back()) << ") in ("
         << function->getAttrOfType<IntegerAttr>(kBlocksAttr).getInt() << ") {\n";
  bool counts = false;
  function.walk([&](ir::RangeOp) { counts = true; });
  if (counts)
    os.indent(4) << "%first = arith.constant 0 : index\n    %next = arith.constant 1 : index\n";
  if (failed(writeBlock(body)))
    return failure();
  line() << "} {mapping = [#hivm.block]}\n";
  line() << "return\n";
  os << "}\n";
  return success();
}

LogicalResult writeHivm(ModuleOp module, llvm::raw_ostream &os) {
  if (ir::targetOf(module).chip != ChipClass::Ascend910B)
    return module.emitError("npu: HIVM is for chips of the 910B class; this is a ")
           << std::string(ir::targetOf(module).name());
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(chooseCopies(*copy)))
    return failure();
  bool isMixed = llvm::any_of(copy->getOps<func::FuncOp>(),
                              [](func::FuncOp function) { return function->hasAttr(kVectorPartAttr); });
  for (auto function : copy->getOps<func::FuncOp>()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto codeTemplate = function->getAttrOfType<StringAttr>(kTemplateAttr);
    if (codeTemplate && codeTemplate.getValue() == "scalar")
      return function.emitError("npu: a kernel of the scalar units has no form in HIVM");
    if (isMixed) {
      if (!function->hasAttr(kVectorPartAttr) && failed(writeAttention(function, os)))
        return failure();
      continue;
    }
    if (failed(rewriteForHivm(function)) || failed(HivmWriter(function, stream).run()))
      return failure();
    os << text;
  }
  return success();
}

struct PrintHivm final : impl::PrintHivmPassBase<PrintHivm> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(writeHivm(getOperation(), llvm::outs())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult printHivm(ModuleOp module, const jit::Target &, llvm::raw_ostream &os) {
  return writeHivm(module, os);
}

} // namespace kiln::npu
