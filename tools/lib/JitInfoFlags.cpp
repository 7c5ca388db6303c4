// JitInfoFlags.cpp: jit-info's command line; parser, help and docs come from it.
#include "tools/lib/JitInfo.h"

namespace kiln::tools {
namespace {

using Cat = FlagCategory;
using Kind = FlagKind;

// clang-format off
constexpr FlagSpec kInfoFlags[] = {
    // name    value default category   kind          repeats  accepts, help
    {"json",   "",   "",     Cat::Show, Kind::Switch, false,   "", "print as JSON, for programs"},
    {"load",   "",   "",     Cat::Show, Kind::Switch, false,   "", "load every backend first, to show whether it can be"},
    {"backend-dir", "DIR", "", Cat::Target, Kind::Text, true,  "a folder with *.kiln.json",
     "search this folder first"},
    {"package-dir", "DIR", "", Cat::Target, Kind::Text, true,  "a folder site-packages/kiln_backends",
     "search this folder as a Python package's"},
};
// clang-format on

constexpr std::string_view kInfoExamples[] = {
    "jit-info backends --load",
    "jit-info explain host",
    "jit-info doctor",
};

constexpr EnvironmentEntry kInfoEnvironment[] = {
    {"KILN_BACKEND_PATH", "more folders with backends, separated by colons"},
    {"KILN_BACKEND_FILES", "manifests that replace all folders, separated by colons"},
    {"KILN_BACKEND_AUTOLOAD", "0 turns the search for backends off"},
    {"KILN_BACKENDS_SELECT", "globs on backends' names that alone may be used; beats DISABLE"},
    {"KILN_BACKENDS_DISABLE", "globs on backends' names that may not be used"},
    {"KILN_BACKENDS_REQUIRE", "backends that must load; exit 1 if one does not"},
    {"KILN_BACKEND_POLICY", "isolate (a broken backend is left out) or strict (it is an error)"},
    {"KILN_BACKEND_PREFLIGHT",
     "a new library is tried in a child process first; 0: never, always: each time"},
    {"KILN_DEVICE", "default devices, in order, separated by commas"},
    {"KILN_LOG", "error, warn, info or debug, with :COMPONENT for a part"},
};

} // namespace

const ToolSpec kJitInfoSpec = {
    "jit-info",
    "COMMAND",
    "devices, backends, passes, paths, env, doctor, explain NAME, or validate FILE",
    /*operandRepeats=*/true,
    /*operandRequired=*/true,
    "Shows the devices, backends and passes there are, where they were looked for and why one is missing",
    kInfoExamples,
    kInfoFlags,
    kInfoEnvironment,
};

} // namespace kiln::tools
