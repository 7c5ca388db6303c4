// NpuVerify.cpp: what the ops ask of addresses, shapes, layouts and element types.
#include "backends/npu/IR/Npu.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace kiln::npu::ir {
namespace {

/// Whether two extents can be the same.
bool mayEqual(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }

bool sameExtents(MemRefType a, MemRefType b) {
  return a.getRank() == b.getRank() && llvm::all_of(llvm::zip(a.getShape(), b.getShape()), [](auto pair) {
           return mayEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult verifySameExtents(Operation *op, MemRefType src, MemRefType dst) {
  if (!sameExtents(src, dst))
    return op->emitOpError("source ") << src << " and destination " << dst << "; expected the same extents";
  return success();
}

LogicalResult verifySameElements(Operation *op, MemRefType src, Type dst) {
  Type element = isa<MemRefType>(dst) ? cast<MemRefType>(dst).getElementType() : dst;
  if (src.getElementType() != element)
    return op->emitOpError("element types ")
           << src.getElementType() << " and " << element << "; expected one";
  return success();
}

/// Adjacent elements in the last axis; rows in a core's memory at multiples of 32 bytes.
LogicalResult verifyRows(Operation *op, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (type.getRank() < 1 || type.getRank() > 2 || failed(getStridesAndOffset(type, strides, offset)) ||
      strides.back() != 1)
    return op->emitOpError("buffer ")
           << type << "; expected rank 1 or 2 with adjacent elements in the last axis";
  bool isRagged = !ShapedType::isDynamic(strides.front()) && type.getRank() == 2 && type.getShape()[0] != 1 &&
                  strides.front() * type.getElementTypeBitWidth() % 256 != 0;
  if (isRagged && memoryOf(type) == Memory::UB && type.getElementTypeBitWidth() >= 8)
    return op->emitOpError("buffer ") << type << "; expected rows at multiples of 32 bytes";
  return success();
}

LogicalResult verifyVector(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      if (failed(verifyRows(op, type)))
        return failure();
  return success();
}

/// No gaps between rows: ops on all elements of buffers take them as one line.
LogicalResult verifyDense(Operation *op) {
  if (failed(verifyVector(op)))
    return failure();
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (!type || type.getRank() != 2 || type.getShape()[0] == 1 ||
        failed(getStridesAndOffset(type, strides, offset)) || ShapedType::isDynamic(strides[0]))
      continue;
    if (strides[0] != type.getShape()[1])
      return op->emitOpError("buffer ") << type << "; expected rows without gaps between them";
  }
  return success();
}

bool isOneOf(Type type, ArrayRef<unsigned> floats, ArrayRef<unsigned> ints) {
  if (isa<FloatType>(type))
    return !type.isBF16() && llvm::is_contained(floats, type.getIntOrFloatBitWidth());
  return type.isSignlessInteger() && llvm::is_contained(ints, type.getIntOrFloatBitWidth());
}

LogicalResult verifyLegal(Operation *op, StringRef kind, Type element, ArrayRef<unsigned> floats,
                          ArrayRef<unsigned> ints) {
  if (isOneOf(element, floats, ints))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("'") << kind << "' on " << element << "; expected one of";
  for (unsigned width : floats)
    diagnostic << " f" << width;
  for (unsigned width : ints)
    diagnostic << " i" << width;
  return diagnostic;
}

/// Whether fractals lie one behind the other; `hasPitch`: each of the outermost only holds them so.
bool isPacked(MemRefType type, bool hasPitch) {
  SmallVector<int64_t> strides;
  int64_t offset = 0, expected = 1;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  for (int64_t axis = type.getRank() - 1; axis >= (hasPitch ? 1 : 0); --axis) {
    if (strides[axis] != expected)
      return false;
    expected *= type.getShape()[axis];
  }
  return !hasPitch || (strides[0] >= expected && strides[0] % strides[1] == 0);
}

LogicalResult verifyFractal(Operation *op, MemRefType type, int64_t rows, int64_t columns, StringRef layout,
                            bool hasPitch = false) {
  if (type.getRank() != 4 || type.getShape()[2] != rows || type.getShape()[3] != columns ||
      !isPacked(type, hasPitch))
    return op->emitOpError("buffer ")
           << type << "; expected " << layout << ": rank 4 with inner extents " << rows << " x " << columns;
  return success();
}

LogicalResult verifyInput(Operation *op, MemRefType type, StringRef layout) {
  return verifyFractal(op, type, 16, blockElements(type.getElementType()), layout);
}

} // namespace

LogicalResult BufferOp::verify() {
  MemRefType type = getMemref().getType();
  const auto *machine = (*this)->getDialect()->getRegisteredInterface<devicekit::MachineInterface>();
  devicekit::LocalMemory memory = *machine->localMemory(*this, type.getMemorySpace());
  std::optional<int64_t> bytes = devicekit::staticBytes(type);
  if (!bytes)
    return emitOpError("type ") << type << "; expected static extents without gaps";
  for (int64_t address : getAddresses()) {
    if (address < 0 || address % memory.alignmentBytes != 0) // C1
      return emitOpError("address ") << address << "; expected a multiple of " << memory.alignmentBytes
                                     << " in " << memory.name;
    if (address + *bytes > memory.capacityBytes) // C2
      return emitOpError("ends at ") << address + *bytes << "; " << memory.name << " holds "
                                     << memory.capacityBytes << " bytes";
  }
  if (getAddresses().empty() || (getAddresses().size() > 1) != bool(getSlot())) // C3
    return emitOpError() << getAddresses().size() << " addresses " << (getSlot() ? "with" : "without")
                         << " a slot; expected a slot for several and none for one";
  return success();
}

template <typename FlagOp> static LogicalResult verifyFlag(FlagOp op) {
  if (op.getSource() == op.getTarget() || op.getSource() == Pipe::ALL || op.getTarget() == Pipe::ALL) // C1
    return op.emitOpError("pipes ") << stringifyPipe(op.getSource()) << " and "
                                    << stringifyPipe(op.getTarget()) << "; expected two different ones";
  int64_t events = targetOf(op).eventsPerPair;
  if (op.getEvent() >= uint64_t(events)) // C2
    return op.emitOpError("event ") << op.getEvent() << "; the chip has " << events << " for a pair of pipes";
  return success();
}
LogicalResult SetFlagOp::verify() { return verifyFlag(*this); }
LogicalResult WaitFlagOp::verify() { return verifyFlag(*this); }

LogicalResult AddressOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getBinding());
  if (!argument || !isa<FunctionOpInterface>(argument.getOwner()->getParentOp())) // C1
    return emitOpError("expected an argument of the kernel's function");
  return success();
}

