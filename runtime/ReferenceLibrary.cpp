// ReferenceLibrary.cpp: dlopen, once a process.
#include "runtime/ReferenceLibrary.h"

#include <filesystem>

#include <dlfcn.h>

namespace kiln {
namespace {

constexpr const char *kReferenceLibrary = "libkiln_reference.so";

Result<KilnReferenceTable> open(const KilnCompiler &compiler) {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<const void *>(compiler.import_model), &info) == 0 || !info.dli_fname)
    return failedPrecondition("the reference: libkiln_compiler is no file, so nothing lies beside it");
  std::string path = (std::filesystem::path(info.dli_fname).parent_path() / kReferenceLibrary).string();
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return failedPrecondition("the reference: {}", ::dlerror());
  auto openFn = reinterpret_cast<KilnReferenceOpenFn>(::dlsym(library, KILN_REFERENCE_OPEN_SYMBOL));
  if (!openFn)
    return failedPrecondition("the reference '{}': has no symbol {}", path, KILN_REFERENCE_OPEN_SYMBOL);
  KilnReferenceTable table = {};
  table.struct_size = sizeof(table);
  openFn(&table);
  return table;
}

} // namespace

Result<const KilnReferenceTable *> referenceTable(const KilnCompiler &compiler) {
  static const Result<KilnReferenceTable> table = open(compiler);
  if (!table.ok())
    return table.status();
  return &table.value();
}

} // namespace kiln
