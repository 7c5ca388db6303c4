// main.cpp: jit-info; the work is in tools/lib/JitInfo.cpp.
#include "tools/lib/ToolMain.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::jitInfo(argc, argv, std::cout, std::cerr); }
