// kiln/sdk/FlatKernel.h: kernels as flat images of x86-64 code: the format, and its loader for devices that
// compute on the host.
//
// Header-only. kiln::devicekit::emitFlatObject (libkiln_devicekit_compiler) writes the format: a header, the
// imports, their names, the image. The image is position-independent; calls out of it go through slots that
// the loader fills.
#ifndef KILN_SDK_FLATKERNEL_H
#define KILN_SDK_FLATKERNEL_H

#include "kiln/Status.h"

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <vector>

namespace kiln::sdk {

struct FlatHeader {
  char magic[4]; // "KFLT"
  uint32_t version, imageBytes, entryOffset, importCount, nameBytes;
};
struct FlatImport {
  uint32_t slotOffset, nameOffset; // in the image; in the names, which are NUL-terminated
};
inline constexpr uint32_t kFlatVersion = 1;

/// A loaded kernel. Owns its code. Threads: run() from any thread.
class FlatKernel {
public:
  /// InvalidArgument a malformed image or a function that kernels may not call; ResourceExhausted no mapping.
  static Result<std::unique_ptr<FlatKernel>> load(const void *object, size_t bytes) {
    FlatHeader header;
    if (bytes < sizeof header)
      return malformed("it is too short for a header");
    std::memcpy(&header, object, sizeof header);
    uint64_t importsEnd = sizeof header + uint64_t(header.importCount) * sizeof(FlatImport);
    uint64_t imageStart = importsEnd + header.nameBytes;
    if (std::memcmp(header.magic, "KFLT", 4) != 0 || header.version != kFlatVersion)
      return malformed("it does not start with KFLT, version 1");
    if (imageStart + header.imageBytes != bytes || header.entryOffset >= header.imageBytes)
      return malformed("its sizes do not add up");
    const char *start = static_cast<const char *>(object), *names = start + importsEnd;
    std::unique_ptr<FlatKernel> kernel(new FlatKernel);
    KILN_RETURN_IF_ERROR(kernel->map(start + imageStart, header.imageBytes));
    for (uint32_t i = 0; i < header.importCount; ++i) {
      FlatImport import;
      std::memcpy(&import, start + sizeof header + i * sizeof import, sizeof import);
      if (import.nameOffset >= header.nameBytes || import.slotOffset > header.imageBytes - sizeof(void *) ||
          !std::memchr(names + import.nameOffset, 0, header.nameBytes - import.nameOffset))
        return malformed("an import lies outside");
      void *address = find(names + import.nameOffset);
      if (!address)
        return Status(Code::InvalidArgument, std::string("kernel object: it calls '") +
                                                 (names + import.nameOffset) + "', which kernels may not");
      std::memcpy(kernel->memory + import.slotOffset, &address, sizeof address);
    }
    if (mprotect(kernel->memory, kernel->mappedBytes, PROT_READ | PROT_EXEC) != 0)
      return Status(Code::ResourceExhausted, "kernel object: its memory cannot be made executable");
    kernel->entry = reinterpret_cast<Entry>(kernel->memory + header.entryOffset);
    return kernel;
  }
  ~FlatKernel() {
    if (memory)
      munmap(memory, mappedBytes);
  }
  FlatKernel(const FlatKernel &) = delete;
  FlatKernel &operator=(const FlatKernel &) = delete;

  /// Runs the whole launch on the calling thread. ResourceExhausted: no memory for the kernel's temporaries.
  Status run(std::span<const KilnBinding> bindings, std::span<const int64_t> constants) const {
    std::vector<void *> pointers;
    for (const KilnBinding &binding : bindings)
      pointers.push_back(reinterpret_cast<void *>(binding.address));
    Arena arena;
    Arena *outer = std::exchange(current(), &arena);
    bool ranOut = setjmp(arena.outOfMemory) != 0; // generated frames have nothing to unwind
    if (!ranOut)
      entry(pointers.data(), constants.data());
    current() = outer;
    arena.clear();
    return ranOut ? Status(Code::ResourceExhausted, "kernel: no memory for its temporaries") : Status();
  }

  static FlatKernel *from(KilnKernel *handle) { return reinterpret_cast<FlatKernel *>(handle); }
  KilnKernel *handle() { return reinterpret_cast<KilnKernel *>(this); }

private:
  using Entry = void (*)(void *const *bindings, const int64_t *constants);

