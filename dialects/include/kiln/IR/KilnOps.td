// KilnOps.td: all families together, for mlir-tblgen.
#ifndef KILN_OPS_TD
#define KILN_OPS_TD
include "kiln/IR/KilnProgram.td"
#endif // KILN_OPS_TD
