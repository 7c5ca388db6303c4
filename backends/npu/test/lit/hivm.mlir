// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-decompose,kiln-npu-lower-kernels,canonicalize,cse,kiln-npu-print-hivm)" --split-input-file -o %t | FileCheck %s

// A line of one core each; buffers in transit have two copies, the result in the place of the input; tails are views.
// CHECK-LABEL: func.func @chain(%arg0: memref<?xf16, #hivm.address_space<gm>>, %arg1: memref<?xf16, #hivm.address_space<gm>>)
// CHECK-NEXT: attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>}
// CHECK: scf.forall (%[[BLOCK:.+]]) in (48) {
// CHECK: scf.for %{{.+}} = %[[BLOCK]] to
// CHECK: %[[X:.+]] = memref.alloc() : memref<{{.+}}xf16, #hivm.address_space<ub>>
// CHECK: annotation.mark %[[X]] {hivm.multi_buffer = 4 : i32}
// CHECK: %[[V:.+]] = memref.subview %[[X]]
// CHECK: hivm.hir.load ins(%{{.+}} : memref<{{.+}}xf16, {{.*}}#hivm.address_space<gm>>) outs(%[[V]] : memref<{{.+}}xf16, {{.*}}#hivm.address_space<ub>>)
// CHECK: hivm.hir.vcast ins({{.+}}) outs(%{{.+}}) round_mode = <rint>
// CHECK: hivm.hir.vexp
// CHECK: hivm.hir.store
// CHECK-NOT: npu.
// CHECK: } {mapping = [#hivm.block]}
kiln.kernel @chain(%a: tensor<?xf16>) -> tensor<?xf16> {
  %0 = kiln.exp %a : tensor<?xf16>
  kiln.yield %0 : tensor<?xf16>
}

// -----

// A reduction folds into its identity; its scratch space is not printed. A column is [rows, 1], read as it is.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: memref<8x64xf32
// CHECK: %[[LOWEST:.+]] = arith.constant 0xFF800000 : f32
// CHECK: hivm.hir.vbrc ins(%[[LOWEST]] : f32) outs(%[[MAX:.+]] : memref<{{.+}}x1xf32
// CHECK-NEXT: hivm.hir.vreduce <max> ins(%{{.+}} : memref<{{.+}}) outs(%[[MAX]] : {{.+}}) reduce_dims = [1]
// CHECK: %[[COLUMN:.+]] = memref.expand_shape
// CHECK-NEXT: hivm.hir.vsub ins(%{{.+}}, %[[COLUMN]] : {{.+}}, memref<{{.+}}x1xf32, {{.*}}#hivm.address_space<ub>>) outs({{.+}}) broadcast = [1]
// CHECK: hivm.hir.vexp
// CHECK: hivm.hir.vbrc ins(%{{.+}} : f32) outs(%[[SUM:.+]] : memref<8x1xf32
// CHECK-NEXT: hivm.hir.vreduce <sum> ins({{.+}}) outs(%[[SUM]]
kiln.kernel @softmax(%a: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = kiln.softmax %a axis 1 : tensor<64x100xf32>
  kiln.yield %0 : tensor<64x100xf32>
}

// -----

// load2d and mmad are one macro over L1; L0A, L0B and the bias table are its business.
// CHECK-LABEL: func.func @product
// CHECK: hivm.func_core_type = #hivm.func_core_type<AIC>
// CHECK-NOT: l0a
// CHECK: %[[BIAS:.+]] = memref.alloc() : memref<{{.+}}xf32, #hivm.address_space<cbuf>>
// CHECK: hivm.hir.load ins(%{{.+}}) outs(%{{.+}} : memref<?xf32, strided<[1]>, #hivm.address_space<cbuf>>)
// CHECK: %[[C:.+]] = memref.alloc() : memref<{{.+}}x16x16xf32, #hivm.address_space<cc>>
// CHECK: scf.for
// CHECK: %[[A:.+]] = memref.alloc() : memref<{{.+}}x16x8xf32, #hivm.address_space<cbuf>>
// CHECK: hivm.hir.nd2nz {dst_continuous} ins(%{{.+}}) outs(%[[A]] :
// CHECK: %[[B:.+]] = memref.alloc()
// CHECK: hivm.hir.nd2nz {dst_continuous} ins(%{{.+}}) outs(%[[B]] :
// CHECK: %[[FIRST:.+]] = arith.cmpi eq
// CHECK: hivm.hir.mmadL1 ins(%[[A]], %[[B]], %[[FIRST]], %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : {{.+}}, i1, index, index, index, memref<?xf32, strided<[1]>, #hivm.address_space<cbuf>>) outs(%[[C]] :
// CHECK: hivm.hir.fixpipe {enable_nz2nd, pre_relu = #hivm.fixpipe_pre_relu_mode<NORMAL_RELU>} ins(%[[C]]
kiln.kernel @product(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>, %c: tensor<256xf32>) -> tensor<256x256xf32> {
  %0 = kiln.matmul %a, %b : tensor<256x512xf32>, tensor<512x256xf32> -> tensor<256x256xf32>
  %1 = kiln.add %0, %c : tensor<256x256xf32>, tensor<256xf32> -> tensor<256x256xf32>
  %2 = kiln.relu %1 : tensor<256x256xf32>
  kiln.yield %2 : tensor<256x256xf32>
}

