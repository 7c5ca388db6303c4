// clashing_option_compiler.cpp: a global cl::opt with a name that libLLVM has taken: LLVM ends the process
// when such a library is opened.
#include "kiln/jit/CompilerRegistrar.h"

#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool> clash("enable-misched", llvm::cl::desc("an option of this backend"));

static kiln::Status registerClashing(kiln::jit::CompilerRegistrar &registrar) { return registrar.status(); }
KILN_BACKEND_COMPILER(clashing_option, "0.1.0", registerClashing)
