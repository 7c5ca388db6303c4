// main.cpp: jit-run; the work is in tools/lib/JitRun.cpp.
#include "tools/lib/ToolMain.h"

int main(int argc, char **argv) { return kiln::tools::runMain(kiln::tools::jitRun, argc, argv); }
