// Error.cpp: names of status codes.
#include "runtime/Error.h"

namespace kiln {

const char *codeName(KilnCode code) {
  switch (static_cast<Code>(code)) {
  case Code::Ok:
    return "OK";
  case Code::Cancelled:
    return "CANCELLED";
  case Code::Unknown:
    return "UNKNOWN";
  case Code::InvalidArgument:
    return "INVALID_ARGUMENT";
  case Code::DeadlineExceeded:
    return "DEADLINE_EXCEEDED";
  case Code::NotFound:
    return "NOT_FOUND";
  case Code::AlreadyExists:
    return "ALREADY_EXISTS";
  case Code::PermissionDenied:
    return "PERMISSION_DENIED";
  case Code::ResourceExhausted:
    return "RESOURCE_EXHAUSTED";
  case Code::FailedPrecondition:
    return "FAILED_PRECONDITION";
  case Code::Aborted:
    return "ABORTED";
  case Code::OutOfRange:
    return "OUT_OF_RANGE";
  case Code::Unimplemented:
    return "UNIMPLEMENTED";
  case Code::Internal:
    return "INTERNAL";
  case Code::Unavailable:
    return "UNAVAILABLE";
  case Code::DataLoss:
    return "DATA_LOSS";
  case Code::InProgress:
    return "IN_PROGRESS";
  case Code::Forked:
    return "FORKED";
  }
  return "UNKNOWN"; // a number from across the ABI that is no code of ours
}

} // namespace kiln
