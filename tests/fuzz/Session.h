// Session.h: one instance of the runtime for all inputs of a target.
#ifndef KILN_TESTS_FUZZ_SESSION_H
#define KILN_TESTS_FUZZ_SESSION_H

#include "tools/lib/KilnApi.h"

#include <cstdio>
#include <cstdlib>

namespace kiln::fuzz {

/// Made at the first call, never released: the process ends with the targets.
inline KilnInstance *instance() {
  static KilnInstance *shared = [] {
    KilnInstance *made = nullptr;
    if (Status status = tools::take(kiln_instance_create(nullptr, &made)); !status.ok()) {
      std::fprintf(stderr, "fuzz: no instance: %s\n", status.message().c_str());
      std::exit(3);
    }
    return made;
  }();
  return shared;
}

/// Loads a model from bytes. An internal error is a bug: it ends the process, as a crash does.
inline tools::ModelHandle load(const uint8_t *data, size_t size, std::string_view format) {
  auto options = tools::sized<KilnModelOptions>();
  options.format = toStr(format);
  KilnModel *model = nullptr;
  Status status = tools::take(kiln_model_load_memory(instance(), data, size, &options, &model));
  if (status.code() == Code::Internal) {
    std::fprintf(stderr, "fuzz: internal error: %s\n", status.message().c_str());
    std::abort();
  }
  return tools::ModelHandle(model);
}

} // namespace kiln::fuzz
#endif // KILN_TESTS_FUZZ_SESSION_H
