// RUN: jit-opt %s --kiln-npu-print-hivm --split-input-file -o %t | FileCheck %s

// A row of spread blocks is that element of the column, not its first.
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.+]] = memref.alloc() : memref<16xf32, #hivm.address_space<ub>>
// CHECK: %[[THIRD:.+]] = memref.subview %[[W]][2] [1] [1]
// CHECK: %[[COLUMN:.+]] = memref.expand_shape %[[THIRD]]
// CHECK: hivm.hir.vmul ins(%{{.+}}, %[[COLUMN]] : {{.+}}) outs({{.+}}) broadcast = [1]
module {
  func.func @weights(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x96xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%x : memref<1x96xf32, #npu.memory<ub>>)
    %w = memref.alloc() : memref<16xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%w : memref<16xf32, #npu.memory<ub>>)
    %s = memref.alloc() : memref<16x8xf32, #npu.memory<ub>>
    npu.vbrc ins(%w : memref<16xf32, #npu.memory<ub>>) outs(%s : memref<16x8xf32, #npu.memory<ub>>)
    %third = memref.subview %s[2, 0] [1, 8] [1, 1] : memref<16x8xf32, #npu.memory<ub>> to memref<1x8xf32, strided<[8, 1], offset: 16>, #npu.memory<ub>>
    npu.vbinary <vmul> ins(%x, %third : memref<1x96xf32, #npu.memory<ub>>, memref<1x8xf32, strided<[8, 1], offset: 16>, #npu.memory<ub>>) outs(%x : memref<1x96xf32, #npu.memory<ub>>) broadcast 1
    return
  }
}

// -----

// Offsets are bytes with us, elements in HIVM.
// CHECK-LABEL: func.func @gathered
// CHECK: hivm.hir.varange offset[%first] strides[%first, %next] outs(%[[I:.+]] : memref<1x64xi32, #hivm.address_space<ub>>)
// CHECK: %[[TWO:.+]] = arith.constant 2 : i32
// CHECK: hivm.hir.vshr ins(%[[I]], %[[TWO]] : memref<1x64xi32, #hivm.address_space<ub>>, i32) outs(%[[N:.+]] :
// CHECK: hivm.hir.vgather ins(%{{.+}} : {{.+}}) indices(%[[N]] : memref<1x64xi32, #hivm.address_space<ub>>) outs(
module {
  func.func @gathered(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<1x512xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%x : memref<1x512xf32, #npu.memory<ub>>)
    %i = memref.alloc() : memref<1x64xi32, #npu.memory<ub>>
    npu.varange outs(%i : memref<1x64xi32, #npu.memory<ub>>)
    %y = memref.alloc() : memref<1x64xf32, #npu.memory<ub>>
    npu.vgather ins(%x, %i : memref<1x512xf32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%y : memref<1x64xf32, #npu.memory<ub>>)
    return
  }
}

// -----

// A transfer a row; an index below zero counts from the end.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[R:.+]] = %{{.+}} to %{{.+}} step
// CHECK: %[[N:.+]] = memref.load %arg1[%[[R]]] : memref<8xi64, #hivm.address_space<gm>>
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: arith.minsi
// CHECK: %[[ROW:.+]] = arith.maxsi
// CHECK: %[[FROM:.+]] = memref.subview %arg0[%[[ROW]], 0] [1, 64] [1, 1]
// CHECK: hivm.hir.load ins(%[[FROM]] :
module {
  func.func @rows(%x: memref<1000x64xf32, #npu.memory<gm>>, %i: memref<8xi64, #npu.memory<gm>>) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %y = memref.alloc() : memref<8x64xf32, #npu.memory<ub>>
    npu.gather_rows ins(%x, %i : memref<1000x64xf32, #npu.memory<gm>>, memref<8xi64, #npu.memory<gm>>) outs(%y : memref<8x64xf32, #npu.memory<ub>>)
    return
  }
}

// -----

// Numbers have no sign: a fill of unsigned bytes and one of them as a number go by a view without one.
// CHECK-LABEL: func.func @unsigned
// CHECK: %[[BYTES:.+]] = hivm.hir.bitcast %arg0 : memref<1xui8, #hivm.address_space<gm>> -> memref<1xi8, #hivm.address_space<gm>>
// CHECK: %[[BYTE:.+]] = memref.load %[[BYTES]]
// CHECK: arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[X:.+]] = memref.alloc() : memref<64xui8
// CHECK: %[[PLAIN:.+]] = hivm.hir.bitcast %[[X]] : memref<64xui8, #hivm.address_space<ub>> -> memref<64xi8, #hivm.address_space<ub>>
// CHECK: hivm.hir.vbrc ins(%{{.+}} : i8) outs(%[[PLAIN]] :
// Halves are read as those with a sign.
// CHECK: %[[HALVES:.+]] = hivm.hir.bitcast %{{.+}} : memref<64xui16, #hivm.address_space<ub>> -> memref<64xi16, #hivm.address_space<ub>>
// CHECK: hivm.hir.vcast ins(%[[HALVES]] :
module {
  func.func @unsigned(%g: memref<1xui8, #npu.memory<gm>>, %h: memref<64xui16, #npu.memory<gm>>) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %n = npu.scalar_load ins(%g : memref<1xui8, #npu.memory<gm>>) : i32
    %w = memref.alloc() : memref<64xi32, #npu.memory<ub>>
    npu.vbrc ins(%n : i32) outs(%w : memref<64xi32, #npu.memory<ub>>)
    %v = arith.constant 3 : i8
    %x = memref.alloc() : memref<64xui8, #npu.memory<ub>>
    npu.vbrc ins(%v : i8) outs(%x : memref<64xui8, #npu.memory<ub>>)
    %y = memref.alloc() : memref<64xui16, #npu.memory<ub>>
    npu.load ins(%h : memref<64xui16, #npu.memory<gm>>) outs(%y : memref<64xui16, #npu.memory<ub>>)
    %z = memref.alloc() : memref<64xf32, #npu.memory<ub>>
    npu.vcast rint ins(%y : memref<64xui16, #npu.memory<ub>>) outs(%z : memref<64xf32, #npu.memory<ub>>)
    return
  }
}

// -----

// Blocks spread of one number are that number.
// CHECK-LABEL: func.func @splat
// CHECK: hivm.hir.vmul ins(%{{.+}}, %arg0 : memref<8x64xf32, #hivm.address_space<ub>>, f32) outs(%{{[a-z_0-9]+}} : memref<8x64xf32, #hivm.address_space<ub>>){{$}}
module {
  func.func @splat(%v: f32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<8x64xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%x : memref<8x64xf32, #npu.memory<ub>>)
    %s = memref.alloc() : memref<8x8xf32, #npu.memory<ub>>
    npu.vbrc ins(%v : f32) outs(%s : memref<8x8xf32, #npu.memory<ub>>)
    npu.vbinary <vmul> ins(%x, %s : memref<8x64xf32, #npu.memory<ub>>, memref<8x8xf32, #npu.memory<ub>>) outs(%x : memref<8x64xf32, #npu.memory<ub>>) broadcast 1
    return
  }
}

// -----

// A bias would make the vendor's macro forget that B is transposed: it comes by a product of zeros, in the first step.
// CHECK-LABEL: func.func @bias
// CHECK: scf.if %arg1 {
// CHECK: hivm.hir.vbrc ins(%{{.+}} : f16) outs(%[[A:.+]] : memref<1x1x16x16xf16, #hivm.address_space<cbuf>>)
// CHECK: hivm.hir.vbrc ins(%{{.+}} : f16) outs(%[[B:.+]] : memref<1x1x16x16xf16, #hivm.address_space<cbuf>>)
// CHECK: hivm.hir.mmadL1 ins(%[[A]], %[[B]], %true, %arg0, %c16, %arg0, %[[BIAS:.+]] : {{.+}}, memref<16xf32, #hivm.address_space<cbuf>>) outs(%[[C:.+]] :
// CHECK: }
// CHECK: hivm.hir.mmadL1 {a_transpose, b_transpose} ins(%{{.+}}, %{{.+}}, %false, %arg0, %arg0, %arg0 : {{.+}}) outs(%[[C]] :
module {
  func.func @bias(%m: index, %first: i1) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %a1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %b1 = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l1>>
    %bias1 = memref.alloc() : memref<16xf32, #npu.memory<l1>>
    %bias = memref.alloc() : memref<16xf32, #npu.memory<bt>>
    %a = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<1x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x1x16x16xf32, #npu.memory<l0c>>
    npu.load2d ins(%a1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%a : memref<1x1x16x16xf16, #npu.memory<l0a>>) rows %m depth %m {transpose}
    npu.load2d ins(%b1 : memref<1x1x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0b>>) rows %m depth %m
    npu.load_bias ins(%bias1 : memref<16xf32, #npu.memory<l1>>) outs(%bias : memref<16xf32, #npu.memory<bt>>)
    npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>)
        m %m n %m k %m init %first bias(%bias : memref<16xf32, #npu.memory<bt>>)
    return
  }
}

// -----

// HIVM has no load3d: the im2col matrix is built in L1, its padding zeros.
// CHECK-LABEL: func.func @windows
// CHECK: %[[MATRIX:.+]] = memref.alloc() : memref<9x2x16x16xf16, #hivm.address_space<cbuf>>
// CHECK: hivm.hir.vbrc ins(%{{.+}} : f16) outs(%[[MATRIX]] :
// CHECK: scf.for %[[BLOCK:.+]] =
// CHECK: scf.for %[[ROW:.+]] =
// CHECK: scf.if
// CHECK: %[[PIXELS:.+]] = memref.reinterpret_cast %arg0 to offset: [%{{.+}}], sizes: [%[[COUNT:.+]], %{{.+}}], strides: [32, 1]
// CHECK: %[[PART:.+]] = memref.reinterpret_cast %[[MATRIX]] to offset: [%{{.+}}], sizes: [1, %{{.+}}, 16, 16], strides: [512, 256, 16, 1]
// CHECK: hivm.hir.nd2nz {dst_continuous} ins(%[[PIXELS]] : {{.+}}) outs(%[[PART]] :
// CHECK: hivm.hir.mmadL1 ins(%[[MATRIX]], %{{.+}}, %true,
module {
  func.func @windows(%g: memref<1x9x10x16xf16, #npu.memory<gm>>, %f: memref<144x16xf16, #npu.memory<gm>>) attributes {npu.core = "aic", npu.blocks = 1 : i64} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %h = arith.constant 9 : index
    %w = arith.constant 10 : index
    %m = arith.constant 25 : index
    %n = arith.constant 16 : index
    %k = arith.constant 144 : index
    %true = arith.constant true
    %x = memref.alloc() : memref<1x6x16x16xf16, #npu.memory<l1>>
    %all = memref.reinterpret_cast %g to offset: [0], sizes: [90, 16], strides: [16, 1] : memref<1x9x10x16xf16, #npu.memory<gm>> to memref<90x16xf16, strided<[16, 1]>, #npu.memory<gm>>
    npu.nd2nz ins(%all : memref<90x16xf16, strided<[16, 1]>, #npu.memory<gm>>) outs(%x : memref<1x6x16x16xf16, #npu.memory<l1>>)
    %b1 = memref.alloc() : memref<1x9x16x16xf16, #npu.memory<l1>>
    npu.nd2nz ins(%f : memref<144x16xf16, #npu.memory<gm>>) outs(%b1 : memref<1x9x16x16xf16, #npu.memory<l1>>)
    %a = memref.alloc() : memref<2x9x16x16xf16, #npu.memory<l0a>>
    %b = memref.alloc() : memref<9x1x16x16xf16, #npu.memory<l0b>>
    %c = memref.alloc() : memref<1x2x16x16xf32, #npu.memory<l0c>>
    npu.load3d ins(%x : memref<1x6x16x16xf16, #npu.memory<l1>>) outs(%a : memref<2x9x16x16xf16, #npu.memory<l0a>>)
        height %h width %w pads(%one, %one, %one, %zero) rows %m from %zero depth %k kernel [3, 3] strides [2, 2] dilations [1, 1]
    npu.load2d ins(%b1 : memref<1x9x16x16xf16, #npu.memory<l1>>) outs(%b : memref<9x1x16x16xf16, #npu.memory<l0b>>) rows %n depth %k {transpose}
    npu.mmad ins(%a, %b : memref<2x9x16x16xf16, #npu.memory<l0a>>, memref<9x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x2x16x16xf32, #npu.memory<l0c>>)
        m %m n %n k %k init %true
    return
  }
}

// -----

// The chip has no fp8: its bytes are moved.
// CHECK-LABEL: func.func @bytes(%arg0: memref<64xi8, #hivm.address_space<gm>>)
// CHECK: hivm.hir.load ins(%arg0 : memref<64xi8, #hivm.address_space<gm>>) outs(%{{.+}} : memref<64xi8, #hivm.address_space<ub>>)
module {
  func.func @bytes(%g: memref<64xf8E4M3FN, #npu.memory<gm>>) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %x = memref.alloc() : memref<64xf8E4M3FN, #npu.memory<ub>>
    npu.load ins(%g : memref<64xf8E4M3FN, #npu.memory<gm>>) outs(%x : memref<64xf8E4M3FN, #npu.memory<ub>>)
    return
  }
}

// -----

// HIVM sorts whole rows: pairs come of keys and of the indices that stood with them, and a merge finds all in order.
// CHECK-LABEL: func.func @sorted
// CHECK: hivm.hir.vsort ins(%{{.+}} : memref<64xf32, {{.+}}>) outs(%[[KEYS:.+]], %[[ORDER:.+]] : {{.+}}) descending = true sort_axis = 0
// CHECK: hivm.hir.vgather ins(%{{.+}}) indices(%[[ORDER]] : {{.+}}) outs(%[[INDICES:.+]] : memref<64xi32
// CHECK: %[[BITS:.+]] = hivm.hir.bitcast %[[KEYS]]
// CHECK: hivm.hir.vinterleave ins(%[[BITS]], %[[INDICES]] : {{.+}}) outs(%[[PAIRS:.+]] : memref<128xi32, {{.+}}>) interleave_channel_nums = 2
// CHECK: hivm.hir.copy ins(
module {
  func.func @sorted(%k: f32, %n: i32) attributes {npu.core = "aiv", npu.blocks = 1 : i64} {
    %keys = memref.alloc() : memref<1x64xf32, #npu.memory<ub>>
    npu.vbrc ins(%k : f32) outs(%keys : memref<1x64xf32, #npu.memory<ub>>)
    %indices = memref.alloc() : memref<1x64xi32, #npu.memory<ub>>
    npu.varange outs(%indices : memref<1x64xi32, #npu.memory<ub>>)
    %runs = memref.alloc() : memref<1x128xi32, #npu.memory<ub>>
    npu.vbitsort ins(%keys, %indices : memref<1x64xf32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%runs : memref<1x128xi32, #npu.memory<ub>>)
    %all = memref.alloc() : memref<1x128xi32, #npu.memory<ub>>
    npu.vmrgsort ins(%runs : memref<1x128xi32, #npu.memory<ub>>) outs(%all : memref<1x128xi32, #npu.memory<ub>>) lengths [32, 32] distance 32
    return
  }
}
