// Assembly.cpp: the custom directives of the ops' assembly formats.
#include "dialects/IR/Assembly.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace kiln {

ParseResult parseBound(OpAsmParser &parser, Attribute &bound) {
  // The parser's own number functions commit themselves at a minus sign, so the spelling is looked at first.
  StringRef text(parser.getCurrentLocation().getPointer());
  text.consume_front("-");
  StringRef rest = text.drop_while(llvm::isDigit);
  if (rest.starts_with(".")) {
    double number = 0;
    if (parser.parseFloat(number))
      return failure();
    bound = parser.getBuilder().getF64FloatAttr(number);
    return success();
  }
  int64_t number = 0;
  if (parser.parseInteger(number))
    return failure();
  bound = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

void printBound(OpAsmPrinter &printer, Operation *, Attribute bound) {
  printer.printAttributeWithoutType(bound);
}

ParseResult parseConvertTypes(OpAsmParser &parser, Type &from, TypeAttr &element, Type &to) {
  if (parser.parseType(from) || parser.parseKeyword("to") || parser.parseType(to))
    return failure();
  element = TypeAttr::get(getElementTypeOrSelf(to));
  return success();
}

void printConvertTypes(OpAsmPrinter &printer, Operation *, Type from, TypeAttr, Type to) {
  printer << from << " to " << to;
}

ParseResult parseElementType(OpAsmParser &parser, TypeAttr &element, Type &result) {
  if (parser.parseType(result))
    return failure();
  element = TypeAttr::get(getElementTypeOrSelf(result));
  return success();
}

void printElementType(OpAsmPrinter &printer, Operation *, TypeAttr, Type result) { printer << result; }

} // namespace kiln
