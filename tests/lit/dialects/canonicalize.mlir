// RUN: jit-opt %s --canonicalize --cse --canonicalize --split-input-file | FileCheck %s
// Canonicalizations of all kiln ops: extents, types, identities.

// The extent of a result is arithmetic on those of the operands, through a chain of ops.
// CHECK-LABEL: @extents
//  CHECK-SAME: %[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<?x1xf32>
//   CHECK-NOT: kiln.
//       CHECK: %[[N:.+]] = tensor.dim %[[Y]], %c0
//       CHECK: %[[D:.+]] = arith.addi %[[N]], %[[N]]
//       CHECK: %[[P:.+]] = arith.addi %[[D]], %c3
//       CHECK: return %[[P]]
func.func @extents(%x: tensor<?x4xf32>, %y: tensor<?x1xf32>) -> index {
  %0 = kiln.add %y, %x : tensor<?x1xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  %1 = kiln.exp %0 : tensor<?x4xf32>
  %2 = kiln.transpose %1 perm [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  %3 = kiln.concat %2, %2 axis 1 : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4x?xf32>
  %4 = kiln.pad %3 low [0, 1] high [0, 2] mode edge : tensor<4x?xf32> -> tensor<4x?xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %4, %c1 : tensor<4x?xf32>
  return %d : index
}

// -----

// Sizes are the extents of reshape, broadcast, slice and iota.
// CHECK-LABEL: @sizes
//  CHECK-SAME: %[[X:.+]]: tensor<?xf32>, %[[N:.+]]: index
//  CHECK-NEXT: return %[[N]], %[[N]], %[[N]], %[[N]]
func.func @sizes(%x: tensor<?xf32>, %n: index) -> (index, index, index, index) {
  %c0 = arith.constant 0 : index
  %0 = kiln.reshape %x [%n, 2] : tensor<?xf32> -> tensor<?x2xf32>
  %1 = kiln.broadcast %x [%n, 2] : tensor<?xf32> -> tensor<?x2xf32>
  %2 = kiln.slice %x offsets [1] sizes [%n] strides [2] : tensor<?xf32> -> tensor<?xf32>
  %3 = kiln.iota axis 0 [%n] : tensor<?xi32>
  %d0 = tensor.dim %0, %c0 : tensor<?x2xf32>
  %d1 = tensor.dim %1, %c0 : tensor<?x2xf32>
  %d2 = tensor.dim %2, %c0 : tensor<?xf32>
  %d3 = tensor.dim %3, %c0 : tensor<?xi32>
  return %d0, %d1, %d2, %d3 : index, index, index, index
}

// -----

// Not looked through: a barrier is there to be kept.
// CHECK-LABEL: @barrier
//       CHECK: %[[B:.+]] = kiln.optimization_barrier
//       CHECK: tensor.dim %[[B]]
func.func @barrier(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = kiln.optimization_barrier %x : tensor<?xf32>
  %d = tensor.dim %0, %c0 : tensor<?xf32>
  return %d : index
}

// -----

// Static extents behind casts reach every op.
// CHECK-LABEL: @casts
//  CHECK-SAME: %[[X:.+]]: tensor<2x4xf32>
//       CHECK: %[[E:.+]] = kiln.exp %[[X]] : tensor<2x4xf32>
//       CHECK: %[[R:.+]] = kiln.reshape %[[E]] [2, 2, 2] : tensor<2x4xf32> -> tensor<2x2x2xf32>
//       CHECK: %[[C:.+]] = tensor.cast %[[R]] : tensor<2x2x2xf32> to tensor<?x2x2xf32>
//       CHECK: return %[[C]]
func.func @casts(%x: tensor<2x4xf32>) -> tensor<?x2x2xf32> {
  %c = tensor.cast %x : tensor<2x4xf32> to tensor<?x?xf32>
  %0 = kiln.exp %c : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %c, %c0 : tensor<?x?xf32>
  %1 = kiln.reshape %0 [%n, 2, 2] : tensor<?x?xf32> -> tensor<?x2x2xf32>
  return %1 : tensor<?x2x2xf32>
}

// -----

// A cast to a more precise type is a promise that ops before it do not make: it stays.
// CHECK-LABEL: @precise_cast
//       CHECK: %[[C:.+]] = tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
//       CHECK: kiln.exp %[[C]] : tensor<4xf32>
func.func @precise_cast(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %0 = kiln.exp %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Neutral operands.
// CHECK-LABEL: @neutral
//  CHECK-SAME: %[[X:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi32>
//  CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[I]], %[[I]]
func.func @neutral(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>,
                                                            tensor<4xi32>) {
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %minus = kiln.constant dense<-0.0> : tensor<f32>
  %one = kiln.constant dense<1.0> : tensor<4xf32>
  %0 = kiln.sub %x, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = kiln.add %minus, %0 : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  %2 = kiln.mul %one, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = kiln.pow %x, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %z = kiln.constant dense<0> : tensor<i32>
  %4 = kiln.add %i, %z : tensor<4xi32>, tensor<i32> -> tensor<4xi32>
  %ones = kiln.constant dense<-1> : tensor<i32>
  %5 = kiln.and %ones, %i : tensor<i32>, tensor<4xi32> -> tensor<4xi32>
  return %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// Not neutral: x + 0.0 makes 0.0 of -0.0; 1 - x; a neutral operand that broadcasts the other.
// CHECK-LABEL: @not_neutral
//       CHECK: kiln.add
//       CHECK: kiln.sub
//       CHECK: kiln.mul
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %zero = kiln.constant dense<0.0> : tensor<f32>
  %one = kiln.constant dense<1.0> : tensor<2x1xf32>
  %0 = kiln.add %x, %zero : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = kiln.sub %zero, %x : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  %2 = kiln.mul %x, %one : tensor<4xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// -----

// CHECK-LABEL: @powers
//  CHECK-SAME: %[[X:.+]]: tensor<4xf32>
//       CHECK: kiln.mul %[[X]], %[[X]]
//       CHECK: kiln.reciprocal %[[X]]
//       CHECK: kiln.pow %[[X]]
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = kiln.constant dense<2.0> : tensor<f32>
  %inverse = kiln.constant dense<-1.0> : tensor<f32>
  %half = kiln.constant dense<0.5> : tensor<f32>
  %0 = kiln.pow %x, %two : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %1 = kiln.pow %x, %inverse : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // pow(-inf, 0.5) is inf, sqrt(-inf) NaN.
  %2 = kiln.pow %x, %half : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Inverses and repetitions.
// CHECK-LABEL: @repeated
//  CHECK-SAME: %[[X:.+]]: tensor<4xf32>
//       CHECK: %[[R:.+]] = kiln.relu %[[X]]
//       CHECK: return %[[X]], %[[R]], %[[X]]
func.func @repeated(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = kiln.neg %x : tensor<4xf32>
  %1 = kiln.neg %0 : tensor<4xf32>
  %2 = kiln.relu %x : tensor<4xf32>
  %3 = kiln.relu %2 : tensor<4xf32>
  %4 = kiln.max %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A conversion there and back is nothing, if the type between holds every value.
// CHECK-LABEL: @round_trip
//  CHECK-SAME: %[[H:.+]]: tensor<4xf16>, %[[I:.+]]: tensor<4xi8>, %[[W:.+]]: tensor<4xi32>
//       CHECK: %[[N:.+]] = kiln.convert %[[W]] : tensor<4xi32> to tensor<4xf32>
//       CHECK: %[[M:.+]] = kiln.convert %[[N]]
//       CHECK: return %[[H]], %[[I]], %[[M]]
func.func @round_trip(%h: tensor<4xf16>, %i: tensor<4xi8>, %w: tensor<4xi32>) -> (tensor<4xf16>, tensor<4xi8>,
                                                                                  tensor<4xi32>) {
  %0 = kiln.convert %h : tensor<4xf16> to tensor<4xf32>
  %1 = kiln.convert %0 : tensor<4xf32> to tensor<4xf16>
  %2 = kiln.convert %i : tensor<4xi8> to tensor<4xf32>
  %3 = kiln.convert %2 : tensor<4xf32> to tensor<4xi8>
  // f32 does not hold every i32.
  %4 = kiln.convert %w : tensor<4xi32> to tensor<4xf32>
  %5 = kiln.convert %4 : tensor<4xf32> to tensor<4xi32>
  return %1, %3, %5 : tensor<4xf16>, tensor<4xi8>, tensor<4xi32>
}

// -----

// CHECK-LABEL: @choices
//  CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
//  CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @choices(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>,
                                                                              tensor<4xf32>) {
  %0 = kiln.select %c, %x, %x : tensor<4xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %t = kiln.constant dense<false> : tensor<i1>
  %1 = kiln.select %t, %y, %x : tensor<i1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = kiln.clamp %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
