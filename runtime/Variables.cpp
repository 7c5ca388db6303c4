// Variables.cpp: the table.
#include "runtime/Variables.h"

namespace kiln {

std::span<const VariableInfo> knownVariables() {
  static constexpr VariableInfo variables[] = {
      {"KILN_BACKENDS_DISABLE", "", "globs on backends' names that may not be used, separated by commas"},
      {"KILN_BACKENDS_REQUIRE", "",
       "backends that must load, separated by commas; else no device is given out"},
      {"KILN_BACKENDS_SELECT", "", "globs on backends' names that alone may be used; beats DISABLE"},
      {"KILN_BACKEND_AUTOLOAD", "1", "0: only the folders that the API names are searched"},
      {"KILN_BACKEND_FILES", "", "manifests that replace all folders but the API's, separated by colons"},
      {"KILN_BACKEND_PATH", "", "more folders with manifests, separated by colons"},
      {"KILN_BACKEND_POLICY", "isolate", "isolate: a broken backend is left out; strict: it is an error"},
      {"KILN_BACKEND_PREFLIGHT", "1",
       "a new library is tried in a child process first; 0: never, always: each time"},
      {"KILN_BACKEND_PREFLIGHT_TIMEOUT", "20", "seconds after which such a child is given up"},
      {"KILN_CACHE", "rw",
       "off; ro: only read; rw; require: what is missing is an error; refresh: only written"},
      {"KILN_CACHE_DIR", "", "folder of caches; default: $XDG_CACHE_HOME/kiln or ~/.cache/kiln"},
      {"KILN_CACHE_DUMP", "", "folder that every kernel that is used is written to"},
      {"KILN_CACHE_MEMORY", "256M", "bytes of compiled kernels kept in memory, with suffix K, M or G"},
      {"KILN_CACHE_MIN_COMPILE_MS", "0", "kernels that took fewer milliseconds to compile are not written"},
      {"KILN_CACHE_OVERRIDE", "", "folder whose kernels are used instead of those with the same key"},
      {"KILN_CACHE_READ", "", "folders and packs that are read after KILN_CACHE_DIR, separated by colons"},
      {"KILN_CACHE_SIZE", "5G", "bytes of entries kept in KILN_CACHE_DIR, with suffix K, M, G or T"},
      {"KILN_COMPILER_LIBRARY", "", "libkiln_compiler to open; default: the one beside libkiln_runtime"},
      {"KILN_DEVICE", "", "default devices in order, separated by commas"},
      {"KILN_LOG", "warn", "error, warn, info or debug, with :COMPONENT for a part, separated by commas"},
  };
  return variables;
}

} // namespace kiln
