// KilnOps.td: all families together, for mlir-tblgen.
#ifndef KILN_OPS_TD
#define KILN_OPS_TD
include "kiln/IR/KilnContraction.td"
include "kiln/IR/KilnNormalization.td"
include "kiln/IR/KilnProgram.td"
include "kiln/IR/KilnReduction.td"
#endif // KILN_OPS_TD
