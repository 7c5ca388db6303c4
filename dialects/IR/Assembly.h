// Assembly.h: the custom directives of the ops' assembly formats.
#ifndef KILN_IR_ASSEMBLY_H
#define KILN_IR_ASSEMBLY_H

#include "mlir/IR/OpImplementation.h"

namespace kiln {

/// A bound of kiln.clamp: an f64 if it has a point or an exponent, else an i64.
mlir::ParseResult parseBound(mlir::OpAsmParser &parser, mlir::Attribute &bound);
void printBound(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Attribute bound);

/// `tensor<4xf32> to tensor<4xui8>`, where the second type gives the attribute too.
mlir::ParseResult parseConvertTypes(mlir::OpAsmParser &parser, mlir::Type &from, mlir::TypeAttr &element,
                                    mlir::Type &to);
void printConvertTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type from,
                       mlir::TypeAttr element, mlir::Type to);

/// `tensor<4x?xi64>`, the result type, which gives the element type's attribute too.
mlir::ParseResult parseElementType(mlir::OpAsmParser &parser, mlir::TypeAttr &element, mlir::Type &result);
void printElementType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeAttr element,
                      mlir::Type result);

} // namespace kiln
#endif // KILN_IR_ASSEMBLY_H
