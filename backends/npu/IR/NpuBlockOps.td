// NpuBlockOps.td: what a kernel of cube and vector cores needs: who a core is, flags between cores, the workspace.
#ifndef KILN_NPU_BLOCKOPS_TD
#define KILN_NPU_BLOCKOPS_TD

include "backends/npu/IR/Npu.td"

def Npu_BlockIdxOp : Op<Npu_Dialect, "block_idx", [Pure]> {
  let summary = "the number of this core among those that run the kernel";
  let description = [{
    ```mlir
    %b = npu.block_idx : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Npu_BlockNumOp : Op<Npu_Dialect, "block_num", [Pure]> {
  let summary = "how many cores run the kernel";
  let description = [{
    ```mlir
    %n = npu.block_num : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Npu_SubIdxOp : Op<Npu_Dialect, "sub_idx", [Pure]> {
  let summary = "the number of this vector core among those of its block, in a kernel of cube and vector cores";
  let description = [{
    ```mlir
    %h = npu.sub_idx : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class Npu_CrossOp<string name, string what> : Op<Npu_Dialect, name, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = what;
  let description = [{
    Between the cube core of a block and its vector cores. A flag counts up to 15 sets; the cube core sees one once all its vector cores
    have set it.
    * (C1) The pipe is one of the core that moves data: MTE2, MTE3 or FIX.
    * (C2) Flags are below 16.

    ```mlir
    npu.}] # name # [{[MTE2, 0]
    ```
  }];
  let arguments = (ins Npu_PipeAttr:$pipe, I64Attr:$flag);
  let assemblyFormat = "`[` $pipe `,` $flag `]` attr-dict";
  let hasVerifier = 1;
}
def Npu_CrossSetOp : Npu_CrossOp<"cross_set", "set of a flag of the block's other cores, once the pipe's ops before have ended,">;
def Npu_CrossWaitOp : Npu_CrossOp<"cross_wait", "the pipe's later ops wait for a set by the block's other cores">;

def Npu_WorkspaceBufferOp : Op<Npu_Dialect, "workspace_buffer", [Pure]> {
  let summary = "a part of the launch's workspace";
  let description = [{
    `offset` bytes behind its beginning. Parts of one function do not overlap; its bytes are the function's attribute `kiln.workspace`.
    * (C1) The type is static and lies in global memory.

    ```mlir
    %s = npu.workspace_buffer 4096 : memref<24x16384xf32, #npu.memory<gm>>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs Npu_GM:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // KILN_NPU_BLOCKOPS_TD
