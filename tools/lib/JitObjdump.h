// JitObjdump.h: kernel objects as text and back, by the loaders of the backends.
#ifndef KILN_TOOLS_LIB_JITOBJDUMP_H
#define KILN_TOOLS_LIB_JITOBJDUMP_H

#include "tools/lib/Flags.h"

namespace kiln::tools {

extern const ToolSpec kJitObjdumpSpec;

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITOBJDUMP_H
