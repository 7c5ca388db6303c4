// kiln-preflight: tries one backend, so that what ends a process ends this one. Started by the runtime and by
// jit-info doctor, not by people; it lies in lib/kiln.
#include "tools/kiln-preflight/TrialRun.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::trialRun(argc, argv, std::cout, std::cerr); }
