// RUN: jit-opt %s --canonicalize --split-input-file | FileCheck %s

// What an op picks, seen on constants.
// CHECK-LABEL: @constants
//  CHECK-NEXT: dense<{{\[}}[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
//  CHECK-NEXT: dense<{{\[}}[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi32>
//  CHECK-NEXT: dense<{{\[}}[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]> : tensor<2x6xi32>
//  CHECK-NEXT: dense<[1, 3, 5]> : tensor<3xi32>
//  CHECK-NEXT: dense<{{\[}}[2, 1, 0], [5, 4, 3]]> : tensor<2x3xi32>
//  CHECK-NEXT: dense<{{\[}}[0, 1, 2, 0, 3], [3, 4, 5, 1, 4]]> : tensor<2x5xi32>
func.func @constants() -> (tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x6xi32>, tensor<3xi32>, tensor<2x3xi32>,
                           tensor<2x5xi32>) {
  %i = kiln.iota axis 0 [6] : tensor<6xi32>
  %0 = kiln.reshape %i [2, 3] : tensor<6xi32> -> tensor<2x3xi32>
  %1 = kiln.transpose %0 perm [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %2 = kiln.broadcast %i [2, 6] : tensor<6xi32> -> tensor<2x6xi32>
  %3 = kiln.slice %i offsets [1] sizes [3] strides [2] : tensor<6xi32> -> tensor<3xi32>
  %4 = kiln.reverse %0 axes [1] : tensor<2x3xi32>
  %s = kiln.slice %1 offsets [0, 0] sizes [2, 2] strides [1, 1] : tensor<3x2xi32> -> tensor<2x2xi32>
  %t = kiln.transpose %s perm [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %u = kiln.transpose %t perm [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %v = kiln.transpose %u perm [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %w = kiln.slice %0 offsets [0, 0] sizes [2, 2] strides [1, 1] : tensor<2x3xi32> -> tensor<2x2xi32>
  %x = kiln.transpose %w perm [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %5 = kiln.concat %0, %x axis 1 : tensor<2x3xi32>, tensor<2x2xi32> -> tensor<2x5xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xi32>, tensor<3x2xi32>, tensor<2x6xi32>, tensor<3xi32>, tensor<2x3xi32>,
                                  tensor<2x5xi32>
}

// -----

// CHECK-LABEL: @pad_modes
//  CHECK-NEXT: dense<[9, 0, 1, 2, 9, 9]> : tensor<6xi8>
//  CHECK-NEXT: dense<[0, 0, 1, 2, 2, 2]> : tensor<6xi8>
//  CHECK-NEXT: dense<[2, 1, 0, 1, 2, 1]> : tensor<6xi8>
//  CHECK-NEXT: dense<[2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]> : tensor<11xi8>
func.func @pad_modes() -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<11xi8>) {
  %i = kiln.iota axis 0 [3] : tensor<3xi8>
  %v = kiln.constant dense<9> : tensor<i8>
  %0 = kiln.pad %i low [1] high [2] mode constant value %v : tensor<3xi8>, tensor<i8> -> tensor<6xi8>
  %1 = kiln.pad %i low [1] high [2] mode edge : tensor<3xi8> -> tensor<6xi8>
  %2 = kiln.pad %i low [2] high [1] mode reflect : tensor<3xi8> -> tensor<6xi8>
  %3 = kiln.pad %i low [4] high [4] mode wrap : tensor<3xi8> -> tensor<11xi8>
  return %0, %1, %2, %3 : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<11xi8>
}

// -----

// Ops that change nothing disappear.
// CHECK-LABEL: @nothing
//  CHECK-SAME: %[[X:.+]]: tensor<1x4xf32>
//  CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @nothing(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
                                            tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %0 = kiln.reshape %x [1, 4] : tensor<1x4xf32> -> tensor<1x4xf32>
  %1 = kiln.transpose %x perm [0, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  %2 = kiln.broadcast %x [1, 4] : tensor<1x4xf32> -> tensor<1x4xf32>
  %3 = kiln.slice %x offsets [0, 0] sizes [1, 4] strides [1, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  %4 = kiln.concat %x axis 0 : tensor<1x4xf32> -> tensor<1x4xf32>
  %5 = kiln.pad %x low [0, 0] high [0, 0] mode edge : tensor<1x4xf32> -> tensor<1x4xf32>
  %6 = kiln.reverse %x axes [0] : tensor<1x4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>,
                                      tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// -----

// Equal types with two dynamic extents may be different shapes; with the extents of x as sizes they are not.
// CHECK-LABEL: @dynamic_nothing
//  CHECK-SAME: %[[X:.+]]: tensor<?x?xf32>
//       CHECK: %[[R:.+]] = kiln.reshape %[[X]]
//       CHECK: return %[[R]], %[[X]]
func.func @dynamic_nothing(%x: tensor<?x?xf32>, %n: index, %m: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = kiln.reshape %x [%n, %m] : tensor<?x?xf32> -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %1 = kiln.reshape %x [%d0, %d1] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Two reshapes are one, two transposes too.
// CHECK-LABEL: @merge
//  CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>
//       CHECK: kiln.reshape %[[X]] [4, 6] : tensor<2x3x4xf32> -> tensor<4x6xf32>
//       CHECK: kiln.transpose %[[X]] perm [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
func.func @merge(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<3x4x2xf32>) {
  %0 = kiln.reshape %x [24] : tensor<2x3x4xf32> -> tensor<24xf32>
  %1 = kiln.reshape %0 [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  %2 = kiln.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %3 = kiln.transpose %2 perm [2, 0, 1] : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
  return %1, %3 : tensor<4x6xf32>, tensor<3x4x2xf32>
}

// -----

// A transpose that moves only axes of extent 1 is a reshape, which is free.
// CHECK-LABEL: @transpose_of_unit_axes
//   CHECK-NOT: kiln.transpose
//       CHECK: %[[N:.+]] = tensor.dim
//       CHECK: kiln.reshape %{{.*}} [1, %[[N]], 4] : tensor<?x1x4xf32> -> tensor<1x?x4xf32>
func.func @transpose_of_unit_axes(%x: tensor<?x1x4xf32>) -> tensor<1x?x4xf32> {
  %0 = kiln.transpose %x perm [1, 0, 2] : tensor<?x1x4xf32> -> tensor<1x?x4xf32>
  return %0 : tensor<1x?x4xf32>
}

// -----

// Inputs without elements are dropped.
// CHECK-LABEL: @concat_of_nothing
//       CHECK: kiln.concat %{{.*}}, %{{.*}} axis 0 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
func.func @concat_of_nothing(%x: tensor<2xf32>, %e: tensor<0xf32>) -> tensor<4xf32> {
  %0 = kiln.concat %x, %e, %x axis 0 : tensor<2xf32>, tensor<0xf32>, tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Constant sizes move into the static lists; a negative one stays, to fail at run time.
// CHECK-LABEL: @constant_sizes
//       CHECK: kiln.slice %{{.*}} offsets [2] sizes [3] strides [1] : tensor<8xf32> -> tensor<3xf32>
//       CHECK: kiln.iota axis 0 [%c-1] : tensor<?xi32>
func.func @constant_sizes(%x: tensor<8xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %minus = arith.constant -1 : index
  %0 = kiln.slice %x offsets [%c2] sizes [%c3] strides [1] : tensor<8xf32> -> tensor<?xf32>
  %1 = kiln.iota axis 0 [%minus] : tensor<?xi32>
  return %0, %1 : tensor<?xf32>, tensor<?xi32>
}

// -----

// CHECK-LABEL: @from_elements
//   CHECK-DAG: kiln.constant dense<[3, -1]> : tensor<2xi8>
//   CHECK-DAG: kiln.constant dense<true> : tensor<i1>
//   CHECK-NOT: from_elements
func.func @from_elements() -> (tensor<2xi8>, tensor<i1>) {
  %a = arith.constant 259 : index
  %b = arith.constant -1 : index
  %0 = kiln.from_elements [%a, %b] : tensor<2xi8>
  %1 = kiln.from_elements [%b] scalar : tensor<i1>
  return %0, %1 : tensor<2xi8>, tensor<i1>
}
