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
  // expected-error @below {{npu: a kernel of cube and vector cores other than attention has no form in HIVM}}
  func.func @mixed() attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    return
  }
  func.func @mixed_vector() attributes {npu.core = "aiv", npu.blocks = 1 : i64, npu.vector_part} {
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
    // expected-error @below {{npu: a product of L0 buffers that no one load fills has no form in HIVM}}
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

// The pixels are not where a transfer brought them.
module {
  func.func @pixels(%m: index, %v: f16) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x4x16x16xf16, #npu.memory<l1>>
    npu.fill_l1 ins(%v : f16) outs(%x : memref<1x4x16x16xf16, #npu.memory<l1>>)
    %b1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    %true = arith.constant true
    // expected-error @below {{npu: a convolution of pixels that no one nd2nz brings has no form in HIVM}}
    npu.load3d ins(%x : memref<1x4x16x16xf16, #npu.memory<l1>>) outs(%a : memref<1x1x16x16xf16, #npu.memory<l0a>>)
        height %m width %m pads(%m, %m, %m, %m) rows %m from %m depth %m kernel [3, 3] strides [1, 1] dilations [1, 1]
    npu.load2d ins(%b1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0b>>) rows %m depth %m {transpose}
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %true
    return
  }
}

// -----

// Rows from the middle of an image.
module {
  func.func @joined_images(%m: index, %v: f16) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x4x16x16xf16, #npu.memory<l1>>
    npu.fill_l1 ins(%v : f16) outs(%x : memref<1x4x16x16xf16, #npu.memory<l1>>)
    %b1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    %true = arith.constant true
    // expected-error @below {{npu: a convolution whose images share fractals has no form in HIVM}}
    npu.load3d ins(%x : memref<1x4x16x16xf16, #npu.memory<l1>>) outs(%a : memref<1x1x16x16xf16, #npu.memory<l0a>>)
        height %m width %m pads(%m, %m, %m, %m) rows %m first %m from %m depth %m kernel [3, 3] strides [1, 1] dilations [1, 1]
    npu.load2d ins(%b1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0b>>) rows %m depth %m {transpose}
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %true
    return
  }
}

// -----

// What the fill left may be overwritten: no number stands for it.
module {
  func.func @filled(%v: f32, %g: memref<8x8xf32, #npu.memory<gm>>) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<8x64xf32, #npu.memory<ub>>
    %s = memref.alloc() : memref<8x8xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%s : memref<8x8xf32, #npu.memory<ub>>)
    npu.load ins(%g : memref<8x8xf32, #npu.memory<gm>>) outs(%s : memref<8x8xf32, #npu.memory<ub>>)
    // expected-error @below {{npu: a column that no one vbrc spreads has no form in HIVM}}
    npu.vbinary <vmul> ins(%x, %s : memref<8x64xf32, #npu.memory<ub>>, memref<8x8xf32, #npu.memory<ub>>) outs(%x : memref<8x64xf32, #npu.memory<ub>>) broadcast 1
    return
  }
}

// -----

module {
  func.func @long_row(%keys: memref<1x4096xf32, #npu.memory<ub>>, %indices: memref<1x4096xi32, #npu.memory<ub>>, %pairs: memref<1x8192xi32, #npu.memory<ub>>)
      attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    // expected-error @below {{npu: a row of 4096 elements leaves no room for the sort of HIVM}}
    npu.vbitsort ins(%keys, %indices : memref<1x4096xf32, #npu.memory<ub>>, memref<1x4096xi32, #npu.memory<ub>>) outs(%pairs : memref<1x8192xi32, #npu.memory<ub>>)
    return
  }
}

// -----

// expected-error @below {{npu: a kernel of the scalar units has no form in HIVM}}
func.func @scalar(%x: memref<4xf32>) attributes {kiln.kernel, kiln.template = "scalar", npu.core = "aiv", npu.blocks = 1 : i64} {
  return
}

// -----

// Filters whose fractals lie closer together than their buffer's.
module {
  func.func @packed(%m: index) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %a1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %b1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    %true = arith.constant true
    npu.load2d ins(%a1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%a : memref<1x1x16x16xf16, #npu.memory<l0a>>) rows %m depth %m
    // expected-error @below {{npu: filters that lie packed in L1 have no form in HIVM}}
    npu.load2d ins(%b1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0b>>) rows %m depth %m {packed}
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %true
    return
  }
}
