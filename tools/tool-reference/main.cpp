// main.cpp: writes the reference page of every tool with a flag table into a folder; run by tools/dev docs.
#include "tools/lib/JitBench.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/JitRunFlags.h"

#include <filesystem>
#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  using namespace kiln::tools;
  if (argc != 2) {
    std::cerr << "usage: tool-reference DIR\n";
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const ToolSpec *spec : {&kJitRunSpec, &kJitInfoSpec, &kJitBenchSpec}) {
    std::filesystem::path page = std::filesystem::path(argv[1]) / (std::string(spec->name) + ".md");
    std::ofstream file(page);
    printReference(*spec, file);
    if (!file.flush()) {
      std::cerr << "tool-reference: error: cannot write '" << page.string() << "'\n";
      return 3;
    }
  }
  return 0;
}