template <typename Op> static LogicalResult verifyCross(Op op) {
  if (op.getPipe() != Pipe::MTE2 && op.getPipe() != Pipe::MTE3 && op.getPipe() != Pipe::FIX) // C1
    return op.emitOpError("pipe ") << stringifyPipe(op.getPipe()) << "; expected MTE2, MTE3 or FIX";
  uint64_t flags = targetOf(op).crossFlags;
  if (uint64_t(op.getFlag()) >= flags) // C2
    return op.emitOpError("flag ") << int64_t(op.getFlag()) << "; expected 0 to " << flags - 1;
  return success();
}

LogicalResult CrossSetOp::verify() { return verifyCross(*this); }

LogicalResult CrossWaitOp::verify() { return verifyCross(*this); }

LogicalResult WorkspaceBufferOp::verify() {
  MemRefType type = getResult().getType();
  if (int64_t(getOffset()) < 0 || !type.hasStaticShape() || !type.getLayout().isIdentity()) // C1
    return emitOpError("offset ") << int64_t(getOffset()) << ", type " << type
                                  << "; expected an offset of 0 or more and static extents without gaps";
  return success();
}

template <typename Op> static LogicalResult verifyScalarAccess(Op op, Type element) {
  if (op.getMemory() != Memory::GM && op.getMemory() != Memory::UB) // C1
    return op.emitOpError("memory ") << stringifyMemory(op.getMemory()) << "; expected gm or ub";
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 1 && (bits % 8 != 0 || bits > 64)) // C2
    return op.emitOpError("element of type ") << element << "; expected whole bytes, 8 at most, or i1";
  return success();
}
LogicalResult LdsOp::verify() { return verifyScalarAccess(*this, getType()); }
LogicalResult StsOp::verify() { return verifyScalarAccess(*this, getValue().getType()); }

