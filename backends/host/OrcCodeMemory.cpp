// OrcCodeMemory.cpp: the linker works on a copy on the heap; when it is done, the copy is written to code
// memory.
#include "OrcCodeMemory.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/Shared/AllocationActions.h"

#include <algorithm>

namespace kiln::host {
namespace {

namespace orc = llvm::orc;
namespace jitlink = llvm::jitlink;

constexpr uint64_t maxSegmentAlignment = 4096;

/// What a FinalizedAlloc's address points to.
struct Allocation {
  std::byte *code;
  std::vector<orc::shared::WrapperFunctionCall> atEnd;
};

llvm::Error toLlvm(const Status &status) { return llvm::createStringError(status.message()); }

} // namespace

class OrcCodeMemory::InFlight final : public JITLinkMemoryManager::InFlightAlloc {
public:
  InFlight(CodeMemory &memory, jitlink::LinkGraph &graph, std::byte *code, std::vector<std::byte> image)
      : memory(memory), graph(graph), code(code), image(std::move(image)) {}

  void finalize(OnFinalizedFunction onFinalized) override {
    if (Status status = memory.write(code, image); !status.ok()) {
      memory.free(code);
      return onFinalized(toLlvm(status));
    }
    auto actions = orc::shared::runFinalizeActions(graph.allocActions());
    if (!actions) {
      memory.free(code);
      return onFinalized(actions.takeError());
    }
    onFinalized(FinalizedAlloc(orc::ExecutorAddr::fromPtr(new Allocation{code, std::move(*actions)})));
  }
  void abandon(OnAbandonedFunction onAbandoned) override {
    memory.free(code);
    onAbandoned(llvm::Error::success());
  }

private:
  CodeMemory &memory;
  jitlink::LinkGraph &graph;
  std::byte *code;
  std::vector<std::byte> image;
};

void OrcCodeMemory::allocate(const jitlink::JITLinkDylib *, jitlink::LinkGraph &graph,
                             OnAllocatedFunction onAllocated) {
  jitlink::BasicLayout layout(graph);
  uint64_t bytes = 0, alignment = 1;
  std::vector<uint64_t> offsets;
  for (auto &[group, segment] : layout.segments()) {
    uint64_t wanted = segment.Alignment.value();
    if (wanted > maxSegmentAlignment || segment.ContentSize > maxImageBytes ||
        segment.ZeroFillSize > maxImageBytes)
      return onAllocated(
          llvm::createStringError("a segment of more than 256 MiB or an alignment beyond a page"));
    alignment = std::max(alignment, wanted);
    bytes = llvm::alignTo(bytes, wanted);
    offsets.push_back(bytes);
    bytes += segment.ContentSize + segment.ZeroFillSize;
  }
  if (bytes > maxImageBytes)
    return onAllocated(llvm::createStringError("more than 256 MiB of sections"));
  Result<std::byte *> code = memory.allocate(bytes, alignment, use);
  if (!code.ok())
    return onAllocated(toLlvm(code.status()));
  std::vector<std::byte> image(bytes);
  size_t next = 0;
  for (auto &[group, segment] : layout.segments()) {
    uint64_t offset = offsets[next++];
    segment.Addr = orc::ExecutorAddr::fromPtr(*code + offset);
    segment.WorkingMem = reinterpret_cast<char *>(image.data() + offset);
  }
  if (llvm::Error error = layout.apply()) {
    memory.free(*code);
    return onAllocated(std::move(error));
  }
  onAllocated(std::make_unique<InFlight>(memory, graph, *code, std::move(image)));
}

void OrcCodeMemory::deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) {
  llvm::Error errors = llvm::Error::success();
  for (FinalizedAlloc &finalized : allocations) {
    std::unique_ptr<Allocation> allocation(finalized.release().toPtr<Allocation *>());
    errors = llvm::joinErrors(std::move(errors), orc::shared::runDeallocActions(allocation->atEnd));
    memory.free(allocation->code);
  }
  onDeallocated(std::move(errors));
}

} // namespace kiln::host
