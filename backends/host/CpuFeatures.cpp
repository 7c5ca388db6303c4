// CpuFeatures.cpp: CPUID bits (Intel SDM volume 2A, AMD APM volume 3) under LLVM's feature names.
#include "CpuFeatures.h"

#include <cpuid.h>

#include <cstdint>

namespace kiln::host {
namespace {

enum Register : uint8_t { Eax, Ebx, Ecx, Edx };

/// The register state that a feature needs saved, as XCR0 bits.
constexpr uint64_t stateNone = 0, stateAvx = 0x6, stateAvx512 = 0xe6, stateAmx = 0x60000;

struct FeatureBit {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  uint8_t bit;
  uint64_t state;
};

// Only what a code generator uses without being asked by name, and vector and matrix extensions.
constexpr FeatureBit featureBits[] = {
    {"sse3", 1, 0, Ecx, 0, stateNone},
    {"ssse3", 1, 0, Ecx, 9, stateNone},
    {"fma", 1, 0, Ecx, 12, stateAvx},
    {"cx16", 1, 0, Ecx, 13, stateNone},
    {"sse4.1", 1, 0, Ecx, 19, stateNone},
    {"sse4.2", 1, 0, Ecx, 20, stateNone},
    {"movbe", 1, 0, Ecx, 22, stateNone},
    {"popcnt", 1, 0, Ecx, 23, stateNone},
    {"avx", 1, 0, Ecx, 28, stateAvx},
    {"f16c", 1, 0, Ecx, 29, stateAvx},
    {"bmi", 7, 0, Ebx, 3, stateNone},
    {"avx2", 7, 0, Ebx, 5, stateAvx},
    {"bmi2", 7, 0, Ebx, 8, stateNone},
    {"avx512f", 7, 0, Ebx, 16, stateAvx512},
    {"avx512dq", 7, 0, Ebx, 17, stateAvx512},
    {"avx512ifma", 7, 0, Ebx, 21, stateAvx512},
    {"avx512cd", 7, 0, Ebx, 28, stateAvx512},
    {"avx512bw", 7, 0, Ebx, 30, stateAvx512},
    {"avx512vl", 7, 0, Ebx, 31, stateAvx512},
    {"avx512vbmi", 7, 0, Ecx, 1, stateAvx512},
    {"avx512vbmi2", 7, 0, Ecx, 6, stateAvx512},
    {"gfni", 7, 0, Ecx, 8, stateNone},
    {"avx512vnni", 7, 0, Ecx, 11, stateAvx512},
    {"avx512bitalg", 7, 0, Ecx, 12, stateAvx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, stateAvx512},
    {"amx-bf16", 7, 0, Edx, 22, stateAmx},
    {"avx512fp16", 7, 0, Edx, 23, stateAvx512},
    {"amx-tile", 7, 0, Edx, 24, stateAmx},
    {"amx-int8", 7, 0, Edx, 25, stateAmx},
    {"avxvnni", 7, 1, Eax, 4, stateAvx},
    {"avx512bf16", 7, 1, Eax, 5, stateAvx512},
    {"lzcnt", 0x80000001, 0, Ecx, 5, stateNone},
    {"sahf", 0x80000001, 0, Ecx, 0, stateNone},
};

// The psABI's levels; each holds those above it in this list.
struct Level {
  std::string_view name;
  std::initializer_list<const char *> features;
};
const Level levels[] = {
    {"x86-64-v2", {"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"}},
    {"x86-64-v3", {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
    {"x86-64-v4", {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}},
};

uint64_t savedState() {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

FeatureSet detect() {
  FeatureSet found;
  uint64_t state = savedState();
  for (const FeatureBit &feature : featureBits) {
    uint32_t words[4] = {};
    if (!__get_cpuid_count(feature.leaf, feature.subleaf, &words[Eax], &words[Ebx], &words[Ecx], &words[Edx]))
      continue;
    if ((words[feature.where] >> feature.bit & 1) && (state & feature.state) == feature.state)
      found.insert(feature.name);
  }
  return found;
}

bool contains(const FeatureSet &all, const FeatureSet &part) {
  for (const std::string &feature : part)
    if (!all.contains(feature))
      return false;
  return true;
}

std::string toText(const FeatureSet &features) {
  std::string text;
  for (const std::string &feature : features)
    text += (text.empty() ? "+" : ",+") + feature;
  return text;
}

} // namespace

const FeatureSet &machineFeatures() {
  static const FeatureSet features = detect();
  return features;
}

FeatureSet levelFeatures(std::string_view name) {
  FeatureSet features;
  for (const Level &level : levels) {
    features.insert(level.features.begin(), level.features.end());
    if (level.name == name)
      return features;
  }
  return {};
}

Result<CpuTarget> resolveCpu(std::string_view cpu, const FeatureSet &machine) {
  if (cpu == "native") {
    CpuTarget target{"x86-64", toText(machine)};
    for (const Level &level : levels)
      if (contains(machine, levelFeatures(level.name)))
        target.arch = level.name;
    return target;
  }
  if (cpu != "x86-64-v3" && cpu != "x86-64-v4")
    return Status(Code::InvalidArgument,
                  "option 'cpu': '" + std::string(cpu) + "'; expected native, x86-64-v3 or x86-64-v4");
  FeatureSet wanted = levelFeatures(cpu);
  std::string missing;
  for (const std::string &feature : wanted)
    if (!machine.contains(feature))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (!missing.empty())
    return Status(Code::FailedPrecondition, "option 'cpu': '" + std::string(cpu) + "' needs " + missing +
                                                ", which this machine lacks; native uses what there is");
  return CpuTarget{std::string(cpu), toText(wanted)};
}

} // namespace kiln::host
