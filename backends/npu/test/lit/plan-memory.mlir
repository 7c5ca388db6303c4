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
  %y = memref.alloc() : memref<64xi32, #ub>
  %z = memref.alloc() : memref<64xf32, #ub>
  %one = arith.constant 1.0 : f32
  npu.vbrc ins(%one : f32) outs(%x : memref<64xf32, #ub>)
  npu.vcast rint ins(%x : memref<64xf32, #ub>) outs(%y : memref<64xi32, #ub>)
  npu.vcast rint ins(%y : memref<64xi32, #ub>) outs(%z : memref<64xf32, #ub>)
  return
}

// -----

#ub = #npu.memory<ub>
// An elementwise op may write where the operand lies that it reads for the last time.
// CHECK-LABEL: @in_place
// CHECK: %[[X:.+]] = npu.buffer 0 :
// CHECK: %[[Y:.+]] = npu.buffer 256 :
// CHECK: %[[SUM:.+]] = npu.buffer 0 :
// CHECK: %[[OUT:.+]] = npu.buffer 65536 :
// CHECK: npu.vbinary <vadd> ins(%[[X]], %[[Y]] {{.*}} outs(%[[SUM]] :
// CHECK: npu.vbinary <vadd> ins(%[[SUM]], %[[Y]] {{.*}} outs(%[[OUT]] :
func.func @in_place(%gm: memref<64xf32, #npu.memory<gm>>) {
  %x = memref.alloc() : memref<64xf32, #ub>
  %y = memref.alloc() : memref<64xf32, #ub>
  %sum = memref.alloc() : memref<64xf32, #ub>
  %out = memref.alloc() : memref<64xf32, #ub>
  %one = arith.constant 1.0 : f32
  npu.vbrc ins(%one : f32) outs(%x : memref<64xf32, #ub>)
  npu.vbrc ins(%one : f32) outs(%y : memref<64xf32, #ub>)
  npu.vbinary <vadd> ins(%x, %y : memref<64xf32, #ub>, memref<64xf32, #ub>) outs(%sum : memref<64xf32, #ub>)
  // Another pipe reads the result: what comes next would have to wait for it.
  npu.vbinary <vadd> ins(%sum, %y : memref<64xf32, #ub>, memref<64xf32, #ub>) outs(%out : memref<64xf32, #ub>)
  npu.store ins(%out : memref<64xf32, #ub>) outs(%gm : memref<64xf32, #npu.memory<gm>>)
  return
}

// -----

#ub = #npu.memory<ub>
// The operand of a broadcast is read again for the next row.
// CHECK-LABEL: @not_in_place
// CHECK: npu.buffer 0 : memref<4x64xf32
// CHECK: npu.buffer [[ROW:[0-9]+]] : memref<1x64xf32
// CHECK: npu.buffer 0 : memref<4x64xf32
func.func @not_in_place() {
  %x = memref.alloc() : memref<4x64xf32, #ub>
  %row = memref.alloc() : memref<1x64xf32, #ub>
  %sum = memref.alloc() : memref<4x64xf32, #ub>
  %one = arith.constant 1.0 : f32
  npu.vbrc ins(%one : f32) outs(%x : memref<4x64xf32, #ub>)
  npu.vbrc ins(%one : f32) outs(%row : memref<1x64xf32, #ub>)
  npu.vbinary <vadd> ins(%x, %row : memref<4x64xf32, #ub>, memref<1x64xf32, #ub>) outs(%sum : memref<4x64xf32, #ub>) broadcast 0
  return
}

// -----

#ub = #npu.memory<ub>
// Operands begin half of all bank groups apart; a result that lies on neither lies in another bank.
// CHECK-LABEL: @banks
// CHECK: npu.buffer 0 : memref<1024xf32
// CHECK: npu.buffer 4352 : memref<1024xf32
// CHECK: npu.buffer 65536 : memref<1024xf32
func.func @banks() {
  %x = memref.alloc() : memref<1024xf32, #ub>
  %y = memref.alloc() : memref<1024xf32, #ub>
  %sum = memref.alloc() : memref<1024xf32, #ub>
  %one = arith.constant 1.0 : f32
  npu.vbrc ins(%one : f32) outs(%x : memref<1024xf32, #ub>)
  npu.vbrc ins(%one : f32) outs(%y : memref<1024xf32, #ub>)
  npu.vbinary <vmul> ins(%x, %y : memref<1024xf32, #ub>, memref<1024xf32, #ub>) outs(%sum : memref<1024xf32, #ub>)
  npu.vbinary <vmax> ins(%x, %y : memref<1024xf32, #ub>, memref<1024xf32, #ub>) outs(%sum : memref<1024xf32, #ub>)
  npu.vunary <vabs> ins(%x : memref<1024xf32, #ub>) outs(%x : memref<1024xf32, #ub>)
  npu.vunary <vabs> ins(%y : memref<1024xf32, #ub>) outs(%y : memref<1024xf32, #ub>)
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
  %y = memref.alloc() : memref<32768xi32, #ub>
  npu.vcast rint ins(%x : memref<32768xf32, #ub>) outs(%y : memref<32768xi32, #ub>)
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
