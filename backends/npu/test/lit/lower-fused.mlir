// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels{chip=910a},canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-npu-lower-kernels{chip=910a},canonicalize,cse,func.func(kiln-npu-split-l0,kiln-multi-buffer,kiln-plan-memory,kiln-insert-sync,kiln-verify-sync{each-is-needed}))" --split-input-file 2>&1 | FileCheck %s --check-prefix=SYNC

// Cores with both units: L0C to UB, there into rows, then out.
// CHECK-LABEL: func.func @matmul
// CHECK: npu.mmad
// CHECK-NOT: npu.fixpipe
// CHECK: npu.l0c_to_ub {{.*}} quant F322F16 relu
// CHECK: npu.nz2nd
// CHECK: npu.store
// SYNC: flags and barriers is needed
kiln.kernel @matmul(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>) -> tensor<256x256xf16> {
  %0 = kiln.matmul %a, %b : tensor<256x512xf16>, tensor<512x256xf16> -> tensor<256x256xf16>
  %1 = kiln.relu %0 : tensor<256x256xf16>
  kiln.yield %1 : tensor<256x256xf16>
}

// -----

// The last blocks of a row are moved whole: what is behind it was filled.
// CHECK-LABEL: func.func @ragged
// CHECK: npu.vbrc
// CHECK: npu.l0c_to_ub {{.*}} quant NO_QUANT
// SYNC: flags and barriers is needed
kiln.kernel @ragged(%a: tensor<?x64xi8>, %b: tensor<64x?xi8>) -> tensor<?x?xi32> {
  %0 = kiln.matmul %a, %b : tensor<?x64xi8>, tensor<64x?xi8> -> tensor<?x?xi32>
  kiln.yield %0 : tensor<?x?xi32>
}
