// HivmOps.cpp: pipe ops by their names in HIVM. `load2d` and `mmad` become the macro `mmadL1` over L1; a
// column is a buffer [rows, 1]; `vreduce` folds into its destination, which gets the identity before.
#include "backends/npu/Hivm/HivmWriter.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu {
namespace {

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Calls `fn` for each op that touches the buffer or a view of it.
void forEachUser(Value root, llvm::function_ref<void(Operation *)> fn) {
  for (Operation *user : root.getUsers()) {
    if (!isa<ViewLikeOpInterface>(user)) {
      fn(user);
      continue;
    }
    for (Value view : user->getResults())
      forEachUser(view, fn);
  }
}

/// The one op of a kind that writes the buffer; null if there is none, or several.
template <typename OpTy> OpTy writerOf(Value buffer) {
  Value root = rootOf(buffer);
  OpTy found;
  bool isOne = true;
  forEachUser(root, [&](Operation *user) {
    auto op = dyn_cast<OpTy>(user);
    if (!op || rootOf(op.getDst()) != root)
      return;
    isOne &= !found;
    found = op;
  });
  return isOne ? found : OpTy();
}

/// The number that leaves the other operand as it is.
TypedAttr identityOf(ir::Reduce kind, Type element) {
  Builder builder(element.getContext());
  if (kind == ir::Reduce::sum)
    return builder.getZeroAttr(element);
  bool isMax = kind == ir::Reduce::max;
  if (auto real = dyn_cast<FloatType>(element))
    return builder.getFloatAttr(element, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element,
                                isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

MemRefType columnType(MemRefType from) {
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  return *memref::ExpandShapeOp::computeExpandedType(from, {from.getShape()[0], 1}, groups);
}

} // namespace

/// A view [rows, 1] of a buffer [rows].
std::string HivmWriter::asColumn(std::string column, MemRefType from, std::string &result) {
  std::string rows = std::to_string(from.getShape()[0]);
  if (from.isDynamicDim(0)) {
    std::string zero = constant(IntegerAttr::get(IndexType::get(from.getContext()), 0));
    rows = fresh();
    line() << rows << " = memref.dim " << column << ", " << zero << " : " << type(from) << '\n';
  }
  std::string view = fresh();
  result = type(columnType(from));
  line() << view << " = memref.expand_shape " << column << " [[0, 1]] output_shape [" << rows
         << ", 1] : " << type(from) << " into " << result << '\n';
  return view;
}

/// The column whose spread blocks are the op's right operand, as long as the left one has rows.
FailureOr<std::string> HivmWriter::columnOf(ir::BinaryOp op, std::string &result) {
  auto spread = writerOf<ir::BroadcastOp>(op.getRhs());
  if (!spread || !isa<MemRefType>(spread.getSrc().getType()) || spread->getBlock() != op->getBlock())
    return FailureOr<std::string>(op.emitError("npu: a column that no one vbrc spreads has no form in HIVM"));
  // HIVM reads the column itself: nobody may have written it since.
  Value root = rootOf(spread.getSrc());
  for (Operation *between = spread->getNextNode(); between != op; between = between->getNextNode())
    if (auto pipe = dyn_cast<ir::PipeOpInterface>(between)) {
      SmallVector<ir::PipeAccess> accesses;
      pipe.getAccesses(accesses);
      for (ir::PipeAccess access : accesses)
        if (access.isWrite && rootOf(access.memref) == root)
          return FailureOr<std::string>(
              op.emitError("npu: a column that is written after it was spread has no form in HIVM"));
    }
  Value source = spread.getSrc();
  auto from = cast<MemRefType>(source.getType());
  auto lhs = cast<MemRefType>(op.getLhs().getType());
  std::string column = name(source);
  if (from.getShape()[0] != lhs.getShape()[0] || from.isDynamicDim(0)) {
    std::string rows = lhs.isDynamicDim(0) ? extent(op.getLhs(), 0) : std::to_string(lhs.getShape()[0]);
    auto part = cast<MemRefType>(memref::SubViewOp::inferResultType(
        from, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{lhs.getShape()[0]}, ArrayRef<int64_t>{1}));
    std::string view = fresh();
    line() << view << " = memref.subview " << column << "[0] [" << rows << "] [1] : " << type(from) << " to "
           << type(part) << '\n';
    column = view;
    from = part;
  }
  return asColumn(column, from, result);
}

LogicalResult HivmWriter::writeBinary(ir::BinaryOp op) {
  StringRef kind = ir::stringifyBinary(op.getKind());
  std::optional<int64_t> axis = op.getBroadcast();
  if (axis != 1) {
    call(kind, {op.getLhs(), op.getRhs()}, op.getDst(), axis ? " broadcast = [0]" : "");
    return success();
  }
  std::string columnText;
  FailureOr<std::string> column = columnOf(op, columnText);
  if (failed(column))
    return failure();
  line() << "hivm.hir." << kind << " ins(" << name(op.getLhs()) << ", " << *column << " : "
         << type(op.getLhs()) << ", " << columnText << ") outs(" << name(op.getDst()) << " : "
         << type(op.getDst()) << ") broadcast = [1]\n";
  return success();
}

LogicalResult HivmWriter::writeReduce(ir::ReduceOp op) {
  auto to = cast<MemRefType>(op.getDst().getType());
  std::string columnText, column = asColumn(name(op.getDst()), to, columnText);
  std::string identity = constant(identityOf(op.getKind(), to.getElementType()));
  line() << "hivm.hir.vbrc ins(" << identity << " : " << type(to.getElementType()) << ") outs(" << column
         << " : " << columnText << ")\n";
  line() << "hivm.hir.vreduce <" << ir::stringifyReduce(op.getKind()) << "> ins(" << name(op.getSrc())
         << " : " << type(op.getSrc()) << ") outs(" << column << " : " << columnText
         << ") reduce_dims = [1]\n";
  return success();
}

LogicalResult HivmWriter::writeProduct(ir::MmadOp op) {
  auto left = writerOf<ir::Load2dOp>(op.getLhs()), right = writerOf<ir::Load2dOp>(op.getRhs());
  if (!left || !right)
    return op.emitError("npu: a product of L0 buffers that no one load2d fills has no form in HIVM");
  bool isTransposed = !right.getTranspose();
  SmallVector<Value> ins = {left.getSrc(), right.getSrc(), op.getInit(), op.getM(), op.getK(), op.getN()};
  if (op.getBias()) {
    auto bias = writerOf<ir::LoadBiasOp>(op.getBias());
    if (!bias)
      return op.emitError("npu: a bias that no one load_bias brings has no form in HIVM");
    if (isTransposed) // mmadL1 with a bias would silently multiply by the matrix as it lies in memory
      return op.emitError("npu: a product with a bias by a transposed matrix has no form in HIVM");
    ins.push_back(bias.getSrc());
  }
  call("mmadL1", ins, op.getDst(), "", isTransposed ? "{b_transpose}" : "");
  return success();
}

void HivmWriter::writeFixpipe(ir::FixpipeOp op) {
  std::string attributes = "{enable_nz2nd";
  if (op.getQuant() != ir::Quant::NO_QUANT)
    attributes +=
        (", pre_quant = #hivm.fixpipe_pre_quant_mode<" + ir::stringifyQuant(op.getQuant()) + ">").str();
  if (op.getRelu())
    attributes += ", pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>";
  call("fixpipe", {op.getSrc()}, op.getDst(), "", attributes + "}");
}

LogicalResult HivmWriter::writePipeOp(Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ir::BlockIdxOp block) {
        renamed[block] = "%block";
        return success();
      })
      .Case([&](ir::BlockNumOp number) {
        int64_t blocks = function->getAttrOfType<IntegerAttr>("npu.blocks").getInt();
        line() << name(number) << " = arith.constant " << blocks << " : index\n";
        return success();
      })
      .Case<ir::LoadOp, ir::LoadL1Op>([&](auto load) {
        call("load", {load.getSrc()}, load.getDst());
        return success();
      })
      .Case([&](ir::StoreOp store) {
        call("store", {store.getSrc()}, store.getDst());
        return success();
      })
      .Case([&](ir::ScalarLoadOp load) {
        std::string zero = constant(IntegerAttr::get(IndexType::get(op.getContext()), 0));
        auto from = cast<MemRefType>(load.getSrc().getType());
        line() << name(load) << " = memref.load " << name(load.getSrc()) << '[';
        llvm::interleaveComma(SmallVector<std::string>(from.getRank(), zero), os);
        os << "] : " << type(from) << '\n';
        return success();
      })
      .Case([&](ir::FillL1Op fill) {
        call("vbrc", {fill.getValue()}, fill.getDst());
        return success();
      })
      .Case([&](ir::Nd2NzOp load) {
        call("nd2nz", {load.getSrc()}, load.getDst(), "", "{dst_continuous}");
        return success();
      })
      .Case([&](ir::UnaryOp unary) {
        call(ir::stringifyUnary(unary.getKind()), {unary.getSrc()}, unary.getDst());
        return success();
      })
      .Case([&](ir::BinaryOp binary) { return writeBinary(binary); })
      .Case([&](ir::CompareOp compare) {
        std::string mode = (" compare_mode = <" + ir::stringifyCompare(compare.getKind()) + ">").str();
        call("vcmp", {compare.getLhs(), compare.getRhs()}, compare.getDst(), mode);
        return success();
      })
      .Case([&](ir::SelectOp select) {
        call("vsel", {select.getMask(), select.getLhs(), select.getRhs()}, select.getDst());
        return success();
      })
      .Case([&](ir::CastOp cast) {
        std::string mode = (" round_mode = <" + ir::stringifyRound(cast.getRound()) + ">").str();
        call("vcast", {cast.getSrc()}, cast.getDst(), mode);
        return success();
      })
      .Case([&](ir::BroadcastOp fill) {
        if (!isa<MemRefType>(fill.getSrc().getType())) // a column is read as it is
          call("vbrc", {fill.getSrc()}, fill.getDst());
        return success();
      })
      .Case([&](ir::ReduceOp reduce) { return writeReduce(reduce); })
      .Case<ir::Load2dOp, ir::LoadBiasOp>([&](auto) { return success(); }) // part of mmadL1
      .Case([&](ir::MmadOp product) { return writeProduct(product); })
      .Case([&](ir::FixpipeOp fixpipe) {
        writeFixpipe(fixpipe);
        return success();
      })
      .Default([&](Operation *other) {
        return other->emitError("npu: '") << other->getName() << "' has no form in HIVM";
      });
}

} // namespace kiln::npu
