// StrictLoader.h: makes "host-elf" objects callable without LLVM.
#ifndef KILN_BACKENDS_HOST_STRICTLOADER_H
#define KILN_BACKENDS_HOST_STRICTLOADER_H

#include "CodeMemory.h"
#include "HostKernel.h"
#include "RuntimeSymbols.h"

namespace kiln::host {

/// The default loader where no compiler is open. Accepts only what ElfObject::parse accepts; undefined
/// symbols resolve to the runtime's table of functions and to nothing else. Ownership: the loader owns the
/// code memory; unload() gives a kernel's part back. Threads:   every member is safe from any thread.
class StrictLoader {
public:
  /// `host` is the runtime's table given to init.
  explicit StrictLoader(const KilnHost &host);

  /// Errors: InvalidArgument, a refused or malformed object; NotFound, no such entry symbol;
  /// ResourceExhausted.
  Result<HostKernel *> load(const KilnKernelImage &image);
  void unload(HostKernel *kernel);
  CodeMemory::Usage usage() const { return memory.usage(); }

  /// The table to register with a StrictLoader as its self.
  static const KilnKernelLoaderOps &ops();

private:
  const KilnHost &host;
  RuntimeSymbols symbols;
  CodeMemory memory;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_STRICTLOADER_H
