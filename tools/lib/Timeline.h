// Timeline.h: what happened when: import, stages of compiling, launches; as a table or a trace for Chrome and
// Perfetto.
#ifndef KILN_TOOLS_LIB_TIMELINE_H
#define KILN_TOOLS_LIB_TIMELINE_H

#include "tools/lib/KilnApi.h"

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace kiln::tools {

/// A span of time on the steady clock. `arguments`: what a viewer shows when the span is chosen.
struct Span {
  std::string name, category;
  uint64_t startNs = 0, endNs = 0;
  std::vector<std::pair<std::string, std::string>> arguments;

  double milliseconds() const { return static_cast<double>(endNs - startNs) * 1e-6; }
};

/// One stage of the compiler on a kernel, or on the whole model ("main").
struct CompileStage {
  std::string stage, unit;
  uint64_t startNs = 0, endNs = 0;
};

uint64_t steadyNs();
/// The stages that ran since the last call; none if no compiler was needed.
Result<std::vector<CompileStage>> takeCompileStages(KilnInstance *instance);
/// Two tables: milliseconds by stage, then the kernels that took longest. Times of threads are summed.
void printCompileProfile(const std::vector<CompileStage> &stages, std::ostream &out);

/// Chrome's trace event format: an object with "traceEvents", complete events ("X") in microseconds from the
/// first span. Spans of a category that overlap get rows of their own.
void writeTrace(const std::vector<Span> &spans, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TIMELINE_H
