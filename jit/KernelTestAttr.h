// KernelTestAttr.h: the attribute `kiln.test` of functions: element types to try, cases to run, what is
// expected.
#ifndef KILN_JIT_KERNELTESTATTR_H
#define KILN_JIT_KERNELTESTATTR_H

#include "kiln/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace kiln::jit {

/// A dictionary on a function; docs/howto/write-a-kernel-test.md says what its entries mean. The compiler
/// looks at `types` and `golden` only; the rest is the test runner's.
inline constexpr llvm::StringLiteral kTestAttr = "kiln.test";

/// The names under which a function runs: its own, or one for each entry of `types`: "add[f16]".
std::vector<std::string> testVariants(mlir::func::FuncOp function);
/// "add" of "add[f16]".
llvm::StringRef variantFunction(llvm::StringRef variant);

/// InvalidArgument if a check compares with a constant of many numbers: a recording says what came once, not
/// what is right. `golden = "why"` in the attribute allows it.
Status refuseRecordings(mlir::func::FuncOp function);

/// Takes the attribute off `function` and returns it as JSON, with "results", the number of results; with a
/// variant's type, first makes that the element type of every tensor that has the first argument's.
/// InvalidArgument: an attribute of another form, a type that `types` does not list.
Result<std::string> applyTestAttr(mlir::func::FuncOp function, llvm::StringRef variant);

} // namespace kiln::jit
#endif // KILN_JIT_KERNELTESTATTR_H
