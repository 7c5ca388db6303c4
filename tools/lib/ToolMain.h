// ToolMain.h: what every tool's entry does: parse, help, run, turn errors into text and an exit code.
#ifndef KILN_TOOLS_LIB_TOOLMAIN_H
#define KILN_TOOLS_LIB_TOOLMAIN_H

#include "tools/lib/Flags.h"

#include <functional>

namespace kiln::tools {

enum ExitCode : int { kYes = 0, kNo = 1, kUsage = 2, kFailed = 3, kBug = 4 };

/// A tool's work: results go to `out`, everything else to `err`. Returns an exit code, or a status that
/// runTool prints as "TOOL: error: MESSAGE" and turns into kFailed.
using ToolBody = std::function<Result<int>(const ParsedFlags &, std::ostream &out, std::ostream &err)>;

/// Prints what is wrong with the command line and where help is; returns kUsage.
int usageError(const ToolSpec &spec, std::string_view message, std::ostream &err);

int runTool(const ToolSpec &spec, int argc, const char *const *argv, std::ostream &out, std::ostream &err,
            const ToolBody &body);

/// The main function of a tool: what it prints to `out` alone reaches the standard output; what a backend's
/// code prints goes to the standard error. Ends the process without destructors: those of a backend could
/// change the exit code.
int runMain(int (*tool)(int, const char *const *, std::ostream &, std::ostream &), int argc,
            const char *const *argv);

int jitBench(int argc, const char *const *argv, std::ostream &out, std::ostream &err);
int jitCache(int argc, const char *const *argv, std::ostream &out, std::ostream &err);
int jitInfo(int argc, const char *const *argv, std::ostream &out, std::ostream &err);
int jitObjdump(int argc, const char *const *argv, std::ostream &out, std::ostream &err);
int jitRun(int argc, const char *const *argv, std::ostream &out, std::ostream &err);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TOOLMAIN_H
