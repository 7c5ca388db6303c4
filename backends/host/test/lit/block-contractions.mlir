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

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Positive: 8-bit factors become pairs of i16 along the sum: bytes of a are widened, rows of b interleaved.
// CHECK-DAG: #[[EVEN:.+]] = affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2 * 2 + d3)>
// CHECK-DAG: #[[RIGHT:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
// CHECK-LABEL: @pairs
//       CHECK: %[[B:.+]] = memref.alloc() : memref<50x48x2xi16>
//       CHECK: linalg.generic {indexing_maps = [#[[EVEN]], #{{.+}}]{{.*}} ins(%{{.+}} : memref<100x48xi8>) outs(%[[B]]
//       CHECK:   arith.extsi %{{.+}} : i8 to i16
//       CHECK: %[[A:.+]] = memref.alloc() : memref<24x100xi16>
//       CHECK:   arith.extui %{{.+}} : i8 to i16
//       CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #{{.+}}], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[A]], %[[B]]
func.func @pairs(%a: memref<24x100xi8>, %b: memref<100x48xi8>, %c: memref<24x48xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x100xi8>, memref<100x48xi8>) outs(%c : memref<24x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Positive: the last of an odd sum meets a zero. Rows of i16 whose number is odd are copied too.
// CHECK-LABEL: @odd
//       CHECK: %[[Z:.+]] = arith.constant 0 : i16
//       CHECK: linalg.fill ins(%[[Z]] : i16) outs(%{{.+}} : memref<1x48x1xi16
//       CHECK: memref.alloc() : memref<24x4x2xi16>
func.func @odd(%a: memref<24x7xi16>, %b: memref<7x48xi16>, %c: memref<24x48xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x7xi16>, memref<7x48xi16>) outs(%c : memref<24x48xi32>) {
  ^bb0(%x: i16, %y: i16, %o: i32):
    %u = arith.extsi %x : i16 to i32
    %v = arith.extsi %y : i16 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Does not apply: 16 bits without a sign do not fit the pairs' instruction.
// CHECK-LABEL: @unsigned
//   CHECK-NOT: memref.alloc
//       CHECK: linalg.generic
func.func @unsigned(%a: memref<24x8xi16>, %b: memref<8x48xi16>, %c: memref<24x48xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x8xi16>, memref<8x48xi16>) outs(%c : memref<24x48xi32>) {
  ^bb0(%x: i16, %y: i16, %o: i32):
    %u = arith.extui %x : i16 to i32
    %v = arith.extui %y : i16 to i32
    %p = arith.muli %u, %v : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

#a = affine_map<(m, p, n, k) -> (m, k)>
#b = affine_map<(m, p, n, k) -> (p, k, n)>
#c = affine_map<(m, p, n, k) -> (m, p, n)>

// Negative: panels as wide as a register tile are read as they lie, though they are some KiB apart.
// CHECK-LABEL: @panels
//   CHECK-NOT: memref.alloc
//       CHECK: linalg.generic
func.func @panels(%a: memref<24x256xf32>, %b: memref<2x256x16xf32>, %c: memref<24x2x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<24x256xf32>, memref<2x256x16xf32>) outs(%c : memref<24x2x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
