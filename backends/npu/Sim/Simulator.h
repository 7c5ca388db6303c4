// Simulator.h: one launch of a kernel object on the cores of a chip, and what there is to tell of it.
#ifndef KILN_BACKENDS_NPU_SIM_SIMULATOR_H
#define KILN_BACKENDS_NPU_SIM_SIMULATOR_H

#include "backends/npu/NpuObject.h"
#include "kiln/devicekit/PipeCore.h"

namespace kiln::npu {

inline constexpr std::string_view kPipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
/// The pipes that end one instruction before the next begins, a bit each.
inline constexpr uint32_t kInOrder =
    1u << static_cast<uint32_t>(Pipe::S) | 1u << static_cast<uint32_t>(Pipe::M);

struct SimOptions {
  bool hasChecks = true;
  bool isTimed = false;  // cycles are counted; the cores run on one thread
  bool movesData = true; // false: time only
  bool wantsSpans = false;
  uint64_t seed = 0; // else each pipe's durations are drawn from it
  uint32_t threads = 1;
  KilnParallelFor parallel = {}; // instead of threads, where cores may run side by side
  uint64_t watchdogInstructions = 2000000000;
};

struct SimLaunch {
  std::vector<KilnBinding> bindings; // addresses are host pointers
  std::vector<int64_t> constants;
  KilnBinding workspace = {};
  uint64_t blocks = 1;
};

/// What one kind of core did on one pipe, summed over the launch.
struct PipeTotal {
  std::string unit; // "aic.MTE1"
  devicekit::PipeStats stats;
};

struct SimSpan {
  std::string unit, name; // "aic3.MTE2", "mov_gm_l1"
  uint64_t start, end, waited, pc;
};

struct SimReport {
  std::optional<devicekit::Fault> fault;
  uint64_t cycles = 0, instructions = 0;                        // cycles: 0 unless timed
  uint64_t gmRead = 0, gmWritten = 0, l2Hits = 0, l2Misses = 0; // bytes; l2: timed only
  uint64_t elements[3] = {};                                    // written by instructions of S, V and M
  std::vector<PipeTotal> pipes;
  uint64_t cubeCores = 0, vectorCores = 0; // that had work
  std::vector<SimSpan> spans;
};

/// Bindings, constants, workspace and blocks as the object's metadata wants them. InvalidArgument names what
/// is not.
Status checkLaunch(const NpuObject &object, const SimLaunch &launch);

/// Runs a launch that checkLaunch took to its end or its first fault. GM is changed as far as the launch got.
/// Threads: safe; launches on common memory must not run at once.
SimReport simulate(const NpuObject &object, const Target &target, const SimLaunch &launch,
                   const SimOptions &options);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_SIMULATOR_H