template <typename Op> static LogicalResult verifyTransfer(Op op) {
  if (failed(verifyRows(op, op.getSrc().getType())) || failed(verifyRows(op, op.getDst().getType())) ||
      failed(verifySameElements(op, op.getSrc().getType(), op.getDst().getType())))
    return failure();
  return verifySameExtents(op, op.getSrc().getType(), op.getDst().getType());
}
LogicalResult LoadOp::verify() { return verifyTransfer(*this); }
LogicalResult StoreOp::verify() { return verifyTransfer(*this); }

LogicalResult GatherRowsOp::verify() {
  MemRefType src = getSrc().getType(), indices = getIndices().getType(), dst = getDst().getType();
  if (failed(verifyRows(*this, src)) || failed(verifyRows(*this, dst)) ||
      failed(verifySameElements(*this, src, dst)))
    return failure();
  Type index = indices.getElementType();
  bool hasShape = src.getRank() == 2 && dst.getRank() == 2 && indices.getRank() == 1 &&
                  (index.isSignlessInteger(32) || index.isSignlessInteger(64)) &&
                  mayEqual(src.getShape()[1], dst.getShape()[1]) &&
                  mayEqual(indices.getShape()[0], dst.getShape()[0]);
  if (!hasShape) // C1
    return emitOpError("from ") << src << " at " << indices << " to " << dst
                                << "; expected [N][C] at [R] of i32 or i64 to [R][C]";
  return success();
}

LogicalResult LoadL1Op::verify() { return verifyTransfer(*this); }
LogicalResult LoadBiasOp::verify() { return verifyTransfer(*this); }

LogicalResult ScalarLoadOp::verify() {
  MemRefType src = getSrc().getType();
  if (!src.hasStaticShape() || src.getNumElements() != 1)
    return emitOpError("source ") << src << "; expected one element";
  Type from = src.getElementType(), to = getResult().getType();
  if ((from.isBF16() && to.isF32()) ||
      ((from.isInteger(8) || from.isInteger(16)) && to.isSignlessInteger(32)))
    return success();
  return verifySameElements(*this, src, to);
}

LogicalResult FillL1Op::verify() {
  if (getDst().getType().getElementType().isInteger(8)) // set_l1 knows no bytes
    return getValue().getType().isInteger(16)
               ? success()
               : emitOpError("fills bytes with ") << getValue().getType() << "; expected i16, two of them";
  return verifySameElements(*this, getDst().getType(), getValue().getType());
}

LogicalResult Nd2NzOp::verify() {
  MemRefType src = getSrc().getType();
  if (src.getRank() != 2 || failed(verifyRows(*this, src))) // C1
    return src.getRank() != 2 ? emitOpError("source ") << src << "; expected a matrix" : failure();
  if (failed(verifySameElements(*this, src, getDst().getType())))
    return failure();
  return verifyInput(*this, getDst().getType(), "zN");
}

LogicalResult UnaryOp::verify() {
  Type element = getSrc().getType().getElementType();
  bool takesInts = getKind() == Unary::vrelu, isBitwise = getKind() == Unary::vnot;
  if (failed(isBitwise ? verifyLegal(*this, stringifyUnary(getKind()), element, {}, {16})
                       : verifyLegal(*this, stringifyUnary(getKind()), element, {16, 32},
                                     takesInts ? ArrayRef<unsigned>{32} : ArrayRef<unsigned>())) ||
      failed(verifyDense(*this)) || failed(verifySameElements(*this, getSrc().getType(), getDst().getType())))
    return failure();
  return verifySameExtents(*this, getSrc().getType(), getDst().getType());
}

