// ImportQuantizedProducts.cpp: products of quantized tensors: sums in i32, exactly; what follows is f32.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Quantization.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Status importMatMulInteger(Node &node) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {0, 1}));
  return node.output(integerMatmul(node.build, {node.tensor(0), node.tensorOrNull(2)},
                                   {node.tensor(1), node.tensorOrNull(3)}));
}

/// A B, requantized: inputs a, its scale and zero point, the same of b, then of the result.
Status importQLinearMatMul(Node &node) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {0, 3}));
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(
      Value sum, integerMatmul(build, {node.tensor(0), node.tensor(2)}, {node.tensor(3), node.tensor(5)}));
  KILN_ASSIGN_OR_RETURN(Value scaleA, lineUpRows(build, node.tensor(1)));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, scaleA, node.tensor(4), node.tensor(6)));
  return node.output(requantize(build, sum, multiplier, node.tensor(7), node.elementType(0)));
}

// ---- Convolutions ----------------------------------------------------------------------------------------

/// The convolution of inputs `x` and `w` less their zero points, in i32.
Result<Value> integerConv(Node &node, unsigned x, unsigned w, unsigned zeroPointX, unsigned zeroPointW,
                          Value bias, bool channelsAreLast = false) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {x, w}));
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Value zeroX, lineUp(build, node.tensorOrNull(zeroPointX), node.rank(x), 1));
  KILN_ASSIGN_OR_RETURN(Value zeroW, lineUp(build, node.tensorOrNull(zeroPointW), node.rank(w), 0));
  KILN_ASSIGN_OR_RETURN(Value numbers, centered(build, node.tensor(x), zeroX));
  KILN_ASSIGN_OR_RETURN(Value filters, centered(build, node.tensor(w), zeroW));
  KILN_RETURN_IF_ERROR(alignFactors(build, numbers, filters));
  if (channelsAreLast) {
    KILN_ASSIGN_OR_RETURN(numbers, channelsFirst(build, numbers));
  }
  return convolve(node, numbers, filters, bias);
}

Status importConvInteger(Node &node) { return node.output(integerConv(node, 0, 1, 2, 3, {})); }

/// That of com.microsoft may have its channels last; the weights' axes stay.
Status importQLinearConv(Node &node) {
  KilnBuilder &build = node.build;
  bool channelsAreLast = false;
  if (!node.isOnnxDomain()) {
    KILN_ASSIGN_OR_RETURN(channelsAreLast, node.flagAttribute("channels_last", false));
  }
  if (channelsAreLast && node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  KILN_ASSIGN_OR_RETURN(Value sum, integerConv(node, 0, 3, 2, 5, node.tensorOrNull(8), channelsAreLast));
  KILN_ASSIGN_OR_RETURN(Value scaleX, lineUp(build, node.tensor(1), node.rank(0), 1));
  KILN_ASSIGN_OR_RETURN(Value scaleW, lineUp(build, node.tensor(4), node.rank(0), 1));
  KILN_ASSIGN_OR_RETURN(Value scaleY, lineUp(build, node.tensor(6), node.rank(0), 1));
  KILN_ASSIGN_OR_RETURN(Value zeroY, lineUp(build, node.tensor(7), node.rank(0), 1));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, scaleX, scaleW, scaleY));
  KILN_ASSIGN_OR_RETURN(Value y, requantize(build, sum, multiplier, zeroY, node.elementType(0)));
  return node.output(channelsAreLast ? channelsLast(build, y) : Result<Value>(y));
}

// ---- com.microsoft ---------------------------------------------------------------------------------------

Result<Value> addBias(KilnBuilder &build, Value x, Value bias) {
  if (!bias)
    return x;
  return build.make<AddOp>({x, bias});
}

