// RunVariants.cpp: npu-run-variants FILE: runs each kernel of npu-drop-flags on random inputs and one block,
// so that its loops run long, and then without each of its flags: the checks find a fault, or results differ,
// or nobody needs the flag, which is an error but for those of kImpliedFlags. A barrier may be for bytes that
// the compiler does not know apart: those are counted.
#include "backends/npu/test/RandomLaunch.h"

#include <algorithm>
#include <fstream>
#include <iostream>

using namespace kiln;
using namespace kiln::npu;

namespace {

constexpr uint64_t kSeeds = 4; // draws of all durations
constexpr uint64_t kInstructions = 4000000;

/// A flag that nobody needs, because of what the compiler does not know.
struct ImpliedFlag {
  std::string_view kernel, flag; // how its lines begin
};
constexpr ImpliedFlag kImpliedFlags[] = {
    // Queries have left L1, and are in L0A: behind each the same pipes wait for keys, of which the compiler
    // does not know that there are any in each round.
    {"== attention_1x144x128x16xf16", "-- npu.set_flag[MTE1, MTE2, 4]"},
    {"== attention_1x144x128x16xf16", "-- npu.set_flag[MTE1, M, 3]"},
    // The bias was read: each tile loads operands for three products in between, of which it does not know
    // that there are so many.
    {"== matmul_add_relu_300x520xf32", "-- npu.set_flag[M, MTE1, 2]"},
};
bool isImplied(std::string_view kernel, std::string_view flag) {
  return std::any_of(std::begin(kImpliedFlags), std::end(kImpliedFlags), [&](const ImpliedFlag &implied) {
    return kernel.starts_with(implied.kernel) && flag.starts_with(implied.flag);
  });
}

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

/// One run: its fault, or the bytes of all bindings.
struct Outcome {
  std::string fault;
  std::vector<std::vector<uint8_t>> bytes;
};

Outcome run(const NpuObject &object, uint64_t blocks, uint64_t seed) {
  RandomLaunch random(object);
  if (!random.error.empty())
    return {random.error, {}};
  random.launch.blocks = blocks;
  SimOptions options = checkedMode(seed);
  options.watchdogInstructions = kInstructions;
  Result<SimReport> report = random.run(object, options);
  if (!report.ok())
    return {std::string(report.status().message()), {}};
  return {faultOf(*report), random.bytes()};
}

/// What runs of the variants of one kernel gave.
struct Counts {
  size_t kernels = 0, left = 0, faults = 0, differences = 0, unseenBarriers = 0, implied = 0, errors = 0;
};

void runKernel(const Part *parts, size_t count, Counts &counts) {
  Result<NpuObject> whole = assemble(parts[0].text);
  uint64_t blocks = 1;
  Outcome want;
  if (whole.ok())
    want = run(*whole, blocks, 1);
  if (whole.ok() && !want.fault.empty()) { // blocks that share work
    Result<int64_t> grid =
        evaluate(whole->grid, std::vector<int64_t>(whole->constantCount, kRandomLaunchExtent));
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
    bool isBarrier = parts[i].head.find("barrier") != std::string::npos;
    bool mayGo = isImplied(parts[0].head, parts[i].head);
    counts.unseenBarriers += isBarrier && !isSeen;
    counts.implied += mayGo && !isSeen;
    if (part.ok() && (mayGo ? !isSeen : isSeen || isBarrier))
      continue;
    ++counts.errors;
    std::cout << "error: " << parts[0].head << ": "
              << (!part.ok() ? std::string(part.status().message())
                  : mayGo    ? "kImpliedFlags has a flag that is missed: "
                             : "nothing is found without ")
              << parts[i].head << "\n";
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
            << " wrong results; not missed: " << counts.implied << " flags that others imply, "
            << counts.unseenBarriers << " barriers; " << counts.errors << " errors\n";
  return counts.kernels && !counts.left && !counts.errors ? 0 : 1;
}
