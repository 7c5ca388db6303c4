// RUN: jit-opt %s --kiln-bufferize | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// Positive: the op writes the caller's buffer; nothing is allocated or copied.
// CHECK-LABEL: func.func @in_place
//  CHECK-SAME: (%[[X:.+]]: memref<8xf32>, %[[OUT:.+]]: memref<8xf32>)
//   CHECK-NOT: memref.alloc
//       CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
//   CHECK-NOT: memref.copy
func.func @in_place(%x: memref<8xf32>, %out: memref<8xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<8xf32>
  %o = bufferization.to_tensor %out restrict writable : memref<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = math.absf %a : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
