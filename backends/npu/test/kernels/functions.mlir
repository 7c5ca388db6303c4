// functions.mlir: functions that the vector unit makes of exp, ln, roots and polynomials.
func.func @circular(%x: tensor<500xf32>, %y: tensor<500xf32>) -> (tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["500 uniform -30 30", "500 uniform -1 1"]}} {
  %0 = kiln.sin %x : tensor<500xf32>
  %1 = kiln.cos %x : tensor<500xf32>
  %2 = kiln.tan %y : tensor<500xf32>
  %3 = kiln.asin %y : tensor<500xf32>
  %4 = kiln.acos %y : tensor<500xf32>
  %5 = kiln.atan %x : tensor<500xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>
}

func.func @hyperbolic(%x: tensor<500xf32>, %y: tensor<500xf32>, %z: tensor<500xf32>) -> (tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["500 uniform -9 9", "500 uniform -0.99 0.99", "500 uniform 1 9"]}} {
  %0 = kiln.sinh %x : tensor<500xf32>
  %1 = kiln.cosh %x : tensor<500xf32>
  %2 = kiln.asinh %x : tensor<500xf32>
  %3 = kiln.acosh %z : tensor<500xf32>
  %4 = kiln.atanh %y : tensor<500xf32>
  return %0, %1, %2, %3, %4 : tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>, tensor<500xf32>
}

func.func @near_zero(%x: tensor<500xf32>, %y: tensor<500xf32>) -> (tensor<500xf32>, tensor<500xf32>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["500 uniform -2 2", "500 uniform -0.9 2"]}} {
  %0 = kiln.expm1 %x : tensor<500xf32>
  %1 = kiln.log1p %y : tensor<500xf32>
  return %0, %1 : tensor<500xf32>, tensor<500xf32>
}

func.func @power(%x: tensor<500xf32>, %y: tensor<500xf32>) -> (tensor<500xf32>, tensor<500xf32>) attributes {kiln.test = {
    types = [f16, f32], inputs = ["500 uniform 0.1 4", "500 uniform -3 3"]}} {
  %0 = kiln.pow %x, %y : tensor<500xf32>, tensor<500xf32> -> tensor<500xf32>
  %c = kiln.constant dense<3.0> : tensor<f32>
  %1 = kiln.pow %y, %c : tensor<500xf32>, tensor<f32> -> tensor<500xf32>
  return %0, %1 : tensor<500xf32>, tensor<500xf32>
}

// Numbers far beyond what pi in four parts reaches; and few of them among others.
func.func @far_angles(%x: tensor<900xf32>, %y: tensor<40x30xf32>) -> (tensor<900xf32>, tensor<900xf32>, tensor<40x30xf32>, tensor<40x30xf32>) attributes {kiln.test = {
    types = [f32, bf16], inputs = ["900 bits", "40x30 uniform -1e6 1e6"], cases = ["", "specials"]}} {
  %0 = kiln.sin %x : tensor<900xf32>
  %1 = kiln.cos %x : tensor<900xf32>
  %2 = kiln.tan %y : tensor<40x30xf32>
  %3 = kiln.cos %y : tensor<40x30xf32>
  return %0, %1, %2, %3 : tensor<900xf32>, tensor<900xf32>, tensor<40x30xf32>, tensor<40x30xf32>
}
