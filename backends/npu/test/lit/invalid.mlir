// RUN: jit-opt %s --split-input-file --verify-diagnostics

func.func @buffer_c1_alignment() {
  // expected-error @+1 {{address 16; expected a multiple of 32 in ub}}
  %x = npu.buffer 16 : memref<64xf32, #npu.memory<ub>>
  return
}

// -----

func.func @buffer_c1_fractal_alignment() {
  // expected-error @+1 {{address 256; expected a multiple of 512 in l0a}}
  %x = npu.buffer 256 : memref<1x1x16x16xf16, #npu.memory<l0a>>
  return
}

// -----

func.func @buffer_c2_capacity() {
  // expected-error @+1 {{ends at 196864; ub holds 196608 bytes}}
  %x = npu.buffer 196608 : memref<64xf32, #npu.memory<ub>>
  return
}

// -----

// The other class has a larger UB.
func.func @buffer_other_chip() attributes {npu.chip = "910a"} {
  %x = npu.buffer 196608 : memref<64xf32, #npu.memory<ub>>
  return
}

// -----

func.func @buffer_c3_slot(%s: index) {
  // expected-error @+1 {{1 addresses with a slot; expected a slot for several and none for one}}
  %x = npu.buffer 0 at %s : memref<64xf32, #npu.memory<ub>>
  return
}

// -----

func.func @buffer_in_global_memory() {
  // expected-error @+1 {{a memory of one core}}
  %x = npu.buffer 0 : memref<64xf32, #npu.memory<gm>>
  return
}

// -----

func.func @flag_c1_pipes() {
  // expected-error @+1 {{pipes V and V; expected two different ones}}
  npu.set_flag[V, V, 0]
  return
}

// -----

func.func @flag_c2_event() {
  // expected-error @+1 {{event 8; the chip has 8 for a pair of pipes}}
  npu.wait_flag[V, MTE3, 8]
  return
}

// -----

