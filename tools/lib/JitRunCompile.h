// JitRunCompile.h: jit-run --compile-only and --bundle: compiling for device types, present or not.
#ifndef KILN_TOOLS_LIB_JITRUNCOMPILE_H
#define KILN_TOOLS_LIB_JITRUNCOMPILE_H

#include "tools/lib/JitRunJob.h"
#include "tools/lib/ShapeFlag.h"

#include <iosfwd>

namespace kiln::tools {

/// A device type with its options, as --device names it there.
struct CompileDevice {
  std::string type, options; // "host", "cpu=x86-64-v3"
};
/// "host:cpu=x86-64-v3,npu:1": a part behind the colon that is a number is an ordinal and means nothing here.
/// InvalidArgument: an empty part.
Result<std::vector<CompileDevice>> parseCompileDevices(const std::string &text);

/// Compiles the model for every device and every set of shapes; shows a bar on `terminal` if there is one.
Result<int> compileAhead(JitRunJob &job, const ShapeFlags &shapes, std::ostream &out, std::ostream &err,
                         std::ostream *terminal);

/// Hits by layer, misses by reason, bytes, time saved, and what was missed; as text or JSON.
Status printCacheCounters(KilnInstance *instance, bool asJson, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITRUNCOMPILE_H
