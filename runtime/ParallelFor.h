// ParallelFor.h: host threads for compiling kernels side by side.
#ifndef KILN_RUNTIME_PARALLELFOR_H
#define KILN_RUNTIME_PARALLELFOR_H

#include "kiln/Status.h"

#include <functional>

namespace kiln {

/// Runs fn(i) for every i in [0, count) on up to `threads` threads (0: as many as the machine has), this one
/// among them. All indices are run even if some fail; the error of the lowest failing index is returned.
Status parallelFor(size_t count, size_t threads, const std::function<Status(size_t)> &fn);

} // namespace kiln
#endif // KILN_RUNTIME_PARALLELFOR_H
