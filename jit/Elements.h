// Elements.h: element types and bytes of tensors as programs and devices have them.
#ifndef KILN_JIT_ELEMENTS_H
#define KILN_JIT_ELEMENTS_H

#include "kiln/Status.h"
#include "kiln/jit/KernelSignature.h" // elementDType

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace kiln::jit {

/// The extents of a ranked tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

uint32_t dtypeBits(KilnDType dtype);
/// The bytes that `count` elements take, 4-bit ones packed two to a byte.
int64_t byteSize(KilnDType dtype, int64_t count);
/// The bytes of a tensor of static shape.
int64_t byteSize(mlir::RankedTensorType type);

/// A constant's bytes, row-major as on a device: i1 one byte an element, i4 packed. Splats are expanded.
/// Unimplemented: an attribute whose elements are not at hand.
Result<std::string> constantBytes(mlir::ElementsAttr elements);
/// The first element of a splat, as a pattern of dtypeBits / 8 bytes in the low bits; nothing if it is no
/// splat or packed.
std::optional<uint64_t> splatPattern(mlir::ElementsAttr elements);
/// One value only: it may stand inside a kernel. Kernels with lists of numbers inside would serve one layer
/// each.
bool mayEnterKernel(mlir::ElementsAttr elements);

/// SHA-256 in lower-case hex.
std::string sha256Hex(llvm::StringRef bytes);

} // namespace kiln::jit
#endif // KILN_JIT_ELEMENTS_H
