// OrcLoader.h: makes "host-elf" objects callable through ORC and JITLink; part of the compiler tier.
#ifndef KILN_BACKENDS_HOST_ORCLOADER_H
#define KILN_BACKENDS_HOST_ORCLOADER_H

#include "HostKernel.h"
#include "kiln/Status.h"

#include <memory>
#include <mutex>

namespace kiln::host {

/// The loader that serves while the compiler is open. Takes and refuses the same objects as the strict
/// loader, and adds unwind tables and gdb's view of source lines. Ownership: the loader owns
/// the session and the code; a kernel holds the tracker that removes it. Threads:   every member is safe from
/// any thread.
class OrcLoader {
public:
  /// `host` is the runtime's table given to init. The session starts with the first load.
  explicit OrcLoader(const KilnHost &host);
  ~OrcLoader();

  /// Errors: InvalidArgument, a refused or malformed object; NotFound, no such entry symbol; Internal, no
  /// session.
  Result<HostKernel *> load(const KilnKernelImage &image);
  void unload(HostKernel *kernel);

  /// The table to register with an OrcLoader as its self.
  static const KilnKernelLoaderOps &ops();

private:
  class Session;
  Result<Session *> session();

  const KilnHost &host;
  std::mutex mutex; // for the start of the session
  std::unique_ptr<Session> started;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_ORCLOADER_H
