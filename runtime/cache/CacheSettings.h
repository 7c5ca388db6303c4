// CacheSettings.h: what the environment asks of the cache.
#ifndef KILN_RUNTIME_CACHE_CACHESETTINGS_H
#define KILN_RUNTIME_CACHE_CACHESETTINGS_H

#include "runtime/Environment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// Off: no files. ReadOnly: what is missing is made and not kept. Require: as ReadOnly, but what is missing
/// is an error. Refresh: nothing is read, everything is written.
enum class CacheMode : uint8_t { Off, ReadOnly, ReadWrite, Require, Refresh };
std::string_view cacheModeName(CacheMode mode); // "rw", as KILN_CACHE

/// Plain data.
struct CacheSettings {
  CacheMode mode = CacheMode::Off;
  std::string folder;                // "": none can be named
  std::vector<std::string> readOnly; // folders and packs that are read after it
  uint64_t maxBytes = 5ull << 30;
  uint64_t minCompileUs = 0;              // kernels that took less to compile are not written
  std::string dumpFolder, overrideFolder; // "": none

  /// KILN_CACHE (default rw), KILN_CACHE_DIR, KILN_CACHE_READ, KILN_CACHE_SIZE,
  /// KILN_CACHE_MIN_COMPILE_MS (default 0), KILN_CACHE_DUMP, KILN_CACHE_OVERRIDE. A value that cannot be read
  /// is warned about and counts as not set. In a privileged process (setuid) no variable counts and the mode
  /// is Off.
  static CacheSettings of(const Environment &environment);
};

/// KILN_CACHE_DIR, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln; "" if none is set.
std::string cacheFolder(const Environment &environment);
/// "256M" as bytes; suffix K, M, G or T.
std::optional<uint64_t> parseBytes(std::string_view text);

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_CACHESETTINGS_H
