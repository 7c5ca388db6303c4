// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-npu-scalar-addresses,canonicalize))" --split-input-file --verify-diagnostics | FileCheck %s

// Known offsets go into the access.
// CHECK-LABEL: @offsets
// CHECK: %[[A:.+]] = npu.address %arg0
// CHECK: npu.lds <gm>[%[[A]] + 36] : f32
func.func @offsets(%x: memref<4x8xf32>) -> f32 attributes {npu.blocks = 1 : i64} {
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c1, %c1] : memref<4x8xf32>
  return %v : f32
}

// -----

// Small temporaries live in UB.
// CHECK-LABEL: @temporary
// CHECK-SAME: kiln.peak_bytes = {ub = 32 : i64}
// CHECK: npu.sts %{{.+}}, <ub>[%{{.+}} + 8] : i32
func.func @temporary(%v: i32) attributes {npu.blocks = 1 : i64} {
  %c2 = arith.constant 2 : index
  %t = memref.alloc() : memref<8xi32>
  memref.store %v, %t[%c2] : memref<8xi32>
  return
}

// -----

// What blocks share is in the workspace: 2 blocks of 32 bytes.
// CHECK-LABEL: @shared
// CHECK-SAME: kiln.workspace = array<i64: 0, 4, 0, 10
// CHECK: %[[W:.+]] = npu.workspace
// CHECK: npu.sts %{{.+}}, <gm>[%{{.+}} + 8] : i32
func.func @shared(%v: i32, %x: memref<4xi32>) attributes {npu.blocks = 2 : i64} {
  %c2 = arith.constant 2 : index
  %t = memref.alloc() {npu.shared} : memref<10xi32>
  memref.store %v, %t[%c2] : memref<10xi32>
  return
}

// -----

// Two elements of four bits a byte.
// CHECK-LABEL: @half
// CHECK: arith.shrui %arg1, %c1
// CHECK: %[[BYTE:.+]] = npu.lds <gm>
// CHECK: arith.shrui %[[BYTE]]
// CHECK: arith.trunci
func.func @half(%x: memref<16xi4>, %i: index) -> i4 attributes {npu.blocks = 1 : i64} {
  %v = memref.load %x[%i] : memref<16xi4>
  return %v : i4
}

// -----

// The size of a temporary must be known to the launch.
func.func @unknown(%x: memref<4xi64>) attributes {npu.blocks = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<4xi64>
  %n = arith.index_cast %v : i64 to index
  // expected-error @+1 {{npu: the size of a temporary is not a function of the launch's constants}}
  %t = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @chosen(%a: memref<4xf32>, %b: memref<4xf32>, %c: i1) -> f32 attributes {npu.blocks = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{npu: 'arith.select' has no address}}
  %m = arith.select %c, %a, %b : memref<4xf32>
  %v = memref.load %m[%c0] : memref<4xf32>
  return %v : f32
}

// -----

// Of equal elements no memory is needed, however many there are.
// CHECK-LABEL: @equal(
// CHECK-SAME: ub = 0
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1.0
// CHECK-NEXT: return %[[ONE]]
memref.global "private" constant @equal_elements : memref<50x100xf32> = dense<1.0>
func.func @equal() -> f32 attributes {npu.blocks = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = memref.get_global @equal_elements : memref<50x100xf32>
  %flat = memref.collapse_shape %m [[0, 1]] : memref<50x100xf32> into memref<5000xf32>
  %v = memref.load %flat[%c0] : memref<5000xf32>
  return %v : f32
}

// -----

memref.global "private" constant @large : memref<5000xf32> = dense_resource<numbers>
func.func @constant() -> f32 attributes {npu.blocks = 1 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{npu: a constant of 5000 elements; code can hold at most 4096}}
  %m = memref.get_global @large : memref<5000xf32>
  %v = memref.load %m[%c0] : memref<5000xf32>
  return %v : f32
}
{-# dialect_resources: { builtin: { numbers: "0x0400000001000000" } } #-}
