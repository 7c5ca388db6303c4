// RandomLaunch.h: what a launch of any object needs, random: inputs of its types, workspace, extents.
#ifndef KILN_BACKENDS_NPU_TEST_RANDOMLAUNCH_H
#define KILN_BACKENDS_NPU_TEST_RANDOMLAUNCH_H

#include "backends/npu/test/SimHarness.h"

namespace kiln::npu {

inline constexpr int64_t kRandomLaunchExtent = 37; // of each dynamic extent, and each scalar

/// Bytes of small numbers of a type; indices are 0 and 1.
inline std::vector<uint8_t> randomInput(uint32_t dtype, uint64_t bytes, uint64_t seed) {
  std::vector<uint8_t> data(bytes);
  std::mt19937_64 random(seed);
  auto fill = [&](auto make) {
    using T = decltype(make());
    for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
      T value = make();
      std::memcpy(data.data() + at, &value, sizeof(T));
    }
  };
  auto number = [&] { return static_cast<float>(static_cast<int64_t>(random() % 4097) - 2048) / 1024.0f; };
  switch (dtype) {
  case KILN_F32:
    fill(number);
    break;
  case KILN_F16:
    fill([&] { return floatToHalf(number()); });
    break;
  case KILN_BF16:
    fill([&] { return static_cast<uint16_t>(std::bit_cast<uint32_t>(number()) >> 16); });
    break;
  case KILN_I64:
  case KILN_U64: // indices
    fill([&] { return static_cast<uint64_t>(random() % 2); });
    break;
  case KILN_I32:
  case KILN_U32:
    fill([&] { return static_cast<uint32_t>(random() % 2); });
    break;
  default:
    fill([&] { return static_cast<uint8_t>(random() % 2); });
  }
  return data;
}

/// Buffers of a size that an object asks for. Inputs are the same ones each time.
class RandomLaunch {
public:
  explicit RandomLaunch(const NpuObject &object) {
    launch.constants.assign(object.constantCount, kRandomLaunchExtent);
    for (const ObjectBinding &binding : object.bindings) {
      Result<int64_t> bytes = evaluate(binding.bytes, launch.constants);
      if (!bytes.ok()) {
        error = bytes.status().message();
        return;
      }
      inputs.push_back(randomInput(binding.dtype, uint64_t(*bytes), inputs.size() + 1));
      buffers.emplace_back(inputs.back().size() / 64 + 1);
      launch.bindings.push_back({reinterpret_cast<uint64_t>(buffers.back().data()), inputs.back().size()});
    }
    Result<int64_t> bytes = object.workspaceBytes.empty() ? Result<int64_t>(0)
                                                          : evaluate(object.workspaceBytes, launch.constants);
    workspace.resize(uint64_t(bytes.ok() ? *bytes : 0) / 64 + 1);
    launch.workspace = {reinterpret_cast<uint64_t>(workspace.data()), workspace.size() * 64};
  }
  std::string error; // why there is no launch
  SimLaunch launch;  // of one block

  /// Runs an object that takes what the launch was made for. InvalidArgument: it takes something else.
  Result<SimReport> run(const NpuObject &object, const SimOptions &options) {
    for (size_t i = 0; i < inputs.size(); ++i)
      std::memcpy(buffers[i].data(), inputs[i].data(), inputs[i].size());
    KILN_RETURN_IF_ERROR(checkLaunch(object, launch));
    return simulate(object, Target::of(object.chip), launch, options);
  }
  /// The bytes of all bindings.
  std::vector<std::vector<uint8_t>> bytes() const {
    std::vector<std::vector<uint8_t>> all = inputs;
    for (size_t i = 0; i < all.size(); ++i)
      std::memcpy(all[i].data(), buffers[i].data(), all[i].size());
    return all;
  }

private:
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<std::vector<Line>> buffers;
  std::vector<Line> workspace;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TEST_RANDOMLAUNCH_H
