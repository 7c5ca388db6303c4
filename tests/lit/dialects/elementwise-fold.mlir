// RUN: jit-opt %s --canonicalize | FileCheck %s
// What the ops compute, seen by folding them on constants: the same formulas as those of the lowering.

// Integers truncate; x / 0 = 0; the smallest divided by -1 wraps. mod has the divisor's sign, rem the dividend's.
// CHECK-LABEL: @integer_division
//  CHECK-NEXT: kiln.constant dense<[3, -3, -3, 3, 0, -128]> : tensor<6xi8>
//  CHECK-NEXT: kiln.constant dense<[1, 1, -1, -1, 0, 0]> : tensor<6xi8>
//  CHECK-NEXT: kiln.constant dense<[1, -1, 1, -1, 0, 0]> : tensor<6xi8>
func.func @integer_division() -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>) {
  %a = kiln.constant dense<[7, -7, 7, -7, 5, -128]> : tensor<6xi8>
  %b = kiln.constant dense<[2, 2, -2, -2, 0, -1]> : tensor<6xi8>
  %0 = kiln.div %a, %b : tensor<6xi8>, tensor<6xi8> -> tensor<6xi8>
  %1 = kiln.mod %a, %b : tensor<6xi8>, tensor<6xi8> -> tensor<6xi8>
  %2 = kiln.rem %a, %b : tensor<6xi8>, tensor<6xi8> -> tensor<6xi8>
  return %0, %1, %2 : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>
}

// The same bits, unsigned.
// CHECK-LABEL: @unsigned_division
//  CHECK-NEXT: kiln.constant dense<[127, 0, 0]> : tensor<3xui8>
//  CHECK-NEXT: kiln.constant dense<[1, 7, 0]> : tensor<3xui8>
func.func @unsigned_division() -> (tensor<3xui8>, tensor<3xui8>) {
  %a = kiln.constant dense<[255, 7, 5]> : tensor<3xui8>
  %b = kiln.constant dense<[2, 255, 0]> : tensor<3xui8>
  %0 = kiln.div %a, %b : tensor<3xui8>, tensor<3xui8> -> tensor<3xui8>
  %1 = kiln.mod %a, %b : tensor<3xui8>, tensor<3xui8> -> tensor<3xui8>
  return %0, %1 : tensor<3xui8>, tensor<3xui8>
}

// Powers wrap; a negative exponent truncates the exact power.
// CHECK-LABEL: @integer_power
//  CHECK-NEXT: kiln.constant dense<[1, -8, 0, 0, -1, 1, 0]> : tensor<7xi8>
//  CHECK-NEXT: kiln.constant dense<[0, 225]> : tensor<2xui8>
func.func @integer_power() -> (tensor<7xi8>, tensor<2xui8>) {
  %a = kiln.constant dense<[0, -2, 2, 3, -1, -1, 0]> : tensor<7xi8>
  %b = kiln.constant dense<[0, 3, 8, -2, -3, -2, -1]> : tensor<7xi8>
  %0 = kiln.pow %a, %b : tensor<7xi8>, tensor<7xi8> -> tensor<7xi8>
  %c = kiln.constant dense<[2, 15]> : tensor<2xui8>
  %d = kiln.constant dense<[200, 2]> : tensor<2xui8>
  %1 = kiln.pow %c, %d : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  return %0, %1 : tensor<7xi8>, tensor<2xui8>
}

// A shift by the width or more gives 0, or the sign.
// CHECK-LABEL: @shifts
//  CHECK-NEXT: kiln.constant dense<[-2, 0, 0, 0]> : tensor<4xi8>
//  CHECK-NEXT: kiln.constant dense<[-1, -1, -1, 0]> : tensor<4xi8>
//  CHECK-NEXT: kiln.constant dense<[127, 0, 0, 0]> : tensor<4xui8>
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xui8>) {
  %a = kiln.constant dense<[-1, -128, -2, 5]> : tensor<4xi8>
  %b = kiln.constant dense<[1, 8, 100, -1]> : tensor<4xi8>
  %0 = kiln.shl %a, %b : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  %1 = kiln.shr %a, %b : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  %c = kiln.constant dense<[255, 128, 254, 5]> : tensor<4xui8>
  %d = kiln.constant dense<[1, 8, 100, 255]> : tensor<4xui8>
  %2 = kiln.shr %c, %d : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xui8>
}

