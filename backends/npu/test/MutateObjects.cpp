// MutateObjects.cpp: npu-mutate-objects COUNT SEED FILE...: changes random bits of objects that the compiler
// made, COUNT times in all. Each is refused, or runs to its end, or faults by name, in both modes; none harms
// this process. Says how many did what.
#include "backends/npu/test/RandomLaunch.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace kiln;
using namespace kiln::npu;

namespace {

constexpr uint64_t kMutantInstructions = 20000; // of a core, before the watchdog ends it

struct MutantCounts {
  size_t refused = 0, faulted = 0, ran = 0;
};

std::vector<uint8_t> bytesOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void tryMutant(const std::vector<uint8_t> &file, RandomLaunch &random, const SimOptions &options,
               MutantCounts &counts) {
  Result<NpuObject> object = readObject(file);
  Result<SimReport> report = object.ok() ? random.run(*object, options) : Result<SimReport>(object.status());
  if (!report.ok()) {
    if (report.status().message().empty())
      throw std::runtime_error("refused without a word");
    ++counts.refused;
    return;
  }
  ++(report->fault ? counts.faulted : counts.ran);
  if (report->fault && faultOf(*report).empty())
    throw std::runtime_error("a fault without a word");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  MutantCounts counts;
  size_t files = size_t(argc) - 3, wanted = std::strtoull(argv[1], nullptr, 10);
  for (size_t number = 0; number < files; ++number) {
    std::vector<uint8_t> good = bytesOf(argv[number + 3]);
    Result<NpuObject> object = readObject(good);
    if (!object.ok() || writeObject(*object) != good) {
      std::cerr << argv[number + 3] << ": " << object.status().message() << "\n";
      return 1;
    }
    RandomLaunch launch(*object);
    if (!launch.error.empty()) {
      std::cerr << argv[number + 3] << ": " << launch.error << "\n";
      return 1;
    }
    for (size_t i = number; i < wanted; i += files) {
      std::vector<uint8_t> file = good;
      for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        file[random() % file.size()] ^= static_cast<uint8_t>(1u << random() % 8);
      SimOptions options = i / files % 2 ? checkedMode(random()) : fastMode();
      options.watchdogInstructions = kMutantInstructions;
      tryMutant(file, launch, options, counts);
    }
  }
  std::cout << wanted << " mutants of " << files << " objects: " << counts.refused << " refused, "
            << counts.faulted << " faulted, " << counts.ran << " ran\n";
  return counts.refused && counts.faulted && counts.ran ? 0 : 1;
}
