// RUN: jit-opt %s | jit-opt | FileCheck %s
// Every op of the family prints what it parses.

// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<?xf32>, %n: index) {
  // CHECK: kiln.reshape %{{.*}} [2, %{{.*}}] : tensor<?xf32> -> tensor<2x?xf32>
  %0 = kiln.reshape %x [2, %n] : tensor<?xf32> -> tensor<2x?xf32>
  // CHECK: kiln.reshape %{{.*}} [%{{.*}}, %{{.*}}] : tensor<?xf32> -> tensor<?x?xf32>
  %1 = kiln.reshape %x [%n, %n] : tensor<?xf32> -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: @reshape_static
func.func @reshape_static(%x: tensor<4x2xui8>, %s: tensor<1xi1>) {
  // CHECK: kiln.reshape %{{.*}} [8] : tensor<4x2xui8> -> tensor<8xui8>
  %0 = kiln.reshape %x [8] : tensor<4x2xui8> -> tensor<8xui8>
  // CHECK: kiln.reshape %{{.*}} [] : tensor<1xi1> -> tensor<i1>
  %1 = kiln.reshape %s [] : tensor<1xi1> -> tensor<i1>
  return
}

// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<8x4x?xf8E5M2>) {
  // CHECK: kiln.transpose %{{.*}} perm [0, 2, 1] : tensor<8x4x?xf8E5M2> -> tensor<8x?x4xf8E5M2>
  %0 = kiln.transpose %x perm [0, 2, 1] : tensor<8x4x?xf8E5M2> -> tensor<8x?x4xf8E5M2>
  return
}

// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<1x8xf32>, %n: index) {
  // CHECK: kiln.broadcast %{{.*}} [4, %{{.*}}, 8] : tensor<1x8xf32> -> tensor<4x?x8xf32>
  %0 = kiln.broadcast %x [4, %n, 8] : tensor<1x8xf32> -> tensor<4x?x8xf32>
  return
}

// CHECK-LABEL: @reverse
func.func @reverse(%x: tensor<4x?xf32>) {
  // CHECK: kiln.reverse %{{.*}} axes [0, -1] : tensor<4x?xf32>
  %0 = kiln.reverse %x axes [0, -1] : tensor<4x?xf32>
  // CHECK: kiln.reverse %{{.*}} axes [] : tensor<4x?xf32>
  %1 = kiln.reverse %x axes [] : tensor<4x?xf32>
  return
}

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<8x?xf32>, %o: index) {
  // CHECK: kiln.slice %{{.*}} offsets [0, %{{.*}}] sizes [4, %{{.*}}] strides [1, 2] : tensor<8x?xf32> -> tensor<4x?xf32>
  %0 = kiln.slice %x offsets [0, %o] sizes [4, %o] strides [1, 2] : tensor<8x?xf32> -> tensor<4x?xf32>
  // CHECK: kiln.slice %{{.*}} offsets [%{{.*}}, 0] sizes [%{{.*}}, 1] strides [%{{.*}}, 1] : tensor<8x?xf32> -> tensor<?x1xf32>
  %1 = kiln.slice %x offsets [%o, 0] sizes [%o, 1] strides [%o, 1] : tensor<8x?xf32> -> tensor<?x1xf32>
  return
}

// CHECK-LABEL: @concat
func.func @concat(%a: tensor<4x2xf32>, %b: tensor<?x?xf32>) {
  // CHECK: kiln.concat %{{.*}}, %{{.*}} axis 1 : tensor<4x2xf32>, tensor<?x?xf32> -> tensor<4x?xf32>
  %0 = kiln.concat %a, %b axis 1 : tensor<4x2xf32>, tensor<?x?xf32> -> tensor<4x?xf32>
  // CHECK: kiln.concat %{{.*}}, %{{.*}}, %{{.*}} axis -1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x6xf32>
  %1 = kiln.concat %a, %a, %a axis -1 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<4x8xf32>, %v: tensor<f32>, %n: index) {
  // CHECK: kiln.pad %{{.*}} low [0, 1] high [0, %{{.*}}] mode constant value %{{.*}} : tensor<4x8xf32>, tensor<f32> -> tensor<4x?xf32>
  %0 = kiln.pad %x low [0, 1] high [0, %n] mode constant value %v : tensor<4x8xf32>, tensor<f32> -> tensor<4x?xf32>
  // CHECK: kiln.pad %{{.*}} low [0, 1] high [3, 1] mode edge : tensor<4x8xf32> -> tensor<7x10xf32>
  %1 = kiln.pad %x low [0, 1] high [3, 1] mode edge : tensor<4x8xf32> -> tensor<7x10xf32>
  // CHECK: kiln.pad %{{.*}} low [0, 7] high [3, 7] mode reflect : tensor<4x8xf32> -> tensor<7x22xf32>
  %2 = kiln.pad %x low [0, 7] high [3, 7] mode reflect : tensor<4x8xf32> -> tensor<7x22xf32>
  // CHECK: kiln.pad %{{.*}} low [%{{.*}}, 70] high [3, 7] mode wrap : tensor<4x8xf32> -> tensor<?x85xf32>
  %3 = kiln.pad %x low [%n, 70] high [3, 7] mode wrap : tensor<4x8xf32> -> tensor<?x85xf32>
  return
}

// CHECK-LABEL: @iota
func.func @iota(%n: index) {
  // CHECK: kiln.iota axis 1 [4, %{{.*}}] : tensor<4x?xi64>
  %0 = kiln.iota axis 1 [4, %n] : tensor<4x?xi64>
  // CHECK: kiln.iota axis -1 [4] : tensor<4xbf16>
  %1 = kiln.iota axis -1 [4] : tensor<4xbf16>
  return
}

// CHECK-LABEL: @from_elements
func.func @from_elements(%n: index, %m: index) {
  // CHECK: kiln.from_elements [%{{.*}}, %{{.*}}] : tensor<2xi64>
  %0 = kiln.from_elements [%n, %m] : tensor<2xi64>
  // CHECK: kiln.from_elements [%{{.*}}] scalar : tensor<ui8>
  %1 = kiln.from_elements [%n] scalar : tensor<ui8>
  // CHECK: kiln.from_elements [] : tensor<0xi1>
  %2 = kiln.from_elements [] : tensor<0xi1>
  return
}
