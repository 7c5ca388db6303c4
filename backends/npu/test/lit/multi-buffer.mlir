// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-multi-buffer))" --split-input-file | FileCheck %s

// What leaves takes the place of what came in, which nobody reads any more: one buffer with the copies of both.
// CHECK-LABEL: func.func @shared
// CHECK: %[[X:.+]] = memref.alloc() {kiln.copies = 4 : i64} : memref<64xf32
// CHECK: npu.load ins(%{{.+}}) outs(%[[X]] :
// CHECK: npu.vunary <vexp> ins(%[[X]] : {{.+}}) outs(%[[T:.+]] :
// CHECK: npu.vunary <vabs> ins(%[[T]] : {{.+}}) outs(%[[X]] :
// CHECK: npu.store ins(%[[X]] :
module {
  func.func @shared(%g: memref<64xf32, #npu.memory<gm>>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.load ins(%g : memref<64xf32, #npu.memory<gm>>) outs(%x : memref<64xf32, #npu.memory<ub>>)
      %t = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.vunary <vexp> ins(%x : memref<64xf32, #npu.memory<ub>>) outs(%t : memref<64xf32, #npu.memory<ub>>)
      %y = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.vunary <vabs> ins(%t : memref<64xf32, #npu.memory<ub>>) outs(%y : memref<64xf32, #npu.memory<ub>>)
      npu.store ins(%y : memref<64xf32, #npu.memory<ub>>) outs(%g : memref<64xf32, #npu.memory<gm>>)
    }
    return
  }
}

// -----

// Where UB has no room for four copies there are three.
// CHECK-LABEL: func.func @tight
// CHECK: memref.alloc() {kiln.copies = 3 : i64} : memref<10240xf32
// CHECK: memref.alloc() : memref<10240xf32
// CHECK-NOT: memref.alloc
module {
  func.func @tight(%g: memref<10240xf32, #npu.memory<gm>>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.alloc() : memref<10240xf32, #npu.memory<ub>>
      npu.load ins(%g : memref<10240xf32, #npu.memory<gm>>) outs(%x : memref<10240xf32, #npu.memory<ub>>)
      %t = memref.alloc() : memref<10240xf32, #npu.memory<ub>>
      npu.vunary <vexp> ins(%x : memref<10240xf32, #npu.memory<ub>>) outs(%t : memref<10240xf32, #npu.memory<ub>>)
      %y = memref.alloc() : memref<10240xf32, #npu.memory<ub>>
      npu.vunary <vabs> ins(%t : memref<10240xf32, #npu.memory<ub>>) outs(%y : memref<10240xf32, #npu.memory<ub>>)
      npu.store ins(%y : memref<10240xf32, #npu.memory<ub>>) outs(%g : memref<10240xf32, #npu.memory<gm>>)
    }
    return
  }
}

// -----

// What came in is read once more when the result is there: two buffers.
// CHECK-LABEL: func.func @read_again
// CHECK: %[[X:.+]] = memref.alloc() {kiln.copies = 2 : i64}
// CHECK: %[[Y:.+]] = memref.alloc() {kiln.copies = 2 : i64}
// CHECK: npu.vbinary <vadd> ins(%[[X]], %[[Y]] : {{.+}}) outs(%[[Y]] :
module {
  func.func @read_again(%g: memref<64xf32, #npu.memory<gm>>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.load ins(%g : memref<64xf32, #npu.memory<gm>>) outs(%x : memref<64xf32, #npu.memory<ub>>)
      %y = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.vunary <vexp> ins(%x : memref<64xf32, #npu.memory<ub>>) outs(%y : memref<64xf32, #npu.memory<ub>>)
      npu.vbinary <vadd> ins(%x, %y : memref<64xf32, #npu.memory<ub>>, memref<64xf32, #npu.memory<ub>>) outs(%y : memref<64xf32, #npu.memory<ub>>)
      npu.store ins(%y : memref<64xf32, #npu.memory<ub>>) outs(%g : memref<64xf32, #npu.memory<gm>>)
    }
    return
  }
}

// -----

// Two transfers in, each read by V alone: neither leaves, so that both keep their own copies.
// CHECK-LABEL: func.func @two_inputs
// CHECK: memref.alloc() {kiln.copies = 2 : i64} : memref<64xf32
// CHECK: memref.alloc() {kiln.copies = 2 : i64} : memref<64xf32
module {
  func.func @two_inputs(%g: memref<64xf32, #npu.memory<gm>>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = memref.alloc() : memref<64xf32, #npu.memory<ub>>
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.load ins(%g : memref<64xf32, #npu.memory<gm>>) outs(%x : memref<64xf32, #npu.memory<ub>>)
      npu.vunary <vexp> ins(%x : memref<64xf32, #npu.memory<ub>>) outs(%sum : memref<64xf32, #npu.memory<ub>>)
      %y = memref.alloc() : memref<64xf32, #npu.memory<ub>>
      npu.load ins(%g : memref<64xf32, #npu.memory<gm>>) outs(%y : memref<64xf32, #npu.memory<ub>>)
      npu.vunary <vabs> ins(%y : memref<64xf32, #npu.memory<ub>>) outs(%sum : memref<64xf32, #npu.memory<ub>>)
    }
    return
  }
}