LogicalResult BinaryOp::verify() {
  MemRefType lhs = getLhs().getType(), dst = getDst().getType();
  Type element = lhs.getElementType();
  StringRef kind = stringifyBinary(getKind());
  bool isBitwise = getKind() == Binary::vand || getKind() == Binary::vor;
  bool isShift = getKind() == Binary::vshl || getKind() == Binary::vshr;
  if (failed(isBitwise                   ? verifyLegal(*this, kind, element, {}, {16, 32})
             : isShift                   ? verifyLegal(*this, kind, element, {}, {16, 32})
             : getKind() == Binary::vdiv ? verifyLegal(*this, kind, element, {16, 32}, {})
                                         : verifyLegal(*this, kind, element, {16, 32}, {16, 32})) ||
      failed(verifyDense(*this)) || failed(verifySameElements(*this, lhs, getRhs().getType())) ||
      failed(verifySameElements(*this, lhs, dst)) || failed(verifySameExtents(*this, lhs, dst)))
    return failure();
  auto rhs = dyn_cast<MemRefType>(getRhs().getType());
  if (isBitwise && getBroadcast())
    return emitOpError("'") << kind << "' broadcasts; expected buffers of the same extents";
  bool takesNumber = isShift || getKind() == Binary::vadd || getKind() == Binary::vmul ||
                     getKind() == Binary::vmax || getKind() == Binary::vmin;
  if (!rhs && !takesNumber)
    return emitOpError("'") << kind << "' with a number; expected a buffer";
  if (!rhs)
    return getBroadcast() ? emitOpError("broadcasts a number; expected a buffer") : success();
  SmallVector<int64_t> expected(lhs.getShape());
  if (std::optional<uint64_t> axis = getBroadcast()) {
    if (lhs.getRank() != 2 || *axis > 1)
      return emitOpError("broadcasts axis ")
             << *axis << " of rank " << lhs.getRank() << "; expected axis 0 or 1 of rank 2";
    int64_t block = blockElements(element);
    bool isRepeat = rhs.getRank() == 2 && rhs.getShape()[1] == 8 * block;
    expected[*axis] = *axis == 0 ? 1 : isRepeat ? 8 * block : block;
  }
  if (!sameExtents(rhs, MemRefType::get(expected, element))) // C1
    return emitOpError("second operand ")
           << rhs << "; expected extents like those of " << lhs << (getBroadcast() ? ", broadcast" : "");
  return success();
}

LogicalResult CompareOp::verify() {
  if (failed(verifyDense(*this)))
    return failure();
  MemRefType lhs = getLhs().getType();
  bool takesInts = getKind() == Compare::eq || getKind() == Compare::ne;
  if (failed(verifyLegal(*this, stringifyCompare(getKind()), lhs.getElementType(), {16, 32},
                         takesInts ? ArrayRef<unsigned>{32} : ArrayRef<unsigned>())) ||
      failed(verifySameElements(*this, lhs, getRhs().getType())))
    return failure();
  if (!getDst().getType().getElementType().isInteger(1))
    return emitOpError("destination ") << getDst().getType() << "; expected elements i1";
  return verifySameExtents(*this, lhs, getDst().getType());
}

LogicalResult SelectOp::verify() {
  if (failed(verifyDense(*this)))
    return failure();
  MemRefType dst = getDst().getType();
  if (!getMask().getType().getElementType().isInteger(1))
    return emitOpError("mask ") << getMask().getType() << "; expected elements i1";
  if (failed(verifyLegal(*this, "vsel", dst.getElementType(), {16, 32}, {16, 32})) ||
      failed(verifySameElements(*this, getLhs().getType(), dst)) ||
      failed(verifySameElements(*this, getLhs().getType(), getRhs().getType())))
    return failure();
  return verifySameExtents(*this, getLhs().getType(), dst);
}

LogicalResult CastOp::verify() {
  if (getSrc().getType().getElementType() == getDst().getType().getElementType())
    return emitOpError("from and to ") << getSrc().getType().getElementType() << "; expected two types";
  if (failed(verifyDense(*this)))
    return failure();
  return verifySameExtents(*this, getSrc().getType(), getDst().getType());
}

LogicalResult BroadcastOp::verify() {
  MemRefType dst = getDst().getType();
  bool isByte = dst.getElementType().isInteger(8) && getSrc().getType().isInteger(8); // of either sign
  if (failed(verifyDense(*this)) || (!isByte && failed(verifySameElements(*this, dst, getSrc().getType()))))
    return failure();
  auto column = dyn_cast<MemRefType>(getSrc().getType());
  if (!column)
    return success();
  int64_t block = blockElements(dst.getElementType());
  MemRefType temp = getTemp() ? getTemp().getType() : MemRefType();
  bool hasTemp =
      !temp || (temp.getRank() == 2 && temp.getShape()[1] == block &&
                temp.getElementType() == dst.getElementType() && dst.getElementTypeBitWidth() == 32);
  if (column.getRank() != 1 || dst.getRank() != 2 || !mayEqual(dst.getShape()[0], column.getShape()[0]) ||
      dst.getShape()[1] != (temp ? 8 * block : block) || !hasTemp)
    return emitOpError("from ") << column << " to " << dst << "; expected a column [R] and its blocks [R]["
                                << blockElements(dst.getElementType()) << "]";
  return success();
}

