// RunVariants.cpp: npu-run-variants FILE: runs each kernel of npu-drop-flags on random inputs and one block,
// so that its loops run long, and then without each of its flags: the checks find a fault, or results differ,
// or nobody needs the flag, which is an error. A barrier may be for bytes that the compiler does not know
// apart, and a flag between cores may follow from the others: those are counted.
#include "backends/npu/Sim/Simulator.h"
#include "backends/npu/test/SimHarness.h"

#include <fstream>
#include <iostream>

using namespace kiln;
using namespace kiln::npu;

namespace {

constexpr int64_t kExtent = 37; // of each dynamic extent, and each scalar
constexpr uint64_t kSeeds = 4;  // draws of all durations
constexpr uint64_t kInstructions = 4000000;
// Of an attention: that queries have left L1, and that they are in L0A. Behind each the same pipes wait for
// keys, of which the compiler does not know that there are any in each round. Of a product: that its bias was
// read; each tile loads operands for three products in between, of which it does not know that there are so
// many.
constexpr size_t kImpliedFlags = 3;

/// One text of the file.
struct Part {
  std::string head, text;
};

std::vector<Part> partsOf(std::istream &file) {
  std::vector<Part> parts;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ") || line.starts_with("-- "))
      parts.push_back({line, ""});
    else if (!parts.empty())
      parts.back().text += line + "\n";
  }
  return parts;
}

std::vector<uint8_t> inputOf(uint32_t dtype, uint64_t bytes, uint64_t seed) {
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

/// One run: its fault, or the bytes of all bindings.
struct Outcome {
  std::string fault;
  std::vector<std::vector<uint8_t>> bytes;
};

Outcome run(const NpuObject &object, uint64_t blocks, uint64_t seed) {
  SimLaunch launch;
  launch.constants.assign(object.constantCount, kExtent);
  launch.blocks = blocks;
  Outcome outcome;
  for (const ObjectBinding &binding : object.bindings) {
    Result<int64_t> bytes = evaluate(binding.bytes, launch.constants);
    if (!bytes.ok())
      return {std::string(bytes.status().message()), {}};
    outcome.bytes.push_back(inputOf(binding.dtype, uint64_t(*bytes), outcome.bytes.size() + 1));
  }
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  Result<int64_t> workspace =
      object.workspaceBytes.empty() ? Result<int64_t>(0) : evaluate(object.workspaceBytes, launch.constants);
  std::vector<std::vector<Line>> buffers;
  for (const std::vector<uint8_t> &bytes : outcome.bytes) {
    buffers.emplace_back(bytes.size() / 64 + 1);
    std::memcpy(buffers.back().data(), bytes.data(), bytes.size());
    launch.bindings.push_back({reinterpret_cast<uint64_t>(buffers.back().data()), bytes.size()});
  }
  std::vector<Line> shared(uint64_t(workspace.ok() ? *workspace : 0) / 64 + 1);
  launch.workspace = {reinterpret_cast<uint64_t>(shared.data()), shared.size() * 64};
  if (Status status = checkLaunch(object, launch); !status.ok())
    return {std::string(status.message()), {}};
  SimOptions options = checkedMode(seed);
  options.watchdogInstructions = kInstructions;
  SimReport report = simulate(object, Target::of(object.chip), launch, options);
  outcome.fault = faultOf(report);
  for (size_t i = 0; i < buffers.size(); ++i)
    std::memcpy(outcome.bytes[i].data(), buffers[i].data(), outcome.bytes[i].size());
  return outcome;
}

/// What runs of the variants of one kernel gave.
struct Counts {
  size_t kernels = 0, left = 0, faults = 0, differences = 0, unseenFlags = 0, unseenBarriers = 0,
         unseenCrossFlags = 0;
};

void runKernel(const Part *parts, size_t count, Counts &counts) {
  Result<NpuObject> whole = assemble(parts[0].text);
  uint64_t blocks = 1;
  Outcome want;
  if (whole.ok())
    want = run(*whole, blocks, 1);
  if (whole.ok() && !want.fault.empty()) { // blocks that share work
    Result<int64_t> grid = evaluate(whole->grid, std::vector<int64_t>(whole->constantCount, kExtent));
    blocks = grid.ok() ? uint64_t(*grid) : 1;
    want = run(*whole, blocks, 1);
  }
  if (!whole.ok() || !want.fault.empty()) {
    std::cout << "left out: " << parts[0].head << ": " << (whole.ok() ? want.fault : whole.status().message())
              << "\n";
    ++counts.left;
    return;
  }
  ++counts.kernels;
  for (size_t i = 1; i < count; ++i) {
    Result<NpuObject> part = assemble(parts[i].text);
    bool isSeen = false;
    for (uint64_t seed = 1; seed <= kSeeds && part.ok() && !isSeen; ++seed) {
      Outcome got = run(*part, blocks, seed);
      isSeen = !got.fault.empty() || got.bytes != want.bytes;
      counts.faults += !got.fault.empty();
      counts.differences += got.fault.empty() && isSeen;
    }
    bool isBarrier = parts[i].head.find("barrier") != std::string::npos,
         isCross = parts[i].head.find("cross_") != std::string::npos;
    if (part.ok() && isSeen)
      continue;
    ++(isBarrier ? counts.unseenBarriers : isCross ? counts.unseenCrossFlags : counts.unseenFlags);
    if ((!isBarrier && !isCross) || !part.ok())
      std::cout << "error: " << parts[0].head << ": nothing is found without " << parts[i].head
                << (part.ok() ? "" : ": " + std::string(part.status().message())) << "\n";
  }
}

} // namespace

int main(int argc, char **argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  std::vector<Part> parts = partsOf(file);
  Counts counts;
  for (size_t first = 0; first < parts.size();) {
    size_t end = first + 1;
    while (end < parts.size() && parts[end].head.starts_with("--"))
      ++end;
    runKernel(&parts[first], end - first, counts);
    first = end;
  }
  std::cout << counts.kernels << " kernels, " << counts.left
            << " left out; without a flag or barrier: " << counts.faults << " faults, " << counts.differences
            << " wrong results; unseen: " << counts.unseenFlags << " flags (" << kImpliedFlags << " may be), "
            << counts.unseenBarriers << " barriers, " << counts.unseenCrossFlags << " flags between cores\n";
  bool isSeen = counts.unseenFlags <= kImpliedFlags && !counts.unseenCrossFlags;
  return counts.kernels && !counts.left && isSeen ? 0 : 1;
}
