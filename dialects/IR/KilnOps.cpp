// KilnOps.cpp: the code that mlir-tblgen makes for the ops.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#define GET_OP_CLASSES
#include "kiln/IR/KilnOps.cpp.inc"
