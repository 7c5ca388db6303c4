// PipeInterfaces.td: what the ops of a device with in-order queues tell the shared planner, sync inserter and verifier.
#ifndef KILN_DEVICEKIT_PIPEINTERFACES_TD
#define KILN_DEVICEKIT_PIPEINTERFACES_TD

include "mlir/IR/OpBase.td"

def PipeOpInterface : OpInterface<"PipeOpInterface"> {
  let cppNamespace = "::kiln::devicekit";
  let description = [{
    An op that one queue ("pipe") of a core executes. The scalar unit hands ops out in program order; a pipe starts its own in
    order, and nothing orders two pipes but flags and barriers.
  }];
  let methods = [
    InterfaceMethod<"The pipe, below MachineInterface::pipeCount().", "unsigned", "getPipe">,
    InterfaceMethod<"Appends the buffers read and written: each a memref, a view of a buffer counting as its range.", "void",
                    "getAccesses", (ins "::llvm::SmallVectorImpl<::kiln::devicekit::PipeAccess> &":$accesses)>,
    InterfaceMethod<"About how many cycles the pipe is busy; for static extents, else for the largest.", "int64_t", "getCycles">,
  ];
}

def SyncOpInterface : OpInterface<"SyncOpInterface"> {
  let cppNamespace = "::kiln::devicekit";
  let description = [{
    The set or wait of a binary flag between two pipes of one core, or a barrier. A set is an entry of its source pipe's queue and
    happens when all earlier ones there have completed; a wait blocks its target pipe's queue and clears the flag.
  }];
  let methods = [
    InterfaceMethod<"Set, Wait or Barrier.", "::kiln::devicekit::SyncKind", "getSyncKind">,
    InterfaceMethod<"The pipe that sets; a barrier's pipe, or kAllPipes.", "unsigned", "getSourcePipe">,
    InterfaceMethod<"The pipe that waits; of no meaning for a barrier.", "unsigned", "getTargetPipe">,
    InterfaceMethod<"The flag's number; the first one if there is a slot.", "int64_t", "getEventId">,
    InterfaceMethod<"Added to the number: a rotating index (RotatingSlot.h), or null.", "::mlir::Value", "getEventSlot">,
  ];
}

def PlacedBufferInterface : OpInterface<"PlacedBufferInterface"> {
  let cppNamespace = "::kiln::devicekit";
  let description = [{
    A local buffer with its address: one, or several that a rotating slot chooses from (multi-buffering).
  }];
  let methods = [
    InterfaceMethod<"Byte addresses of the copies, one or more.", "::llvm::ArrayRef<int64_t>", "getAddresses">,
    InterfaceMethod<"The rotating index of the copy in use; null if there is one.", "::mlir::Value", "getBufferSlot">,
  ];
}

#endif // KILN_DEVICEKIT_PIPEINTERFACES_TD
