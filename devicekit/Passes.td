// Passes.td: the passes of the reference lowering, in the order of the stages that run them.
#ifndef KILN_DEVICEKIT_PASSES_TD
#define KILN_DEVICEKIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def RecordSignaturePass : Pass<"kiln-reference-record-signature", "mlir::ModuleOp"> {
  let summary = "keep the type that a kernel had as the attribute kiln.signature";
  let description = [{
    Runs first in stage `tensor`: later stages drop the signs of integers, which the kernel's metadata must have.

    ```mlir
    kiln.kernel @k(%x: tensor<4xui8>) -> tensor<4xui8> { ... }
    // becomes
    kiln.kernel @k(%x: tensor<4xui8>) -> tensor<4xui8> attributes {kiln.signature = (tensor<4xui8>) -> tensor<4xui8>} { ... }
    ```
  }];
}

def ProtectInputsPass : Pass<"kiln-reference-protect-inputs", "mlir::ModuleOp"> {
  let summary = "forbid bufferization to write to a kernel's arguments";
  let description = [{
    Runs first in stage `buffer`: a launch's inputs belong to others, so a kernel that updates one works on a copy.

    ```mlir
    func.func @k(%x: tensor<4xf32>) attributes {kiln.kernel} { ... }
    // becomes
    func.func @k(%x: tensor<4xf32> {bufferization.writable = false}) attributes {kiln.kernel} { ... }
    ```
  }];
}

def CopiesToLoopsPass : Pass<"kiln-reference-copies-to-loops", "mlir::ModuleOp"> {
  let summary = "write memref.copy as a linalg op";
  let description = [{
    Runs in stage `buffer` before loops are made: the LLVM lowering of a strided copy would call a library that kernels
    do not have.

    ```mlir
    memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
    // becomes a linalg.generic that yields its input
    ```
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect"];
}

def ExpandMathPass : Pass<"kiln-reference-expand-math", "mlir::ModuleOp"> {
  let summary = "expand functions that libm does not have";
  let description = [{
    Writes the functions of the math dialect that libm does not have in terms of those that it has. Runs in stage
    `lower`, before calls of libm are made.

    ```mlir
    %y = math.rsqrt %x : f32
    // becomes
    %s = math.sqrt %x : f32
    %y = arith.divf %one, %s : f32
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

def EntryPointPass : Pass<"kiln-reference-entry-point", "mlir::ModuleOp"> {
  let summary = "give a kernel the entry point that a launch calls";
  let description = [{
    Runs first in stage `lower`. The kernel's function becomes private; an entry of its name takes the launch's bindings
    and constants and makes its arguments of them: indices from constants, dense memrefs from a pointer and extents.

    ```mlir
    func.func @k(%x: memref<?xf32>, %out: memref<?xf32>) attributes {kiln.kernel} { ... }
    // becomes
    func.func private @k_body(%x: memref<?xf32>, %out: memref<?xf32>) { ... }
    func.func @k(%bindings: !llvm.ptr, %constants: !llvm.ptr) attributes {kiln.kernel} { ... call @k_body ... }
    ```
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
}

#endif // KILN_DEVICEKIT_PASSES_TD
