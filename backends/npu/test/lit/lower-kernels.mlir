// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-decompose,kiln-npu-lower-kernels,canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-decompose,kiln-npu-lower-kernels,canonicalize,cse,func.func(kiln-npu-split-l0,kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=SYNC

// Equal shapes are one line; its tail is a shorter view.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: npu.blocks = 2 : i64, npu.core = "aiv"
// CHECK: scf.for
// CHECK: npu.load {{.*}} outs(%{{.*}} : memref<1x?xf32, strided<[256, 1]>, #npu.memory<ub>>)
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

// A transpose: bursts along the source's rows, then squares in UB, then bursts along the result's.
// CHECK-LABEL: func.func @transpose
// CHECK: npu.load {{.*}} outs(%{{.*}} : memref<{{.*}}strided<[{{.*}}, 1]>
// CHECK: npu.vtranspose ins(%{{.*}} : memref<[[R:[0-9]+]]x[[C:[0-9]+]]xf32, {{.*}}outs(%{{.*}} : memref<{{.*}}temp(%{{.*}} : memref<{{.*}}x[[C]]x16xf32
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @transpose(%x: tensor<70x45xf32>) -> tensor<45x70xf32> {
  %0 = kiln.transpose %x perm [1, 0] : tensor<70x45xf32> -> tensor<45x70xf32>
  kiln.yield %0 : tensor<45x70xf32>
}

// -----

// Heads change places with the sequence: the rows keep their order, so that nothing but strides is new.
// CHECK-LABEL: func.func @heads
// CHECK-NOT: npu.v
// CHECK: npu.load ins(%{{.*}} : memref<{{.*}}strided<[128, 1], offset: ?>
// CHECK-NOT: npu.v
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @heads(%x: tensor<2x12x4x32xf32>) -> tensor<2x4x12x32xf32> {
  %0 = kiln.transpose %x perm [0, 2, 1, 3] : tensor<2x12x4x32xf32> -> tensor<2x4x12x32xf32>
  kiln.yield %0 : tensor<2x4x12x32xf32>
}

// -----

// Rows that are dropped are added by halves.
// CHECK-LABEL: func.func @columns
// CHECK: npu.vbinary <vadd> {{.*}} outs(%{{.*}} : memref<4x48xf32
// CHECK: npu.vbinary <vadd> {{.*}} outs(%{{.*}} : memref<2x48xf32
// CHECK: npu.vbinary <vadd> {{.*}} outs(%{{.*}} : memref<1x48xf32
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @columns(%x: tensor<8x48xf32>) -> tensor<48xf32> {
  %0 = kiln.reduce sum %x axes [0] : tensor<8x48xf32> -> tensor<48xf32>
  kiln.yield %0 : tensor<48xf32>
}

// -----

// Cores have some columns each where there are few sums of long columns.
// CHECK-LABEL: func.func @shared_columns
// CHECK: scf.for %{{.*}} = %{{.*}} to %c75
// CHECK: npu.load {{.*}} outs(%{{.*}} : memref<?x40xf32
// CHECK: npu.vbinary <vadd> {{.*}} outs(%{{.*}} : memref<?x40xf32
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @shared_columns(%x: tensor<4096x3000xf32>) -> tensor<3000xf32> {
  %0 = kiln.reduce sum %x axes [0] : tensor<4096x3000xf32> -> tensor<3000xf32>
  kiln.yield %0 : tensor<3000xf32>
}

// -----

// Softmax of rows of unknown length: a pass for the greatest, one for the sum, one for the result. A row of no
// elements is one part of none.
// CHECK-LABEL: func.func @long_rows
// CHECK: npu.vbrc ins(%{{.*}} : f32) outs(%[[MOST:.*]] : memref<1x
// CHECK: %[[END:.*]] = arith.maxsi
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[END]]
// CHECK: npu.vbinary <vmax>
// CHECK: {kiln.runs}
// CHECK: npu.vreduce <max>
// CHECK: scf.for
// CHECK: npu.vunary <vexp>
// CHECK: npu.vbinary <vadd>
// CHECK: npu.vreduce <sum>
// CHECK: scf.for
// CHECK: npu.vunary <vexp>
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @long_rows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = kiln.softmax %x axis 1 : tensor<?x?xf32>
  kiln.yield %0 : tensor<?x?xf32>
}

// -----

// Products go by way of the transpose.
// CHECK-LABEL: func.func @products
// CHECK: npu.vtranspose
// CHECK: npu.vbinary <vmul>
// CHECK: npu.copy
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @products(%x: tensor<32x8xf32>) -> tensor<32xf32> {
  %0 = kiln.reduce prod %x axes [1] : tensor<32x8xf32> -> tensor<32xf32>
  kiln.yield %0 : tensor<32xf32>
}

// -----

