// KilnOps.td: all families together, for mlir-tblgen.
#ifndef KILN_OPS_TD
#define KILN_OPS_TD
include "kiln/IR/KilnActivation.td"
include "kiln/IR/KilnAttention.td"
include "kiln/IR/KilnBinary.td"
include "kiln/IR/KilnContraction.td"
include "kiln/IR/KilnIndexing.td"
include "kiln/IR/KilnMath.td"
include "kiln/IR/KilnNormalization.td"
include "kiln/IR/KilnProgram.td"
include "kiln/IR/KilnQuantization.td"
include "kiln/IR/KilnRandom.td"
include "kiln/IR/KilnRecurrence.td"
include "kiln/IR/KilnReduction.td"
include "kiln/IR/KilnResize.td"
include "kiln/IR/KilnSelect.td"
include "kiln/IR/KilnShape.td"
#endif // KILN_OPS_TD
