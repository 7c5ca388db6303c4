// NpuFusedOps.td: the way out of the cube on cores that have both units (the 910A class): from L0C to UB.
#ifndef KILN_NPU_FUSEDOPS_TD
#define KILN_NPU_FUSEDOPS_TD

include "backends/npu/IR/Npu.td"

def Npu_L0cToUbOp : Npu_PipeOp<"l0c_to_ub", "V"> {
  let summary = "copy a part of the accumulator to UB";
  let description = [{
    `rows` and `columns` from `row` and `column` on, a multiple of 16, of zN whose columns of fractals lie `pitch` rows apart, to
    [columns / 16][R][16]; converts by `pre_quant`, then clamps at zero with `relu`. Only where one core has both units.
    * (C1) `src` is zN; `dst` has rank 3, its last extent 16, without gaps.
    * (C2) `quant` leads from the type of `src` to that of `dst`.

    ```mlir
    npu.l0c_to_ub ins(%c : memref<8x8x16x16xf32, #npu.memory<l0c>>) outs(%x : memref<8x64x16xf16, #npu.memory<ub>>)
        rows %m columns %n from %r, %k pitch %p quant F322F16 relu
    ```
  }];
  let arguments = (ins Npu_L0C:$src, Npu_UB:$dst, Index:$rows, Index:$columns, Index:$row, Index:$column, Index:$pitch,
                       Npu_QuantAttr:$quant, UnitAttr:$relu);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `rows` $rows `columns` $columns
                         `from` $row `,` $column `pitch` $pitch `quant` $quant (`relu` $relu^)? attr-dict}];
}

def Npu_NzToNdOp : Npu_PipeOp<"nz2nd", "V"> {
  let summary = "bring columns of blocks in UB into rows";
  let description = [{
    `dst[i][16 j + k] = src[j][i][k]` for i below `rows` and 16 j below `columns`; bits are kept. An odd number of blocks of 32 bytes in a
    row of `dst` keeps the eight blocks of a repeat in eight banks.
    * (C1) `src` is [J][R][16] and `dst` [R][C] of the same type, of 16 or 32 bits, both without gaps; a row of `dst` holds J blocks of 16 and
      has 31 blocks of 32 bytes at most.

    ```mlir
    npu.nz2nd ins(%x : memref<8x64x16xf16, #npu.memory<ub>>) outs(%y : memref<64x144xf16, #npu.memory<ub>>) rows %m columns %n
    ```
  }];
  let arguments = (ins Npu_UB:$src, Npu_UB:$dst, Index:$rows, Index:$columns);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `rows` $rows `columns` $columns
                         attr-dict}];
}

#endif // KILN_NPU_FUSEDOPS_TD
