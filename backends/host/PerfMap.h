// PerfMap.h: tells perf where kernels lie and what they are called.
#ifndef KILN_BACKENDS_HOST_PERFMAP_H
#define KILN_BACKENDS_HOST_PERFMAP_H

#include <cstddef>
#include <string_view>

namespace kiln::host {

/// Adds a line to /tmp/perf-PID.map (the format of perf's jit-interface.txt), which perf reads when it
/// reports samples of anonymous executable memory: the `bytes` at `code` belong to kernel `name`. Never
/// fails: perf then shows an address. Threads: any.
void writePerfMap(std::string_view name, const void *code, size_t bytes);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_PERFMAP_H
