// ElementTypes.h: ONNX's element types, their names and what they are in kiln.
#ifndef KILN_ONNX_ELEMENTTYPES_H
#define KILN_ONNX_ELEMENTTYPES_H

#include "kiln/Status.h"

#include "mlir/IR/Types.h"

namespace kiln::onnx {

/// "float", "int64" ...; "type 99" for a number that the format does not know.
std::string dataTypeName(int dataType);

/// The element type of kiln for TensorProto.DataType. Unimplemented, by name, for strings, complex numbers
/// and the narrow floats that kiln has not; InvalidArgument for unknown numbers.
Result<mlir::Type> toElementType(mlir::MLIRContext *context, int dataType);

/// The reverse; 0 (UNDEFINED) for a type that ONNX has not.
int toDataType(mlir::Type type);

/// Bytes of one element in a weight: booleans and 4-bit integers take one.
unsigned elementBytes(mlir::Type type);

} // namespace kiln::onnx
#endif // KILN_ONNX_ELEMENTTYPES_H
