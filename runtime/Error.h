// Error.h: makers of error statuses with formatted messages, one for each code.
//
// Messages read `object: what came; what was expected`: lower case, no full stop, names in single quotes.
#ifndef KILN_RUNTIME_ERROR_H
#define KILN_RUNTIME_ERROR_H

#include "kiln/Status.h"

#include <fmt/format.h>

namespace kiln {

// clang-format off
#define KILN_ERROR_MAKER(name, code)                                                                             \
  template <typename... Args> Status name(fmt::format_string<Args...> text, Args &&...args) {                    \
    return Status(Code::code, fmt::format(text, std::forward<Args>(args)...));                                   \
  }
KILN_ERROR_MAKER(cancelled, Cancelled)
KILN_ERROR_MAKER(unknownError, Unknown)
KILN_ERROR_MAKER(invalidArgument, InvalidArgument)
KILN_ERROR_MAKER(deadlineExceeded, DeadlineExceeded)
KILN_ERROR_MAKER(notFound, NotFound)
KILN_ERROR_MAKER(alreadyExists, AlreadyExists)
KILN_ERROR_MAKER(permissionDenied, PermissionDenied)
KILN_ERROR_MAKER(resourceExhausted, ResourceExhausted)
KILN_ERROR_MAKER(failedPrecondition, FailedPrecondition)
KILN_ERROR_MAKER(aborted, Aborted)
KILN_ERROR_MAKER(outOfRange, OutOfRange)
KILN_ERROR_MAKER(unimplemented, Unimplemented)
KILN_ERROR_MAKER(internalError, Internal)
KILN_ERROR_MAKER(unavailable, Unavailable)
KILN_ERROR_MAKER(dataLoss, DataLoss)
KILN_ERROR_MAKER(inProgress, InProgress)
KILN_ERROR_MAKER(forkedError, Forked)
#undef KILN_ERROR_MAKER
// clang-format on

/// "INVALID_ARGUMENT"; "UNKNOWN" for a number that is no code. Static.
const char *codeName(KilnCode code);

/// The same error with `context: ` before its message; OK stays OK.
template <typename... Args>
Status withContext(const Status &status, fmt::format_string<Args...> text, Args &&...args) {
  if (status.ok())
    return status;
  return Status(status.code(), fmt::format(text, std::forward<Args>(args)...) + ": " + status.message());
}

} // namespace kiln
#endif // KILN_RUNTIME_ERROR_H
