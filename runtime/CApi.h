// CApi.h: what the files of the C API share: the objects behind the opaque types, and the boundary's checks.
#ifndef KILN_RUNTIME_CAPI_H
#define KILN_RUNTIME_CAPI_H

#include "kiln/kiln.h"
#include "runtime/Error.h"
#include "runtime/Session.h"

#include <cstring>
#include <exception>
#include <new>

struct KilnInstance {
  std::shared_ptr<kiln::Instance> instance;
};
struct KilnSession {
  std::shared_ptr<kiln::Session> session;
};
struct KilnModel {
  kiln::ModelRef model;
};
struct KilnRun {
  std::shared_ptr<kiln::Run> run;
};

namespace kiln::capi {

/// Runs `body`, a function that returns Status; no exception leaves the library.
template <typename Body> KilnStatus guarded(Body &&body) noexcept {
  try {
    return toC(body());
  } catch (const std::bad_alloc &) {
    return toC(resourceExhausted("host memory: an allocation failed"));
  } catch (const std::exception &error) {
    return toC(internalError("{}", error.what()));
  }
}

/// InvalidArgument if an argument that must be there is null.
inline Status required(const void *argument, const char *name) {
  return argument ? Status() : invalidArgument("argument '{}': null; expected an object", name);
}

/// The caller's options as this library knows them: zeroed where the caller's struct is shorter or absent.
template <typename T> T readOptions(const T *options) {
  T result = {};
  if (options)
    std::memcpy(&result, options, std::min(options->struct_size, sizeof(T)));
  result.struct_size = sizeof(T);
  return result;
}

/// Fills the caller's struct as far as the caller knows it.
template <typename T> Status writeOut(T *out, T value, const char *name) {
  KILN_RETURN_IF_ERROR(required(out, name));
  if (out->struct_size == 0)
    return invalidArgument("argument '{}': struct_size 0; expected {}", name, sizeof(T));
  size_t size = std::min(out->struct_size, sizeof(T));
  value.struct_size = out->struct_size;
  std::memcpy(out, &value, size);
  return {};
}

/// Makes the folder that stages are dumped to, at once, not when the first stage has been compiled and is not
/// to be found. PermissionDenied: it cannot be written. "" is none.
Status checkDumpDir(const std::string &folder);

inline std::string text(KilnStr string) { return std::string(toView(string)); }

} // namespace kiln::capi
#endif // KILN_RUNTIME_CAPI_H
