// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @weight_c1_digest_too_short() {
  // expected-error@+1 {{'kiln.weight' op expects 'digest' to be 64 characters of [0-9a-f], got '9f86'}}
  %0 = kiln.weight "9f86" : tensor<2xf32>
  return
}

// -----

func.func @weight_c1_digest_in_upper_case() {
  // expected-error@+1 {{'kiln.weight' op expects 'digest' to be 64 characters of [0-9a-f], got '9F86}}
  %0 = kiln.weight "9F86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<2xf32>
  return
}

// -----

func.func @weight_c2_dynamic_shape() {
  // expected-error@+1 {{'kiln.weight' op expects a static shape, got 'tensor<?xf32>'}}
  %0 = kiln.weight "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" : tensor<?xf32>
  return
}

// -----

// expected-error@+1 {{'kiln.kernel' op expects argument 1 to be a ranked tensor or an index, got 'f32'}}
kiln.kernel @kernel_c1_scalar_argument(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  kiln.yield %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'kiln.kernel' op expects result 0 to be a ranked tensor, got 'index'}}
kiln.kernel @kernel_c1_index_result(%n: index) -> index {
  kiln.yield %n : index
}

// -----

// expected-error@+1 {{'kiln.kernel' op expects its terminator to yield values of the result types}}
kiln.kernel @kernel_c2_yields_another_type(%x: tensor<4xf32>) -> tensor<8xf32> {
  kiln.yield %x : tensor<4xf32>
}

// -----

func.func @launch_c1_no_such_kernel(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.launch' op 'nobody' does not name a kiln.kernel}}
  %0 = kiln.launch @nobody(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

kiln.kernel @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  kiln.yield %x : tensor<4xf32>
}
func.func @launch_c2_other_operand_type(%x: tensor<5xf32>) {
  // expected-error@+1 {{'kiln.launch' op operands and results do not match kernel 'same' of type}}
  %0 = kiln.launch @same(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

kiln.kernel @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  kiln.yield %x : tensor<?xf32>
}
func.func @launch_c3_extent_missing(%x: tensor<?xf32>) {
  // expected-error@+1 {{'kiln.launch' op expects 1 extents, one for each dynamic extent of its results, got 0}}
  %0 = kiln.launch @dynamic(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @check_close_c1_negative_tolerance(%x: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.check_close' op expects finite tolerances >= 0, got -1.000000e+00}}
  kiln.check_close %x, %x atol -1.0 rtol 0.0 : tensor<4xf32>
  return
}

// -----

func.func @append_c1_rank(%l: tensor<?x8xf32>, %e: tensor<f32>) {
  // expected-error@+1 {{'kiln.append' op expects a list of entries like 'tensor<f32>', got 'tensor<?x8xf32>'}}
  %0 = kiln.append %l, %e : tensor<?x8xf32>, tensor<f32> -> tensor<?x8xf32>
  return
}

// -----

func.func @append_c1_element_type(%l: tensor<?xf16>, %e: tensor<f32>) {
  // expected-error@+1 {{'kiln.append' op expects a list of entries like 'tensor<f32>', got 'tensor<?xf16>'}}
  %0 = kiln.append %l, %e : tensor<?xf16>, tensor<f32> -> tensor<?xf16>
  return
}

// -----

func.func @append_c2_extents(%l: tensor<?x8xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'kiln.append' op expects an entry that fits 'tensor<?x8xf32>', got 'tensor<4xf32>'}}
  %0 = kiln.append %l, %e : tensor<?x8xf32>, tensor<4xf32> -> tensor<?x8xf32>
  return
}
