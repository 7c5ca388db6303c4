// ImportQuantization.cpp: QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, also those of
// com.microsoft.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Quantization.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Scale and zero point of inputs 1 and 2, lined up with input 0, or with `x`, a view of it, if they are by
/// block.
struct Aligned {
  Value x;
  Quantization by;
  bool isView = false; // the result takes the shape of input 0
};

Result<Aligned> alignBlocks(Node &node, int64_t axis, int64_t blockSize) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  int64_t rank = node.rank(0);
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, rank));
  if (blockSize < 0)
    return invalid("attribute 'block_size' is {0}; expected > 0", blockSize);
  Aligned result{node.tensor(0), {node.tensor(1), node.tensorOrNull(2)}};
  Extents extents = node.shape(0);
  for (Value *parameter : {&result.by.scale, &result.by.zeroPoint})
    if (*parameter && cast<RankedTensorType>(parameter->getType()).getRank() != rank)
      return invalid("scales or zero points by block have rank {0}; expected {1}",
                     cast<RankedTensorType>(parameter->getType()).getRank(), rank);
  std::optional<int64_t> blocks = IndexMath::known(node.dim(1, axis)),
                         extent = IndexMath::known(extents[axis]);
  if (blocks && extent && (*extent > *blocks * blockSize || *extent <= (*blocks - 1) * blockSize))
    return invalid("{0} blocks of {1} for {2} elements; expected {3}", *blocks, blockSize, *extent,
                   (*extent + blockSize - 1) / std::max<int64_t>(blockSize, 1));
  if (blocks && extent && *extent == *blocks * blockSize) { // whole blocks are an axis
    Extents split = extents;
    split[axis] = math.constant(*blocks);
    split.insert(split.begin() + axis + 1, math.constant(blockSize));
    KILN_ASSIGN_OR_RETURN(result.x, build.reshape(result.x, split));
    for (Value *parameter : {&result.by.scale, &result.by.zeroPoint})
      if (*parameter) {
        Extents column = build.shape(*parameter);
        column.insert(column.begin() + axis + 1, math.constant(1));
        KILN_ASSIGN_OR_RETURN(*parameter, build.reshape(*parameter, column));
      }
    result.isView = true;
    return result;
  }
  for (Value *parameter : {&result.by.scale, &result.by.zeroPoint})
    if (*parameter) {
      KILN_ASSIGN_OR_RETURN(*parameter, repeated(build, *parameter, axis, blockSize, extents[axis]));
    }
  return result;
}

Result<Aligned> align(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis", 1));
  KILN_ASSIGN_OR_RETURN(int64_t blockSize, node.integerAttribute("block_size", 0));
  KILN_RETURN_IF_ERROR(node.requireFloat(1));
  if (blockSize != 0)
    return alignBlocks(node, axis, blockSize);
  KILN_ASSIGN_OR_RETURN(Quantization by, readQuantization(node, 1, 2, node.rank(0), axis));
  return Aligned{node.tensor(0), by};
}

Status finish(Node &node, const Aligned &aligned, Result<Value> result) {
  KILN_RETURN_IF_ERROR(result.status());
  return node.output(aligned.isView ? node.build.reshape(*result, node.shape(0)) : result);
}

Status importQuantizeLinear(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool saturate, node.flagAttribute("saturate", true));
  Type uint8 = node.build.builder().getIntegerType(8, /*isSigned=*/false);
  KILN_ASSIGN_OR_RETURN(Type to,
                        node.typeAttribute("output_dtype", node.hasInput(2) ? node.elementType(2) : uint8));
  if (node.hasInput(2) && node.elementType(2) != to)
    return invalid(
        "attribute 'output_dtype' is '{0}', the zero point's element type '{1}'; expected the same",
        dataTypeName(toDataType(to)), dataTypeName(toDataType(node.elementType(2))));
  KILN_ASSIGN_OR_RETURN(Type precision, node.typeAttribute("precision", Type()));
  KILN_ASSIGN_OR_RETURN(Aligned aligned, align(node));
  if (precision) {
    KILN_ASSIGN_OR_RETURN(aligned.x, node.build.convert(aligned.x, precision));
    KILN_ASSIGN_OR_RETURN(aligned.by.scale, node.build.convert(aligned.by.scale, precision));
  }
  bool isFloat = isa<FloatType>(to);
  return finish(node, aligned, quantize(node.build, aligned.x, aligned.by, to, isFloat && !saturate));
}

Status importDequantizeLinear(Node &node) {
  KILN_ASSIGN_OR_RETURN(Type to, node.typeAttribute("output_dtype", node.elementType(1)));
  if (node.hasInput(2) && node.elementType(2) != node.elementType(0))
    return invalid("element types '{0}' and '{1}' of input and zero point; expected the same",
                   dataTypeName(toDataType(node.elementType(0))),
                   dataTypeName(toDataType(node.elementType(2))));
  KILN_ASSIGN_OR_RETURN(Aligned aligned, align(node));
  return finish(node, aligned, dequantize(node.build, aligned.x, aligned.by, to));
}

Status importDynamicQuantizeLinear(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(DynamicallyQuantized result, dynamicQuantize(node.build, node.tensor(0)));
  node.setOutput(0, result.numbers);
  node.setOutput(1, result.by.scale);
  node.setOutput(2, result.by.zeroPoint);
  return {};
}

constexpr StringLiteral kTypes = "types of 2 and 6 bits, float4e2m1, float8e4m3fnuz, float8e5m2fnuz";
constexpr OpEntry kQuantizationOps[] = {
    {"DequantizeLinear", 10, 2, 3, importDequantizeLinear, kTypes},
    {"DequantizeLinear", 1, 2, 3, importDequantizeLinear, "", kMicrosoftDomain},
    {"DynamicQuantizeLinear", 11, 1, 1, importDynamicQuantizeLinear},
    {"QuantizeLinear", 10, 2, 3, importQuantizeLinear, kTypes},
    {"QuantizeLinear", 1, 2, 3, importQuantizeLinear, "", kMicrosoftDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> quantizationOps() { return kQuantizationOps; }

} // namespace kiln::onnx
