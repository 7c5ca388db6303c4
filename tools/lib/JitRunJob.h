// JitRunJob.h: what one invocation of jit-run opened, and single runs on it.
#ifndef KILN_TOOLS_LIB_JITRUNJOB_H
#define KILN_TOOLS_LIB_JITRUNJOB_H

#include "tools/lib/Flags.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/KilnApi.h"
#include "tools/lib/Timeline.h"

namespace kiln::tools {

/// Opened objects in the order in which they must be released, and the spans of time that a trace shows. Not
/// thread-safe.
struct JitRunJob {
  explicit JitRunJob(const ParsedFlags &flags) : flags(flags) {}

  const ParsedFlags &flags;
  InstanceHandle instance;
  SessionHandle session, reference; // reference: null unless --reference is given
  ModelHandle model;
  std::vector<Span> spans;
  std::vector<CompileStage> stages;

  Status openInstance();
  /// InvalidArgument: the device computes nothing, if `mustCompute`.
  Result<SessionHandle> openSession(const std::string &device, bool mustCompute);
  Status loadModel(const std::string &path);
  std::string deviceName() const { return std::string(toView(kiln_session_device(session.get()))); }

  Result<RunHandle> run(KilnSession *on, const std::vector<KilnTensor> &inputs, bool profile);
  /// Runs `body` and keeps the time that it took as a span.
  template <typename Body> auto timed(const std::string &name, Body body) {
    Span span{name, "jit-run", steadyNs(), 0, {}};
    auto result = body();
    span.endNs = steadyNs();
    spans.push_back(std::move(span));
    return result;
  }
  double lastMilliseconds() const { return spans.back().milliseconds(); }
};

/// Copies of all outputs.
Result<std::vector<HostTensor>> readOutputs(KilnRun *run);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITRUNJOB_H
