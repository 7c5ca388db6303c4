// SimHarness.h: assembled kernels, host buffers as GM, and the modes in which tests run them.
#ifndef KILN_BACKENDS_NPU_TEST_SIMHARNESS_H
#define KILN_BACKENDS_NPU_TEST_SIMHARNESS_H

#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace kiln::npu {

/// A kernel with its buffers. Buffers live in the harness, 64-byte aligned.
class SimHarness {
public:
  explicit SimHarness(std::string_view text) {
    Result<NpuObject> assembled = assemble(text);
    EXPECT_TRUE(assembled.ok()) << (assembled.ok() ? "" : assembled.status().message()) << "\n" << text;
    if (assembled.ok())
      object = *assembled;
  }
  NpuObject object;
  uint64_t blocks = 1;
  std::vector<int64_t> constants;

  template <typename T> void add(const std::vector<T> &values) {
    buffers.emplace_back(values.size() * sizeof(T) / 64 + 1);
    std::memcpy(buffers.back().data(), values.data(), values.size() * sizeof(T));
    sizes.push_back(values.size() * sizeof(T));
  }
  /// Forgets all buffers.
  void clear() {
    buffers.clear();
    sizes.clear();
  }
  template <typename T> std::vector<T> read(size_t binding) const {
    std::vector<T> values(sizes[binding] / sizeof(T));
    std::memcpy(values.data(), buffers[binding].data(), sizes[binding]);
    return values;
  }
  void reserveWorkspace(uint64_t bytes) { workspace.resize(bytes / 64 + 1); }

  SimReport run(const SimOptions &options) { return run(object, options); }
  SimReport run(const NpuObject &code, const SimOptions &options) {
    SimLaunch launch;
    for (size_t i = 0; i < buffers.size(); ++i)
      launch.bindings.push_back({reinterpret_cast<uint64_t>(buffers[i].data()), sizes[i]});
    launch.constants = constants;
    launch.workspace = {reinterpret_cast<uint64_t>(workspace.data()), workspace.size() * 64};
    launch.blocks = blocks;
    Status status = checkLaunch(code, launch);
    EXPECT_TRUE(status.ok()) << status.message();
    return simulate(code, Target::of(code.chip), launch, options);
  }

private:
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<std::vector<Line>> buffers;
  std::vector<uint64_t> sizes;
  std::vector<Line> workspace;
};

inline SimOptions fastMode() {
  SimOptions options;
  options.hasChecks = false;
  options.threads = 2;
  return options;
}
inline SimOptions checkedMode(uint64_t seed = 0) {
  SimOptions options;
  options.seed = seed;
  options.threads = 2;
  return options;
}
inline SimOptions timingMode() {
  SimOptions options;
  options.hasChecks = false;
  options.isTimed = true;
  return options;
}

inline std::string faultOf(const SimReport &report) { return report.fault ? report.fault->text("") : ""; }

/// Numbers between -2 and 2 that f16 holds.
inline std::vector<uint16_t> randomHalves(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values)
    value = floatToHalf(static_cast<float>(static_cast<int64_t>(random() % 4097) - 2048) / 1024.0f);
  return values;
}
inline std::vector<float> randomFloats(size_t count, uint64_t seed) {
  std::vector<float> values;
  for (uint16_t half : randomHalves(count, seed))
    values.push_back(halfToFloat(half));
  return values;
}

/// How many seeds, mutations and the like a test takes: a sample, or all of them with KILN_TEST_FULL.
inline int sampled(int sample, int full) { return std::getenv("KILN_TEST_FULL") ? full : sample; }

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TEST_SIMHARNESS_H
