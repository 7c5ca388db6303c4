// OrcCodeMemory.h: lets JITLink place kernels in the arenas of CodeMemory.
#ifndef KILN_BACKENDS_HOST_ORCCODEMEMORY_H
#define KILN_BACKENDS_HOST_ORCCODEMEMORY_H

#include "CodeMemory.h"

#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

namespace kiln::host {

/// Packs all sections of a kernel into one piece of read-and-execute memory. LLVM's own managers give each
/// kernel pages and mappings of its own, and the system's limit of mappings ends that at some 32,000 kernels.
/// Ownership: owns the arenas. Threads: every member is safe from any thread.
class OrcCodeMemory final : public llvm::jitlink::JITLinkMemoryManager {
public:
  explicit OrcCodeMemory(CodeUse use) : use(use) {}
  void allocate(const llvm::jitlink::JITLinkDylib *dylib, llvm::jitlink::LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) override;
  using JITLinkMemoryManager::allocate;
  using JITLinkMemoryManager::deallocate;

private:
  class InFlight;
  const CodeUse use;
  CodeMemory memory;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_ORCCODEMEMORY_H
