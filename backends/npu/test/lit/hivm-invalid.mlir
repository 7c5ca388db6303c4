// RUN: jit-opt %s --kiln-npu-print-hivm --split-input-file --verify-diagnostics -o %t

// expected-error @below {{npu: HIVM is for chips of the 910B class; this is a 910a}}
module attributes {npu.chip = "910a"} {
}

// -----

module {
  // expected-error @below {{npu: expected a kernel's function with the attributes npu.core and npu.blocks}}
  func.func @plain(%x: memref<64xf32, #npu.memory<gm>>) {
    return
  }
}

// -----

module {
  func.func @mixed() attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    return
  }
  // expected-error @below {{npu: a kernel of cube and vector cores has no form in HIVM yet}}
  func.func @mixed_vector() attributes {npu.core = "aiv", npu.blocks = 1 : i64, npu.vector_part} {
    return
  }
}

// -----

// A bias would make the vendor's macro forget that B is transposed.
module {
  func.func @bias(%m: index) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %a1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %b1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %bias1 = memref.alloc() : memref<16xf32, #npu.memory<l1>>
    %bias = memref.alloc() : memref<16xf32, #npu.memory<bt>>
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    %true = arith.constant true
    npu.load2d ins(%a1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%a : memref<1x1x16x16xf16, #npu.memory<l0a>>) rows %m depth %m
    npu.load2d ins(%b1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0b>>) rows %m depth %m
    npu.load_bias ins(%bias1 : memref<16xf32, #npu.memory<l1>>) outs(%bias : memref<16xf32, #npu.memory<bt>>)
    // expected-error @below {{npu: a product with a bias by a transposed matrix has no form in HIVM}}
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %true bias(%bias : memref<16xf32, #npu.memory<bt>>)
    return
  }
}

// -----

module {
  func.func @nobody(%m: index) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    %true = arith.constant true
    // expected-error @below {{npu: a product of L0 buffers that no one load2d fills has no form in HIVM}}
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %true
    return
  }
}

// -----

// The column that HIVM would read is no longer the one that was spread.
module {
  func.func @overwritten(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<8x64xf32, #npu.memory<ub>>
    %c = memref.alloc() : memref<8xf32, #npu.memory<ub>>
    %s = memref.alloc() : memref<8x8xf32, #npu.memory<ub>>
    npu.vbrc ins(%c : memref<8xf32, #npu.memory<ub>>) outs(%s : memref<8x8xf32, #npu.memory<ub>>)
    npu.vbrc ins(%v : f32) outs(%c : memref<8xf32, #npu.memory<ub>>)
    // expected-error @below {{npu: a column that is written after it was spread has no form in HIVM}}
    npu.vbinary <vmul> ins(%x, %s : memref<8x64xf32, #npu.memory<ub>>, memref<8x8xf32, #npu.memory<ub>>) outs(%x : memref<8x64xf32, #npu.memory<ub>>) broadcast 1
    return
  }
}

// -----

module {
  func.func @foreign(%n: index) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %zero = arith.constant 0 : index
    // expected-error @below {{npu: 'scf.while' has no form in HIVM}}
    %end = scf.while (%i = %zero) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      scf.yield %n : index
    }
    return
  }
}

// -----

module {
  func.func @unsigned(%v: i8) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<64xui8, #npu.memory<ub>>
    // expected-error @below {{npu: a fill of unsigned elements has no form in HIVM}}
    npu.vbrc ins(%v : i8) outs(%x : memref<64xui8, #npu.memory<ub>>)
    return
  }
}

// -----

// expected-error @below {{npu: a kernel of the scalar units has no form in HIVM}}
func.func @scalar(%x: memref<4xf32>) attributes {kiln.kernel, kiln.template = "scalar", npu.core = "aiv", npu.blocks = 1 : i64} {
  return
}
