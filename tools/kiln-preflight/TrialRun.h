// TrialRun.h: what kiln-preflight does: loads one backend, in one of three depths, and says so at its end.
#ifndef KILN_TOOLS_KILNPREFLIGHT_TRIALRUN_H
#define KILN_TOOLS_KILNPREFLIGHT_TRIALRUN_H

#include <iosfwd>

namespace kiln::tools {

/// `kiln-preflight MANIFEST runtime|compiler|report [DIRECTORY...]`. runtime: opens, queries and initialises
/// the runtime tier; compiler: the compiler tier; report: both, and opens the first device; what came of it
/// is one line of JSON. The last line is kPreflightEnd, whether the backend could be loaded or not: only a
/// process that gets there survived it.
int trialRun(int argc, const char *const *argv, std::ostream &out, std::ostream &err);

} // namespace kiln::tools
#endif // KILN_TOOLS_KILNPREFLIGHT_TRIALRUN_H