// Float to integer truncates and saturates; NaN becomes 0; anything but 0 is true, NaN too.
// CHECK-LABEL: @float_to_integer
//  CHECK-NEXT: kiln.constant dense<[127, -128, 0, -3, 127, -128]> : tensor<6xi8>
//  CHECK-NEXT: kiln.constant dense<[255, 0, 0, 0, 255, 0]> : tensor<6xui8>
//  CHECK-NEXT: kiln.constant dense<[300, -300, 0, -3, 2147483647, -2147483648]> : tensor<6xi32>
//  CHECK-NEXT: kiln.constant dense<[300, 0, 0, 0, 18446744073709551615, 0]> : tensor<6xui64>
//  CHECK-NEXT: kiln.constant dense<true> : tensor<6xi1>
func.func @float_to_integer() -> (tensor<6xi8>, tensor<6xui8>, tensor<6xi32>, tensor<6xui64>, tensor<6xi1>) {
  %x = kiln.constant dense<[300.0, -300.0, 0x7FC00000, -3.9, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %0 = kiln.convert %x : tensor<6xf32> to tensor<6xi8>
  %1 = kiln.convert %x : tensor<6xf32> to tensor<6xui8>
  %2 = kiln.convert %x : tensor<6xf32> to tensor<6xi32>
  %3 = kiln.convert %x : tensor<6xf32> to tensor<6xui64>
  %4 = kiln.convert %x : tensor<6xf32> to tensor<6xi1>
  return %0, %1, %2, %3, %4 : tensor<6xi8>, tensor<6xui8>, tensor<6xi32>, tensor<6xui64>, tensor<6xi1>
}

// Integer to integer wraps; from i1 is 0 or 1; to a float is rounded.
// CHECK-LABEL: @integer_to_other
//  CHECK-NEXT: kiln.constant dense<[-1, 44, -128]> : tensor<3xi8>
//  CHECK-NEXT: kiln.constant dense<[65535, 300, 65408]> : tensor<3xui16>
//  CHECK-NEXT: kiln.constant dense<[-1.000000e+00, 3.000000e+02, -1.280000e+02]> : tensor<3xbf16>
//  CHECK-NEXT: kiln.constant dense<[1, 0]> : tensor<2xi32>
//  CHECK-NEXT: kiln.constant dense<2.550000e+02> : tensor<1xf64>
func.func @integer_to_other() -> (tensor<3xi8>, tensor<3xui16>, tensor<3xbf16>, tensor<2xi32>, tensor<1xf64>) {
  %x = kiln.constant dense<[-1, 300, -128]> : tensor<3xi16>
  %0 = kiln.convert %x : tensor<3xi16> to tensor<3xi8>
  %1 = kiln.convert %x : tensor<3xi16> to tensor<3xui16>
  %2 = kiln.convert %x : tensor<3xi16> to tensor<3xbf16>
  %p = kiln.constant dense<[true, false]> : tensor<2xi1>
  %3 = kiln.convert %p : tensor<2xi1> to tensor<2xi32>
  %u = kiln.constant dense<[255]> : tensor<1xui8>
  %4 = kiln.convert %u : tensor<1xui8> to tensor<1xf64>
  return %0, %1, %2, %3, %4 : tensor<3xi8>, tensor<3xui16>, tensor<3xbf16>, tensor<2xi32>, tensor<1xf64>
}

// Halves to even; NaN wins in max and min; an ordered relation with NaN is false; sign keeps zeros.
// CHECK-LABEL: @floats
//  CHECK-NEXT: kiln.constant dense<[0.000000e+00, 2.000000e+00, -2.000000e+00, 0x7FC00000]> : tensor<4xf32>
//  CHECK-NEXT: kiln.constant dense<[1.000000e+00, 1.500000e+00, 1.000000e+00, 0x7FC00000]> : tensor<4xf32>
//  CHECK-NEXT: kiln.constant dense<[true, false, true, false]> : tensor<4xi1>
//  CHECK-NEXT: kiln.constant dense<true> : tensor<4xi1>
//  CHECK-NEXT: kiln.constant dense<[false, false, false, true]> : tensor<4xi1>
//  CHECK-NEXT: kiln.constant dense<[1.000000e+00, -0.000000e+00, -1.000000e+00]> : tensor<3xf32>
func.func @floats() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<3xf32>) {
  %x = kiln.constant dense<[0.5, 1.5, -2.5, 0x7FC00000]> : tensor<4xf32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  %0 = kiln.round %x : tensor<4xf32>
  %1 = kiln.max %x, %one : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %2 = kiln.compare lt %x, %one : tensor<4xf32>, tensor<f32> -> tensor<4xi1>
  %3 = kiln.compare ne %x, %one : tensor<4xf32>, tensor<f32> -> tensor<4xi1>
  %4 = kiln.is_nan %x : tensor<4xf32>
  %s = kiln.constant dense<[3.0, -0.0, -7.0]> : tensor<3xf32>
  %5 = kiln.sign %s : tensor<3xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<3xf32>
}

