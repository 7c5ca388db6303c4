// HostOptions.h: the options of the host backend, from its manifest, the environment and device_open.
#ifndef KILN_BACKENDS_HOST_HOSTOPTIONS_H
#define KILN_BACKENDS_HOST_HOSTOPTIONS_H

#include "CodeMemory.h"

namespace kiln::host {

/// The options in force. host.kiln.json declares them.
struct HostOptions {
  std::string cpu = "native";
  uint32_t threads = 0; // 0: one a usable core
  bool gdb = false, perf = false;

  CodeUse codeUse() const { return gdb || perf ? CodeUse::Traced : CodeUse::Plain; }

  /// The environment's values, with those of `text` ("key=value;...") over them.
  /// Errors: InvalidArgument, an unknown key or a value of the wrong form.
  static Result<HostOptions> read(const KilnHost &host, std::string_view text);
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_HOSTOPTIONS_H