/// alpha A' B' + C: inputs as of QLinearMatMul with C before the result's; without those the result is float.
Status importQGemm(Node &node) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {0, 3}));
  KILN_ASSIGN_OR_RETURN(bool transA, node.flagAttribute("transA", false));
  KILN_ASSIGN_OR_RETURN(bool transB, node.flagAttribute("transB", false));
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  KilnBuilder &build = node.build;
  Type f32 = build.builder().getF32Type();
  // Parameters of b stand for its columns: the rows of a transposed one.
  Value zeroB = node.tensor(5);
  if (transB) {
    KILN_ASSIGN_OR_RETURN(zeroB, lineUpRows(build, zeroB));
  }
  Value zeroA = node.tensor(2);
  if (transA) { // one a row of A': lined up with the last axis
    KILN_ASSIGN_OR_RETURN(zeroA, lineUp(build, zeroA, 2, 1));
  }
  SmallVector<NamedAttribute> flags;
  if (transA)
    flags.push_back(build.flag("transA"));
  if (transB)
    flags.push_back(build.flag("transB"));
  KILN_ASSIGN_OR_RETURN(Value sum,
                        integerMatmul(build, {node.tensor(0), zeroA}, {node.tensor(3), zeroB}, flags));
  KILN_ASSIGN_OR_RETURN(sum, addBias(build, sum, node.tensorOrNull(6)));
  KILN_ASSIGN_OR_RETURN(Value scaleA, lineUpRows(build, node.tensor(1)));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, scaleA, node.tensor(4), {}));
  if (alpha != 1.0) {
    KILN_ASSIGN_OR_RETURN(multiplier, build.make<MulOp>({multiplier, build.scalar(f32, alpha)}));
  }
  if (node.hasInput(7)) {
    KILN_ASSIGN_OR_RETURN(multiplier, scaleProduct(build, multiplier, {}, node.tensor(7)));
    return node.output(requantize(build, sum, multiplier, node.tensorOrNull(8), node.elementType(0)));
  }
  return node.output(dequantize(build, sum, {multiplier, {}}, f32));
}

/// Inputs A, B, scales of A and B, zero points of A and B, bias.
Status importMatMulIntegerToFloat(Node &node) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {0, 1}));
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Value sum, integerMatmul(build, {node.tensor(0), node.tensorOrNull(4)},
                                                 {node.tensor(1), node.tensorOrNull(5)}));
  KILN_ASSIGN_OR_RETURN(Value scaleA, lineUpRows(build, node.tensor(2)));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, scaleA, node.tensor(3), {}));
  KILN_ASSIGN_OR_RETURN(sum, dequantize(build, sum, {multiplier, {}}, build.builder().getF32Type()));
  KILN_ASSIGN_OR_RETURN(sum, build.convert(sum, node.elementType(2)));
  return node.output(addBias(build, sum, node.tensorOrNull(6)));
}

/// Inputs A (float, quantized here), B, scale and zero point of B, bias.
Status importDynamicQuantizeMatMul(Node &node) {
  KILN_RETURN_IF_ERROR(requireBytes(node, {1}));
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(DynamicallyQuantized a, dynamicQuantize(build, node.tensor(0)));
  KILN_ASSIGN_OR_RETURN(
      Value sum, integerMatmul(build, {a.numbers, a.by.zeroPoint}, {node.tensor(1), node.tensorOrNull(3)}));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, a.by.scale, node.tensor(2), {}));
  KILN_ASSIGN_OR_RETURN(sum, dequantize(build, sum, {multiplier, {}}, build.builder().getF32Type()));
  return node.output(addBias(build, sum, node.tensorOrNull(4)));
}

/// Bytes, [.., n], as their fields of `bits`, the low ones first: [.., n * 8 / bits] of ui8.
Result<Value> unpacked(KilnBuilder &build, Value bytes, int64_t bits) {
  if (bits == 8)
    return bytes;
  Type ui8 = build.builder().getIntegerType(8, /*isSigned=*/false);
  Extents column = build.shape(bytes), whole = column;
  column.push_back(build.math().constant(1));
  KILN_ASSIGN_OR_RETURN(bytes, build.reshape(bytes, column));
  SmallVector<int64_t> distances;
  for (int64_t at = 0; at < 8; at += bits)
    distances.push_back(at);
  auto count = static_cast<int64_t>(distances.size());
  Value shifts = build.constant(TensorData::fromIntegers(RankedTensorType::get({count}, ui8), distances), "");
  KILN_ASSIGN_OR_RETURN(Value fields, build.make<ShrOp>({bytes, shifts}));
  KILN_ASSIGN_OR_RETURN(fields,
                        build.make<AndOp>({fields, build.scalar(ui8, static_cast<double>((1 << bits) - 1))}));
  whole.back() = build.math().mul(whole.back(), build.math().constant(count));
  return build.reshape(fields, whole);
}

/// Attributes of MatMulNBits.
struct BlockedShape {
  int64_t columns = 0, rows = 0, bits = 0, blockSize = 0, blocks = 0;
};

Result<BlockedShape> readBlockedShape(Node &node) {
  BlockedShape shape;
  KILN_ASSIGN_OR_RETURN(shape.columns, node.integerAttribute("K"));
  KILN_ASSIGN_OR_RETURN(shape.rows, node.integerAttribute("N"));
  KILN_ASSIGN_OR_RETURN(shape.bits, node.integerAttribute("bits", 4));
  KILN_ASSIGN_OR_RETURN(shape.blockSize, node.integerAttribute("block_size"));
  int64_t size = shape.blockSize;
  if (shape.bits != 2 && shape.bits != 4 && shape.bits != 8)
    return unsupported("attribute 'bits' is {0}; 2, 4 and 8 are supported", shape.bits);
  if (shape.rows < 1 || shape.columns < 1 || size < 16 || size > (1 << 20) || (size & (size - 1)))
    return invalid(
        "attributes 'N' {0}, 'K' {1}, 'block_size' {2}; expected positive numbers, the last a power of two "
        "of 16 or more",
        shape.rows, shape.columns, size);
  shape.blocks = (shape.columns + size - 1) / size;
  return shape;
}

