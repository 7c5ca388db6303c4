// main.cpp: jit-objdump; the work is in tools/lib/JitObjdump.cpp.
#include "tools/lib/ToolMain.h"

#include <iostream>

int main(int argc, char **argv) { return kiln::tools::jitObjdump(argc, argv, std::cout, std::cerr); }
