// Passes.td: foo's passes, in the order of the stages that run them.
#ifndef FOO_COMPILER_PASSES_TD
#define FOO_COMPILER_PASSES_TD

include "mlir/Pass/PassBase.td"

def RefuseF64Pass : Pass<"foo-refuse-f64", "mlir::ModuleOp"> {
  let summary = "report each op on f64, which foo has not";
  let description = [{
    Runs first in stage `tensor`: foo has no f64, and says so by the op's name and place.

    ```mlir
    %0 = kiln.add %x, %y : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
    // error: 'kiln.add' on f64, which the device foo has not
    ```
  }];
}

def FormClampPass : Pass<"foo-form-clamp", "mlir::ModuleOp"> {
  let summary = "make foo.clamp of a maximum of a minimum";
  let description = [{
    Runs in stage `tile`, on the bodies of linalg ops, so that one instruction of foo does both.

    ```mlir
    %m = arith.minimumf %x, %high : f32
    %y = arith.maximumf %m, %low : f32
    // becomes
    %y = foo.clamp %x to %low, %high : f32
    ```
  }];
  let dependentDialects = ["::foo::FooDialect"];
}

def ExpandClampPass : Pass<"foo-expand-clamp", "mlir::ModuleOp"> {
  let summary = "write foo.clamp as the two instructions that x86 has";
  let description = [{
    Runs first in stage `lower`; foo-server computes on an x86. The opposite of foo-form-clamp.

    ```mlir
    %y = foo.clamp %x to %low, %high : f32
    // becomes
    %m = arith.minimumf %x, %high : f32
    %y = arith.maximumf %m, %low : f32
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def CountOpsPass : Pass<"foo-count-ops", "mlir::ModuleOp"> {
  let summary = "note how many ops a model has, as the attribute foo.op_count";
  let description = [{
    Inserted after stage `graph` of the target `host`: shows that a backend may extend another's stages.

    ```mlir
    module { ... }
    // becomes
    module attributes {foo.op_count = 12 : i64} { ... }
    ```
  }];
  let dependentDialects = ["::foo::FooDialect"];
}

#endif // FOO_COMPILER_PASSES_TD
