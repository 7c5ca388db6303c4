// kiln/Status.h: Status and Result<T>, how C++ code of the runtime, of backends and of jit/ reports errors.
//
// Header-only and free of other Kiln headers but backend.h, so that backends can use it without linking to
// Kiln.
#ifndef KILN_STATUS_H
#define KILN_STATUS_H

#include "kiln/backend.h"

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kiln {

/// What the caller should do about an error; values equal KilnCode.
enum class Code : uint32_t {
  Ok = KILN_OK,
  Cancelled = KILN_CANCELLED,
  Unknown = KILN_UNKNOWN,
  InvalidArgument = KILN_INVALID_ARGUMENT,
  DeadlineExceeded = KILN_DEADLINE_EXCEEDED,
  NotFound = KILN_NOT_FOUND,
  AlreadyExists = KILN_ALREADY_EXISTS,
  PermissionDenied = KILN_PERMISSION_DENIED,
  ResourceExhausted = KILN_RESOURCE_EXHAUSTED,
  FailedPrecondition = KILN_FAILED_PRECONDITION,
  Aborted = KILN_ABORTED,
  OutOfRange = KILN_OUT_OF_RANGE,
  Unimplemented = KILN_UNIMPLEMENTED,
  Internal = KILN_INTERNAL,
  Unavailable = KILN_UNAVAILABLE,
  DataLoss = KILN_DATA_LOSS,
  InProgress = KILN_IN_PROGRESS,
  Forked = KILN_FORKED,
};

inline KilnStr toStr(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view toView(KilnStr text) { return {text.data, text.size}; }

/// A code and a message, or OK. Cheap to copy when OK. Not thread-safe for one object.
class [[nodiscard]] Status {
public:
  Status() = default; // OK
  Status(Code code, std::string message) : theCode(code), theMessage(std::move(message)) {
    assert(code != Code::Ok && "an OK status has no message");
  }
  bool ok() const { return theCode == Code::Ok; }
  Code code() const { return theCode; }
  const std::string &message() const { return theMessage; }

  /// Takes over a status that came through the C ABI and frees it. A code that this header does not know, the
  /// other side being newer, becomes Unknown with its number in the message.
  static Status fromC(const KilnHost &host, KilnStatus status) {
    if (!status)
      return {};
    KilnCode code = host.status_code(status);
    std::string message(toView(host.status_message(status)));
    host.status_free(status);
    if (!isKnown(code))
      return Status(Code::Unknown, message + " (code " + std::to_string(code) + ")");
    return Status(static_cast<Code>(code), std::move(message));
  }
  /// A new C status; null if OK.
  KilnStatus toC(const KilnHost &host) const {
    return ok() ? nullptr : host.status_make(static_cast<KilnCode>(theCode), toStr(theMessage));
  }

private:
  static constexpr bool isKnown(KilnCode code) {
    return code > KILN_OK && code <= KILN_FORKED && code != 16; // 16 is no code of ours
  }
  Code theCode = Code::Ok;
  std::string theMessage;
};

/// A value or the error that kept it from being made.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : theValue(std::move(value)) {}
  Result(Status status) : theStatus(std::move(status)) {
    assert(!theStatus.ok() && "a Result needs a value");
  }
  bool ok() const { return theValue.has_value(); }
  const Status &status() const { return theStatus; }
  T &value() & { return assert(ok()), *theValue; }
  const T &value() const & { return assert(ok()), *theValue; }
  T &&value() && { return assert(ok()), std::move(*theValue); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

private:
  std::optional<T> theValue;
  Status theStatus;
};

// clang-format off
#define KILN_RETURN_IF_ERROR(expression)                                                                         \
  do { if (::kiln::Status kilnStatus = (expression); !kilnStatus.ok()) return kilnStatus; } while (false)
#define KILN_CONCAT_INNER(a, b) a##b
#define KILN_CONCAT(a, b) KILN_CONCAT_INNER(a, b)
#define KILN_ASSIGN_OR_RETURN_IMPL(temporary, declaration, expression)                                           \
  auto temporary = (expression);                                                                                 \
  if (!temporary.ok()) return temporary.status();                                                                \
  declaration = std::move(temporary).value()
/// KILN_ASSIGN_OR_RETURN(Shard *shard, shardFor(key));
#define KILN_ASSIGN_OR_RETURN(declaration, expression)                                                           \
  KILN_ASSIGN_OR_RETURN_IMPL(KILN_CONCAT(kilnResult, __LINE__), declaration, expression)
// clang-format on

} // namespace kiln
#endif // KILN_STATUS_H
