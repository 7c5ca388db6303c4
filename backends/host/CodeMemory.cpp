// CodeMemory.cpp: arenas are memfds, so that one page can be mapped twice with different rights. The
// executable mapping is a private one: debuggers cannot set breakpoints in a shared mapping that is not
// writable. Traced code shares no page, so rights of its pages can change while other kernels run.
#include "CodeMemory.h"

#include "kiln/sdk/Fork.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kiln::host {
namespace {

constexpr size_t arenaBytes = size_t(1) << 20;
constexpr size_t lineBytes = 64; // kernels do not share cache lines
constexpr size_t pageBytes = 4096;
constexpr unsigned memfdExecutable = 0x10; // MFD_EXEC, Linux 6.3

Status systemError(std::string what) {
  return Status(Code::ResourceExhausted,
                "executable memory: " + std::move(what) + ": " + std::strerror(errno));
}

int openMemory() {
  int file = memfd_create("kiln-code", MFD_CLOEXEC | memfdExecutable);
  if (file < 0 && errno == EINVAL) // an older kernel, where every memfd may be executed
    file = memfd_create("kiln-code", MFD_CLOEXEC);
  return file;
}
void closeFile(int file) {
  if (file >= 0)
    close(file);
}

} // namespace

bool CodeMemory::Arena::take(size_t wanted, size_t alignment, size_t &offset) {
  for (auto [start, length] : unused) {
    size_t aligned = roundUp(start, alignment);
    if (aligned + wanted > start + length)
      continue;
    unused.erase(start);
    if (aligned > start)
      unused[start] = aligned - start;
    if (aligned + wanted < start + length)
      unused[aligned + wanted] = start + length - aligned - wanted;
    used[aligned] = wanted;
    offset = aligned;
    return true;
  }
  return false;
}

void CodeMemory::Arena::giveBack(size_t offset) {
  auto block = used.find(offset);
  size_t length = block->second;
  used.erase(block);
  auto next = unused.lower_bound(offset);
  if (next != unused.end() && offset + length == next->first) {
    length += next->second;
    next = unused.erase(next);
  }
  if (next != unused.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += length;
      return;
    }
  }
  unused[offset] = length;
}

CodeMemory::~CodeMemory() {
  for (auto &arena : arenas)
    unmap(*arena);
}

Result<std::byte *> CodeMemory::allocate(size_t bytes, size_t alignment, CodeUse use) {
  std::lock_guard lock(mutex);
  leaveToParent();
  size_t unit = use == CodeUse::Traced ? pageBytes : lineBytes;
  bytes = roundUp(std::max<size_t>(bytes, 1), unit);
  alignment = std::max(alignment, unit);
  size_t offset = 0;
  for (auto &arena : arenas)
    if ((arena->file < 0) == (use == CodeUse::Traced) && arena->take(bytes, alignment, offset))
      return arena->base + offset;
  KILN_ASSIGN_OR_RETURN(Arena * arena, addArena(bytes, use));
  arena->take(bytes, alignment, offset);
  return arena->base + offset;
}

Status CodeMemory::write(std::byte *to, std::span<const std::byte> code) {
  std::lock_guard lock(mutex);
  Arena *arena = arenaOf(to);
  if (!arena)
    return Status(Code::Internal, "executable memory: a write outside of it");
  if (arena->file < 0)
    return writeTraced(to, code);
  size_t offset = static_cast<size_t>(to - arena->base);
  size_t firstPage = offset / pageBytes * pageBytes, bytes = offset - firstPage + code.size();
  void *view =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena->file, static_cast<off_t>(firstPage));
  if (view == MAP_FAILED)
    return systemError("no writable view");
  std::memcpy(static_cast<std::byte *>(view) + (offset - firstPage), code.data(), code.size());
  munmap(view, bytes);
  if (std::memcmp(to, code.data(), code.size()) !=
      0) // a breakpoint has given the page a copy of its own: drop it
    madvise(arena->base + firstPage, bytes, MADV_DONTNEED);
  __builtin___clear_cache(reinterpret_cast<char *>(to), reinterpret_cast<char *>(to + code.size()));
  return {};
}

Status CodeMemory::writeTraced(std::byte *to, std::span<const std::byte> code) {
  size_t bytes = roundUp(code.size(), pageBytes);
  if (mprotect(to, bytes, PROT_READ | PROT_WRITE) != 0)
    return systemError("no writable pages");
  std::memcpy(to, code.data(), code.size());
  if (mprotect(to, bytes, PROT_READ | PROT_EXEC) != 0)
    return systemError("no executable pages");
  __builtin___clear_cache(reinterpret_cast<char *>(to), reinterpret_cast<char *>(to + code.size()));
  return {};
}

void CodeMemory::free(std::byte *address) {
  std::lock_guard lock(mutex);
  Arena *arena = arenaOf(address);
  if (!arena)
    return; // of before a fork
  arena->giveBack(static_cast<size_t>(address - arena->base));
  if (!arena->used.empty() || arenas.size() == 1)
    return; // one stays, so that loading and unloading one kernel does not map and unmap
  unmap(*arena);
  std::erase_if(arenas, [&](const auto &other) { return other.get() == arena; });
}

CodeMemory::Usage CodeMemory::usage() const {
  std::lock_guard lock(mutex);
  Usage usage = {arenas.size(), 0, 0};
  for (const auto &arena : arenas) {
    usage.bytesMapped += arena->bytes;
    for (auto [offset, bytes] : arena->used)
      usage.bytesUsed += bytes;
  }
  return usage;
}

Result<CodeMemory::Arena *> CodeMemory::addArena(size_t leastBytes, CodeUse use) {
  size_t bytes = std::max(arenaBytes, roundUp(leastBytes, pageBytes));
  bool traced = use == CodeUse::Traced;
  int file = traced ? -1 : openMemory();
  if (file < 0 && !traced)
    return systemError("no memfd");
  if (!traced && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    Status status = systemError("no " + std::to_string(bytes) + " bytes");
    close(file);
    return status;
  }
  void *base =
      mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | (traced ? MAP_ANONYMOUS : 0), file, 0);
  if (base == MAP_FAILED) {
    Status status = systemError("no executable mapping of " + std::to_string(bytes) + " bytes");
    closeFile(file);
    return status;
  }
  auto arena = std::make_unique<Arena>(Arena{file, static_cast<std::byte *>(base), bytes, {}, {}});
  arena->unused[0] = bytes;
  arenas.push_back(std::move(arena));
  return arenas.back().get();
}

void CodeMemory::unmap(Arena &arena) {
  munmap(arena.base, arena.bytes);
  closeFile(arena.file);
}

CodeMemory::Arena *CodeMemory::arenaOf(const std::byte *address) {
  for (auto &arena : arenas)
    if (address >= arena->base && address < arena->base + arena->bytes)
      return arena.get();
  return nullptr;
}

/// The memory of an arena is shared with a forked child: the child must not write to its parent's. It keeps
/// the mapping, since old kernels may still be called, and starts anew.
void CodeMemory::leaveToParent() {
  if (arenas.empty())
    bornIn = sdk::forkGeneration();
  if (bornIn == sdk::forkGeneration())
    return;
  for (auto &arena : arenas)
    closeFile(arena->file);
  arenas.clear();
  bornIn = sdk::forkGeneration();
}

} // namespace kiln::host