// -----

// Columns of B as they lie in memory; the fixpipe rounds.
// CHECK-LABEL: func.func @transposed
// CHECK: hivm.hir.mmadL1 {b_transpose} ins(
// CHECK: hivm.hir.fixpipe {enable_nz2nd, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>}
kiln.kernel @transposed(%a: tensor<64x64xf16>, %b: tensor<48x64xf16>) -> tensor<64x48xf16> {
  %0 = kiln.matmul %a, %b transB : tensor<64x64xf16>, tensor<48x64xf16> -> tensor<64x48xf16>
  kiln.yield %0 : tensor<64x48xf16>
}

// -----

// Comparisons give bits; bools are bytes in memory.
// CHECK-LABEL: func.func @larger
// CHECK: hivm.hir.vcmp ins(%{{.+}}, %{{.+}} : {{.+}}) outs(%[[BITS:.+]] : memref<{{.+}}xi1, {{.*}}#hivm.address_space<ub>>) compare_mode = <gt>
// CHECK: hivm.hir.vsel ins(%[[BITS]]
// CHECK: hivm.hir.vcast ins({{.+}}) outs(%{{.+}} : memref<{{.+}}xui8, {{.*}}) round_mode = <rint>
kiln.kernel @larger(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xi1> {
  %0 = kiln.compare gt %a, %b : tensor<1000xf32>, tensor<1000xf32> -> tensor<1000xi1>
  kiln.yield %0 : tensor<1000xi1>
}

// -----

// What is strided in memory is turned in UB; scratch space is the vendor's business.
// CHECK-LABEL: func.func @turned
// CHECK: hivm.hir.load
// CHECK: hivm.hir.vtranspose ins(%{{.+}} : memref<{{.+}}>) outs(%{{.+}} : memref<{{.+}}>) permutation = [1, 0]
// CHECK-NOT: npu.
// CHECK: hivm.hir.store
kiln.kernel @turned(%a: tensor<70x45xf32>) -> tensor<45x70xf32> {
  %0 = kiln.transpose %a perm [1, 0] : tensor<70x45xf32> -> tensor<45x70xf32>
  %1 = kiln.exp %0 : tensor<45x70xf32>
  kiln.yield %1 : tensor<45x70xf32>
}

// -----

// Cube and vector cores together: on tensors, so that the vendor splits them.
// CHECK-LABEL: func.func @attention(%sync: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, %workspace: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>},
// CHECK: scf.for %unit = %{{.+}} to %{{.+}} step
// CHECK: hivm.hir.load ins({{.+}}) outs({{.+}}) -> tensor<128x64xf16>
// CHECK: scf.for %step = {{.+}} iter_args(
// CHECK: hivm.hir.mmadL1 {b_transpose} ins({{.+}}) outs({{.+}}) -> tensor<128x128xf32>
// CHECK: hivm.hir.vreduce <max>
// CHECK: hivm.hir.vcast ins({{.+}}) outs({{.+}}) round_mode = <rint> -> tensor<128x128xf16>
// CHECK: hivm.hir.mmadL1 ins({{.+}}) outs({{.+}}) -> tensor<128x32xf32>
// CHECK: hivm.hir.vdiv ins(%steps#2, %steps#1 :
// CHECK: hivm.hir.store
// CHECK-NOT: func.func
kiln.kernel @attention(%q: tensor<1x2x256x64xf16>, %k: tensor<1x1x512x64xf16>, %v: tensor<1x1x512x32xf16>) -> tensor<1x2x256x32xf16> {
  %0 = kiln.attention %q, %k, %v scale 0.125 {kiln.whole} : (tensor<1x2x256x64xf16>, tensor<1x1x512x64xf16>, tensor<1x1x512x32xf16>) -> tensor<1x2x256x32xf16>
  kiln.yield %0 : tensor<1x2x256x32xf16>
}
