// DialectPrecompiled.h: the precompiled header of libraries about the kiln dialect.
#include "cmake/MlirPrecompiled.h"

#include "kiln/IR/Kiln.h"