LogicalResult ReduceOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType(), temp = getTemp().getType();
  if (failed(verifyLegal(*this, stringifyReduce(getKind()), src.getElementType(), {16, 32}, {})) ||
      failed(verifyVector(*this)) || failed(verifySameElements(*this, src, dst)) ||
      failed(verifySameElements(*this, src, temp)))
    return failure();
  int64_t chunk = 256 * 8 / src.getElementTypeBitWidth();
  if (src.getRank() != 2 || dst.getRank() != 1 || temp.getRank() != 2 || temp.getShape()[1] != chunk ||
      !mayEqual(src.getShape()[0], dst.getShape()[0]) || !mayEqual(src.getShape()[0], temp.getShape()[0]))
    return emitOpError("from ") << src << " to " << dst << " by " << temp
                                << "; expected [R][C] to [R] by [R][" << chunk << "]";
  return success();
}

LogicalResult CopyOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  std::optional<int64_t> from = devicekit::staticBytes(src), to = devicekit::staticBytes(dst);
  if (!from || from != to || *from % 32 != 0)
    return emitOpError("from ") << src << " to " << dst << "; expected as many bytes, whole blocks of 32";
  return verifySameElements(*this, src, dst);
}

LogicalResult RangeOp::verify() {
  MemRefType dst = getDst().getType();
  if (dst.getRank() != 2 || dst.getShape()[0] != 1 || !dst.getElementType().isSignlessInteger(32) ||
      !dst.hasStaticShape() || dst.getShape()[1] % blockElements(dst.getElementType()) != 0) // C1
    return emitOpError("fills ") << dst << "; expected [1][N] of i32, whole blocks of 32 bytes";
  return success();
}

LogicalResult GatherOp::verify() {
  MemRefType src = getSrc().getType(), offsets = getOffsets().getType(), dst = getDst().getType();
  unsigned width = dst.getElementTypeBitWidth();
  bool hasShape = dst.getRank() == 2 && dst.getShape()[0] == 1 && sameExtents(offsets, dst) &&
                  offsets.getElementType().isSignlessInteger(32) && (width == 16 || width == 32);
  if (!hasShape) // C1
    return emitOpError("to ") << dst << " at " << offsets
                              << "; expected [1][N] of 16 or 32 bits at [1][N] of i32";
  return verifySameElements(*this, src, dst);
}

LogicalResult TransposeOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType(), temp = getTemp().getType();
  if (failed(verifySameElements(*this, src, dst)) || failed(verifySameElements(*this, src, temp)))
    return failure();
  int64_t width = src.getElementTypeBitWidth(), block = blockElements(src.getElementType());
  bool hasShape = (width == 16 || width == 32) && src.getRank() == 2 && src.hasStaticShape() &&
                  dst.hasStaticShape() && (dst.getRank() == 1 || dst.getRank() == 2) &&
                  src.getLayout().isIdentity() && dst.getLayout().isIdentity();
  int64_t rows = hasShape ? src.getShape()[0] : 0, columns = hasShape ? src.getShape()[1] : 0;
  hasShape = hasShape && rows % 16 == 0 && columns % block == 0 && dst.getShape().back() <= rows &&
             dst.getShape().back() % block == 0 && (dst.getRank() == 1 || dst.getShape()[0] <= columns) &&
             temp.getShape() == ArrayRef<int64_t>{rows / 16, columns, 16};
  if (!hasShape) // C1
    return emitOpError("from ")
           << src << " to " << dst << " by " << temp
           << "; expected [R][C] of 16 or 32 bits to [C][R] or a part of it by [R/16][C][16]";
  return success();
}

