// ShapeValue.h: a small integer tensor of which the importer knows every element.
#ifndef KILN_ONNX_SHAPEVALUE_H
#define KILN_ONNX_SHAPEVALUE_H

#include "frameworks/onnx/IndexMath.h"

#include "mlir/IR/BuiltinTypes.h"

namespace kiln::onnx {

/// Shape values longer than this are ordinary tensors.
inline constexpr size_t kMaxShapeElements = 64;

/// An int32, int64 or bool tensor of rank 0 or 1 kept as extents: what models compute from Shape and
/// constants to use as a shape, an axis list, a slice bound. It becomes a tensor op only where data and shape
/// meet. A matrix is what some exporters make of a list of pads to turn it round; only ShapeFolding looks
/// into it.
struct ShapeValue {
  mlir::Type elementType;
  bool isScalar = false;
  Extents elements;        // one if isScalar; booleans are 0 and 1
  bool isFromData = false; // read back when the program runs: any number may come
  int64_t columns = 0;     // of a matrix, whose elements are listed row by row; 0: it is none

  mlir::RankedTensorType type() const {
    if (isScalar)
      return mlir::RankedTensorType::get({}, elementType);
    if (columns != 0)
      return mlir::RankedTensorType::get({static_cast<int64_t>(elements.size()) / columns, columns},
                                         elementType);
    return mlir::RankedTensorType::get({static_cast<int64_t>(elements.size())}, elementType);
  }
  /// Every element, if all are known.
  std::optional<llvm::SmallVector<int64_t>> known() const {
    llvm::SmallVector<int64_t> values;
    for (Extent element : elements) {
      std::optional<int64_t> value = IndexMath::known(element);
      if (!value)
        return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }
  /// Whether tensors of this type are tracked.
  static bool canHold(mlir::RankedTensorType type) {
    mlir::Type element = type.getElementType();
    return type.getRank() <= 1 && type.hasStaticShape() &&
           type.getNumElements() <= static_cast<int64_t>(kMaxShapeElements) &&
           (element.isSignlessInteger(64) || element.isSignlessInteger(32) || element.isSignlessInteger(1));
  }
};

} // namespace kiln::onnx
#endif // KILN_ONNX_SHAPEVALUE_H
