// static_llvm.cpp: brings a copy of LLVM's support library of its own: nothing of it is seen by others.
#include "tests/plugins/PluginDevice.h"

#include "llvm/Support/CommandLine.h"

// An option that every LLVM has registered; in a shared registry this would end the process.
static llvm::cl::opt<bool> sameAsLlvm("debug-counter-of-a-plugin",
                                      llvm::cl::desc("an option of a second LLVM"));

static kiln::Status registerWithLlvm(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "static_llvm",
                                 llvm::cl::getRegisteredOptions().size() > 0 ? 1 : 0);
  return registrar.status();
}
KILN_BACKEND(static_llvm, "0.1.0", registerWithLlvm)
