// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-insert-sync))" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file --verify-diagnostics

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// Each of the inner loops would keep the next load from overtaking the exponential, but neither may run: the
// flag around the outer loop stays.
// CHECK-LABEL: @two_loops_that_may_not_run
// CHECK: scf.for
// CHECK: npu.wait_flag[V, MTE2, [[AROUND:[0-9]+]]]
// CHECK-NEXT: npu.load
// CHECK: npu.vunary <vexp>
// CHECK-NEXT: npu.set_flag[V, MTE2, [[AROUND]]]
// CHECK: scf.for
// expected-remark @+1 {{each of 8 flags and barriers is needed}}
func.func @two_loops_that_may_not_run(%a: memref<64xf32, #gm>, %n: index, %m: index, %l: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  %y = npu.buffer 256 : memref<64xf32, #ub>
  %u = npu.buffer 512 : memref<64xf32, #ub>
  %v = npu.buffer 768 : memref<64xf32, #ub>
  scf.for %k = %c0 to %n step %c1 {
    npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
    scf.for %i = %c0 to %m step %c1 {
      npu.vunary <vln> ins(%u : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
      npu.load ins(%a : memref<64xf32, #gm>) outs(%u : memref<64xf32, #ub>)
    }
    scf.for %i = %c0 to %l step %c1 {
      npu.vunary <vln> ins(%v : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
      npu.load ins(%a : memref<64xf32, #gm>) outs(%v : memref<64xf32, #ub>)
    }
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// The second loop's flags are set before it and waited for at its start, after all of the first: no flag between the two.
// CHECK-LABEL: @loop_after_loop
// expected-remark @+1 {{each of 8 flags and barriers is needed}}
func.func @loop_after_loop(%a: memref<64xf32, #gm>, %o: memref<64xf32, #gm>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  %y = npu.buffer 256 : memref<64xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
    npu.store ins(%y : memref<64xf32, #ub>) outs(%o : memref<64xf32, #gm>)
  }
  scf.for %i = %c0 to %m step %c1 {
    npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    npu.vunary <vln> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
    npu.store ins(%y : memref<64xf32, #ub>) outs(%o : memref<64xf32, #gm>)
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// Each iteration of the inner loop has its own part of the buffer: the next load waits for none of them, and
// the next run of the loop for that of the same part alone.
// CHECK-LABEL: @parts_by_iteration
// CHECK: scf.for
// CHECK: scf.for
// CHECK: npu.wait_flag[V, MTE2, {{[0-9]+}} + %{{.+}}]
// CHECK: npu.load
// CHECK: npu.wait_flag[MTE2, V, {{[0-9]+}} + %{{.+}}]
// CHECK: npu.vunary <vexp>
// CHECK-NEXT: npu.set_flag[V, MTE2, {{[0-9]+}} + %{{.+}}]
// expected-remark @+1 {{flags and barriers is needed}}
func.func @parts_by_iteration(%a: memref<2x64xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %x = npu.buffer 0 : memref<4x64xf32, #ub>
  %y = npu.buffer 1024 : memref<2x64xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %c4 step %c2 {
      %part = memref.subview %x[%k, 0] [2, 64] [1, 1] : memref<4x64xf32, #ub> to memref<2x64xf32, strided<[64, 1], offset: ?>, #ub>
      npu.load ins(%a : memref<2x64xf32, #gm>) outs(%part : memref<2x64xf32, strided<[64, 1], offset: ?>, #ub>)
      npu.vunary <vexp> ins(%part : memref<2x64xf32, strided<[64, 1], offset: ?>, #ub>) outs(%y : memref<2x64xf32, #ub>)
    }
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// What may not run has its flags within: sets and waits are as many.
// CHECK-LABEL: @once
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: npu.wait_flag[V, MTE2, 0]
// CHECK-NEXT: npu.load
// CHECK: npu.vunary <vexp>
// CHECK-NEXT: npu.set_flag[V, MTE2, 0]
// CHECK-NEXT: }
// expected-remark @+1 {{flags and barriers is needed}}
func.func @once(%a: memref<64xf32, #gm>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = npu.buffer 0 : memref<64xf32, #ub>
  %y = npu.buffer 256 : memref<64xf32, #ub>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %k = %c0 to %m step %c1 {
      npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
      npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
    } {kiln.once}
  }
  return
}

// -----

#gm = #npu.memory<gm>
#ub = #npu.memory<ub>
// Of four copies the wait stands behind the load, before what that sets: three flags, set three times before the loop.
// CHECK-LABEL: @four_copies
// CHECK-COUNT-3: npu.set_flag[MTE3, MTE2,
// CHECK-NOT: npu.set_flag[MTE3, MTE2,
// CHECK: scf.for
// CHECK: npu.load
// CHECK-NEXT: npu.wait_flag[MTE3, MTE2, 0 + %{{.+}}]
// CHECK-NEXT: npu.set_flag[MTE2, V,
// CHECK: npu.store
// CHECK-NEXT: npu.set_flag[MTE3, MTE2, 0 + %{{.+}}]
// CHECK-COUNT-3: npu.wait_flag[MTE3, MTE2,
// CHECK-NOT: npu.wait_flag
// expected-remark @+1 {{flags and barriers is needed}}
func.func @four_copies(%a: memref<64xf32, #gm>, %b: memref<64xf32, #gm>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %c0) -> (index) {
    %x = npu.buffer 0, 256, 512, 768 at %slot : memref<64xf32, #ub>
    npu.load ins(%a : memref<64xf32, #gm>) outs(%x : memref<64xf32, #ub>)
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
    npu.store ins(%x : memref<64xf32, #ub>) outs(%b : memref<64xf32, #gm>)
    %next = arith.addi %slot, %c1 : index
    %wrapped = arith.remui %next, %c4 : index
    scf.yield %wrapped : index
  }
  return
}
