// NpuOps.td: the ops of the npu dialect, by pipe.
#ifndef KILN_NPU_OPS_TD
#define KILN_NPU_OPS_TD

include "backends/npu/IR/Npu.td"
include "backends/npu/IR/NpuBlockOps.td"
include "backends/npu/IR/NpuFusedOps.td"
include "backends/npu/IR/NpuSortOps.td"

// ---- Buffers, flags, cores -----------------------------------------------------------------------------------

def Npu_BufferOp : Op<Npu_Dialect, "buffer", [Pure, DeclareOpInterfaceMethods<PlacedBufferInterface, ["getBufferSlot"]>]> {
  let summary = "a buffer at a fixed address of a core's memory";
  let description = [{
    One address, or several that `slot`, an index below their number, chooses from.
    * (C1) Addresses are multiples of the memory's alignment.
    * (C2) Each copy ends within the memory.
    * (C3) There is a slot if there are several addresses, and only then.

    ```mlir
    %x = npu.buffer 0 : memref<64xf32, #npu.memory<ub>>
    %y = npu.buffer 256, 512 at %slot : memref<64xf32, #npu.memory<ub>>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$addresses, Optional<Index>:$slot);
  let results = (outs Npu_Local:$memref);
  let assemblyFormat = "custom<Addresses>($addresses) (`at` $slot^)? attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

class Npu_FlagOp<string name, string kind, string what> : Op<Npu_Dialect, name, [DeclareOpInterfaceMethods<SyncOpInterface>]> {
  let summary = what;
  let description = what # [{ between two pipes of one core. `slot`, a rotating index, is added to the number of the event.
    * (C1) The pipes are two, neither of them ALL.
    * (C2) Events are below the chip's number for a pair of pipes.

    ```mlir
    npu.}] # name # [{[MTE2, V, 0]
    npu.}] # name # [{[MTE2, V, 2 + %slot]
    ```
  }];
  let arguments = (ins Npu_PipeAttr:$source, Npu_PipeAttr:$target, I64Attr:$event, Optional<Index>:$slot);
  let assemblyFormat = "`[` $source `,` $target `,` $event (`+` $slot^)? `]` attr-dict";
  let extraClassDeclaration = "static constexpr ::kiln::devicekit::SyncKind kKind = ::kiln::devicekit::SyncKind::" # kind # ";";
  let hasVerifier = 1;
}
def Npu_SetFlagOp : Npu_FlagOp<"set_flag", "Set", "set of a flag">;
def Npu_WaitFlagOp : Npu_FlagOp<"wait_flag", "Wait", "wait for a flag, which clears it,">;

def Npu_PipeBarrierOp : Op<Npu_Dialect, "pipe_barrier", [DeclareOpInterfaceMethods<SyncOpInterface>]> {
  let summary = "later ops of the pipe start after earlier ones have completed";
  let description = [{
    With ALL the scalar unit waits until every pipe is idle.

    ```mlir
    npu.pipe_barrier[V]
    ```
  }];
  let arguments = (ins Npu_PipeAttr:$pipe);
  let assemblyFormat = "`[` $pipe `]` attr-dict";
}

// ---- S: the scalar unit's memory accesses, and all blocks together ------------------------------------------------

def Npu_AddressOp : Op<Npu_Dialect, "address", [Pure]> {
  let summary = "the address of a binding in global memory";
  let description = [{
    * (C1) `binding` is an argument of the kernel's function.

    ```mlir
    %a = npu.address %x : memref<4x8xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$binding);
  let results = (outs Index:$result);
  let assemblyFormat = "$binding attr-dict `:` type($binding)";
  let hasVerifier = 1;
}

