// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-plan-memory))" --split-input-file --verify-diagnostics | FileCheck %s

#ub = #npu.memory<ub>
// Two buffers that are never live together share bytes; the one between them does not.
// CHECK-LABEL: @reuse
// CHECK-SAME: kiln.peak_bytes = {ub = 512 : i64}
// CHECK: npu.buffer 0 :
// CHECK: npu.buffer 256 :
// CHECK: npu.buffer 0 :
func.func @reuse() {
  %x = memref.alloc() : memref<64xf32, #ub>
  %y = memref.alloc() : memref<64xf32, #ub>
  %z = memref.alloc() : memref<64xf32, #ub>
  %one = arith.constant 1.0 : f32
  npu.vbrc ins(%one : f32) outs(%x : memref<64xf32, #ub>)
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xf32, #ub>)
  npu.vunary <vexp> ins(%y : memref<64xf32, #ub>) outs(%z : memref<64xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
// What a loop uses from outside is live in all of it.
// CHECK-LABEL: @loop
// CHECK-DAG: npu.buffer 0 : memref<64xf32
// CHECK-DAG: npu.buffer 256 : memref<64xf32
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %x = memref.alloc() : memref<64xf32, #ub>
  npu.vbrc ins(%one : f32) outs(%x : memref<64xf32, #ub>)
  scf.for %i = %c0 to %n step %c1 {
    npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
    %y = memref.alloc() : memref<64xf32, #ub>
    npu.vbrc ins(%one : f32) outs(%y : memref<64xf32, #ub>)
  }
  return
}

// -----

#ub = #npu.memory<ub>
// expected-error @+1 {{memory 'ub' holds 196608 bytes; the kernel's buffers need at least 262144 at one time (the largest 131072)}}
func.func @overflow() {
  %x = memref.alloc() : memref<32768xf32, #ub>
  %y = memref.alloc() : memref<32768xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<32768xf32, #ub>) outs(%y : memref<32768xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
func.func @dynamic(%n: index) {
  // expected-error @+1 {{local buffer of type 'memref<?xf32, #npu.memory<ub>>'; expected static extents without gaps}}
  %x = memref.alloc(%n) : memref<?xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<?xf32, #ub>) outs(%x : memref<?xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
func.func @copies_without_loop() {
  // expected-error @+1 {{has 2 copies outside of a loop}}
  %x = memref.alloc() {kiln.copies = 2 : i64} : memref<64xf32, #ub>
  npu.vunary <vexp> ins(%x : memref<64xf32, #ub>) outs(%x : memref<64xf32, #ub>)
  return
}
