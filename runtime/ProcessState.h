// ProcessState.h: what a backend's code could change for the whole process while it is loaded, looked at
// before and put back after.
#ifndef KILN_RUNTIME_PROCESSSTATE_H
#define KILN_RUNTIME_PROCESSSTATE_H

#include "kiln/Status.h"

#include <functional>
#include <memory>
#include <string_view>

namespace kiln {

/// Runs `part` ("dlopen", "init") of a backend's load. What fn throws becomes its status. What it changed of
/// the process is put back, with one warning that names all of it: locale, umask, working directory, handlers
/// of signals; and for the calling thread the mask of signals and the rounding and denormal modes (a library
/// linked with -ffast-math sets them in a constructor). If it closed files of others, FailedPrecondition:
/// they cannot be had back. A copy of the process that it forked and that returned from it is ended here.
/// Threads: safe; holds no lock while fn runs. What fn's own threads change later is not seen.
Status runBackendCode(std::string_view backend, std::string_view part, const std::function<Status()> &fn);

} // namespace kiln
#endif // KILN_RUNTIME_PROCESSSTATE_H
