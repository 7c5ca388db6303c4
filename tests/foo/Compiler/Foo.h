// Foo.h: the dialect and the passes.
#ifndef FOO_COMPILER_FOO_H
#define FOO_COMPILER_FOO_H

#include "kiln/devicekit/PipeOps.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "FooDialect.h.inc"
#define GET_OP_CLASSES
#include "FooOps.h.inc"

namespace foo {
#define GEN_PASS_DECL
#include "FooPasses.h.inc"
} // namespace foo

#endif // FOO_COMPILER_FOO_H
