// PipePasses.td: the shared passes over a device's pipe ops, in the order in which they run.
#ifndef KILN_DEVICEKIT_PIPEPASSES_TD
#define KILN_DEVICEKIT_PIPEPASSES_TD

include "mlir/Pass/PassBase.td"

def MultiBufferPass : Pass<"kiln-multi-buffer", "mlir::func::FuncOp"> {
  let summary = "choose the local buffers of a loop that get several copies";
  let description = [{
    A local buffer that is allocated in a loop, filled by one pipe and used by another gets `count` copies, so that one iteration's
    transfers overlap with another's work. Copies are granted as long as everything still fits: the smallest buffers first.
    Runs before `kiln-plan-memory`, which places the copies. Loops that run once get none.
    Where one pipe reads a buffer for the last time before it writes another of the same type, which leaves by a third pipe, the
    two become one buffer of `count` + 1 copies: as many iterations are under way in less room, with a flag less.
    Counts: multi-buffer.buffers, multi-buffer.shared.

    ```mlir
    scf.for %i = %c0 to %n step %c64 {
      %x = memref.alloc() : memref<64xf32, #npu.memory<ub>>
    // becomes
      %x = memref.alloc() {kiln.copies = 2 : i64} : memref<64xf32, #npu.memory<ub>>
    ```
  }];
  let options = [Option<"count", "count", "int64_t", /*default=*/"2", "copies of a buffer; 1: none">];
}

def PlanMemoryPass : Pass<"kiln-plan-memory", "mlir::func::FuncOp"> {
  let summary = "give local buffers their addresses";
  let description = [{
    Places each `memref.alloc` of a core's memory by liveness: buffers that are never live together may share bytes, and an
    elementwise op may write where the operand lies that it reads for the last time, if no other pipe uses the two. The largest is
    placed first, at the lowest address that is free; then, where memory is left, at the address by which ops lose the fewest cycles
    to banks. A buffer with copies is live in all of its loop. Fails, with the sizes, where a memory does not hold them. Which flags the shared bytes need is the business of `kiln-insert-sync`.
    The function gets the peak by memory as `kiln.peak_bytes`. Counts: plan-memory.buffers.

    ```mlir
    %x = memref.alloc() {kiln.copies = 2 : i64} : memref<64xf32, #npu.memory<ub>>
    // becomes, in a loop with iter_args(%slot = %c0)
    %x = npu.buffer 0, 256 at %slot : memref<64xf32, #npu.memory<ub>>
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def InsertSyncPass : Pass<"kiln-insert-sync", "mlir::func::FuncOp"> {
  let summary = "order conflicting accesses of different pipes by flags";
  let description = [{
    Finds the pairs of accesses that may meet in one place, within an iteration and around loops, and orders each by the set
    and wait of a flag; orders that follow from others (over several pipes, over iterations) get none. Flags of multi-buffers
    rotate with them; of four or more, the wait may stand behind the op, in the iteration before, with a flag less. Accesses on one pipe that does not complete in order get a barrier. Where a pair of pipes has no flag left, a
    barrier on all pipes takes its place. Runs after `kiln-plan-memory`.

    ```mlir
    npu.load ins(%g) outs(%x)
    npu.vexp ins(%x) outs(%y)
    // becomes
    npu.load ins(%g) outs(%x)
    npu.set_flag[MTE2, V, 0]
    npu.wait_flag[MTE2, V, 0]
    npu.vexp ins(%x) outs(%y)
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def VerifySyncPass : Pass<"kiln-verify-sync", "mlir::func::FuncOp"> {
  let summary = "prove that flags and barriers order all conflicting accesses";
  let description = [{
    Follows what each pipe has seen over all ways through the program, loops unrolled until all copies and flags have come round twice;
    loops of unknown trip count may end after each iteration, each time they are reached, and, unless their lowering gave them the
    attribute `kiln.runs`, not run at all. An error names the first pair of accesses that
    nothing orders, a flag set twice, or a set or wait without its other half. With `each-is-needed` it also takes out each flag and each
    barrier in turn and fails if no conflict appears. Changes nothing.

    ```mlir
    npu.load ins(%g) outs(%x)
    npu.vexp ins(%x) outs(%y)  // error: race: 'npu.vexp' on pipe V does not wait for a conflicting access on pipe MTE2
    ```
  }];
  let options = [Option<"eachIsNeeded", "each-is-needed", "bool", /*default=*/"false", "also fail if a flag or barrier could go">];
}

#endif // KILN_DEVICEKIT_PIPEPASSES_TD