// Rows by index: one transfer each, to which the scalar unit reads the index.
// CHECK-LABEL: func.func @embeddings
// CHECK: npu.gather_rows ins(%{{.*}}, %{{.*}} : memref<50x64xf32, {{.*}}memref<?xi64
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @embeddings(%x: tensor<50x64xf32>, %i: tensor<900xi64>) -> tensor<900x64xf32> {
  %0 = kiln.gather %x, %i axis 0 : tensor<50x64xf32>, tensor<900xi64> -> tensor<900x64xf32>
  kiln.yield %0 : tensor<900x64xf32>
}

// -----

// The middle is copied; above and below one number is stored, left and right, too.
// CHECK-LABEL: func.func @pad
// CHECK: npu.load
// CHECK: npu.vbrc ins(%{{.*}} : f32)
// CHECK-NOT: npu.load
// SYNC: flags and barriers is needed
kiln.kernel @pad(%x: tensor<20x30xf32>) -> tensor<23x35xf32> {
  %c = kiln.constant dense<1.5> : tensor<f32>
  %0 = kiln.pad %x low [1, 3] high [2, 2] mode constant value %c : tensor<20x30xf32>, tensor<f32> -> tensor<23x35xf32>
  kiln.yield %0 : tensor<23x35xf32>
}

// -----

// Nine taps of three gathers; the bias last.
// CHECK-LABEL: func.func @depthwise
// CHECK: npu.varange
// CHECK: scf.for
// CHECK: npu.load {{.*}} keep
// CHECK-COUNT-3: npu.vgather
// CHECK: npu.vbinary <vadd> {{.*}} broadcast 1
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @depthwise(%x: tensor<1x96x24x40xf32>, %w: tensor<96x1x3x3xf32>, %b: tensor<96xf32>) -> tensor<1x96x24x40xf32> {
  %0 = kiln.conv %x, %w bias %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] groups 96 : tensor<1x96x24x40xf32>, tensor<96x1x3x3xf32>, tensor<96xf32> -> tensor<1x96x24x40xf32>
  kiln.yield %0 : tensor<1x96x24x40xf32>
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

// Squares of f16 whose sum may leave f16 are f32 until the result.
// CHECK-LABEL: func.func @squares_of_halves
// CHECK: npu.vcast {{.*}}xf16
// CHECK: npu.vbinary <vmul> {{.*}}xf32
// CHECK: npu.vreduce <sum> {{.*}}xf32
// CHECK: npu.vbinary <vmul> {{.*}}xf32
// CHECK: npu.store {{.*}}xf16
kiln.kernel @squares_of_halves(%x: tensor<9x512xf16>) -> tensor<9xf16> {
  %c = kiln.constant dense<0.001953125> : tensor<f16>
  %0 = kiln.mul %x, %x : tensor<9x512xf16>, tensor<9x512xf16> -> tensor<9x512xf16>
  %1 = kiln.reduce sum %0 axes [1] : tensor<9x512xf16> -> tensor<9xf16>
  %2 = kiln.mul %1, %c : tensor<9xf16>, tensor<f16> -> tensor<9xf16>
  kiln.yield %2 : tensor<9xf16>
}

// -----

// A constant that is a result has axes; others have none.
// CHECK-LABEL: func.func @constant
// CHECK: npu.vbrc ins(%{{.*}} : f32)
// CHECK: npu.store
kiln.kernel @constant() -> tensor<40x300xf32> {
  %0 = kiln.constant dense<1.0> : tensor<40x300xf32>
  kiln.yield %0 : tensor<40x300xf32>
}

// -----

// What is no number is told by a mask, which is f16 where it is a number: rows of 20 are whole blocks of those.
// CHECK-LABEL: func.func @ragged_masks
// CHECK: npu.vsel {{.*}}memref<{{.*}}x32xf16
kiln.kernel @ragged_masks(%x: tensor<50x20xf32>, %y: tensor<1x20xi32>) -> tensor<50x20xi32> {
  %0 = kiln.convert %x : tensor<50x20xf32> to tensor<50x20xi32>
  %1 = kiln.add %0, %y : tensor<50x20xi32>, tensor<1x20xi32> -> tensor<50x20xi32>
  kiln.yield %1 : tensor<50x20xi32>
}

// -----

// Elements of eight bytes that do not lie side by side are pairs of words.
// CHECK-LABEL: func.func @transposed_pairs
// CHECK-SAME: memref<8x50x2xi32
// CHECK-SAME: kiln.signature = (tensor<8x50xi64>) -> tensor<50x8xi64>
// CHECK: npu.load {{.*}}xi32
// CHECK-NOT: npu.vtranspose
// CHECK: npu.store {{.*}}xi32
kiln.kernel @transposed_pairs(%x: tensor<8x50xi64>) -> tensor<50x8xi64> {
  %0 = kiln.transpose %x perm [1, 0] : tensor<8x50xi64> -> tensor<50x8xi64>
  kiln.yield %0 : tensor<50x8xi64>
}
