// main.cpp: jit-cache; the work is in tools/lib/JitCache.cpp.
#include "tools/lib/ToolMain.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::jitCache(argc, argv, std::cout, std::cerr); }
