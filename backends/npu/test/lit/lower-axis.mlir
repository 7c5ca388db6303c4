// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels,canonicalize,cse,func.func(kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=SYNC

// The first five of each list are all that a merge takes.
// CHECK-LABEL: func.func @top_k
// CHECK: npu.vbitsort ins(%{{.*}}, %{{.*}} : memref<1x224xf32, #npu.memory<ub>>, memref<1x224xi32, #npu.memory<ub>>) outs(%{{.*}} : memref<1x448xi32, #npu.memory<ub>>)
// CHECK: npu.vmrgsort {{.*}} lengths [5, 5, 5, 5, 5, 5, 5] distance 32
// CHECK: npu.vmrgsort {{.*}} lengths [5, 5] distance 128
// CHECK-NOT: npu.vmrgsort
// CHECK: return
// SYNC: flags and barriers is needed
kiln.kernel @top_k(%x: tensor<?x200xf32>) -> (tensor<?x5xf32>, tensor<?x5xi64>) {
  %v, %i = kiln.top_k %x k [5] axis 1 : tensor<?x200xf32> -> tensor<?x5xf32>, tensor<?x5xi64>
  kiln.yield %v, %i : tensor<?x5xf32>, tensor<?x5xi64>
}

// -----

// Low halves, then, in their order, high halves.
// CHECK-LABEL: func.func @sort_integers
// CHECK: npu.vbinary <vand>
// CHECK: npu.vbinary <vshr>
// CHECK: npu.vbitsort
// CHECK: npu.vbitsort
// SYNC: flags and barriers is needed
kiln.kernel @sort_integers(%x: tensor<9x30xi32>) -> (tensor<9x30xi32>, tensor<9x30xi64>) {
  %v, %i = kiln.sort %x axis 1 : tensor<9x30xi32> -> tensor<9x30xi32>, tensor<9x30xi64>
  kiln.yield %v, %i : tensor<9x30xi32>, tensor<9x30xi64>
}

// -----

// CHECK-LABEL: func.func @arg_max
// CHECK: npu.vreduce <max>
// CHECK: npu.vcmp <eq>
// CHECK: npu.vcmp <ne>
// CHECK: npu.vreduce <min>
// SYNC: flags and barriers is needed
kiln.kernel @arg_max(%x: tensor<90x100xf32>) -> tensor<90xi64> {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<90x100xf32> -> tensor<90xi64>
  kiln.yield %0 : tensor<90xi64>
}

// -----

// Row after row; what was the best so far stays in its buffer.
// CHECK-LABEL: func.func @arg_max_across
// CHECK: scf.for
// CHECK: scf.for
// CHECK: npu.vcmp <gt>
// CHECK: npu.vsel {{.*}} outs(%[[BEST:.*]] :
// SYNC: flags and barriers is needed
kiln.kernel @arg_max_across(%x: tensor<3x?x500xf32>) -> tensor<3x500xi64> {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<3x?x500xf32> -> tensor<3x500xi64>
  kiln.yield %0 : tensor<3x500xi64>
}

// -----

// CHECK-LABEL: func.func @sums
// CHECK-COUNT-4: npu.vgather
// CHECK-NOT: npu.vgather
// CHECK: return
// SYNC: flags and barriers is needed
kiln.kernel @sums(%x: tensor<90x16xf32>) -> tensor<90x16xf32> {
  %0 = kiln.cumulative sum %x axis 1 : tensor<90x16xf32>
  kiln.yield %0 : tensor<90x16xf32>
}

// -----

// A loop that only tiles with a far angle enter.
// CHECK-LABEL: func.func @sine
// CHECK: %[[MOST:.*]] = npu.scalar_load {{.*}}#npu.memory<ub>>) : f32
// CHECK: %[[IS_FAR:.*]] = arith.cmpf uge, %[[MOST]]
// CHECK: %[[TIMES:.*]] = arith.select %[[IS_FAR]], %c1, %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[TIMES]]
// SYNC: flags and barriers is needed
kiln.kernel @sine(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = kiln.sin %x : tensor<?xf32>
  kiln.yield %0 : tensor<?xf32>
}

// -----

// No f16 is far.
// CHECK-LABEL: func.func @sine_of_halves
// CHECK-NOT: npu.scalar_load
// CHECK: return
// SYNC: flags and barriers is needed
kiln.kernel @sine_of_halves(%x: tensor<?xf16>) -> tensor<?xf16> {
  %0 = kiln.sin %x : tensor<?xf16>
  kiln.yield %0 : tensor<?xf16>
}

// -----

// High halves, then low ones, which f32 holds.
// CHECK-LABEL: func.func @arg_max_of_integers
// CHECK: npu.vbinary <vshr>
// CHECK: npu.vbinary <vand>
// CHECK-COUNT-3: npu.vreduce
// CHECK-NOT: npu.vreduce
// CHECK: return
// SYNC: flags and barriers is needed
kiln.kernel @arg_max_of_integers(%x: tensor<90x100xi32>) -> tensor<90xi64> {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<90x100xi32> -> tensor<90xi64>
  kiln.yield %0 : tensor<90xi64>
}

// -----

// Rows of unknown length: the best so far and where it was are columns, over a loop of parts.
// CHECK-LABEL: func.func @arg_max_in_parts
// CHECK: scf.for
// CHECK: scf.for
// CHECK: npu.vreduce
// CHECK: npu.vsel
// SYNC: flags and barriers is needed
kiln.kernel @arg_max_in_parts(%x: tensor<?x?xf32>) -> tensor<?xi64> {
  %0 = kiln.arg_reduce max %x axis 1 : tensor<?x?xf32> -> tensor<?xi64>
  kiln.yield %0 : tensor<?xi64>
}

// -----

// Sums of bytes wrap: they are i32, of which the low bits stay.
// CHECK-LABEL: func.func @sums_of_bytes
// CHECK: npu.vbinary <vadd> {{.*}}xi32
// CHECK: npu.vbinary <vshl>
// CHECK: npu.vbinary <vshr>
// SYNC: flags and barriers is needed
kiln.kernel @sums_of_bytes(%x: tensor<3x9000xi8>) -> tensor<3x9000xi8> {
  %0 = kiln.cumulative sum %x axis 1 : tensor<3x9000xi8>
  kiln.yield %0 : tensor<3x9000xi8>
}

// -----

// Runs of a tile in the workspace, then two at a time.
// CHECK-LABEL: func.func @sort_long
// CHECK-SAME: kiln.workspace
// CHECK: npu.workspace_buffer 0 : memref<1xf32, #npu.memory<gm>>
// CHECK: npu.vbitsort
// CHECK: npu.store
// CHECK: scf.for {{.*}} iter_args
// CHECK: npu.vbitsort
// CHECK: npu.scalar_load
// CHECK: scf.yield
kiln.kernel @sort_long(%x: tensor<4x?xf16>) -> (tensor<4x?xf16>, tensor<4x?xi64>) {
  %v, %i = kiln.sort %x axis 1 : tensor<4x?xf16> -> tensor<4x?xf16>, tensor<4x?xi64>
  kiln.yield %v, %i : tensor<4x?xf16>, tensor<4x?xi64>
}
