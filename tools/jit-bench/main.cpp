// main.cpp: jit-bench; the work is in tools/lib/JitBench.cpp.
#include "tools/lib/ToolMain.h"

int main(int argc, char **argv) { return kiln::tools::runMain(kiln::tools::jitBench, argc, argv); }
