// Target.h: the host's machine figures that code generation decides by, each with its source or "assumed".
#ifndef KILN_BACKENDS_HOST_TARGET_H
#define KILN_BACKENDS_HOST_TARGET_H

#include "kiln/jit/Target.h"

#include <algorithm>
#include <cstdint>

namespace kiln::host {

/// What the vector code generator knows of the CPU. Plain data, made from the target's features alone: never
/// from the machine that compiles.
struct HostTarget {
  unsigned vectorBits = 128;     // of one register
  unsigned vectorRegisters = 16; // 32 with AVX-512
  bool avx2 = false, fma = false, f16c = false;
  bool maskWords = false; // masked loads and stores of 32- and 64-bit elements in hardware: vmaskmov, AVX-512
  bool maskBytes = false; // the same of 8- and 16-bit elements
  bool scalef = false;    // x * 2^k by one instruction, for every width of vector

  static HostTarget from(const jit::Target &target) {
    HostTarget host;
    bool avx512 = target.hasFeature("avx512f") && target.hasFeature("avx512vl");
    host.avx2 = target.hasFeature("avx2");
    host.fma = target.hasFeature("fma");
    host.f16c = target.hasFeature("f16c");
    host.vectorBits = avx512 ? 512 : host.avx2 ? 256 : 128;
    host.scalef = avx512;
    host.vectorRegisters = avx512 ? 32 : 16;
    host.maskWords = avx512 || host.avx2;
    host.maskBytes = avx512 && target.hasFeature("avx512bw");
    return host;
  }

  /// Elements of a register; at least 1.
  unsigned lanes(unsigned elementBits) const { return std::max(1u, vectorBits / std::max(8u, elementBits)); }
};

/// A tile's working set: half of the smallest L1 in use (32 KB: Zen 3, Skylake; 48 KB: Sapphire Rapids), so
/// that inputs, outputs and the stack share it.
inline constexpr int64_t kL1TileBytes = 16 * 1024;
/// Bytes that an elementwise tile touches: long enough that dispatching a tile (~0.1 us, assumed) is below 5
/// % of it.
inline constexpr int64_t kStreamTileBytes = 64 * 1024;
/// Temporaries of one tile that live on the stack, where every tile finds them in the cache again: the packed
/// columns of a contraction (256 x 112 floats) and its results. The thread pool's stacks are at least 1 MB
/// (assumed).
inline constexpr int64_t kStackBytes = 192 * 1024;
/// Temporaries start at cache lines.
inline constexpr int64_t kTemporaryAlignment = 64;

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TARGET_H
