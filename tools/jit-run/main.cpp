// main.cpp: jit-run; the work is in tools/lib/JitRun.cpp.
#include "tools/lib/ToolMain.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::jitRun(argc, argv, std::cout, std::cerr); }
