// main.cpp: jit-info; the work is in tools/lib/JitInfo.cpp.
#include "tools/lib/ToolMain.h"

int main(int argc, char **argv) { return kiln::tools::runMain(kiln::tools::jitInfo, argc, argv); }