// false is the smaller i1; unsigned numbers compare as such.
// CHECK-LABEL: @unsigned_compare
//  CHECK-NEXT: kiln.constant dense<true> : tensor<1xi1>
//  CHECK-NEXT: kiln.constant dense<false> : tensor<1xi1>
//  CHECK-NEXT: kiln.constant dense<200> : tensor<1xui8>
func.func @unsigned_compare() -> (tensor<1xi1>, tensor<1xi1>, tensor<1xui8>) {
  %f = kiln.constant dense<[false]> : tensor<1xi1>
  %t = kiln.constant dense<[true]> : tensor<1xi1>
  %0 = kiln.compare lt %f, %t : tensor<1xi1>, tensor<1xi1> -> tensor<1xi1>
  %a = kiln.constant dense<[200]> : tensor<1xui8>
  %b = kiln.constant dense<[100]> : tensor<1xui8>
  %1 = kiln.compare lt %a, %b : tensor<1xui8>, tensor<1xui8> -> tensor<1xi1>
  %2 = kiln.max %a, %b : tensor<1xui8>, tensor<1xui8> -> tensor<1xui8>
  return %0, %1, %2 : tensor<1xi1>, tensor<1xi1>, tensor<1xui8>
}

// Broadcasting operands fold, splats at any size; the bound of 1024 elements holds for others.
// CHECK-LABEL: @sizes
//  CHECK-NEXT: kiln.constant dense<{{\[}}[11, 21], [12, 22]]> : tensor<2x2xi32>
//  CHECK-NEXT: kiln.constant dense<3> : tensor<100000xi32>
//  CHECK-NEXT: %[[I:.+]] = kiln.iota
//  CHECK-NEXT: kiln.neg %[[I]]
func.func @sizes() -> (tensor<2x2xi32>, tensor<100000xi32>, tensor<2000xi32>) {
  %a = kiln.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = kiln.constant dense<[10, 20]> : tensor<2xi32>
  %0 = kiln.add %a, %b : tensor<2x1xi32>, tensor<2xi32> -> tensor<2x2xi32>
  %c = kiln.constant dense<1> : tensor<100000xi32>
  %d = kiln.constant dense<2> : tensor<i32>
  %1 = kiln.add %c, %d : tensor<100000xi32>, tensor<i32> -> tensor<100000xi32>
  %e = kiln.iota axis 0 [2000] : tensor<2000xi32>
  %2 = kiln.neg %e : tensor<2000xi32>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<100000xi32>, tensor<2000xi32>
}

// fp8 rounds to nearest, halves to even, down to subnormals, and saturates; E4M3FN has no infinity to begin with.
// CHECK-LABEL: @fp8
//  CHECK-NEXT: kiln.constant dense<[4.480000e+02, -4.480000e+02, 0.001953125, 0.000000e+00, 1.000000e+00, 1.125000e+00, 4.480000e+02, 0x7FC00000]> : tensor<8xf32>
//  CHECK-NEXT: kiln.constant dense<[5.120000e+02, -5.734400e+04, 0.001953125, 1.52587891E-5, 1.000000e+00, 1.000000e+00, 5.734400e+04, 0x7FC00000]> : tensor<8xf32>
func.func @fp8() -> (tensor<8xf32>, tensor<8xf32>) {
  %x = kiln.constant dense<[500.0, -1.0e6, 0.001953125, 1.52587890625e-5, 1.0625, 1.125, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  %0 = kiln.convert %x : tensor<8xf32> to tensor<8xf8E4M3FN>
  %1 = kiln.convert %0 : tensor<8xf8E4M3FN> to tensor<8xf32>
  %2 = kiln.convert %x : tensor<8xf32> to tensor<8xf8E5M2>
  %3 = kiln.convert %2 : tensor<8xf8E5M2> to tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
