// JitRunFlags.h: the command line of jit-run.
#ifndef KILN_TOOLS_LIB_JITRUNFLAGS_H
#define KILN_TOOLS_LIB_JITRUNFLAGS_H

#include "tools/lib/Flags.h"

namespace kiln::tools {
extern const ToolSpec kJitRunSpec;
} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITRUNFLAGS_H
