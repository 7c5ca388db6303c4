// RUN: jit-opt %s --kiln-npu-print-hivm --split-input-file -o %t | FileCheck %s

// A row of spread blocks is that element of the column, not its first.
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.+]] = memref.alloc() : memref<16xf32, #hivm.address_space<ub>>
// CHECK: %[[THIRD:.+]] = memref.subview %[[W]][2] [1] [1]
// CHECK: %[[COLUMN:.+]] = memref.expand_shape %[[THIRD]]
// CHECK: hivm.hir.vmul ins(%{{.+}}, %[[COLUMN]] : {{.+}}) outs({{.+}}) broadcast = [1]
module {
  func.func @weights(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x96xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%x : memref<1x96xf32, #npu.memory<ub>>)
    %w = memref.alloc() : memref<16xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%w : memref<16xf32, #npu.memory<ub>>)
    %s = memref.alloc() : memref<16x8xf32, #npu.memory<ub>>
    npu.vbrc ins(%w : memref<16xf32, #npu.memory<ub>>) outs(%s : memref<16x8xf32, #npu.memory<ub>>)
    %third = memref.subview %s[2, 0] [1, 8] [1, 1] : memref<16x8xf32, #npu.memory<ub>> to memref<1x8xf32, strided<[8, 1], offset: 16>, #npu.memory<ub>>
    npu.vbinary <vmul> ins(%x, %third : memref<1x96xf32, #npu.memory<ub>>, memref<1x8xf32, strided<[8, 1], offset: 16>, #npu.memory<ub>>) outs(%x : memref<1x96xf32, #npu.memory<ub>>) broadcast 1
    return
  }
}

// -----

// Offsets are bytes with us, elements in HIVM.
// CHECK-LABEL: func.func @gathered
// CHECK: hivm.hir.varange offset[%first] strides[%first, %next] outs(%[[I:.+]] : memref<1x64xi32, #hivm.address_space<ub>>)
// CHECK: %[[TWO:.+]] = arith.constant 2 : i32
// CHECK: hivm.hir.vshr ins(%[[I]], %[[TWO]] : memref<1x64xi32, #hivm.address_space<ub>>, i32) outs(%[[N:.+]] :
// CHECK: hivm.hir.vgather ins(%{{.+}} : {{.+}}) indices(%[[N]] : memref<1x64xi32, #hivm.address_space<ub>>) outs(
module {
  func.func @gathered(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x512xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%x : memref<1x512xf32, #npu.memory<ub>>)
    %i = memref.alloc() : memref<1x64xi32, #npu.memory<ub>>
    npu.varange outs(%i : memref<1x64xi32, #npu.memory<ub>>)
    %y = memref.alloc() : memref<1x64xf32, #npu.memory<ub>>
    npu.vgather ins(%x, %i : memref<1x512xf32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%y : memref<1x64xf32, #npu.memory<ub>>)
    return
  }
}

// -----

// A transfer a row; an index below zero counts from the end.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[R:.+]] = %{{.+}} to %{{.+}} step
// CHECK: %[[N:.+]] = memref.load %arg1[%[[R]]] : memref<8xi64, #hivm.address_space<gm>>
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: arith.minsi
// CHECK: %[[ROW:.+]] = arith.maxsi
// CHECK: %[[FROM:.+]] = memref.subview %arg0[%[[ROW]], 0] [1, 64] [1, 1]
// CHECK: hivm.hir.load ins(%[[FROM]] :
module {
  func.func @rows(%x: memref<1000x64xf32, #npu.memory<gm>>, %i: memref<8xi64, #npu.memory<gm>>) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %y = memref.alloc() : memref<8x64xf32, #npu.memory<ub>>
    npu.gather_rows ins(%x, %i : memref<1000x64xf32, #npu.memory<gm>>, memref<8xi64, #npu.memory<gm>>) outs(%y : memref<8x64xf32, #npu.memory<ub>>)
    return
  }
}
