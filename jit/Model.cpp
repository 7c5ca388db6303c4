// Model.cpp: locks of an imported model.
#include "jit/Model.h"

#include "jit/Diagnostics.h"

#include <chrono>

using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr std::chrono::seconds kForkPatience(10); // in the child of a fork, for its own threads
}

Result<std::unique_lock<std::timed_mutex>> kiln::jit::lockModel(const Model &model, std::timed_mutex &mutex) {
  if (getpid() == model.process)
    return std::unique_lock(mutex);
  std::unique_lock lock(mutex, kForkPatience);
  if (!lock.owns_lock())
    return makeError(Code::Forked,
                     "model '" + model.name +
                         "': another thread was at it when this process was forked; load it again");
  return lock;
}