func.func @load_space(%a: memref<64xf32, #npu.memory<ub>>, %b: memref<64xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{operand #0 must be memref in #npu.memory<gm>}}
  npu.load ins(%a : memref<64xf32, #npu.memory<ub>>) outs(%b : memref<64xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @load_extents(%a: memref<32xf32, #npu.memory<gm>>, %b: memref<64xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected the same extents}}
  npu.load ins(%a : memref<32xf32, #npu.memory<gm>>) outs(%b : memref<64xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @load_rows(%a: memref<4x3xf32, #npu.memory<gm>>, %b: memref<4x3xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected rows at multiples of 32 bytes}}
  npu.load ins(%a : memref<4x3xf32, #npu.memory<gm>>) outs(%b : memref<4x3xf32, #npu.memory<ub>>)
  return
}

// -----

// The vector unit has no arithmetic on bf16.
func.func @binary_type(%a: memref<64xbf16, #npu.memory<ub>>) {
  // expected-error @+1 {{'vadd' on 'bf16'; expected one of f16 f32 i16 i32}}
  npu.vbinary <vadd> ins(%a, %a : memref<64xbf16, #npu.memory<ub>>, memref<64xbf16, #npu.memory<ub>>) outs(%a : memref<64xbf16, #npu.memory<ub>>)
  return
}

// -----

func.func @binary_c1_extents(%a: memref<4x64xf32, #npu.memory<ub>>, %b: memref<4x16xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected extents like those of}}
  npu.vbinary <vadd> ins(%a, %b : memref<4x64xf32, #npu.memory<ub>>, memref<4x16xf32, #npu.memory<ub>>) outs(%a : memref<4x64xf32, #npu.memory<ub>>) broadcast 1
  return
}

// -----

func.func @reduce_temp(%a: memref<4x64xf32, #npu.memory<ub>>, %b: memref<4xf32, #npu.memory<ub>>, %t: memref<4x8xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [R][C] to [R] by [R][64]}}
  npu.vreduce <sum> ins(%a : memref<4x64xf32, #npu.memory<ub>>) outs(%b : memref<4xf32, #npu.memory<ub>>) temp(%t : memref<4x8xf32, #npu.memory<ub>>)
  return
}

// -----

// f32 blocks hold 8 elements, f16 blocks 16.
func.func @nd2nz_layout(%a: memref<16x64xf32, #npu.memory<gm>>, %b: memref<4x1x16x16xf32, #npu.memory<l1>>) {
  // expected-error @+1 {{expected zN: rank 4 with inner extents 16 x 8}}
  npu.nd2nz ins(%a : memref<16x64xf32, #npu.memory<gm>>) outs(%b : memref<4x1x16x16xf32, #npu.memory<l1>>)
  return
}

// -----

func.func @load3d_c1_pads(%a: memref<1x4x16x16xf16, #npu.memory<l1>>, %b: memref<1x1x16x16xf16, #npu.memory<l0a>>, %n: index) {
  // expected-error @+1 {{has 2 pads and a kernel of 2 axes; expected 4 and 2}}
  npu.load3d ins(%a : memref<1x4x16x16xf16, #npu.memory<l1>>) outs(%b : memref<1x1x16x16xf16, #npu.memory<l0a>>) height %n width %n pads(%n, %n) rows %n from %n depth %n kernel [1, 1] strides [1, 1] dilations [1, 1]
  return
}

// -----

func.func @fill_l1_bytes(%v: i32, %a: memref<1x1x16x32xi8, #npu.memory<l1>>) {
  // expected-error @+1 {{fills bytes with 'i32'; expected i16, two of them}}
  npu.fill_l1 ins(%v : i32) outs(%a : memref<1x1x16x32xi8, #npu.memory<l1>>)
  return
}

// -----

func.func @mmad_c2_types(%a: memref<1x1x16x16xf16, #npu.memory<l0a>>, %b: memref<1x1x16x16xf16, #npu.memory<l0b>>, %c: memref<1x1x16x16xi32, #npu.memory<l0c>>, %n: index, %i: i1) {
  // expected-error @+1 {{multiplies 'f16' into 'i32'; the cube of the 910b has no such pair}}
  npu.mmad ins(%a, %b : memref<1x1x16x16xf16, #npu.memory<l0a>>, memref<1x1x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xi32, #npu.memory<l0c>>) m %n n %n k %n init %i
  return
}

// -----

func.func @mmad_c2_chip(%a: memref<1x1x16x8xf32, #npu.memory<l0a>>, %b: memref<1x1x16x8xf32, #npu.memory<l0b>>, %c: memref<1x1x16x16xf32, #npu.memory<l0c>>, %n: index, %i: i1) attributes {npu.chip = "910a"} {
  // expected-error @+1 {{multiplies 'f32' into 'f32'; the cube of the 910a has no such pair}}
  npu.mmad ins(%a, %b : memref<1x1x16x8xf32, #npu.memory<l0a>>, memref<1x1x16x8xf32, #npu.memory<l0b>>) outs(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>) m %n n %n k %n init %i
  return
}

// -----

func.func @fixpipe_c1_quant(%c: memref<1x1x16x16xf32, #npu.memory<l0c>>, %o: memref<16x16xf16, #npu.memory<gm>>) {
  // expected-error @+1 {{'NO_QUANT' from 'f32' to 'f16'}}
  npu.fixpipe ins(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>) outs(%o : memref<16x16xf16, #npu.memory<gm>>) quant NO_QUANT
  return
}

// -----

func.func @binary_number(%a: memref<64xf32, #npu.memory<ub>>, %s: f32) {
  // expected-error @+1 {{'vdiv' with a number; expected a buffer}}
  npu.vbinary <vdiv> ins(%a, %s : memref<64xf32, #npu.memory<ub>>, f32) outs(%a : memref<64xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @scalar_load_extent(%a: memref<2xf32, #npu.memory<gm>>) {
  // expected-error @+1 {{expected one element}}
  %s = npu.scalar_load ins(%a : memref<2xf32, #npu.memory<gm>>) : f32
  return
}

// -----

func.func @transpose_shape(%x: memref<20x16xf32, #npu.memory<ub>>, %y: memref<16x20xf32, #npu.memory<ub>>, %t: memref<1x16x16xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [R][C] of 16 or 32 bits to [C][R] or a part of it by [R/16][C][16]}}
  npu.vtranspose ins(%x : memref<20x16xf32, #npu.memory<ub>>) outs(%y : memref<16x20xf32, #npu.memory<ub>>) temp(%t : memref<1x16x16xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @address_c1_binding() {
  %x = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{expected an argument of the kernel's function}}
  %a = npu.address %x : memref<4xf32>
  return
}

// -----

func.func @copy_bytes(%x: memref<1x20xf32, #npu.memory<ub>>, %y: memref<20xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected as many bytes, whole blocks of 32}}
  npu.copy ins(%x : memref<1x20xf32, #npu.memory<ub>>) outs(%y : memref<20xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @gather_rows_shape(%x: memref<100x64xf32, #npu.memory<gm>>, %i: memref<8xf32, #npu.memory<gm>>, %y: memref<8x64xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [N][C] at [R] of i32 or i64 to [R][C]}}
  npu.gather_rows ins(%x, %i : memref<100x64xf32, #npu.memory<gm>>, memref<8xf32, #npu.memory<gm>>) outs(%y : memref<8x64xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @lds_c1_memory(%a: index) {
  // expected-error @+1 {{memory l1; expected gm or ub}}
  %x = npu.lds <l1> [%a + 0] : f32
  return
}

// -----

func.func @gather_offsets(%x: memref<1x64xf32, #npu.memory<ub>>, %i: memref<1x8xf32, #npu.memory<ub>>, %y: memref<1x8xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [1][N] of 16 or 32 bits at [1][N] of i32}}
  npu.vgather ins(%x, %i : memref<1x64xf32, #npu.memory<ub>>, memref<1x8xf32, #npu.memory<ub>>) outs(%y : memref<1x8xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @range_of_floats(%x: memref<1x64xf32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [1][N] of i32, whole blocks of 32 bytes}}
  npu.varange outs(%x : memref<1x64xf32, #npu.memory<ub>>)
  return
}

// -----

func.func @bits_of_rows(%x: memref<8x64xi32, #npu.memory<ub>>, %r: memref<1x64xi32, #npu.memory<ub>>) {
  // expected-error @+1 {{'vand' broadcasts; expected buffers of the same extents}}
  npu.vbinary <vand> ins(%x, %r : memref<8x64xi32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%x : memref<8x64xi32, #npu.memory<ub>>) broadcast 0
  return
}

// -----

func.func @sts_c2_element(%a: index, %v: i4) {
  // expected-error @+1 {{element of type 'i4'; expected whole bytes, 8 at most, or i1}}
  npu.sts %v, <ub> [%a + 0] : i4
  return
}

// -----

func.func @cross_c1_pipe() {
  // expected-error @+1 {{pipe V; expected MTE2, MTE3 or FIX}}
  npu.cross_set[V, 0]
  return
}

// -----

func.func @cross_c2_flag() {
  // expected-error @+1 {{flag 16; expected 0 to 15}}
  npu.cross_wait[MTE2, 16]
  return
}

// -----

func.func @workspace_buffer_c1_dynamic() {
  // expected-error @+1 {{expected an offset of 0 or more and static extents without gaps}}
  %w = npu.workspace_buffer 64 : memref<?xf32, #npu.memory<gm>>
  return
}

// -----

func.func @sort_c1_run(%k: memref<1x48xf32, #npu.memory<ub>>, %i: memref<1x48xi32, #npu.memory<ub>>, %p: memref<1x96xi32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [1][N] of f32 and of i32, N a multiple of 32, to [1][2 N] of i32}}
  npu.vbitsort ins(%k, %i : memref<1x48xf32, #npu.memory<ub>>, memref<1x48xi32, #npu.memory<ub>>) outs(%p : memref<1x96xi32, #npu.memory<ub>>)
  return
}

// -----

func.func @merge_c1_length(%p: memref<1x128xi32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected [1][2 N] of i32 that hold 2 lists at a distance of 32 pairs}}
  npu.vmrgsort ins(%p : memref<1x128xi32, #npu.memory<ub>>) outs(%p : memref<1x128xi32, #npu.memory<ub>>) lengths [32, 33] distance 32
  return
}

// -----

func.func @l0c_to_ub_chip(%c: memref<1x1x16x16xf32, #npu.memory<l0c>>, %x: memref<1x16x16xf32, #npu.memory<ub>>, %n: index) {
  // expected-error @+1 {{on the 910b, whose L0C has no way to UB}}
  npu.l0c_to_ub ins(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>) outs(%x : memref<1x16x16xf32, #npu.memory<ub>>) rows %n columns %n from %n, %n pitch %n quant NO_QUANT
  return
}

// -----

func.func @l0c_to_ub_c1_rank(%c: memref<1x1x16x16xf32, #npu.memory<l0c>>, %x: memref<16x16xf32, #npu.memory<ub>>, %n: index) attributes {npu.chip = "910a"} {
  // expected-error @+1 {{expected [J][R][16] without gaps}}
  npu.l0c_to_ub ins(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>) outs(%x : memref<16x16xf32, #npu.memory<ub>>) rows %n columns %n from %n, %n pitch %n quant NO_QUANT
  return
}

// -----

func.func @l0c_to_ub_c2_type(%c: memref<1x1x16x16xf32, #npu.memory<l0c>>, %x: memref<1x16x16xf16, #npu.memory<ub>>, %n: index) attributes {npu.chip = "910a"} {
  // expected-error @+1 {{'NO_QUANT' from 'f32' to 'f16'}}
  npu.l0c_to_ub ins(%c : memref<1x1x16x16xf32, #npu.memory<l0c>>) outs(%x : memref<1x16x16xf16, #npu.memory<ub>>) rows %n columns %n from %n, %n pitch %n quant NO_QUANT
  return
}

// -----

func.func @nz2nd_c1_row(%x: memref<2x8x16xf32, #npu.memory<ub>>, %y: memref<8x16xf32, #npu.memory<ub>>, %n: index) {
  // expected-error @+1 {{expected [J][R][16] to [R][C] of 16 or 32 bits, 31 blocks a row at most}}
  npu.nz2nd ins(%x : memref<2x8x16xf32, #npu.memory<ub>>) outs(%y : memref<8x16xf32, #npu.memory<ub>>) rows %n columns %n
  return
}

// -----

func.func @fill_rows_with_gaps(%x: memref<4x8xf32, strided<[16, 1]>, #npu.memory<ub>>, %zero: f32) {
  // expected-error @+1 {{expected rows without gaps between them}}
  npu.vbrc ins(%zero : f32) outs(%x : memref<4x8xf32, strided<[16, 1]>, #npu.memory<ub>>)
  return
}

// -----

func.func @convert_rows_with_gaps(%x: memref<4x8xf32, strided<[16, 1]>, #npu.memory<ub>>, %y: memref<4x8xi32, #npu.memory<ub>>) {
  // expected-error @+1 {{expected rows without gaps between them}}
  npu.vcast rint ins(%x : memref<4x8xf32, strided<[16, 1]>, #npu.memory<ub>>) outs(%y : memref<4x8xi32, #npu.memory<ub>>)
  return
}