  // Temporaries of one launch, all freed at its end. Plain data: longjmp leaves it as it is.
  struct Arena {
    jmp_buf outOfMemory;
    struct Block {
      Block *next;
    } *blocks = nullptr;
    void clear() {
      while (Block *block = blocks) {
        blocks = block->next;
        std::free(block);
      }
    }
  };
  static Arena *&current() {
    static thread_local Arena *arena = nullptr;
    return arena;
  }
  static void *arenaAllocate(size_t bytes) {
    constexpr size_t header = 64; // keeps the alignment of what follows
    auto *block =
        bytes > SIZE_MAX - 2 * header
            ? nullptr
            : static_cast<Arena::Block *>(std::aligned_alloc(64, (bytes + 2 * header - 1) / 64 * 64));
    if (!block)
      std::longjmp(current()->outOfMemory, 1);
    block->next = current()->blocks;
    current()->blocks = block;
    return reinterpret_cast<char *>(block) + header;
  }
  static void arenaFree(void *) {} // at the end of the launch

  struct Symbol {
    const char *name;
    void *address;
  };
  template <typename Fn> static void *address(Fn *function) { return reinterpret_cast<void *>(function); }
  // What generated code calls: memory, and libm where the compiler has no instruction.
  static void *find(const char *name) {
#define KILN_FLAT_MATH1(fn)                                                                                  \
  {#fn "f", address(static_cast<float (*)(float)>(&::fn##f))}, {                                             \
    #fn, address(static_cast<double (*)(double)>(&::fn))                                                     \
  }
#define KILN_FLAT_MATH2(fn)                                                                                  \
  {#fn "f", address(static_cast<float (*)(float, float)>(&::fn##f))}, {                                      \
    #fn, address(static_cast<double (*)(double, double)>(&::fn))                                             \
  }
    static const Symbol symbols[] = {
        {"malloc", address(&arenaAllocate)},
        {"free", address(&arenaFree)},
        {"memcpy", address(static_cast<void *(*)(void *, const void *, size_t)>(&::memcpy))},
        {"memmove", address(static_cast<void *(*)(void *, const void *, size_t)>(&::memmove))},
        {"memset", address(static_cast<void *(*)(void *, int, size_t)>(&::memset))},
        KILN_FLAT_MATH1(acos),
        KILN_FLAT_MATH1(acosh),
        KILN_FLAT_MATH1(asin),
        KILN_FLAT_MATH1(asinh),
        KILN_FLAT_MATH1(atan),
        KILN_FLAT_MATH1(atanh),
        KILN_FLAT_MATH1(cbrt),
        KILN_FLAT_MATH1(ceil),
        KILN_FLAT_MATH1(cos),
        KILN_FLAT_MATH1(cosh),
        KILN_FLAT_MATH1(erf),
        KILN_FLAT_MATH1(exp),
        KILN_FLAT_MATH1(exp2),
        KILN_FLAT_MATH1(fabs),
        KILN_FLAT_MATH1(expm1),
        KILN_FLAT_MATH1(floor),
        KILN_FLAT_MATH1(log),
        KILN_FLAT_MATH1(log10),
        KILN_FLAT_MATH1(log1p),
        KILN_FLAT_MATH1(log2),
        KILN_FLAT_MATH1(rint),
        KILN_FLAT_MATH1(round),
        KILN_FLAT_MATH1(roundeven),
        KILN_FLAT_MATH1(sin),
        KILN_FLAT_MATH1(sinh),
        KILN_FLAT_MATH1(sqrt),
        KILN_FLAT_MATH1(tan),
        KILN_FLAT_MATH1(tanh),
        KILN_FLAT_MATH1(trunc),
        KILN_FLAT_MATH2(atan2),
        KILN_FLAT_MATH2(copysign),
        KILN_FLAT_MATH2(fmod),
        KILN_FLAT_MATH2(pow),
        {"fma", address(static_cast<double (*)(double, double, double)>(&::fma))},
        {"fmaf", address(static_cast<float (*)(float, float, float)>(&::fmaf))},
    };
#undef KILN_FLAT_MATH1
#undef KILN_FLAT_MATH2
    for (const Symbol &symbol : symbols)
      if (!std::strcmp(symbol.name, name))
        return symbol.address;
    return nullptr;
  }

  static Status malformed(const char *why) {
    return Status(Code::InvalidArgument, std::string("kernel object: not a flat image: ") + why);
  }
  FlatKernel() = default;
  Status map(const char *image, size_t bytes) {
    mappedBytes = (bytes + 4095) / 4096 * 4096;
    void *mapped = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      return Status(Code::ResourceExhausted,
                    "kernel object: no mapping of " + std::to_string(mappedBytes) + " bytes");
    memory = static_cast<char *>(mapped);
    std::memcpy(memory, image, bytes);
    return {};
  }

  char *memory = nullptr;
  size_t mappedBytes = 0;
  Entry entry = nullptr;
};

} // namespace kiln::sdk
#endif // KILN_SDK_FLATKERNEL_H
