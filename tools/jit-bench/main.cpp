// main.cpp: jit-bench; the work is in tools/lib/JitBench.cpp.
#include "tools/lib/ToolMain.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::jitBench(argc, argv, std::cout, std::cerr); }