/// The zero points of MatMulNBits, [N, blocks, 1] or one for all: packed like the numbers, or real.
Result<Value> blockZeroPoints(Node &node, const BlockedShape &shape) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extents each = math.constants({shape.rows, shape.blocks, 1});
  if (!node.hasInput(3))
    return build.scalar(build.builder().getIntegerType(8, false), static_cast<double>(1 << (shape.bits - 1)));
  if (isa<FloatType>(node.elementType(3))) {
    KILN_ASSIGN_OR_RETURN(Value zeros, build.reshape(node.tensor(3), each));
    return build.convert(zeros, build.builder().getF32Type());
  }
  int64_t packed = (shape.blocks * shape.bits + 7) / 8;
  KILN_ASSIGN_OR_RETURN(Value zeros, build.reshape(node.tensor(3), math.constants({shape.rows, packed})));
  KILN_ASSIGN_OR_RETURN(zeros, unpacked(build, zeros, shape.bits));
  KILN_ASSIGN_OR_RETURN(zeros, build.sliceAxis(zeros, 1, math.constant(0), math.constant(shape.blocks)));
  return build.reshape(zeros, each);
}

/// A times the transpose of B, whose rows are blocks of `bits`-bit numbers with a scale and maybe a zero
/// point each: inputs A, B as [N, blocks, bytes], scales, zero points, the block of each column if they are
/// not in order, bias.
Status importMatMulNBits(Node &node) {
  KILN_ASSIGN_OR_RETURN(BlockedShape shape, readBlockedShape(node));
  node.ignoreAttribute("accuracy_level"); // the least precision allowed
  KILN_RETURN_IF_ERROR(requireBytes(node, {1}));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Type element = node.elementType(0), f32 = build.builder().getF32Type();
  int64_t rows = shape.rows, blocks = shape.blocks, whole = blocks * shape.blockSize;
  Extent first = math.constant(0), columns = math.constant(shape.columns);
  KILN_ASSIGN_OR_RETURN(
      Value bytes,
      build.reshape(node.tensor(1), math.constants({rows, blocks, shape.blockSize * shape.bits / 8})));
  KILN_ASSIGN_OR_RETURN(Value numbers, unpacked(build, bytes, shape.bits)); // [N, blocks, blockSize]
  Quantization by;
  KILN_ASSIGN_OR_RETURN(by.scale, build.reshape(node.tensor(2), math.constants({rows, blocks, 1})));
  KILN_ASSIGN_OR_RETURN(by.zeroPoint, blockZeroPoints(node, shape));
  if (node.hasInput(4)) { // parameters by column
    KILN_ASSIGN_OR_RETURN(numbers, build.reshape(numbers, math.constants({rows, 1, whole})));
    KILN_ASSIGN_OR_RETURN(numbers, build.sliceAxis(numbers, 2, first, columns));
    KILN_ASSIGN_OR_RETURN(Value groups, build.sliceAxis(node.tensor(4), 0, first, columns));
    for (Value *parameter : {&by.scale, &by.zeroPoint})
      if (tensorType(*parameter).getRank() != 0) {
        KILN_ASSIGN_OR_RETURN(*parameter,
                              build.make<GatherOp>({*parameter, groups}, build.integer("axis", 1)));
        KILN_ASSIGN_OR_RETURN(*parameter, build.transpose(*parameter, {0, 2, 1}));
      }
    whole = shape.columns;
  }
  Value weights;
  if (isa<FloatType>(tensorType(by.zeroPoint).getElementType())) { // (q - zero) * scale, with fractions
    KILN_ASSIGN_OR_RETURN(numbers, build.convert(numbers, f32));
    KILN_ASSIGN_OR_RETURN(numbers, build.make<SubOp>({numbers, by.zeroPoint}));
    KILN_ASSIGN_OR_RETURN(Value scale, build.convert(by.scale, f32));
    KILN_ASSIGN_OR_RETURN(weights, build.make<MulOp>({numbers, scale}));
    KILN_ASSIGN_OR_RETURN(weights, build.convert(weights, element));
  } else {
    KILN_ASSIGN_OR_RETURN(weights, dequantize(build, numbers, by, element.isF64() ? f32 : element));
  }
  KILN_ASSIGN_OR_RETURN(weights, build.reshape(weights, math.constants({rows, whole})));
  KILN_ASSIGN_OR_RETURN(weights, build.sliceAxis(weights, 1, first, columns));
  KILN_ASSIGN_OR_RETURN(Value product, build.make<MatmulOp>({node.tensor(0), weights}, build.flag("transB")));
  return node.output(addBias(build, product, node.tensorOrNull(5)));
}

