// JitInfo.h: the commands of jit-info.
#ifndef KILN_TOOLS_LIB_JITINFO_H
#define KILN_TOOLS_LIB_JITINFO_H

#include "runtime/BackendRegistry.h"
#include "tools/lib/Flags.h"

#include <iosfwd>

namespace kiln::tools {

extern const ToolSpec kJitInfoSpec;

/// What a command works on. Borrowed for the call.
struct InfoContext {
  BackendRegistry &registry;
  const ParsedFlags &flags;
  std::ostream &out;
};

// Each prints to `out` and gives an exit code, or the error that kept it from doing so.
Result<int> infoDevices(const InfoContext &context);
Result<int> infoBackends(const InfoContext &context);
/// Opens libkiln_compiler.
Result<int> infoPasses(const InfoContext &context);
Result<int> infoPaths(const InfoContext &context);
Result<int> infoEnvironment(const InfoContext &context);
/// Everything about one backend, by its name or a device's; loads it.
Result<int> infoExplain(const InfoContext &context, const std::string &name);
/// Whether a manifest holds: its text, its libraries, their notes.
Result<int> infoValidate(const std::string &path, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITINFO_H
