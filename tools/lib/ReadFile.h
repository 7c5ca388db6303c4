// ReadFile.h: a whole file in memory.
#ifndef KILN_TOOLS_LIB_READFILE_H
#define KILN_TOOLS_LIB_READFILE_H

#include "kiln/Status.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kiln::tools {

/// NotFound: no such file; InvalidArgument: a folder or not a regular file; DataLoss: it ended early. All
/// name it.
Result<std::vector<std::byte>> readFile(const std::string &path);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_READFILE_H
