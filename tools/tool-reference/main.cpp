// main.cpp: writes what comes from flag tables: the reference page of every tool, run by tools/dev docs; with
// a second folder, manual pages and completion scripts as an installation has them below share/.
#include "tools/lib/JitBench.h"
#include "tools/lib/JitCache.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/JitObjdump.h"
#include "tools/lib/JitRunFlags.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace kiln::tools;

namespace {

bool write(const std::filesystem::path &path, const std::string &content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path);
  file << content;
  if (file.flush())
    return true;
  std::cerr << "tool-reference: error: cannot write '" << path.string() << "'\n";
  return false;
}

std::string generated(const ToolSpec &spec, const char *kind) {
  std::ostringstream text;
  printGenerated(spec, kind, text);
  return text.str();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: tool-reference PAGES_DIR [SHARE_DIR]\n";
    return 2;
  }
  bool written = true;
  for (const ToolSpec *spec :
       {&kJitRunSpec, &kJitInfoSpec, &kJitBenchSpec, &kJitCacheSpec, &kJitObjdumpSpec}) {
    std::string name(spec->name);
    std::ostringstream page;
    printReference(*spec, page);
    written &= write(std::filesystem::path(argv[1]) / (name + ".md"), page.str());
    if (argc == 2)
      continue;
    std::filesystem::path share = argv[2];
    written &= write(share / "man/man1" / (name + ".1"), generated(*spec, "man"));
    written &= write(share / "bash-completion/completions" / name, generated(*spec, "bash"));
    written &= write(share / "zsh/site-functions" / ("_" + name), generated(*spec, "zsh"));
    written &= write(share / "fish/vendor_completions.d" / (name + ".fish"), generated(*spec, "fish"));
  }
  return written ? 0 : 3;
}