def Npu_WorkspaceOp : Op<Npu_Dialect, "workspace", [Pure]> {
  let summary = "the address of the launch's workspace";
  let description = [{
    Its bytes are the function's attribute `kiln.workspace`, an expression over the launch's constants.

    ```mlir
    %w = npu.workspace : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Npu_LdsOp : Op<Npu_Dialect, "lds", [MemoryEffects<[MemRead]>]> {
  let summary = "one element of memory in a scalar register";
  let description = [{
    At `address` + `offset` bytes. Booleans have a byte each.
    * (C1) `memory` is gm or ub.
    * (C2) The element has a whole number of bytes, 8 at most, or is an i1.

    ```mlir
    %s = npu.lds <gm> [%a + 4] : f32
    ```
  }];
  let arguments = (ins Npu_MemoryAttr:$memory, Index:$address, I64Attr:$offset);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = "$memory `[` $address `+` $offset `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Npu_StsOp : Op<Npu_Dialect, "sts", [MemoryEffects<[MemWrite]>]> {
  let summary = "one element to memory from a scalar register";
  let description = [{
    As `npu.lds`, the other way.

    ```mlir
    npu.sts %s, <ub> [%a + 0] : f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, Npu_MemoryAttr:$memory, Index:$address,
                       I64Attr:$offset);
  let assemblyFormat = "$value `,` $memory `[` $address `+` $offset `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Npu_MeetOp : Op<Npu_Dialect, "meet", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "every block waits here until all have come";
  let description = [{
    On the scalar units, by a cross-core flag: what one block wrote before, others may read behind. Only for launches
    whose blocks are resident together.

    ```mlir
    npu.meet
    ```
  }];
  let assemblyFormat = "attr-dict";
}

// ---- MTE2, MTE3: between global memory and a core --------------------------------------------------------------

class Npu_MoveOp<string name, string pipe, Type from, Type to, string what> : Npu_PipeOp<name, pipe> {
  let summary = what;
  let arguments = (ins from:$src, to:$dst);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_LoadOp : Npu_MoveOp<"load", "MTE2", Npu_GM, Npu_UB, "copy from global memory to UB"> {
  let description = [{
    Rows (all but the last axis) are bursts. Shapes and element types agree; elements of a row are adjacent on both sides; a row in UB
    starts at a multiple of 32 bytes. What lies between a row and the next one in UB becomes zeros, 31 elements at most, or stays as it is
    with `keep`.

    ```mlir
    npu.load ins(%g : memref<8x?xf32, strided<[?, 1], offset: ?>, #npu.memory<gm>>) outs(%x : memref<8x?xf32, strided<[512, 1]>, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_GM:$src, Npu_UB:$dst, UnitAttr:$keep);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` (`keep` $keep^)? attr-dict";
}

def Npu_StoreOp : Npu_MoveOp<"store", "MTE3", Npu_UB, Npu_GM, "copy from UB to global memory"> {
  let description = [{
    As `npu.load`, the other way.

    ```mlir
    npu.store ins(%x : memref<8x512xf32, #npu.memory<ub>>) outs(%g : memref<8x512xf32, strided<[512, 1], offset: ?>, #npu.memory<gm>>)
    ```
  }];
}

def Npu_ScalarLoadOp : Npu_PipeOp<"scalar_load", "S"> {
  let summary = "one element of global memory or UB in a scalar register";
  let description = [{
    Of global memory only what nobody writes during the launch: the scalar unit waits for no pipe. bf16 becomes f32, 8-bit integers i32.

    ```mlir
    %s = npu.scalar_load ins(%g : memref<1xf32, strided<[1]>, #npu.memory<gm>>) : f32
    %m = npu.scalar_load ins(%x : memref<1xf32, strided<[1]>, #npu.memory<ub>>) : f32
    ```
  }];
  let arguments = (ins Npu_GMOrUB:$src);
  let results = (outs Npu_Number:$result);
  let assemblyFormat = "`ins` `(` $src `:` type($src) `)` attr-dict `:` type($result)";
  let accesses = "::kiln::npu::ir::addAccesses(getOperation(), {}, accesses);";
}

def Npu_GatherRowsOp : Npu_PipeOp<"gather_rows", "MTE2"> {
  let summary = "copy rows of a matrix in global memory, by index, to UB";
  let description = [{
    `dst[i] = src[indices[i]]`; the scalar unit reads each index, for which the same holds as for `npu.scalar_load`, and a transfer of one
    burst follows. A negative index counts from the end; beyond either end the nearest row is read.
    * (C1) `src` is [N][C], `dst` [R][C] and `indices` [R] of i32 or i64, in global memory.

    ```mlir
    npu.gather_rows ins(%g, %i : memref<1000x64xf32, #npu.memory<gm>>, memref<8xi64, strided<[1], offset: ?>, #npu.memory<gm>>) outs(%x : memref<8x64xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_GM:$src, Npu_GM:$indices, Npu_UB:$dst);
  let assemblyFormat = [{`ins` `(` $src `,` $indices `:` type($src) `,` type($indices) `)` `outs` `(` $dst `:` type($dst) `)`
                         attr-dict}];
}

def Npu_LoadL1Op : Npu_MoveOp<"load_l1", "MTE2", Npu_GM, Npu_L1, "copy a row from global memory to L1"> {
  let description = [{
    One burst; the last block of 32 bytes is filled with zeros.

    ```mlir
    npu.load_l1 ins(%g : memref<?xf32, strided<[1], offset: ?>, #npu.memory<gm>>) outs(%x : memref<?xf32, strided<[1]>, #npu.memory<l1>>)
    ```
  }];
}

def Npu_FillL1Op : Npu_PipeOp<"fill_l1", "MTE2"> {
  let summary = "fill a buffer of L1 with a number";
  let description = [{
    ```mlir
    npu.fill_l1 ins(%zero : f16) outs(%x : memref<4x8x16x16xf16, #npu.memory<l1>>)
    ```
  }];
  let arguments = (ins Npu_Number:$value, Npu_L1:$dst);
  let assemblyFormat = "`ins` `(` $value `:` type($value) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_Nd2NzOp : Npu_PipeOp<"nd2nz", "MTE2", [AttrSizedOperandSegments]> {
  let summary = "copy a matrix from global memory to L1 as fractals";
  let description = [{
    The rows of `src` become zN: `dst` is [columns / C0][rows / 16][16][C0] with C0 elements of 32 bytes. Columns past the end of `src`
    in its last fractal are zero; rows past it keep what they were. With `pitch`, rows from one column of blocks
    to the next, the rows lie as closely as that says, from `row` on.
    * (C1) `src` has rank 2 and adjacent columns, `dst` rank 4 with inner extents 16 and C0.

    ```mlir
    npu.nd2nz ins(%g : memref<128x64xf16, strided<[512, 1], offset: ?>, #npu.memory<gm>>) outs(%x : memref<4x8x16x16xf16, #npu.memory<l1>>)
    npu.nd2nz ins(%g : memref<?x64xf16, strided<[64, 1], offset: ?>, #npu.memory<gm>>) outs(%x : memref<4x8x16x16xf16, #npu.memory<l1>>) row %r pitch %p
    ```
  }];
  let arguments = (ins Npu_GM:$src, Npu_L1:$dst, Optional<Index>:$row, Optional<Index>:$pitch);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` (`row` $row^)?
                         (`pitch` $pitch^)? attr-dict}];
}

// ---- V: the vector unit ------------------------------------------------------------------------------------------

def Npu_UnaryOp : Npu_PipeOp<"vunary", "V"> {
  let summary = "elementwise op of one operand";
  let description = [{
    ```mlir
    npu.vunary <vexp> ins(%x : memref<8x512xf32, #npu.memory<ub>>) outs(%y : memref<8x512xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UnaryAttr:$kind, Npu_UB:$src, Npu_UB:$dst);
  let assemblyFormat = "$kind `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_BinaryOp : Npu_PipeOp<"vbinary", "V"> {
  let summary = "elementwise op of two operands";
  let description = [{
    `rhs` is a buffer or a number. A buffer of extent 1 in the first axis is read again for each row; one whose last axis holds one
    block of 32 bytes, or eight, all elements equal (`npu.vbrc`), is read again along the row. Numbers are for vadd, vmul, vmax, vmin, vshl, vshr.
    * (C1) `lhs` and `dst` have the same extents; `rhs` has them or broadcasts so.

    ```mlir
    npu.vbinary <vsub> ins(%x, %m : memref<8x512xf32, #npu.memory<ub>>, memref<8x8xf32, #npu.memory<ub>>) outs(%y : memref<8x512xf32, #npu.memory<ub>>) broadcast 1
    npu.vbinary <vmul> ins(%x, %c : memref<64xf32, #npu.memory<ub>>, f32) outs(%y : memref<64xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_BinaryAttr:$kind, Npu_UB:$lhs, AnyTypeOf<[Npu_UB, Npu_Number]>:$rhs, Npu_UB:$dst,
                       OptionalAttr<I64Attr>:$broadcast);
  let assemblyFormat = [{$kind `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` `outs` `(` $dst `:` type($dst) `)`
                         (`broadcast` $broadcast^)? attr-dict}];
}

def Npu_CompareOp : Npu_PipeOp<"vcmp", "V"> {
  let summary = "elementwise comparison, one bit an element";
  let description = [{
    ```mlir
    npu.vcmp <gt> ins(%x, %z : memref<64xf32, #npu.memory<ub>>, f32) outs(%m : memref<64xi1, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_CompareAttr:$kind, Npu_UB:$lhs, AnyTypeOf<[Npu_UB, Npu_Number]>:$rhs, Npu_UB:$dst);
  let assemblyFormat = "$kind `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_SelectOp : Npu_PipeOp<"vsel", "V"> {
  let summary = "where a bit is set the first operand's element, else the second's";
  let description = [{
    ```mlir
    npu.vsel ins(%m, %x, %y : memref<64xi1, #npu.memory<ub>>, memref<64xf32, #npu.memory<ub>>, memref<64xf32, #npu.memory<ub>>) outs(%z : memref<64xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UB:$mask, Npu_UB:$lhs, AnyTypeOf<[Npu_UB, Npu_Number]>:$rhs, Npu_UB:$dst);
  let assemblyFormat = [{`ins` `(` $mask `,` $lhs `,` $rhs `:` type($mask) `,` type($lhs) `,` type($rhs) `)`
                         `outs` `(` $dst `:` type($dst) `)` attr-dict}];
}

def Npu_CastOp : Npu_PipeOp<"vcast", "V"> {
  let summary = "conversion between element types";
  let description = [{
    ```mlir
    npu.vcast rint ins(%x : memref<64xf32, #npu.memory<ub>>) outs(%y : memref<64xf16, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_RoundAttr:$round, Npu_UB:$src, Npu_UB:$dst);
  let assemblyFormat = "$round `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_BroadcastOp : Npu_PipeOp<"vbrc", "V"> {
  let summary = "fill a buffer, or spread a column's elements to blocks";
  let description = [{
    From a number: every element of `dst`. From a column [R]: `dst` is [R][C0] with C0 elements of 32 bytes, each row the column's
    element. With `temp` [R][C0], for elements of 32 bits, `dst` is [R][8 C0]: reads of a whole repeat then meet no bank twice.

    ```mlir
    npu.vbrc ins(%zero : f32) outs(%x : memref<8x512xf32, #npu.memory<ub>>)
    npu.vbrc ins(%m : memref<8xf32, #npu.memory<ub>>) outs(%b : memref<8x8xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins AnyTypeOf<[Npu_UB, Npu_Number]>:$src, Npu_UB:$dst, Optional<Npu_UB>:$temp);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst),
                            [{ build($_builder, $_state, src, dst, ::mlir::Value()); }]>];
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
                         (`temp` `(` $temp^ `:` type($temp) `)`)? attr-dict}];
  let accesses = [{::llvm::SmallVector<::mlir::Value> written = {getDst()};
    if (getTemp())
      written.push_back(getTemp());
    ::kiln::npu::ir::addAccesses(getOperation(), written, accesses);}];
}

def Npu_ReduceOp : Npu_PipeOp<"vreduce", "V"> {
  let summary = "reduction of each row to one element";
  let description = [{
    `src` is [R][C], `dst` [R], `temp` [R][256 bytes]: partial results, of the same element type. The order of a sum: the row's chunks of
    256 bytes are added to the first one after the other, then the chunk's elements by halves.

    ```mlir
    npu.vreduce <sum> ins(%x : memref<8x512xf32, #npu.memory<ub>>) outs(%s : memref<8xf32, #npu.memory<ub>>) temp(%t : memref<8x64xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_ReduceAttr:$kind, Npu_UB:$src, Npu_UB:$dst, Npu_UB:$temp);
  let assemblyFormat = [{$kind `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
                         `temp` `(` $temp `:` type($temp) `)` attr-dict}];
  let accesses = "::kiln::npu::ir::addAccesses(getOperation(), {getDst(), getTemp()}, accesses);";
}

def Npu_CopyOp : Npu_MoveOp<"copy", "V", Npu_UB, Npu_UB, "copy within UB"> {
  let description = [{
    All bytes of one buffer to another of as many bytes, whole blocks of 32, both without gaps.

    ```mlir
    npu.copy ins(%x : memref<1x64xf32, #npu.memory<ub>>) outs(%y : memref<64xf32, #npu.memory<ub>>)
    ```
  }];
}

def Npu_RangeOp : Npu_PipeOp<"varange", "V"> {
  let summary = "count from 0";
  let description = [{
    `dst[0][i] = i`, by doubling what is there.
    * (C1) `dst` is [1][N] of i32, whole blocks without gaps.

    ```mlir
    npu.varange outs(%x : memref<1x64xi32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UB:$dst);
  let assemblyFormat = "`outs` `(` $dst `:` type($dst) `)` attr-dict";
}

def Npu_GatherOp : Npu_PipeOp<"vgather", "V"> {
  let summary = "elements of a buffer by their offsets";
  let description = [{
    `dst[0][i]` is the element `offsets[0][i]` bytes behind the beginning of `src`.
    * (C1) `offsets` is i32 and has the extents of `dst`, [1][N]; elements have 16 or 32 bits.

    ```mlir
    npu.vgather ins(%x, %i : memref<1x512xf32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%y : memref<1x64xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UB:$src, Npu_UB:$offsets, Npu_UB:$dst);
  let assemblyFormat = [{`ins` `(` $src `,` $offsets `:` type($src) `,` type($offsets) `)` `outs` `(` $dst `:` type($dst) `)`
                         attr-dict}];
}

def Npu_TransposeOp : Npu_PipeOp<"vtranspose", "V"> {
  let summary = "transpose of a matrix";
  let description = [{
    `dst[j][i] = src[i][j]` for the rows j and columns i that `dst` has; a `dst` of rank 1 is column 0. `temp` is [R/16][C][16].
    * (C1) elements have 16 or 32 bits; `src` is [R][C] with R a multiple of 16 and C of a block of 32 bytes; `dst` has at most C rows of at
      most R elements, whole blocks.

    ```mlir
    npu.vtranspose ins(%x : memref<64x16xf32, #npu.memory<ub>>) outs(%y : memref<16x64xf32, #npu.memory<ub>>) temp(%t : memref<4x16x16xf32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UB:$src, Npu_UB:$dst, Npu_UB:$temp);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
                         `temp` `(` $temp `:` type($temp) `)` attr-dict}];
  let accesses = "::kiln::npu::ir::addAccesses(getOperation(), {getDst(), getTemp()}, accesses);";
}

// ---- MTE1, M, FIX: the cube --------------------------------------------------------------------------------------

def Npu_Load2dOp : Npu_MoveOp<"load2d", "MTE1", Npu_L1, Npu_L0, "copy fractals from L1 to L0A (zZ) or L0B (nZ)"> {
  let description = [{
    Rows along the depth as they are: to L0A from [K1][M1][16][C0] to [M1][K1][16][C0], to L0B from [K1][N1][16][C0]. With
    `transpose` rows of L1 run along M or N, from [M1][K1][16][C0] or [N1][K1][16][C0], and each square is transposed: 16 x 16
    elements, 32 x 32 of one byte. `rows` of A, or columns of B, and `depth` are what is used, in elements, from `from` of the depth on
    (0 if absent; a multiple of a square's edge); fractals lie close together in L0. With `packed` those of columns of B lie so in L1,
    too, whatever room its buffer has for them.

    ```mlir
    npu.load2d ins(%a : memref<4x8x16x16xf16, #npu.memory<l1>>) outs(%x : memref<8x4x16x16xf16, #npu.memory<l0a>>) rows %m depth %k
    npu.load2d ins(%b : memref<8x4x16x16xf16, #npu.memory<l1>>) outs(%y : memref<4x8x16x16xf16, #npu.memory<l0b>>) rows %n depth %k from %s {transpose}
    ```
  }];
  let arguments = (ins Npu_L1:$src, Npu_L0:$dst, Index:$rows, Index:$depth, Optional<Index>:$from, UnitAttr:$transpose,
                       UnitAttr:$packed);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst, "::mlir::Value":$rows, "::mlir::Value":$depth,
                                 "::mlir::Value":$from, "bool":$transpose),
                            [{ build($_builder, $_state, src, dst, rows, depth, from, transpose, false); }]>];
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `rows` $rows `depth` $depth
                         (`from` $from^)? attr-dict}];
}

def Npu_Load3dOp : Npu_PipeOp<"load3d", "MTE1", [AttrSizedOperandSegments]> {
  let summary = "copy a part of the im2col matrix of a tensor in L1 to L0A";
  let description = [{
    `src` holds `height` x `width` pixels of NC1HWC0, close together; `pads` are of zeros above, below, left and right of them. Row r
    of the matrix is output pixel r, its columns are [C1][kernel height][kernel width][C0]. `rows` rows, from `first` on (0 if absent),
    and the `depth` columns from `from` on become zZ.
    * (C1) There are four pads; kernel, strides and dilations have two entries.

    ```mlir
    npu.load3d ins(%x : memref<4x58x16x16xf16, #npu.memory<l1>>) outs(%a : memref<14x4x16x16xf16, #npu.memory<l0a>>)
        height %h width %w pads(%t, %b, %l, %r) rows %m from %k depth %d kernel [3, 3] strides [1, 1] dilations [1, 1]
    ```
  }];
  let arguments = (ins Npu_L1:$src, Npu_L0A:$dst, Index:$height, Index:$width, Variadic<Index>:$pads, Index:$rows, Optional<Index>:$first,
                       Index:$from, Index:$depth, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `height` $height `width` $width
                         `pads` `(` $pads `)` `rows` $rows (`first` $first^)? `from` $from `depth` $depth `kernel` $kernel
                         `strides` $strides `dilations` $dilations attr-dict}];
}

def Npu_LoadBiasOp : Npu_MoveOp<"load_bias", "MTE1", Npu_L1, Npu_BT, "copy biases from L1 to the bias table"> {
  let description = [{
    ```mlir
    npu.load_bias ins(%x : memref<128xf32, #npu.memory<l1>>) outs(%b : memref<128xf32, #npu.memory<bt>>)
    ```
  }];
}

def Npu_MmadOp : Npu_PipeOp<"mmad", "M"> {
  let summary = "multiply fractals of L0A and L0B, accumulate in L0C";
  let description = [{
    `c[m][n] (+)= sum_k a[m][k] b[k][n]`; where `init` is true the sum starts from zero, or from `bias` of each column, instead of
    from `dst`. With `step`, buffers in L0 stand for a whole depth, of which `kiln-npu-split-l0` makes steps of that size.
    * (C1) `lhs` is zZ, `rhs` nZ, `dst` zN, with fractals of 512 bytes (L0C: 16 x 16 f32 or i32).
    * (C2) Element types are a pair that the cube has: f16 f16 -> f32, bf16 bf16 -> f32, f32 f32 -> f32, i8 i8 -> i32.

    ```mlir
    npu.mmad ins(%a, %b : memref<8x4x16x16xf16, #npu.memory<l0a>>, memref<4x8x16x16xf16, #npu.memory<l0b>>) outs(%c : memref<8x8x16x16xf32, #npu.memory<l0c>>)
        m %m n %n k %k init %first
    ```
  }];
  let arguments = (ins Npu_L0A:$lhs, Npu_L0B:$rhs, Npu_L0C:$dst, Index:$m, Index:$n, Index:$k, I1:$init,
                       Optional<Npu_BT>:$bias, OptionalAttr<I64Attr>:$step);
  let assemblyFormat = [{`ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)` `outs` `(` $dst `:` type($dst) `)`
                         `m` $m `n` $n `k` $k `init` $init (`bias` `(` $bias^ `:` type($bias) `)`)?
                         (`step` $step^)? attr-dict}];
  let accesses = "::kiln::npu::ir::addAccesses(getOperation(), {getDst()}, accesses);";
}

def Npu_FixpipeOp : Npu_PipeOp<"fixpipe", "FIX"> {
  let summary = "copy the accumulator to global memory, row by row";
  let description = [{
    From zN to rows; converts by `pre_quant`, then clamps at zero with `pre_relu`.
    * (C1) `pre_quant` leads from the type of `src` to that of `dst`.

    ```mlir
    npu.fixpipe ins(%c : memref<8x8x16x16xf32, #npu.memory<l0c>>) outs(%g : memref<?x?xf16, strided<[?, 1], offset: ?>, #npu.memory<gm>>) quant F322F16 relu
    ```
  }];
  let arguments = (ins Npu_L0C:$src, Npu_GM:$dst, Npu_QuantAttr:$quant, UnitAttr:$relu);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `quant` $quant (`relu` $relu^)? attr-dict}];
}

#endif // KILN_NPU_OPS_TD
