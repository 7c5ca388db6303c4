// Foo.td: the dialect foo: what its arithmetic unit has beyond the usual.
#ifndef FOO_COMPILER_FOO_TD
#define FOO_COMPILER_FOO_TD

include "kiln/devicekit/PipeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FooDialect : Dialect {
  let name = "foo";
  let summary = "instructions of the device foo";
  let cppNamespace = "::foo";
}

def ClampOp : Op<FooDialect, "clamp", [Pure, SameOperandsAndResultType, PipeOpInterface]> {
  let summary = "limit a number to a range";
  let description = [{
    `result = maximum(minimum(x, high), low)`; a NaN among the operands is the result.

    ```mlir
    %y = foo.clamp %x to %low, %high : f32
    ```
  }];
  let arguments = (ins AnyFloat:$x, AnyFloat:$low, AnyFloat:$high);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$x `to` $low `,` $high attr-dict `:` type($x)";
  let extraClassDeclaration = [{
    unsigned getPipe() { return 0; }
    void getAccesses(::llvm::SmallVectorImpl<::kiln::devicekit::PipeAccess> &) {} // it has no memrefs
    int64_t getCycles() { return 1; }
  }];
}

#endif // FOO_COMPILER_FOO_TD
