// Dialect.cpp: registers the ops.
#include "Compiler/Foo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "FooDialect.cpp.inc"
#define GET_OP_CLASSES
#include "FooOps.cpp.inc"

void foo::FooDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "FooOps.cpp.inc"
      >();
}