/// Rows of a table that is quantized by block: `bits`-bit numbers, in bytes packed along the last axis, or
/// 4-bit integers.
Status importGatherBlockQuantized(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t bits, node.integerAttribute("bits", 4));
  KILN_ASSIGN_OR_RETURN(int64_t blockSize, node.integerAttribute("block_size", 128));
  KILN_ASSIGN_OR_RETURN(int64_t gathered, node.axisAttribute(0, "gather_axis"));
  KILN_ASSIGN_OR_RETURN(int64_t quantized, node.axisAttribute(1, "quantize_axis"));
  if ((bits != 4 && bits != 8) || blockSize < 16 || blockSize > (1 << 20))
    return invalid("attributes 'bits' {0}, 'block_size' {1}; expected 4 or 8, 16 or more", bits, blockSize);
  if (gathered == quantized)
    return unsupported("blocks along the axis of the indices, {0}, are not supported", gathered);
  for (unsigned parameter : {2u, 3u})
    if (node.hasInput(parameter) && node.rank(parameter) != node.rank(0))
      return invalid("scales or zero points by block have rank {0}; expected {1}", node.rank(parameter),
                     node.rank(0));
  KilnBuilder &build = node.build;
  Type ui8 = build.builder().getIntegerType(8, /*isSigned=*/false);
  bool isPacked = node.elementType(0) == ui8 && bits == 4;
  auto rows = [&](Value table) {
    return build.make<GatherOp>({table, node.tensor(1)}, build.integer("axis", gathered));
  };
  KILN_ASSIGN_OR_RETURN(Value numbers, rows(node.tensor(0)));
  Quantization by;
  KILN_ASSIGN_OR_RETURN(by.scale, rows(node.tensor(2)));
  if (node.hasInput(3)) {
    KILN_ASSIGN_OR_RETURN(by.zeroPoint, rows(node.tensor(3)));
  } else if (node.elementType(0) == ui8) {
    by.zeroPoint = build.scalar(ui8, static_cast<double>(1 << (bits - 1)));
  }
  if (isPacked) {
    KILN_ASSIGN_OR_RETURN(numbers, unpacked(build, numbers, bits));
    if (node.hasInput(3)) {
      KILN_ASSIGN_OR_RETURN(by.zeroPoint, unpacked(build, by.zeroPoint, bits));
    }
  }
  int64_t axis = quantized > gathered ? quantized + node.rank(1) - 1 : quantized;
  Extent extent = build.dim(numbers, axis);
  for (Value *parameter : {&by.scale, &by.zeroPoint})
    if (*parameter && tensorType(*parameter).getRank() != 0) { // not the one that is left out
      KILN_ASSIGN_OR_RETURN(*parameter, repeated(build, *parameter, axis, blockSize, extent));
    }
  return node.output(dequantize(build, numbers, by, node.elementType(2)));
}

constexpr OpEntry kQuantizedProductsOps[] = {
    {"ConvInteger", 10, 2, 4, importConvInteger, "weights whose kernel extents are dynamic"},
    {"MatMulInteger", 10, 2, 4, importMatMulInteger},
    {"QLinearConv", 10, 8, 9, importQLinearConv, "weights whose kernel extents are dynamic"},
    {"QLinearMatMul", 10, 8, 8, importQLinearMatMul, "float8"},
    {"DynamicQuantizeMatMul", 1, 3, 5, importDynamicQuantizeMatMul, "", kMicrosoftDomain},
    {"MatMulIntegerToFloat", 1, 4, 7, importMatMulIntegerToFloat, "", kMicrosoftDomain},
    {"GatherBlockQuantized", 1, 3, 4, importGatherBlockQuantized, "blocks along the axis of the indices",
     kMicrosoftDomain},
    {"MatMulNBits", 1, 3, 6, importMatMulNBits, "`bits` other than 2, 4 and 8", kMicrosoftDomain},
    {"QLinearConv", 1, 8, 9, importQLinearConv, "weights whose kernel extents are dynamic", kMicrosoftDomain},
    {"QGemm", 1, 6, 9, importQGemm, "", kMicrosoftDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> quantizedProductOps() { return kQuantizedProductsOps; }

} // namespace kiln::onnx
