// RUN: jit-opt %s --pass-pipeline="builtin.module(func.func(kiln-host-block-contractions{vector-bits=256 registers=16}))" --split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Positive: b is transposed, so each block of the sum gets its columns as rows; 600 is three blocks of 200.
// CHECK-LABEL: @transposed
//       CHECK: scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %[[S:.+]] {
//       CHECK: memref.subview %{{.+}}[0, %[[K]]] [24, 200]
//       CHECK: %[[P:.+]] = memref.alloc() : memref<200x48xf32>
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} {{.*}} outs(%[[P]]
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.+}}, %[[P]]
func.func @transposed(%a: memref<24x600xf32>, %b: memref<48x600xf32>, %c: memref<24x48xf32>) {
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x600xf32>, memref<48x600xf32>) outs(%c : memref<24x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Negative: a short sum over columns that are contiguous already stays as it is.
// CHECK-LABEL: @contiguous
//   CHECK-NOT: scf.for
//   CHECK-NOT: memref.alloc
//       CHECK: linalg.generic
func.func @contiguous(%a: memref<24x100xf32>, %b: memref<100x48xf32>, %c: memref<24x48xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x100xf32>, memref<100x48xf32>) outs(%c : memref<24x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#x = affine_map<(o, p, q, i, k, l) -> (i, p + k, q + l)>
#w = affine_map<(o, p, q, i, k, l) -> (o, i, k, l)>
#y = affine_map<(o, p, q, i, k, l) -> (o, p, q)>

// Positive: the windows of a convolution are copied; its sum's three loops and its columns' two become one each.
// CHECK-LABEL: @windows
//       CHECK: %[[P:.+]] = memref.alloc() : memref<8x3x3x2x20xf32>
//       CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
//  CHECK-SAME: memref<24x72xf32>
//  CHECK-SAME: memref<24x40xf32>
func.func @windows(%x: memref<8x4x22xf32>, %w: memref<24x8x3x3xf32>, %y: memref<24x2x20xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : memref<8x4x22xf32>, memref<24x8x3x3xf32>) outs(%y : memref<24x2x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#x = affine_map<(c, p, q) -> (c, p + q)>
#w = affine_map<(c, p, q) -> (c, q)>
#y = affine_map<(c, p, q) -> (c, p)>

// Does not apply: in a depthwise convolution the contiguous loop belongs to one factor, but no loop to the other alone.
// CHECK-LABEL: @depthwise
//   CHECK-NOT: memref.alloc
//       CHECK: linalg.generic
func.func @depthwise(%x: memref<32x50xf32>, %w: memref<32x3xf32>, %y: memref<32x48xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<32x50xf32>, memref<32x3xf32>) outs(%y : memref<32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
