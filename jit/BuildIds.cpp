// BuildIds.cpp: reads build ids and dependencies from the headers of the loaded objects (dl_iterate_phdr).
#include "jit/BuildIds.h"

#include "BuildInfo.h"
#include "jit/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"

#include <elf.h>
#include <link.h>

using namespace kiln;
using namespace kiln::jit;

namespace {
/// What the dynamic loader knows of a loaded object.
struct LoadedObject {
  std::string name, buildId; // name: of the file, without folders
  std::vector<std::string> needed;
  std::vector<std::pair<uintptr_t, uintptr_t>> segments;

  bool holds(const void *address) const {
    auto at = reinterpret_cast<uintptr_t>(address);
    return llvm::any_of(segments,
                        [&](const auto &segment) { return at >= segment.first && at < segment.second; });
  }
};

std::string buildIdIn(const char *at, const char *end) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
    const char *name = at + sizeof(*note);
    const char *description = name + (note->n_namesz + 3) / 4 * 4;
    if (note->n_type == NT_GNU_BUILD_ID && llvm::StringRef(name, note->n_namesz) == llvm::StringRef("GNU", 4))
      return llvm::toHex(llvm::StringRef(description, note->n_descsz), /*LowerCase=*/true);
    at = description + (note->n_descsz + 3) / 4 * 4;
  }
  return {};
}

// The loader has made the addresses in a library's dynamic section absolute; those of the vDSO stay offsets,
// and are not read: it needs nothing.
std::vector<std::string> neededBy(const ElfW(Dyn) * dynamic) {
  const char *strings = nullptr;
  std::vector<ElfW(Xword)> offsets;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char *>(dynamic->d_un.d_ptr);
    else if (dynamic->d_tag == DT_NEEDED)
      offsets.push_back(dynamic->d_un.d_val);
  }
  std::vector<std::string> names;
  for (ElfW(Xword) offset : offsets)
    names.emplace_back(strings + offset);
  return names;
}

int collect(dl_phdr_info *info, size_t, void *arg) {
  LoadedObject object;
  object.name = llvm::sys::path::filename(info->dlpi_name).str();
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const char *bytes = reinterpret_cast<const char *>(begin);
    if (header.p_type == PT_LOAD)
      object.segments.emplace_back(begin, begin + header.p_memsz);
    else if (header.p_type == PT_NOTE && object.buildId.empty())
      object.buildId = buildIdIn(bytes, bytes + header.p_memsz);
    else if (header.p_type == PT_DYNAMIC)
      object.needed = neededBy(reinterpret_cast<const ElfW(Dyn) *>(begin));
  }
  static_cast<std::vector<LoadedObject> *>(arg)->push_back(std::move(object));
  return 0;
}

std::vector<LoadedObject> loadedObjects() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(collect, &objects);
  return objects;
}

std::string buildIdAt(llvm::ArrayRef<LoadedObject> objects, const void *address) {
  auto object = llvm::find_if(objects, [&](const LoadedObject &o) { return o.holds(address); });
  return object == objects.end() ? std::string() : object->buildId;
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
  std::vector<LoadedObject> objects = loadedObjects();
  return {buildIdAt(objects, codeAddress(&loadedBuildIds)),
          buildIdAt(objects, codeAddress(&mlir::MLIRContext::getLoadedDialects)),
          buildIdAt(objects, codeAddress(&llvm::LLVMContext::getDiagHandlerPtr))};
}

std::string kiln::jit::libraryBuildIds(const void *code) {
  std::vector<LoadedObject> objects = loadedObjects();
  std::vector<const LoadedObject *> found;
  auto add = [&](const LoadedObject &object) {
    if (!llvm::is_contained(found, &object))
      found.push_back(&object);
  };
  for (const LoadedObject &object : objects)
    if (object.holds(code))
      add(object);
  for (size_t i = 0; i < found.size(); ++i)
    for (const std::string &needed : found[i]->needed)
      for (const LoadedObject &object : objects)
        if (object.name == needed && llvm::StringRef(needed).starts_with("libkiln_"))
          add(object);
  std::vector<std::string> texts;
  for (const LoadedObject *object : found)
    texts.push_back((object->name.empty() ? "program" : object->name) + " " + object->buildId);
  std::sort(texts.begin(), texts.end());
  return llvm::join(texts, "; ");
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
