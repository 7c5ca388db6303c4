// NpuSortOps.td: sorting on the vector unit: lists of pairs of a key and an index.
#ifndef KILN_NPU_SORTOPS_TD
#define KILN_NPU_SORTOPS_TD

include "backends/npu/IR/Npu.td"

def Npu_SortOp : Npu_PipeOp<"vbitsort", "V"> {
  let summary = "sort each 32 keys";
  let description = [{
    `dst` holds pairs of a key's bits and its index, the greatest key first and NaN in front of all, of equal ones the one that stood first.
    * (C1) `keys` is [1][N] of f32, N a multiple of 32; `indices` [1][N] of i32; `dst` [1][2 N] of i32.

    ```mlir
    npu.vbitsort ins(%k, %i : memref<1x64xf32, #npu.memory<ub>>, memref<1x64xi32, #npu.memory<ub>>) outs(%p : memref<1x128xi32, #npu.memory<ub>>)
    ```
  }];
  let arguments = (ins Npu_UB:$keys, Npu_UB:$indices, Npu_UB:$dst);
  let assemblyFormat = [{`ins` `(` $keys `,` $indices `:` type($keys) `,` type($indices) `)` `outs` `(` $dst `:` type($dst) `)`
                         attr-dict}];
}

def Npu_MergeOp : Npu_PipeOp<"vmrgsort", "V"> {
  let summary = "merge each four sorted lists of pairs";
  let description = [{
    List i begins `distance` * i pairs behind the beginning of `src` and has `lengths[i]` pairs; what four become begins at four times the
    distance in `dst`.
    * (C1) `src` and `dst` are [1][2 N] of i32, and hold the lists.

    ```mlir
    npu.vmrgsort ins(%p : memref<1x128xi32, #npu.memory<ub>>) outs(%q : memref<1x128xi32, #npu.memory<ub>>) lengths [32, 32] distance 32
    ```
  }];
  let arguments = (ins Npu_UB:$src, Npu_UB:$dst, DenseI64ArrayAttr:$lengths, I64Attr:$distance);
  let assemblyFormat = [{`ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `lengths` $lengths
                         `distance` $distance attr-dict}];
}

#endif // KILN_NPU_SORTOPS_TD
