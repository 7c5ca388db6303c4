// CodeMemory.h: executable memory shared by many kernels, never writable and executable at one address.
#ifndef KILN_BACKENDS_HOST_CODEMEMORY_H
#define KILN_BACKENDS_HOST_CODEMEMORY_H

#include "kiln/Status.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace kiln::host {

constexpr size_t maxImageBytes = size_t(256) << 20; // of one kernel object, for both loaders
constexpr size_t roundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

/// Who looks at code. Traced code has whole pages of anonymous memory to itself: what gdb writes into a page
/// stays while other kernels are loaded, and perf looks names up for anonymous memory only.
enum class CodeUse { Plain, Traced };

/// Places code in arenas of 1 MiB, so that 40,000 kernels need some hundred mappings and not 40,000 of the
/// 65,530 that a process may have. An arena is anonymous memory mapped readable and executable; code is
/// written through a second, writable mapping that exists during the write only. Traced code is written while
/// its own pages are writable and not executable. Ownership: owns the arenas; code must be given back with
/// free() and not run afterwards. Threads: every member is safe from any thread.
class CodeMemory {
public:
  CodeMemory() = default;
  ~CodeMemory();
  CodeMemory(const CodeMemory &) = delete;
  CodeMemory &operator=(const CodeMemory &) = delete;

  /// Room for `bytes`, aligned to 64 or `alignment`, a power of two up to a page. The address is final;
  /// write() fills it. Errors: ResourceExhausted, no memory, mappings, or the system forbids executable
  /// memory.
  Result<std::byte *> allocate(size_t bytes, size_t alignment, CodeUse use = CodeUse::Plain);
  /// Copies code to allocated room. Errors: ResourceExhausted.
  Status write(std::byte *to, std::span<const std::byte> code);
  void free(std::byte *address);

  struct Usage {
    size_t arenas, bytesMapped, bytesUsed;
  };
  Usage usage() const;

private:
  struct Arena {
    int file;        // -1: anonymous memory, for traced code
    std::byte *base; // readable and executable
    size_t bytes;
    std::map<size_t, size_t> used, unused; // offset -> bytes; together they cover the arena
    bool take(size_t bytes, size_t alignment, size_t &offset);
    void giveBack(size_t offset);
  };

  Result<Arena *> addArena(size_t leastBytes, CodeUse use);
  static Status writeTraced(std::byte *to, std::span<const std::byte> code);
  static void unmap(Arena &arena);
  Arena *arenaOf(const std::byte *address);
  void leaveToParent();

  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Arena>> arenas;
  uint32_t bornIn = 0; // fork generation
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_CODEMEMORY_H
