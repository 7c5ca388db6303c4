// Diagnostics.h: errors of the compiler tier: statuses from text and from MLIR's diagnostics.
#ifndef KILN_JIT_DIAGNOSTICS_H
#define KILN_JIT_DIAGNOSTICS_H

#include "kiln/Status.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace kiln::jit {

inline Status makeError(Code code, const llvm::Twine &message) { return Status(code, message.str()); }
inline Status invalidArgument(const llvm::Twine &message) {
  return makeError(Code::InvalidArgument, message);
}
inline Status unimplemented(const llvm::Twine &message) { return makeError(Code::Unimplemented, message); }
inline Status failedPrecondition(const llvm::Twine &message) {
  return makeError(Code::FailedPrecondition, message);
}
inline Status internalError(const llvm::Twine &message) { return makeError(Code::Internal, message); }

/// A location as people read it: file:line:column, a model's node name, or the parts of a fused location
/// joined by commas. "" if unknown.
std::string locationText(mlir::Location location);

/// "NAME: TEXT"; TEXT alone where it begins with "NAME:". The locations of a file's own ops do; behind a
/// stage's name, NAME is taken out of them.
std::string withName(llvm::StringRef name, llvm::StringRef text);

/// Keeps the errors that MLIR reports in a context while it lives, in order, instead of printing them.
/// Used by one thread; the context must not be used by others meanwhile.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);
  /// The errors so far as a status: "WHAT: LOCATION: MESSAGE", notes after it. Internal if there was none.
  Status toStatus(Code code, const llvm::Twine &what) const;
  bool empty() const { return errors.empty(); }

private:
  std::vector<std::string> errors;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kiln::jit
#endif // KILN_JIT_DIAGNOSTICS_H