LogicalResult Load2dOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  if (failed(verifySameElements(*this, src, dst)) || failed(verifyInput(*this, src, "zN")))
    return failure();
  return verifyInput(*this, dst, memoryOf(dst) == Memory::L0A ? "zZ" : "nZ");
}

LogicalResult Load3dOp::verify() {
  if (getPads().size() != 4 || getKernel().size() != 2 || getStrides().size() != 2 ||
      getDilations().size() != 2) // C1
    return emitOpError("has ") << getPads().size() << " pads and a kernel of " << getKernel().size()
                               << " axes; expected 4 and 2";
  if (failed(verifySameElements(*this, getSrc().getType(), getDst().getType())) ||
      failed(verifyInput(*this, getSrc().getType(), "NC1HWC0")))
    return failure();
  return verifyInput(*this, getDst().getType(), "zZ");
}

LogicalResult MmadOp::verify() {
  MemRefType lhs = getLhs().getType(), dst = getDst().getType();
  Type in = lhs.getElementType(), out = dst.getElementType();
  if (failed(verifyInput(*this, lhs, "zZ")) || failed(verifyInput(*this, getRhs().getType(), "nZ")) ||
      failed(verifyFractal(*this, dst, 16, 16, "zN")) ||
      failed(verifySameElements(*this, lhs, getRhs().getType()))) // C1
    return failure();
  const Target &target = targetOf(*this);
  bool isLegal = in.isInteger(8) ? out.isInteger(32)
                                 : out.isF32() && (in.isF16() || (in.isBF16() && target.hasBf16) ||
                                                   (in.isF32() && target.cubeDepthF32));
  if (!isLegal) // C2
    return emitOpError("multiplies ") << in << " into " << out << "; the cube of the "
                                      << std::string(target.name()) << " has no such pair";
  return success();
}

/// What leaves L0C is converted as the quantisation says.
template <typename Op> static LogicalResult verifyQuant(Op op) {
  Type in = op.getSrc().getType().getElementType(), out = op.getDst().getType().getElementType();
  bool isLegal = false;
  switch (op.getQuant()) {
  case Quant::NO_QUANT:
    isLegal = in == out;
    break;
  case Quant::F322F16:
    isLegal = in.isF32() && out.isF16();
    break;
  case Quant::F322BF16:
    isLegal = in.isF32() && out.isBF16();
    break;
  }
  if (!isLegal)
    return op.emitOpError("'") << stringifyQuant(op.getQuant()) << "' from " << in << " to " << out;
  return success();
}

LogicalResult FixpipeOp::verify() {
  if (failed(verifyFractal(*this, getSrc().getType(), 16, 16, "zN", /*hasPitch=*/true)) ||
      failed(verifyRows(*this, getDst().getType())))
    return failure();
  return verifyQuant(*this); // C1
}

LogicalResult L0cToUbOp::verify() {
  MemRefType dst = getDst().getType();
  if (failed(verifyFractal(*this, getSrc().getType(), 16, 16, "zN", /*hasPitch=*/true))) // C1
    return failure();
  if (dst.getRank() != 3 || dst.getShape()[2] != 16 || !devicekit::staticBytes(dst))
    return emitOpError("to ") << dst << "; expected [J][R][16] without gaps";
  if (!targetOf(*this).fusedCores)
    return emitOpError("on the ") << std::string(targetOf(*this).name()) << ", whose L0C has no way to UB";
  return verifyQuant(*this); // C2
}

LogicalResult NzToNdOp::verify() {
  MemRefType src = getSrc().getType(), dst = getDst().getType();
  unsigned width = src.getElementTypeBitWidth();
  bool hasShape = (width == 16 || width == 32) && src.getRank() == 3 && src.getShape()[2] == 16 &&
                  dst.getRank() == 2 && devicekit::staticBytes(src) && devicekit::staticBytes(dst) &&
                  dst.getShape()[0] == src.getShape()[1] && dst.getShape()[1] >= 16 * src.getShape()[0] &&
                  dst.getShape()[1] * width % 256 == 0 && dst.getShape()[1] * width / 256 <= 31;
  if (!hasShape) // C1
    return emitOpError("from ")
           << src << " to " << dst
           << "; expected [J][R][16] to [R][C] of 16 or 32 bits, 31 blocks a row at most";
  return verifySameElements(*this, src, dst);
}

} // namespace kiln::npu::ir
