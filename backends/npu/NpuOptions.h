// NpuOptions.h: the options of the npu backend, from its manifest, the environment and device_open.
#ifndef KILN_BACKENDS_NPU_NPUOPTIONS_H
#define KILN_BACKENDS_NPU_NPUOPTIONS_H

#include "backends/npu/Target.h"

#include <vector>

namespace kiln::npu {

/// How the software device runs kernels.
enum class Mode : uint8_t {
  Fast,     // results only: no checks, no simulated time
  Checked,  // every fault of the machine is found
  Timing,   // results and simulated cycles
  Estimate, // simulated cycles alone: no data moves
};

/// The options in force. npu.kiln.json declares them.
struct NpuOptions {
  ChipClass chip = ChipClass::Ascend910B;
  Mode mode = Mode::Checked;
  uint32_t devices = 1;
  uint64_t memoryBytes = uint64_t(4096) << 20;
  uint32_t threads = 0; // 0: one a usable core
  uint64_t seed = 0;    // 0: timings as modelled
  uint64_t watchdogInstructions = 2000000000;
  std::string ascendnpuIr; // where the vendor's compiler is looked for; "": wherever it may be
  std::vector<std::pair<std::string_view, uint64_t>> assumed; // figures with other values, for studies

  /// The chip's figures with those of `assumed`.
  Target target() const;

  /// The environment's values, with those of `text` ("key=value;...") over them.
  /// Errors: InvalidArgument, an unknown key or a value of the wrong form.
  static Result<NpuOptions> read(const KilnHost &host, std::string_view text);
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_NPUOPTIONS_H
