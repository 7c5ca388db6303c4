// JitCacheFlags.cpp: jit-cache's command line; parser, help and docs come from it.
#include "tools/lib/JitCache.h"

namespace kiln::tools {
namespace {

using Cat = FlagCategory;
using Kind = FlagKind;

// clang-format off
constexpr FlagSpec kCacheFlags[] = {
    // name    value   default category     kind          repeats accepts, help
    {"dir",    "DIR",  "",     Cat::Target, Kind::Text,   false,  "a cache folder; default: KILN_CACHE_DIR, else the user's",
     "the cache to look at"},
    {"kind",   "KIND", "",     Cat::Input,  Kind::Text,   false,  "kernel, program, weight, packed, model, shapes or digest",
     "entries of this kind only", "kernel|program|weight|packed|model|shapes|digest"},
    {"device", "TYPE", "",     Cat::Input,  Kind::Text,   false,  "a device type, as host; explain MODEL: TYPE[:KEY=VALUE;...],...",
     "entries for this device type only; explain MODEL: what it would run on"},
    {"shape",  "NAME=DIMS", "", Cat::Input, Kind::Text,   true,   "as jit-run, for example x=1x3x224x224",
     "explain MODEL: the extents of an input"},
    {"size",   "BYTES", "",    Cat::Run,    Kind::Text,   false,  "bytes, with suffix K, M, G or T; default: KILN_CACHE_SIZE",
     "gc: how much may stay"},
    {"repair", "",     "",     Cat::Run,    Kind::Switch, false,  "", "verify: move what does not hold to bad/"},
    {"payload", "FILE", "",    Cat::Output, Kind::Text,   false,  "a file", "inspect: write the payload there"},
    {"json",   "",     "",     Cat::Output, Kind::Switch, false,  "", "print as JSON, for programs"},
};
// clang-format on

constexpr std::string_view kCacheExamples[] = {
    "jit-cache stats",
    "jit-cache ls --kind=kernel",
    "jit-cache pack shared.kpack --device=host",
    "jit-cache explain model.onnx --device=host:cpu=x86-64-v3 --shape x=1x3x224x224",
};

constexpr EnvironmentEntry kCacheEnvironment[] = {
    {"KILN_CACHE_DIR", "the folder; default $XDG_CACHE_HOME/kiln, else ~/.cache/kiln"},
    {"KILN_CACHE_SIZE", "bytes that are kept there, as 5G"},
};

} // namespace

const ToolSpec kJitCacheSpec = {
    "jit-cache",
    "COMMAND",
    "stats, ls, inspect KEY, verify, gc, pack FILE, unpack FILE, explain KEY, explain MODEL or clear; KEY: "
    "the "
    "first digits of an entry's key",
    /*operandRepeats=*/true,
    /*operandRequired=*/true,
    "Shows, checks, packs and empties the cache of compiled kernels, programs and weights",
    kCacheExamples,
    kCacheFlags,
    kCacheEnvironment,
};

} // namespace kiln::tools
