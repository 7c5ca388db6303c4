// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-decompose,kiln-npu-lower-kernels,canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-decompose,kiln-npu-lower-kernels,canonicalize,cse,func.func(kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=SYNC

// Equal shapes are one line; its tail is a shorter view.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: npu.blocks = 2 : i64, npu.core = "aiv"
// CHECK: scf.for
// CHECK: npu.load {{.*}} outs(%{{.*}} : memref<?xf32, strided<[1]>, #npu.memory<ub>>)
// CHECK: npu.vbinary <vadd>
// CHECK: npu.vunary <vexp>
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @chain(%a: tensor<10x30xf32>, %b: tensor<10x30xf32>) -> tensor<10x30xf32> {
  %0 = kiln.add %a, %b : tensor<10x30xf32>, tensor<10x30xf32> -> tensor<10x30xf32>
  %1 = kiln.exp %0 : tensor<10x30xf32>
  kiln.yield %1 : tensor<10x30xf32>
}

// -----

// A dynamic extent is read from the argument; no other kernel is needed for other extents.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: npu.blocks = 48
// CHECK: memref.dim %{{.*}} : memref<?xf32, #npu.memory<gm>>
// SYNC: flags and barriers is needed
kiln.kernel @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = kiln.relu %a : tensor<?xf32>
  kiln.yield %0 : tensor<?xf32>
}

// -----

// A row for all rows is loaded once, before the loop; a column is spread to blocks.
// CHECK-LABEL: func.func @row_and_column
// CHECK: npu.load
// CHECK: scf.for
// CHECK: npu.vbinary <vadd> {{.*}} broadcast 0
// CHECK: npu.vbrc ins(%{{.*}} : memref<
// CHECK: npu.vbinary <vmul> {{.*}} broadcast 1
// SYNC: flags and barriers is needed
kiln.kernel @row_and_column(%x: tensor<64x40xf32>, %r: tensor<40xf32>, %c: tensor<64x1xf32>) -> tensor<64x40xf32> {
  %0 = kiln.add %x, %r : tensor<64x40xf32>, tensor<40xf32> -> tensor<64x40xf32>
  %1 = kiln.mul %0, %c : tensor<64x40xf32>, tensor<64x1xf32> -> tensor<64x40xf32>
  kiln.yield %1 : tensor<64x40xf32>
}

// -----

// Softmax: rows stay in UB between their two reductions.
// CHECK-LABEL: func.func @softmax
// CHECK: npu.load
// CHECK: npu.vreduce <max>
// CHECK: npu.vbinary
// CHECK: npu.vunary <vexp>
// CHECK: npu.vreduce <sum>
// CHECK: npu.vbinary <vdiv>
// CHECK: npu.store
// CHECK-NOT: npu.load
// SYNC: flags and barriers is needed
kiln.kernel @softmax(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = kiln.softmax %x axis 1 : tensor<256x512xf32>
  kiln.yield %0 : tensor<256x512xf32>
}

// -----

// bf16 is widened: the vector unit has no arithmetic on it.
// CHECK-LABEL: func.func @bf16
// CHECK: npu.vcast rint ins(%{{.*}}bf16{{.*}} outs(%{{.*}}f32
// CHECK: npu.vunary <vexp> ins(%{{.*}}f32
// CHECK: npu.vcast rint ins(%{{.*}}f32{{.*}} outs(%{{.*}}bf16
// SYNC: flags and barriers is needed
kiln.kernel @bf16(%x: tensor<100xbf16>) -> tensor<100xbf16> {
  %0 = kiln.exp %x : tensor<100xbf16>
  kiln.yield %0 : tensor<100xbf16>
}

// -----

// The bias comes by the bias table, relu and rounding by the fixpipe.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: npu.core = "aic"
// CHECK: npu.load_bias
// CHECK: scf.for
// CHECK: npu.nd2nz
// CHECK: npu.nd2nz
// CHECK: npu.load2d {{.*}}l0a
// CHECK: npu.load2d {{.*}}l0b{{.*}} {transpose}
// CHECK: npu.mmad {{.*}} init %{{.*}} bias
// CHECK: npu.fixpipe {{.*}} quant NO_QUANT relu
// SYNC: flags and barriers is needed
kiln.kernel @matmul(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>, %bias: tensor<256xf32>) -> tensor<256x256xf32> {
  %0 = kiln.matmul %a, %b : tensor<256x512xf32>, tensor<512x256xf32> -> tensor<256x256xf32>
  %1 = kiln.add %0, %bias : tensor<256x256xf32>, tensor<256xf32> -> tensor<256x256xf32>
  %2 = kiln.relu %1 : tensor<256x256xf32>
  kiln.yield %2 : tensor<256x256xf32>
}

// -----

// A depth of 0 is one step on zeros: the loop always runs, so that flags may rely on it.
// CHECK-LABEL: func.func @any_depth
// CHECK: %[[DEPTH:.*]] = arith.maxsi %{{.*}}, %c1
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[DEPTH]]
// CHECK: npu.mmad
// CHECK: } {kiln.runs}
// SYNC: flags and barriers is needed
kiln.kernel @any_depth(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = kiln.matmul %a, %b : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = kiln.add %0, %bias : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>
  kiln.yield %1 : tensor<?x?xf32>
}
