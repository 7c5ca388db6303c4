// RUN: jit-opt %s --pass-pipeline="builtin.module(kiln-host-destinations,func.func(kiln-host-loop-destinations))" --split-input-file | FileCheck %s
// RUN: jit-opt %s --kiln-stage=host:tile,host:buffer --split-input-file | FileCheck %s --check-prefix=BUFFER

// Positive: a loop's updates start from the result's buffer; bufferized, nothing is allocated or copied.
// CHECK-LABEL: @counts
//  CHECK-SAME: kiln.template = "loop"
//       CHECK: %[[O:.+]] = bufferization.to_tensor %{{.+}} restrict writable : memref<8xi64>
//       CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[O]])
// BUFFER-LABEL: @counts
//   BUFFER-NOT: alloc
//   BUFFER-NOT: iter_args
//       BUFFER: memref.store
//   BUFFER-NOT: copy
//       BUFFER: return
func.func @counts(%x: tensor<8xi64>) -> tensor<8xi64> attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xi64>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %e) -> (tensor<8xi64>) {
    %v = tensor.extract %x[%i] : tensor<8xi64>
    %s = arith.addi %v, %v : i64
    %n = tensor.insert %s into %t[%i] : tensor<8xi64>
    scf.yield %n : tensor<8xi64>
  }
  return %r : tensor<8xi64>
}

// -----

// Positive: rows side by side, each a loop; a branch updates or hands on.
// CHECK-LABEL: @rows
//       CHECK: %[[O:.+]] = bufferization.to_tensor %{{.+}} restrict writable : memref<?x8xf32>
//       CHECK: scf.forall {{.*}} shared_outs(%{{.+}} = %[[O]])
// BUFFER-LABEL: @rows
//  BUFFER-SAME: (%{{.+}}: memref<?x8xf32>, %[[OUT:.+]]: memref<?x8xf32>) attributes
//   BUFFER-NOT: alloc
//       BUFFER: scf.forall
//       BUFFER: scf.if
//  BUFFER-NEXT: memref.store %{{.+}}, %{{.+}}[%{{.+}}] : memref<8xf32, strided<[1], offset: ?>>
//   BUFFER-NOT: copy
//       BUFFER: return
func.func @rows(%x: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> (tensor<?x8xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<8xf32>
    %new = scf.for %j = %c0 to %c8 step %c1 iter_args(%t = %row) -> (tensor<8xf32>) {
      %v = tensor.extract %x[%i, %j] : tensor<?x8xf32>
      %is = arith.cmpf ogt, %v, %zero : f32
      %u = scf.if %is -> (tensor<8xf32>) {
        %w = tensor.insert %v into %t[%j] : tensor<8xf32>
        scf.yield %w : tensor<8xf32>
      } else {
        scf.yield %t : tensor<8xf32>
      }
      scf.yield %u : tensor<8xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %new into %o[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<?x8xf32>
    }
  }
  return %r : tensor<?x8xf32>
}

// -----

// Negative: a loop that starts from an argument; bufferization copies it.
// CHECK-LABEL: @starts_from_input
//   CHECK-NOT: writable : memref<8xi64>{{$}}
//       CHECK: return
func.func @starts_from_input(%x: tensor<8xi64>) -> tensor<8xi64> attributes {kiln.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %x) -> (tensor<8xi64>) {
    %n = tensor.insert %one into %t[%i] : tensor<8xi64>
    scf.yield %n : tensor<8xi64>
  }
  return %r : tensor<8xi64>
}
