// Quantization.h: what the quantized operators share: scales and zero points lined up with a tensor, integer
// factors of products, rounding back.
#ifndef KILN_ONNX_QUANTIZATION_H
#define KILN_ONNX_QUANTIZATION_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// What quantized numbers stand for: (number - zeroPoint) * scale. Both broadcast to the tensor; a null zero
/// point is 0.
struct Quantization {
  mlir::Value scale, zeroPoint;
};

/// A tensor quantized with what it holds.
struct DynamicallyQuantized {
  mlir::Value numbers; // ui8
  Quantization by;     // of rank 0
};

/// A scale or zero point of rank 0 or 1 so that it broadcasts to a tensor of `rank`: one for all, or one for
/// each index of `axis`. Null stays null.
Result<mlir::Value> lineUp(KilnBuilder &build, mlir::Value parameter, int64_t rank, int64_t axis);

/// Inputs `scale` and `zeroPoint` (maybe left out) of a node, lined up with `axis` of a tensor of `rank`.
Result<Quantization> readQuantization(Node &node, unsigned scale, unsigned zeroPoint, int64_t rank,
                                      int64_t axis = 1);

/// A parameter by block of `axis` as one by element: each repeated, `extent` of them kept.
Result<mlir::Value> repeated(KilnBuilder &build, mlir::Value parameter, int64_t axis, int64_t blockSize,
                             Extent extent);

Result<mlir::Value> dequantize(KilnBuilder &build, mlir::Value x, const Quantization &by, mlir::Type to);
/// `unsaturated` is for float8.
Result<mlir::Value> quantize(KilnBuilder &build, mlir::Value x, const Quantization &by, mlir::Type to,
                             bool unsaturated = false);
/// ONNX's DynamicQuantizeLinear: the range of `x`, widened to hold 0, as 0 to 255.
Result<DynamicallyQuantized> dynamicQuantize(KilnBuilder &build, mlir::Value x);

/// x - zeroPoint of 8-bit integers as i16, exactly; `x` itself where the zero point is known to be 0.
Result<mlir::Value> centered(KilnBuilder &build, mlir::Value x, mlir::Value zeroPoint);
/// Two factors as a product takes them: both 8-bit integers, or both i16.
Status alignFactors(KilnBuilder &build, mlir::Value &a, mlir::Value &b);

/// Fails unless these inputs are 8-bit integers.
Status requireBytes(Node &node, std::initializer_list<unsigned> inputs);

/// A parameter of the rows of a left factor: one for all, one a row (`[m]`), or one for each row of each
/// matrix.
Result<mlir::Value> lineUpRows(KilnBuilder &build, mlir::Value parameter);

/// Factors and their zero points of a matrix product.
struct Factor {
  mlir::Value numbers, zeroPoint; // maybe null
};

/// The product of the numbers less their zero points, in i32.
Result<mlir::Value> integerMatmul(KilnBuilder &build, Factor a, Factor b,
                                  llvm::ArrayRef<mlir::NamedAttribute> flags = {});

/// a * b / divisor in f32; null factors are left out.
Result<mlir::Value> scaleProduct(KilnBuilder &build, mlir::Value a, mlir::Value b, mlir::Value divisor);
/// An integer times `multiplier`, rounded and moved by `zeroPoint`, whose element type the result has (else
/// `to`).
Result<mlir::Value> requantize(KilnBuilder &build, mlir::Value sum, mlir::Value multiplier,
                               mlir::Value zeroPoint, mlir::Type to);

} // namespace kiln::onnx
#endif // KILN_ONNX_QUANTIZATION_H
