// CheckFile.h: kernel regression files: runs the kiln.check ops of every function of a .mlir file.
#ifndef KILN_TOOLS_LIB_CHECKFILE_H
#define KILN_TOOLS_LIB_CHECKFILE_H

#include "tools/lib/KilnApi.h"

#include <iosfwd>
#include <string>

namespace kiln::tools {

/// Counts over the functions of one or several files.
struct CheckCounts {
  size_t functions = 0, checks = 0, failures = 0;
};

/// Runs every function (or the one named) on the session's device and compares what its checks name. A line
/// for each failure goes to `out`. A function without a check is a failure. Errors: the file cannot be loaded
/// or run.
Status runCheckFile(KilnInstance *instance, KilnSession *session, const std::string &path,
                    const std::string &function, std::ostream &out, CheckCounts &counts);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_CHECKFILE_H
