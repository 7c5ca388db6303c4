// IrNesting.h: how deep brackets may nest in IR text, checked before MLIR's recursive parser sees it.
#ifndef KILN_JIT_IRNESTING_H
#define KILN_JIT_IRNESTING_H

#include "kiln/Status.h"

#include "llvm/ADT/StringRef.h"

namespace kiln::jit {

/// Deeper nesting is an error: real IR stays far below, and the parser, which takes a call a level, would
/// overflow its stack.
inline constexpr unsigned kMaxIrNesting = 256;

/// Counts brackets, angle brackets and signs outside strings and comments. InvalidArgument names file, line
/// and column of the one that is too deep. Bytecode passes.
Status checkIrNesting(llvm::StringRef text, llvm::StringRef file);

} // namespace kiln::jit
#endif // KILN_JIT_IRNESTING_H
