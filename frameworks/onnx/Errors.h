// Errors.h: how the importer words its errors.
#ifndef KILN_ONNX_ERRORS_H
#define KILN_ONNX_ERRORS_H

#include "kiln/Status.h"

#include "llvm/Support/FormatVariadic.h"

namespace kiln::onnx {

/// The model is wrong. Texts are `object: what came; what was expected`; whoever knows the place puts it in
/// front.
template <typename... Args> Status invalid(const char *format, Args &&...args) {
  return Status(Code::InvalidArgument, llvm::formatv(format, std::forward<Args>(args)...).str());
}

/// The model is right, but asks for something that Kiln cannot import.
template <typename... Args> Status unsupported(const char *format, Args &&...args) {
  return Status(Code::Unimplemented, llvm::formatv(format, std::forward<Args>(args)...).str());
}

/// `status` with `place: ` in front of its message.
inline Status at(llvm::StringRef place, const Status &status) {
  return Status(status.code(), (place + ": " + status.message()).str());
}

} // namespace kiln::onnx
#endif // KILN_ONNX_ERRORS_H
