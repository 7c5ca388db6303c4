// KilnApi.h: owning C++ handles over kiln.h, for tools.
#ifndef KILN_TOOLS_LIB_KILNAPI_H
#define KILN_TOOLS_LIB_KILNAPI_H

#include "kiln/Status.h"
#include "kiln/kiln.h"

#include <memory>

namespace kiln::tools {

template <auto Release> struct Releaser {
  template <typename T> void operator()(T *object) const { Release(object); }
};
using InstanceHandle = std::unique_ptr<KilnInstance, Releaser<kiln_instance_release>>;
using SessionHandle = std::unique_ptr<KilnSession, Releaser<kiln_session_release>>;
using ModelHandle = std::unique_ptr<KilnModel, Releaser<kiln_model_release>>;
using RunHandle = std::unique_ptr<KilnRun, Releaser<kiln_run_release>>;

/// Takes over and frees a status of the C API.
inline Status take(KilnStatus status) {
  if (!status)
    return {};
  Status result(static_cast<Code>(kiln_status_code(status)),
                std::string(toView(kiln_status_message(status))));
  kiln_status_free(status);
  return result;
}

/// A zeroed options struct of kiln.h with its size set.
template <typename T> T sized() {
  T value{};
  value.struct_size = sizeof(T);
  return value;
}

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_KILNAPI_H
