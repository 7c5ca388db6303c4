// BuildIds.cpp: reads build ids from the program headers of the loaded objects (dl_iterate_phdr).
#include "jit/BuildIds.h"

#include "BuildInfo.h"
#include "jit/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"

#include <elf.h>
#include <link.h>

using namespace kiln;
using namespace kiln::jit;

namespace {
struct Search {
  uintptr_t address; // of a function in the library looked for
  std::string buildId;
};

std::string buildIdOf(const dl_phdr_info &info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(info.dlpi_addr + header.p_vaddr);
    const char *end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof(*note);
      const char *description = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) == llvm::StringRef("GNU", 4))
        return llvm::toHex(llvm::StringRef(description, note->n_descsz), /*LowerCase=*/true);
      at = description + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return {};
}

int visit(dl_phdr_info *info, size_t, void *arg) {
  auto &search = *static_cast<Search *>(arg);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search.address >= begin && search.address < begin + header.p_memsz) {
      search.buildId = buildIdOf(*info);
      return 1;
    }
  }
  return 0;
}

std::string buildIdAt(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.buildId;
}

/// The address of a member function's code, which lies in the library that defines it.
template <typename Function> const void *codeAddress(Function function) {
  static_assert(sizeof(function) >= sizeof(void *));
  const void *address;
  __builtin_memcpy(&address, &function, sizeof(address));
  return address;
}
} // namespace

std::string BuildIds::text() const {
  return "kiln " KILN_JIT_VERSION "; compiler " + compiler + "; mlir " + mlir + "; llvm " + llvm;
}

BuildIds kiln::jit::loadedBuildIds() {
  return {buildIdAt(codeAddress(&loadedBuildIds)),
          buildIdAt(codeAddress(&mlir::MLIRContext::getLoadedDialects)),
          buildIdAt(codeAddress(&llvm::LLVMContext::getDiagHandlerPtr))};
}

Status kiln::jit::verifyBuildIds(const BuildIds &loaded) {
  auto check = [](llvm::StringRef library, llvm::StringRef built, llvm::StringRef loaded) -> Status {
    if (built == loaded)
      return {};
    return failedPrecondition(library + ": build id " + (loaded.empty() ? "none" : loaded) +
                              "; this Kiln was built with " + built + "; rebuild it against this " + library);
  };
  KILN_RETURN_IF_ERROR(check("libMLIR", KILN_JIT_MLIR_BUILD_ID, loaded.mlir));
  return check("libLLVM", KILN_JIT_LLVM_BUILD_ID, loaded.llvm);
}
