// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=DOUBLE

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// A loop of load, compute, store: three flags around the loop and within it; the vector unit's own dependence gets a barrier.
// CHECK: remark: each of 5 flags and barriers is needed
// CHECK-LABEL: @chain
// CHECK: npu.set_flag[V, MTE2, 0]
// CHECK-NEXT: npu.set_flag[MTE3, V, 0]
// CHECK-NEXT: scf.for
// CHECK: npu.wait_flag[V, MTE2, 0]
// CHECK-NEXT: npu.load
// CHECK-NEXT: npu.set_flag[MTE2, V, 0]
// CHECK: npu.vunary <vexp>
// CHECK-NEXT: npu.set_flag[V, MTE2, 0]
// CHECK-NEXT: npu.pipe_barrier[V]
// CHECK-NEXT: npu.vunary <vln>
// CHECK-NEXT: npu.set_flag[V, MTE3, 0]
// CHECK-NEXT: npu.wait_flag[V, MTE3, 0]
// CHECK-NEXT: npu.store
// CHECK-NEXT: npu.set_flag[MTE3, V, 0]
// CHECK: npu.wait_flag[MTE3, V, 0]
// CHECK-NEXT: npu.wait_flag[V, MTE2, 0]
// Double buffers: flags rotate with the copies, so that the next load starts two iterations ahead.
// DOUBLE-LABEL: @chain
// DOUBLE-COUNT-2: npu.set_flag[V, MTE2, {{[01]}}]
// DOUBLE: scf.for {{.*}} iter_args(%[[S:.+]] = %
// DOUBLE: npu.buffer {{[0-9]+}}, {{[0-9]+}} at %[[S]]
// DOUBLE: npu.wait_flag[V, MTE2, 0 + %[[S]]]
// DOUBLE-NEXT: npu.load
// DOUBLE-NEXT: npu.set_flag[MTE2, V, 0 + %[[S]]]
func.func @chain(%a: memref<?xf32, #gm>, %o: memref<?xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %step {
    %ga = memref.subview %a[%i] [1024] [1] : memref<?xf32, #gm> to memref<1024xf32, strided<[1], offset: ?>, #gm>
    %go = memref.subview %o[%i] [1024] [1] : memref<?xf32, #gm> to memref<1024xf32, strided<[1], offset: ?>, #gm>
    %x = memref.alloc() : memref<1024xf32, #ub>
    %y = memref.alloc() : memref<1024xf32, #ub>
    npu.load ins(%ga : memref<1024xf32, strided<[1], offset: ?>, #gm>) outs(%x : memref<1024xf32, #ub>)
    npu.vunary <vexp> ins(%x : memref<1024xf32, #ub>) outs(%y : memref<1024xf32, #ub>)
    npu.vunary <vln> ins(%y : memref<1024xf32, #ub>) outs(%y : memref<1024xf32, #ub>)
    npu.store ins(%y : memref<1024xf32, #ub>) outs(%go : memref<1024xf32, strided<[1], offset: ?>, #gm>)
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// An order that follows from two others gets no flag: the store waits for the vector unit, which waited for the load.
// CHECK: remark: each of 2 flags and barriers is needed
// CHECK-LABEL: @transitive
// CHECK-NOT: [MTE2, MTE3
// CHECK: npu.store
func.func @transitive(%a: memref<64xf32, #gm>, %o: memref<64xf32, #gm>) {
  %x = memref.alloc() : memref<64xf32, #ub>
  npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  npu.store ins(%x : memref<64xf32, #ub>) outs(%o : memref<64xf32, #gm>)
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// Disjoint parts of one buffer need no order.
// CHECK: remark: each of 1 flags and barriers is needed
// CHECK-LABEL: @halves
func.func @halves(%a: memref<64xf32, #gm>) {
  %x = memref.alloc() : memref<128xf32, #ub>
  %low = memref.subview %x[0] [64] [1] : memref<128xf32, #ub> to memref<64xf32, strided<[1]>, #ub>
  %high = memref.subview %x[64] [64] [1] : memref<128xf32, #ub> to memref<64xf32, strided<[1], offset: 64>, #ub>
  %zero = arith.constant 0.0 : f32
  npu.vbrc ins(%zero : f32) outs(%high : memref<64xf32, strided<[1], offset: 64>, #ub>)
  npu.load ins(%a : memref<64xf32, #gm>) outs(%low : memref<64xf32, strided<[1]>, #ub>)
  npu.vunary <vexp> ins(%low : memref<64xf32, strided<[1]>, #ub>) outs(%low : memref<64xf32, strided<[1]>, #ub>)
  return
}
