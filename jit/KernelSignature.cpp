// KernelSignature.cpp: counts constants while it walks the types in the order of the launch ABI.
#include "kiln/jit/KernelSignature.h"

#include "mlir/IR/Diagnostics.h"

using namespace kiln;
using namespace kiln::jit;

namespace {
KilnDType integerDType(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return KILN_I1;
  case 4:
    return isUnsigned ? KILN_U4 : KILN_I4;
  case 8:
    return isUnsigned ? KILN_U8 : KILN_I8;
  case 16:
    return isUnsigned ? KILN_U16 : KILN_I16;
  case 32:
    return isUnsigned ? KILN_U32 : KILN_I32;
  case 64:
    return isUnsigned ? KILN_U64 : KILN_I64;
  }
  return KILN_DTYPE_INVALID;
}

// Bytes of a tensor whose dynamic extents are the constants from `next` on, which is moved past them.
LaunchExpr byteSizeExpr(mlir::RankedTensorType tensor, uint32_t &next) {
  LaunchExpr elements = LaunchExpr::literal(1);
  for (int64_t extent : tensor.getShape())
    elements = LaunchExpr::binary(LaunchExpr::Op::Mul, elements,
                                  mlir::ShapedType::isDynamic(extent) ? LaunchExpr::constant(next++)
                                                                      : LaunchExpr::literal(extent));
  unsigned bits = tensor.getElementTypeBitWidth();
  if (bits == 4) // two elements a byte
    return LaunchExpr::binary(LaunchExpr::Op::CeilDiv, elements, LaunchExpr::literal(2));
  return LaunchExpr::binary(LaunchExpr::Op::Mul, elements, LaunchExpr::literal((bits + 7) / 8));
}
} // namespace

KilnDType kiln::jit::elementDType(mlir::Type element) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(element))
    return integerDType(integer.getWidth(), integer.isUnsigned());
  if (element.isF16())
    return KILN_F16;
  if (element.isBF16())
    return KILN_BF16;
  if (element.isF32())
    return KILN_F32;
  if (element.isF64())
    return KILN_F64;
  if (element.isFloat8E4M3FN())
    return KILN_F8E4M3FN;
  if (element.isFloat8E5M2())
    return KILN_F8E5M2;
  return KILN_DTYPE_INVALID;
}

mlir::LogicalResult kiln::jit::describeSignature(mlir::Location loc, mlir::FunctionType type,
                                                 KernelObjectBuilder &object) {
  using Kind = KernelObjectBuilder::BindingKind;
  uint32_t next = llvm::count_if(type.getInputs(), [](mlir::Type input) { return input.isIndex(); });
  for (auto [types, kind] : {std::pair(type.getInputs(), Kind::In), {type.getResults(), Kind::Out}})
    for (mlir::Type part : types) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(part);
      if (!tensor)
        continue;
      KernelObjectBuilder::Binding binding;
      binding.kind = kind;
      binding.dtype = elementDType(tensor.getElementType());
      if (binding.dtype == KILN_DTYPE_INVALID)
        return mlir::emitError(loc) << "a device cannot hold elements of type " << tensor.getElementType();
      binding.alignmentBytes = std::max(1u, tensor.getElementTypeBitWidth() / 8);
      binding.bytes = byteSizeExpr(tensor, next);
      object.bindings.push_back(std::move(binding));
    }
  object.constantCount = next;
  return mlir::success();
}
